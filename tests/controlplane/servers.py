"""A control plane on 127.0.0.1: etcd, API server, controller-manager and scheduler, with no kubelet and no node."""

import secrets
import shutil
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from . import build
from .processes import end, spawn

HOST = "127.0.0.1"
READY_SECONDS = 90.0  # 3 to 5 on a quiet machine; the rest is for a busy one
POLL_SECONDS = 0.05
# What turns our objects into pods and claims, and what clears up after them. Node lifecycle is left out: nobody renews
# the leases of nodes that do not exist.
CONTROLLERS = (
    "daemonset-controller",
    "deployment-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "replicaset-controller",
    "resourceclaim-controller",
    "serviceaccount-controller",
    "statefulset-controller",
)
# The clients' own throttle (20 requests a second) would be all that a test of many pods measures.
UNTHROTTLED = ("--kube-api-qps=5000", "--kube-api-burst=5000")

# MutatingAdmissionPolicy before it was general, in 1.36.
BETA = (
    "--feature-gates=MutatingAdmissionPolicy=true",
    "--runtime-config=admissionregistration.k8s.io/v1beta1=true",
)
BETAS = {"1.34": BETA, "1.35": BETA}

KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: controlplane
contexts: [{{name: controlplane, context: {{cluster: controlplane, user: admin}}}}]
clusters: [{{name: controlplane, cluster: {{server: "{server}", certificate-authority: {authority}}}}}]
users: [{{name: admin, user: {{token: {token}}}}}]
"""


class ServerError(Exception):
    """A server ended or never became ready; the message holds the end of its log."""


@contextmanager
def control_plane(folder: Path) -> Generator[Path]:
    """Run the four servers with their data, logs and certificates in `folder`; gives the admin's kubeconfig."""
    etcd, kubernetes = build.etcd(), build.kubernetes()
    client_port, api_port, manager_port, scheduler_port = free_ports(4)
    token, kubeconfig, certificates = secrets.token_hex(16), folder / "kubeconfig", folder / "certificates"
    write_private(folder / "tokens.csv", f"{token},admin,admin,system:masters\n")
    write_private(
        kubeconfig,
        KUBECONFIG.format(server=f"https://{HOST}:{api_port}", authority=certificates / "apiserver.crt", token=token),
    )
    data = folder / "etcd"
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, data, ignore_errors=True)  # 64 MB and more; the logs stay

        def run(name: str, program: Path, *flags: str) -> tuple[subprocess.Popen, Path]:
            log = folder / f"{name}.log"
            with log.open("wb") as output:
                process = spawn([program, *flags], output)
            stack.callback(end, process)
            return process, log

        storage = run("etcd", etcd, *etcd_flags(data, client_port))
        await_ready(f"http://{HOST}:{client_port}/health", *storage)
        flags = api_server_flags(folder, certificates, client_port, api_port)
        api = run("kube-apiserver", kubernetes / "kube-apiserver", *flags)
        await_ready(f"https://{HOST}:{api_port}/readyz", *api)
        common = (f"--kubeconfig={kubeconfig}", f"--bind-address={HOST}", "--leader-elect=false", *UNTHROTTLED)
        manager = run(
            "kube-controller-manager",
            kubernetes / "kube-controller-manager",
            f"--secure-port={manager_port}",
            f"--controllers={','.join(CONTROLLERS)}",
            *common,
        )
        scheduler = run("kube-scheduler", kubernetes / "kube-scheduler", f"--secure-port={scheduler_port}", *common)
        await_ready(f"https://{HOST}:{manager_port}/healthz", *manager)
        await_ready(f"https://{HOST}:{scheduler_port}/readyz", *scheduler)
        yield kubeconfig


def etcd_flags(data: Path, port: int) -> list[str]:
    """One member that never syncs to disk. Nobody needs its peer port, so any will do."""
    client = f"http://{HOST}:{port}"
    return [
        f"--data-dir={data}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls=http://{HOST}:0",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def api_server_flags(folder: Path, certificates: Path, etcd_port: int, port: int) -> list[str]:
    """As managed clusters run it: default admission, RBAC, and privileged pods for node agents.

    The server makes its own certificate before it reads the key for service account tokens, so one serves for both.
    """
    key = certificates / "apiserver.key"
    return [
        f"--etcd-servers=http://{HOST}:{etcd_port}",
        f"--bind-address={HOST}",
        f"--secure-port={port}",
        f"--cert-dir={certificates}",
        f"--service-account-issuer=https://{HOST}:{port}",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-cluster-ip-range=10.96.0.0/16",
        f"--token-auth-file={folder / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        "--allow-privileged",
        *BETAS.get(build.KUBERNETES, ()),
    ]


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now, all different because they are held together."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]


def await_ready(url: str, process: subprocess.Popen, log: Path) -> None:
    """Poll a health endpoint until it says yes; the server's log is the message where it does not."""
    # The certificate is made while we wait, and a proxy of the environment has no business here.
    tls = urllib.request.HTTPSHandler(context=ssl._create_unverified_context())
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}), tls)
    deadline = time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with direct.open(url, timeout=5):
                return
        except OSError:
            time.sleep(POLL_SECONDS)
    what = "is not ready" if process.poll() is None else f"ended with {process.returncode}"
    tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
    raise ServerError(f"{log.stem} {what}; the end of {log}:\n{tail}")


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    path.touch(mode=0o600)
    path.write_text(text)

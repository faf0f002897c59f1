"""Servers of a control plane on 127.0.0.1: an API server with its etcd, or the whole of it. There is no node."""

import os
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from pulumi_offline.errors import InputError, Refused
from .processes import end, spawn

HOST = "127.0.0.1"
READY_SECONDS = 90.0  # 3 to 5 on a quiet machine; the rest is for a busy one
POLL_SECONDS = 0.05
# MutatingAdmissionPolicy before it was general, in 1.36.
BETA = ("--feature-gates=MutatingAdmissionPolicy=true", "--runtime-config=admissionregistration.k8s.io/v1beta1=true")
BETAS = {"1.34": BETA, "1.35": BETA}

KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: controlplane
contexts: [{{name: controlplane, context: {{cluster: controlplane, user: admin}}}}]
clusters: [{{name: controlplane, cluster: {{server: "{server}", certificate-authority: {authority}}}}}]
users: [{{name: admin, user: {{token: {token}}}}}]
"""

CONTROLLERS = (
    "daemonset-controller",
    "deployment-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "persistentvolume-protection-controller",
    "persistentvolumeclaim-protection-controller",
    "replicaset-controller",
    "resourceclaim-controller",
    "serviceaccount-controller",
    "serviceaccount-token-controller",
    "statefulset-controller",
)
"""What turns our objects into pods and claims, and what clears up after them. Node lifecycle is left out: nobody renews
the leases of nodes that do not exist."""
UNTHROTTLED = ("--kube-api-qps=5000", "--kube-api-burst=5000")
"""The clients' own throttle (20 requests a second) would be all that many pods show."""
HOW_TO_GET_THEM = (
    "no etcd and kube-apiserver on PATH, nor built by `make e2e`; https://github.com/etcd-io/etcd/releases and "
    "https://kubernetes.io/releases/download have them, or name the kubeconfig of an empty cluster: "
    "--control-plane KUBECONFIG"
)


class Programs(NamedTuple):
    """The two that make an API server."""

    etcd: Path
    api_server: Path


def cache_folder() -> Path:
    """Where `make e2e` keeps what it builds."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "rdma-cluster" / "controlplane"


def find_programs(minor: str) -> Programs:
    """The programs on PATH, else built by `make e2e`: of ``minor`` (``1.35``), else the newest. Raises ``Refused``."""
    on_path = [shutil.which(each) for each in ("etcd", "kube-apiserver")]
    if all(on_path):
        return Programs(*(Path(str(each)) for each in on_path))
    etcd = [each for each in cache_folder().glob("etcd-*/server") if ".partial" not in each.parts[-2]]
    built = [each for each in cache_folder().glob("kubernetes-*/kube-apiserver") if ".partial" not in each.parts[-2]]
    if not etcd or not built:
        raise Refused([InputError(("--control-plane",), HOW_TO_GET_THEM)])

    def preferred(program: Path) -> tuple[bool, int, float]:
        release = program.parent.name.split("-")[1]
        return release == minor, int(release.partition(".")[2]), program.stat().st_mtime

    return Programs(max(etcd, key=lambda each: each.stat().st_mtime), max(built, key=preferred))


def minor_of(api_server: Path) -> str:
    """Its release: ``1.36``."""
    version = subprocess.run([api_server, "--version"], capture_output=True, text=True).stdout
    minor = re.search(r"v(\d+\.\d+)", version)
    return minor[1] if minor else ""


class ServerError(Exception):
    """A server ended or never became ready; the message holds the end of its log."""


Run = Callable[..., tuple[subprocess.Popen, Path]]
"""Starts a server by its name, program and flags; gives the process and its log."""


@contextmanager
def running(folder: Path) -> Generator[Run]:
    """Starts servers whose logs lie in ``folder``, and ends them in the end."""
    with ExitStack() as stack:

        def run(name: str, program: Path, *flags: str) -> tuple[subprocess.Popen, Path]:
            log = folder / f"{name}.log"
            with log.open("wb") as output:
                process = spawn([program, *flags], output)
            stack.callback(end, process)
            return process, log

        yield run


@contextmanager
def api_server(folder: Path, programs: Programs, *further: str) -> Generator[Path]:
    """Run etcd and API server, with ``further`` flags, and all their files in ``folder``; gives admin's kubeconfig."""
    client_port, api_port = free_ports(2)
    token, kubeconfig, certificates = secrets.token_hex(16), folder / "kubeconfig", folder / "certificates"
    write_private(folder / "tokens.csv", f"{token},admin,admin,system:masters\n")
    server, authority, data = f"https://{HOST}:{api_port}", certificates / "apiserver.crt", folder / "etcd"
    write_private(kubeconfig, KUBECONFIG.format(server=server, authority=authority, token=token))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, data, ignore_errors=True)  # 64 MB and more; the logs stay
        run = stack.enter_context(running(folder))
        storage = run("etcd", programs.etcd, *etcd_flags(data, client_port))
        await_ready(f"http://{HOST}:{client_port}/health", *storage)
        flags = api_server_flags(folder, certificates, client_port, api_port)
        betas = BETAS.get(minor_of(programs.api_server), ())
        api = run("kube-apiserver", programs.api_server, *flags, *betas, *further)
        await_ready(f"{server}/readyz", *api)
        yield kubeconfig


@contextmanager
def whole_control_plane(
    folder: Path,
    programs: Programs,
    controllers: Sequence[str] = CONTROLLERS,
    gates: Sequence[str] = (),
    served: Sequence[str] = (),
) -> Generator[Path]:
    """Run the four servers with their data, logs and certificates in ``folder``; gives the admin's kubeconfig.

    Controllers and scheduler lie beside the API server. ``gates`` are flags of all servers but etcd, ``served`` further
    ones of the API server. Raises ``ServerError``.
    """
    beside = programs.api_server.parent
    with api_server(folder, programs, *gates, *served) as kubeconfig, running(folder) as run:
        manager_port, scheduler_port = free_ports(2)
        common = (f"--kubeconfig={kubeconfig}", f"--bind-address={HOST}", "--leader-elect=false", *UNTHROTTLED)
        manager = run(
            "kube-controller-manager",
            beside / "kube-controller-manager",
            f"--secure-port={manager_port}",
            f"--controllers={','.join(controllers)}",
            # For tokens in Secrets, which a manager of queues uses: the API server's own key and certificate.
            f"--service-account-private-key-file={folder / 'certificates' / 'apiserver.key'}",
            f"--root-ca-file={folder / 'certificates' / 'apiserver.crt'}",
            *common,
            *gates,
        )
        scheduler = run("kube-scheduler", beside / "kube-scheduler", f"--secure-port={scheduler_port}", *common, *gates)
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

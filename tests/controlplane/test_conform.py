"""`rdma-cluster conform` against a real API server: it needs the rights that it names, and leaves nothing behind."""

import json
import os
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from rdma_cluster.conform.pod import CLUSTER_RIGHTS, LABELS, NAMESPACE, POD_RIGHTS, pod
from tests.cli.commands import command
from tests.conform.synthetic import answers, promised
from tests.stacks import ROOT
from .api import Api, Refused
from .cluster import Cluster

GKE = promised("gke")
WHOLE = answers(GKE)
NAMES = {node["metadata"]["name"]: f"conform-{node['metadata']['name']}" for node in WHOLE.nodes}
ACCOUNT = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader"}}
# A shell that starts tests in the background has them ignore SIGINT, nohup SIGHUP, and what they start, too.
CODE = """
import signal, sys
from rdma_cluster.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
sys.exit(main())
"""
_RBAC = "rbac.authorization.k8s.io/v1"


def pods(api: Api) -> list[str]:
    """Names of the command's pods."""
    selector = ",".join(f"{key}={value}" for key, value in LABELS.items())
    return [each["metadata"]["name"] for each in api.objects("v1", "Pod", NAMESPACE, labelSelector=selector)]


def bound(name: str, rules: tuple[dict[str, Any], ...], subject: dict[str, str], inside: str | None) -> list[dict]:
    """A role and its binding, in a namespace or for the cluster."""
    prefix = "" if inside else "Cluster"
    meta = {"name": name} | ({"namespace": inside} if inside else {})
    role = {"apiVersion": _RBAC, "kind": f"{prefix}Role", "metadata": meta, "rules": list(rules)}
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": f"{prefix}Role", "name": name}
    binding = {
        "apiVersion": _RBAC,
        "kind": f"{prefix}RoleBinding",
        "metadata": meta,
        "roleRef": ref,
        "subjects": [subject],
    }
    return [role, binding]


@contextmanager
def kubelet(certificates: Path) -> Generator[int]:
    """What a kubelet would answer for the log of a pod that has looked; gives its port."""
    (look,) = WHOLE.looks.values()

    class Logs(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path.startswith(f"/containerLogs/{NAMESPACE}/rdma-conform-")
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(look.encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Logs)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "apiserver.crt", certificates / "apiserver.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@contextmanager
def ended(api: Api) -> Generator[list[str]]:
    """Ends each pod of the command as soon as it is there, as a node would; gives the names of those."""
    seen: list[str] = []
    over = threading.Event()

    def run() -> None:
        while not over.is_set():
            for name in pods(api):
                made = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": NAMESPACE}}
                try:
                    api.merge(made, {"status": {"phase": "Succeeded"}}, "/status")
                    seen.append(name)
                except Refused:
                    pass  # gone by now
            time.sleep(0.1)

    thread = threading.Thread(target=run)
    thread.start()
    yield seen
    over.set()
    thread.join()


@pytest.fixture
def nodes(api: Api, kubeconfig: Path, cluster: Cluster) -> Iterator[None]:
    """The GKE stack's nodes and slices, as the catalogue has them."""
    certificates = kubeconfig.parent / "certificates"
    if not certificates.is_dir():
        pytest.skip("a cluster of the user's own has kubelets of its own")
    with kubelet(certificates) as port:
        for node in WHOLE.nodes:
            name, taints = NAMES[node["metadata"]["name"]], node["spec"]["taints"]
            made = cluster.add_node(name, node["metadata"]["labels"], taints, node["status"]["capacity"])
            endpoint = {"kubeletEndpoint": {"Port": port}}
            status = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}], "daemonEndpoints": endpoint}
            api.merge(made, {"status": status}, "/status")
        for each in WHOLE.slices:
            spec = each["spec"]
            cluster.add_slices(NAMES[spec["nodeName"]], spec["driver"], spec["devices"])
        yield


@pytest.fixture
def reader(api: Api, cluster: Cluster, kubeconfig: Path, tmp_path: Path) -> Path:
    """A kubeconfig with an exec plugin, for an account that may do what the command names and nothing else."""
    made = cluster.apply(ACCOUNT).result
    subject = {"kind": "ServiceAccount", "name": "reader", "namespace": made["metadata"]["namespace"]}
    name = f"conform-{made['metadata']['namespace']}"
    for each in (*bound(name, CLUSTER_RIGHTS, subject, None), *bound(name, POD_RIGHTS, subject, NAMESPACE)):
        cluster.apply(each)
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 600}}
    token = api.request("POST", f"{api.path(made)}/token", json=request).json()["status"]["token"]
    version = "client.authentication.k8s.io/v1"
    told = {"apiVersion": version, "kind": "ExecCredential", "status": {"token": token}}
    (tmp_path / "credential.json").write_text(json.dumps(told))
    config = yaml.safe_load(kubeconfig.read_text())
    plugin = {"apiVersion": version, "command": "cat", "args": [str(tmp_path / "credential.json")]}
    config["users"][0]["user"] = {"exec": {**plugin, "interactiveMode": "Never"}}
    path = tmp_path / "kubeconfig.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


IN_THE_CLUSTER = {"daemon missing", "template missing", "class missing", "kubernetes newer"}
"""What a test cluster lacks, since no chart is installed there."""


@pytest.mark.usefixtures("nodes")
def test_it_needs_no_more_than_the_rights_that_it_names(api: Api, reader: Path, tmp_path: Path):
    """Nodes and slices conform, a pod has looked, and it is gone."""
    saved = tmp_path / "snapshot.json"
    with ended(api) as seen:
        code, out, err = command("conform", "gke", "--kubeconfig", str(reader), "--save", str(saved), "--json")

    told = json.loads(out)
    assert code == 1, err
    assert {each["kind"] for each in told["differences"]} <= IN_THE_CLUSTER
    assert told["notSeen"] == [] and len(set(seen)) == 1
    assert pods(api) == []
    assert "conform-" not in saved.read_text() and '"rdma": "mlx5_0"' in saved.read_text()


@pytest.mark.usefixtures("nodes")
def test_without_the_right_to_make_pods_it_goes_by_the_api_alone(api: Api, reader: Path):
    """And says what nobody looked at."""
    (binding,) = [
        each for each in api.objects(_RBAC, "RoleBinding", NAMESPACE) if "conform-" in each["metadata"]["name"]
    ]
    api.delete({**binding, "apiVersion": _RBAC, "kind": "RoleBinding"})

    code, out, _ = command("conform", "gke", "--kubeconfig", str(reader), "--json")

    told = json.loads(out)
    assert code == 1 and {each["kind"] for each in told["differences"]} <= IN_THE_CLUSTER
    assert any("no pod could look at any node" in each and "forbidden" in each for each in told["notSeen"])
    code, out, _ = command("conform", "gke", "--kubeconfig", str(reader), "--no-pod", "--json")
    assert code == 1 and "no pod looked at any node, as was asked" in json.loads(out)["notSeen"]
    assert pods(api) == []


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_leaves_no_pod(number: signal.Signals, api: Api, reader: Path):
    """Its pod never ends here; the signal comes while the command waits for it."""
    words = [sys.executable, "-c", CODE, "conform", "gke", "--kubeconfig", str(reader)]
    run = subprocess.Popen(words, cwd=ROOT, env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not pods(api) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(pods(api)) == 1

        run.send_signal(number)

        assert run.wait(timeout=30) != 0
    finally:
        run.kill()
        run.wait()
    assert pods(api) == []


@pytest.mark.usefixtures("nodes")
def test_what_a_killed_run_left_is_swept(api: Api, reader: Path):
    """The kubelet ends such a pod by its deadline; the next run removes it. One that still runs is left alone."""
    for name in ("rdma-conform-old", "rdma-conform-other"):
        api.create(pod(name, NAMES["a4-1"], "example"))
    old = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "rdma-conform-old", "namespace": NAMESPACE}}
    api.merge(old, {"status": {"phase": "Failed"}}, "/status")
    other = {**old, "metadata": {"name": "rdma-conform-other", "namespace": NAMESPACE}}
    api.merge(other, {"status": {"phase": "Running"}}, "/status")

    words = [sys.executable, "-c", CODE]
    run = subprocess.Popen([*words, "conform", "gke", "--kubeconfig", str(reader)], cwd=ROOT, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while "rdma-conform-old" in pods(api) and time.monotonic() < deadline:
        time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    run.wait(timeout=30)

    assert pods(api) == ["rdma-conform-other"]
    api.delete(other)


def test_the_pod_has_no_right_but_to_read_sys(api: Api, cluster: Cluster):
    """Pod Security's strictest level refuses of it the folder of the host alone."""
    strict = {"pod-security.kubernetes.io/enforce": "restricted"}
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": cluster.namespace, "labels": strict}})
    looker = pod("look", "any", "example")
    looker["metadata"]["namespace"] = cluster.namespace

    with pytest.raises(Refused) as refused:
        api.create(looker, dry_run=True)

    assert str(refused.value).partition('"restricted:latest": ')[2] == (
        'restricted volume types (volume "sys" uses restricted volume type "hostPath")'
    )
    (mount,) = looker["spec"]["containers"][0]["volumeMounts"]
    assert mount["readOnly"] and not looker["spec"]["automountServiceAccountToken"]
    assert not looker["spec"].keys() & {"hostNetwork", "hostPID", "hostIPC", "serviceAccountName"}
    del looker["spec"]["volumes"], looker["spec"]["containers"][0]["volumeMounts"]
    api.create(looker, dry_run=True)

"""`--control-plane` finds an API server, or says why it does not."""

import socket
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.kubernetes_api.client import Client
from rdma_rehearsal.controlplane.contents import used_by
from rdma_rehearsal.controlplane.servers import KUBECONFIG, find_programs
from rdma_rehearsal.controlplane.started import control_plane


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which `make e2e` would keep what it builds; nothing is there, nor on PATH."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "rdma-cluster" / "controlplane"


def program(path: Path) -> Path:
    """A file that can be run."""
    path.parent.mkdir(parents=True)
    path.touch(0o755)
    return path


def test_the_server_of_the_stacks_release_comes_before_the_newest(cache: Path):
    """What is half built is no program."""
    etcd = program(cache / "etcd-1" / "server")
    old, new = (program(cache / f"kubernetes-{minor}-a" / "kube-apiserver") for minor in ("1.9", "1.36"))
    program(cache / "kubernetes-1.37-a.partial" / "kube-apiserver")

    assert find_programs("1.9") == (etcd, old)
    assert find_programs("1.35") == (etcd, new)


@pytest.mark.parametrize(
    "text", [None, "", "[]", "{", "current-context: a\ncontexts: []\n"], ids=["absent", "empty", "list", "form", "name"]
)
def test_a_file_that_is_no_kubeconfig_is_refused_in_one_line(text: str | None, tmp_path: Path):
    file = tmp_path / "config"
    if text is not None:
        file.write_text(text)

    with pytest.raises(Refused) as refused, control_plane(file, "1.35"):
        pass

    (line,) = str(refused.value).splitlines()
    assert line.startswith(f"--control-plane: {file}")
    assert ": is no YAML: " in line or " is no kubeconfig that can be read: " in line


class Played(Client):
    """An API server that answers with what it holds, by path."""

    def __init__(self, **of_default: list[str]) -> None:
        self._of_default = of_default

    def request(self, method: str, path: str, body: Any = None, content: str = "", **params: str) -> dict[str, Any]:
        core = {"configmaps": True, "events": True, "pods": True, "nodes": False, "persistentvolumes": False}
        kinds = [{"name": each, "namespaced": inside, "verbs": ["list"]} for each, inside in core.items()]
        listed = self._of_default.get(path.rpartition("/")[2], [])
        answers = {
            "/apis": {"groups": [{"preferredVersion": {"groupVersion": "apps/v1"}}]},
            "/api/v1": {"resources": [*kinds, {"name": "bindings", "namespaced": True, "verbs": ["create"]}]},
            "/apis/apps/v1": {"resources": [{"name": "deployments", "namespaced": True, "verbs": ["list"]}]},
        }
        return answers.get(path, {"items": [{"metadata": {"name": each}} for each in listed]})


@pytest.mark.parametrize(
    ("objects", "used"),
    [
        ({"namespaces": ["default", "kube-system"], "configmaps": ["kube-root-ca.crt"], "nodes": ["a"]}, []),
        ({"events": ["a"]}, []),
        ({"namespaces": ["default", "team"]}, ["namespace team"]),
        ({"configmaps": ["kube-root-ca.crt", "mine"]}, ["configmaps/mine"]),
        ({"deployments": ["web"]}, ["deployments/web"]),
        ({"persistentvolumes": ["data"]}, ["persistentvolumes/data"]),
    ],
)
def test_a_cluster_counts_as_empty_with_what_a_new_one_has(objects: dict[str, list[str]], used: list[str]):
    assert list(used_by(Played(**objects))) == used


def test_a_server_that_does_not_answer_is_refused_with_its_address(tmp_path: Path):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        address = f"https://127.0.0.1:{held.getsockname()[1]}"
    file = tmp_path / "config"
    text = KUBECONFIG.format(server=address, authority="", token="t").replace("certificate-authority: ", "insecure: ")
    file.write_text(text)

    with pytest.raises(Refused, match=f"--control-plane: {address} does not let us look around: .*refused"):
        control_plane(file, "1.35").__enter__()

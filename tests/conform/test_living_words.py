"""``rdma-cluster conform`` before a cluster that answers: what is asked of it, and nodes by their names."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.catalog.images import JUDGE_PYTHON
from rdma_cluster.cli import living
from tests.cli.commands import command
from tests.conform.synthetic import answers, promised

GKE = promised("gke")
WHOLE = answers(GKE)


def answering(monkeypatch: pytest.MonkeyPatch, given: Any) -> list[Any]:
    """The cluster of any kubeconfig answers so, and says why a node was not looked at; what it was asked."""
    asked: list[Any] = []

    def read_cluster(kubeconfig: Path, expected: Any, namespaces: Any, image: str | None) -> Any:
        asked.append((kubeconfig, expected == GKE, tuple(namespaces), image))
        return given, ["a4-0: no pod could look"]

    monkeypatch.setattr(living, "read_cluster", read_cluster)
    return asked


def test_what_is_asked(monkeypatch: pytest.MonkeyPatch):
    """The namespaces of the claims, and a pod's image from the stack's mirror; without the pod no image."""
    asked = answering(monkeypatch, WHOLE)
    host = JUDGE_PYTHON.image.partition("/")[0]
    mirror = ("--set", f"registries={{{host}: m.example}}")
    code, out, err = command("conform", "gke", "--kubeconfig", "k")
    command("conform", "gke", "--kubeconfig", "k", "--no-pod")
    command("conform", "gke", "--kubeconfig", "k", "--set", "claims.namespaces=[x, y]", *mirror)

    assert (code, err) == (0, "")
    assert out.splitlines()[-2:] == [
        "not seen: a4-0: no pod could look", "stack gke: 2 nodes seen, 0 differences, no promise is broken",
    ]  # fmt: skip
    mirrored = f"m.example/{JUDGE_PYTHON.image.partition('/')[2]}"
    assert [each[0] for each in asked] == [Path("k")] * 3 and asked[0][1]
    assert [each[2:] for each in asked] == [
        (("default",), JUDGE_PYTHON.image), (("default",), None), (("x", "y"), mirrored),
    ]  # fmt: skip


def test_differences_of_a_cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """One that breaks a promise among others that do not is exit code 1; a node is named, but not in what is saved."""
    given = copy.deepcopy(WHOLE)
    (rails,) = [
        each for each in given.slices if each["spec"]["nodeName"] == "a4-1" and each["spec"]["driver"] == "dra.net"
    ]
    (rail,) = [each for each in rails["spec"]["devices"] if each["name"] == "rail-3"]
    rail["attributes"]["resource.kubernetes.io/pcieRoot"] = {"string": "pci00aa:00"}
    answering(monkeypatch, replace(given, version="v1.40.1"))
    saved = tmp_path / "s.json"

    code, out, err = command("conform", "gke", "--kubeconfig", "k", "--save", str(saved))
    assert (code, err) == (1, f"wrote {saved}: no name, address or id of yours is in it\n")
    assert any(line.startswith("breaks: pool a4, a4-1: rail 3: nic root: ") for line in out.splitlines())
    assert any(line.startswith("differs: cluster: Kubernetes") for line in out.splitlines())
    assert "a4-1" not in saved.read_text()
    code, out, _ = command("conform", "gke", "--kubeconfig", "k", "--json")
    data = json.loads(out)
    assert (code, data["stack"], data["conforms"], data["notSeen"]) == (1, "gke", False, ["a4-0: no pod could look"])
    assert {each["breaks"] for each in data["differences"]} == {True, False}

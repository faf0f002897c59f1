"""``rdma-cluster proofs`` reads a cluster by ``kubectl``, here one that answers from files."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import command
from tests.readiness.in_pod import load

proof = load("proof")

KUBECTL = """\
#!/bin/sh
for word in "$@"; do
  case $word in
    configmap|nodes|jobs) cat "{folder}/$word.json"; exit $(cat "{folder}/$word.code" 2>/dev/null || echo 0) ;;
  esac
done
exit 3
"""


def node(name: str, taint: str | None, shown: Any = None, label: str | None = None, boot: str = "b") -> dict[str, Any]:
    """A node as the API server has it."""
    made: dict[str, Any] = {
        "metadata": {"name": name, "uid": "u", "labels": {"pool": "a"}, "annotations": {}},
        "spec": {"taints": [{"key": proof.TAINT, "value": taint, "effect": "NoSchedule"}] if taint else []},
        "status": {
            "nodeInfo": {"bootID": boot},
            "conditions": [{"type": "RdmaFabricProven", "status": "False", "message": f"words of {name}"}],
        },
    }
    if shown is not None:
        made["metadata"]["annotations"][proof.PROOF] = json.dumps(vars(shown))
    if label is not None:
        made["metadata"]["labels"][proof.LABEL] = label
    return made


SHOWN = proof.Proof(1_700_000_000, "prover", "u-b", "f00d", ("n2",), 380.5, 350.0, ((1, 391.0),))


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets what ``kubectl get`` prints."""
    program = tmp_path / "kubectl"
    program.write_text(KUBECTL.format(folder=tmp_path))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def holds(*nodes: dict[str, Any], testing: tuple[str, ...] = ()) -> None:
        config = {"poolLabel": "pool", "pools": [{"name": "a", "template": {"test": {"kind": "Job"}}}]}
        annotations = {"rdma-cluster/nodes": json.dumps(testing)}
        jobs = [{"metadata": {"name": "t", "annotations": annotations}, "status": {}}] if testing else []
        (tmp_path / "configmap.json").write_text(json.dumps({"data": {"config.json": json.dumps(config)}}))
        (tmp_path / "nodes.json").write_text(json.dumps({"items": list(nodes)}))
        (tmp_path / "jobs.json").write_text(json.dumps({"items": jobs}))

    return holds


def test_a_cluster_whose_working_nodes_are_proven(cluster: Any):
    """Figures beside floor and history; what is held says why."""
    cluster(node("n1", None, SHOWN, "f00d"), node("n2", "unproven"), node("n3", "failed", None, "failed"))

    code, out, _ = command("proofs")

    assert code == 0
    assert all(word in out for word in ("2023-11-14T22:13:20Z", "380.5", "350", "391", "n2", "words of n3"))


def test_a_node_that_takes_work_unproven(cluster: Any):
    """It is named, and the answer is no."""
    cluster(node("n1", None, SHOWN, "f00d"), node("n2", None))

    code, out, _ = command("proofs", "--json")

    assert code == 1
    told = json.loads(out)
    assert told["unprovenAtWork"] == ["n2"]
    assert [each["state"] for each in told["nodes"]] == ["proven", "unproven"]


def test_a_proof_of_another_boot_is_none(cluster: Any):
    """The node may be another machine by now."""
    cluster(node("n1", None, SHOWN, "f00d", boot="c"))

    assert command("proofs")[0] == 1


def test_what_is_tested_now(cluster: Any):
    """A held node in a test."""
    cluster(node("n1", "unproven"), testing=("n1",))

    code, out, _ = command("proofs")

    assert (code, "testing" in out) == (0, True)


def test_a_cluster_without_a_prover(cluster: Any, tmp_path: Path):
    """Is told what to set."""
    cluster()
    (tmp_path / "configmap.json").write_text("")

    code, _, err = command("proofs", "--kubeconfig", "k")

    assert code == 2
    assert "readiness.enabled" in err


def test_kubectl_that_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Is asked for."""
    monkeypatch.setenv("PATH", str(tmp_path))

    code, _, err = command("proofs")

    assert (code, "kubectl is not on PATH" in err) == (2, True)

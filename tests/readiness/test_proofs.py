"""``rdma-cluster proofs`` reads the cluster of a kubeconfig; tests/controlplane/test_prover.py asks a real one."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.commands import command
from tests.readiness import played
from tests.readiness.in_pod import load

proof = load("proof")


def node(name: str, taint: str | None, shown: Any = None, label: str | None = None, boot: str = "b") -> dict[str, Any]:
    """A node as the API server has it."""
    made: dict[str, Any] = {
        "metadata": {"name": name, "uid": "u", "labels": {"pool": "a"}, "annotations": {}},
        "spec": {"taints": [{"key": proof.STARTUP_TAINT, "value": taint, "effect": "NoSchedule"}] if taint else []},
        "status": {
            "nodeInfo": {"bootID": boot},
            "conditions": [{"type": "RdmaFabricProven", "status": "False", "message": f"words of {name}"}],
        },
    }
    if shown is not None:
        made["metadata"]["annotations"][proof.PROOF] = json.dumps(vars(shown))
    if label is not None:
        made["metadata"]["labels"][proof.FABRIC_LABEL] = label
    return made


SHOWN = proof.Proof(1_700_000_000, "prover", "u-b", "f00d", ("n2",), 380.5, 350.0, ((1, 391.0),))


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command before a cluster of such nodes."""

    def run(*nodes: dict[str, Any], words: tuple[str, ...] = (), testing: tuple[str, ...] = ()) -> tuple[int, str, str]:
        played.play(monkeypatch, played.prover(*nodes, testing=testing))
        return command("proofs", "--kubeconfig", played.kubeconfig(tmp_path), *words)

    return run


def test_a_cluster_whose_working_nodes_are_proven(shown: Any):
    """Figures beside floor and history; what is held says why."""
    code, out, _ = shown(node("n1", None, SHOWN, "f00d"), node("n2", "unproven"), node("n3", "failed", None, "failed"))

    assert code == 0
    assert all(word in out for word in ("2023-11-14T22:13:20Z", "380.5", "350", "391", "n2", "words of n3"))


def test_a_node_that_takes_work_unproven(shown: Any):
    """It is named, and the answer is no."""
    code, out, _ = shown(node("n1", None, SHOWN, "f00d"), node("n2", None), words=("--json",))

    assert code == 1
    told = json.loads(out)
    assert told["unprovenAtWork"] == ["n2"]
    assert [each["state"] for each in told["nodes"]] == ["proven", "unproven"]


def test_a_proof_of_another_boot_is_none(shown: Any):
    """The node may be another machine by now."""
    assert shown(node("n1", None, SHOWN, "f00d", boot="c"))[0] == 1


def test_what_is_tested_now(shown: Any):
    """A held node in a test."""
    code, out, _ = shown(node("n1", "unproven"), testing=("n1",))

    assert (code, "testing" in out) == (0, True)


def test_only_what_is_not_proven_and_in_a_test_is_called_so(shown: Any):
    """A proven node that is proved once more stays proven; a held one that waits for its turn is unproven."""
    nodes = node("n1", None, SHOWN, "f00d"), node("n2", "unproven")
    _, out, _ = shown(*nodes, words=("--json",), testing=("n1",))

    assert [each["state"] for each in json.loads(out)["nodes"]] == ["proven", "unproven"]


def test_a_cluster_without_a_prover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Is told what to set."""
    played.play(monkeypatch, {})

    code, _, err = command("proofs", "--kubeconfig", played.kubeconfig(tmp_path))

    assert code == 2
    assert "readiness.enabled" in err


def test_a_cluster_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Says why, in its own words."""
    held = played.prover()
    del held[played.NODES]
    played.play(monkeypatch, held, "nodes is forbidden")

    code, _, err = command("proofs", "--kubeconfig", played.kubeconfig(tmp_path))

    assert code == 2
    assert "--kubeconfig: https://played: nodes is forbidden" in err


def test_no_cluster_but_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What ``kubectl`` would go by is not asked."""
    played.play(monkeypatch, played.prover())
    monkeypatch.setenv("KUBECONFIG", played.kubeconfig(tmp_path))

    code, out, err = command("proofs")

    assert (code, out) == (2, "")
    assert "--kubeconfig: missing" in err

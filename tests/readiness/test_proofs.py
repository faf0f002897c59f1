"""``rdma-cluster proofs`` reads the cluster of a kubeconfig; tests/controlplane/test_prover.py asks a real one."""

import json
from pathlib import Path
from typing import Any

import pytest
from rdma_agent import proof
from rdma_cluster.cli.proofs import node_proof
from tests.cli.commands import command
from tests.readiness import played

AT = 1_700_000_000
SHOWN = proof.Proof(AT, "prover", "u-b", "f00d", ("n2", "n3"), 380.5, 350.0, ((AT - 60, 391.0),))
BARE = proof.Proof(AT, "up", "u-b", "f00d")


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


NODES = [
    node("n3", "failed", None, "failed"),
    node("n1", None, SHOWN, "f00d"),
    node("n2", None, BARE, "f00d", boot="c"),
    node("n0", "unproven"),
]
NODES[3]["metadata"]["labels"]["pool"] = "b"
del NODES[3]["status"]["conditions"]


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command before a cluster that holds such objects."""

    def run(held: dict[str, Any], *words: str, refuses: str = "not found") -> tuple[int, str, str]:
        played.play(monkeypatch, held, refuses)
        return command("proofs", "--kubeconfig", played.kubeconfig(tmp_path), *words)

    return run


@pytest.mark.parametrize(
    ("taint", "of", "label", "tested", "state", "takes_work"),
    [
        (None, SHOWN, "f00d", False, "proven", True),
        ("unproven", SHOWN, "f00d", False, "proven", False),
        (None, SHOWN, "beef", False, "unproven", True),
        (None, None, None, True, "unproven", True),
        ("unproven", None, None, True, "testing", False),
        ("failed", SHOWN, "failed", False, "failed", False),
        ("failed", None, "failed", True, "testing", False),
    ],
)
def test_a_node_is_what_its_proof_and_its_taint_say(
    taint: str | None, of: Any, label: str | None, tested: bool, state: str, takes_work: bool
):
    """A proof counts with the label's fingerprint; a test counts where the node is held from work."""
    found = node_proof(node("n1", taint, of, label), "pool", {"n1"} if tested else set())

    assert (found.state, found.takes_work) == (state, takes_work)


def test_people_get_a_row_a_node_and_the_words_of_those_that_are_not_proven(shown: Any):
    """Rows are ordered by pool and name; a proof of another boot is none, and its node is at work unproven."""
    code, out, err = shown(played.prover(*NODES))

    rows = [line.split() for line in out.splitlines()]
    time = "2023-11-14T22:13:20Z"
    assert (code, err) == (1, "")
    assert rows[2:8] == [
        ["n1", "a", "proven", time, "prover", "n2", "n3", "380.5", "350", "391"],
        ["n2", "a", "unproven", time, "up", *["-"] * 3],
        ["n3", "a", "failed", *["-"] * 6],
        ["n0", "b", "unproven", *["-"] * 6],
        ["n2:", "words", "of", "n2"],
        ["n3:", "words", "of", "n3"],
    ]
    assert rows[8][0] == "n2" and len(rows) == 9


def test_a_pool_without_a_node_is_told(shown: Any):
    assert "pool a: no node has joined" in shown(played.prover(*NODES[3:]))[1]
    assert json.loads(shown(played.prover(), "--json")[1])["poolsWithoutNodes"] == ["a"]


def test_figures_by_message_size_are_shown_and_go_into_the_report_of_up(shown: Any, tmp_path: Path):
    """A node of an older judge has none, and its row says so by its absence."""
    measured = node("n4", None, SHOWN, "f00d")
    measured["metadata"]["annotations"]["rdma-cluster/measured"] = json.dumps({"at": AT, "busbw": [[1 << 30, 370.2]]})
    held = played.prover(measured, NODES[1])

    out = shown(held)[1].splitlines()
    assert [
        line.split() for line in out[out.index("measured, GB/s by message size") + 1 :] if line.startswith("n")
    ] == [["node", "1", "GiB"], ["n4", "370.2"]]
    row = {"sizeBytes": 1 << 30, "busbwGBytes": 370.2}
    by_name = {each["node"]: each["proof"] for each in json.loads(shown(held, "--json")[1])["nodes"]}
    assert by_name["n4"]["measured"] == [row] and "measured" not in by_name["n1"]
    (tmp_path / "report.json").write_text(json.dumps({"form": "rdma-cluster/report/1", "proven": True}))
    told = json.loads(shown(held, "--report", str(tmp_path / "report.json"))[1])
    assert told["proven"] and told["measured"] == [{"pool": "a", "node": "n4", "at": "2023-11-14T22:13:20Z", **row}]


def test_programs_get_figures_under_their_own_names(shown: Any):
    code, out, _ = shown(played.prover(NODES[0], NODES[1]), "--json")
    proven, failed = json.loads(out)["nodes"]

    assert (code, json.loads(out)["unprovenAtWork"]) == (0, [])
    assert proven["proof"] == {
        "at": "2023-11-14T22:13:20Z",
        "by": "prover",
        "beside": ["n2", "n3"],
        "busbwGBytes": 380.5,
        "floorGBytes": 350.0,
        "usualGBytes": 391.0,
        "fingerprint": "f00d",
        "history": [{"at": "2023-11-14T22:12:20Z", "busbwGBytes": 391.0}],
    }
    assert failed == {"node": "n3", "pool": "a", "state": "failed", "takesWork": False, "message": "words of n3"}


@pytest.mark.parametrize("path", [played.JOBS, "/apis/kubeflow.org/v2beta1/namespaces/rdma-acceptance/mpijobs"])
@pytest.mark.parametrize(
    ("end", "state"), [("Running", "testing"), *((end, "unproven") for end in ("Complete", "Failed", "Succeeded"))]
)
def test_a_held_node_is_testing_until_its_test_has_ended(shown: Any, path: str, end: str, state: str):
    held = played.prover(node("n1", "unproven"), testing=("n1",))
    ((test,),) = (held.pop(played.JOBS)["items"],)
    conditions = [{"type": "Complete", "status": "False"}, {"type": end, "status": "True"}]
    held[path] = {"items": [{**test, "status": {"conditions": conditions}}]}
    pools = [{"name": "a", "template": {"test": {"kind": "Job" if path == played.JOBS else "MPIJob"}}}]
    held[played.CONFIG] = {"data": {"config.json": json.dumps({"poolLabel": "pool", "pools": pools})}}
    held.setdefault(played.JOBS, {"items": []})

    (row,) = json.loads(shown(held, "--json")[1])["nodes"]
    assert row["state"] == state


def test_a_cluster_without_a_prover_is_told_what_to_set(shown: Any):
    code, _, err = shown({})

    assert code == 2 and "readiness.enabled" in err


def test_a_cluster_that_refuses_says_why_in_its_own_words(shown: Any):
    held = played.prover()
    del held[played.NODES]
    code, _, err = shown(held, refuses="nodes is forbidden")

    assert code == 2 and "nodes is forbidden" in err


def test_no_cluster_is_asked_but_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The kubeconfig that ``kubectl`` would go by is not read."""
    played.play(monkeypatch, played.prover())
    monkeypatch.setenv("KUBECONFIG", played.kubeconfig(tmp_path))

    code, out, err = command("proofs")

    assert (code, out) == (2, "") and "--kubeconfig" in err

"""``rdma-cluster proofs`` line by line: what each node is called, which tests count, and the figures beside it."""

import json
from pathlib import Path
from typing import Any

import pytest
from rdma_agent import proof
from rdma_cluster.cli.proofs import NodeProof, node_proof
from tests.cli.commands import command
from tests.readiness import played
from tests.readiness.test_proofs import node

AT = 1_700_000_000
SHOWN = proof.Proof(AT, "prover", "u-b", "f00d", ("n2", "n3"), 380.5, 350.0, ((AT - 60, 391.0),))
BARE = proof.Proof(AT, "up", "u-b", "f00d")


def of(state: str, taint: str | None, shown: Any = None, label: str | None = None, **more: Any) -> tuple[str, bool]:
    """State of a node, and whether it takes work; in a test where the first word says so."""
    testing = {"n1"} if state == "tested" else set[str]()
    found = node_proof({**node("n1", taint, shown, label), **more}, "pool", testing)
    return found.state, found.takes_work


def test_a_node_is_what_it_shows():
    """Proven by a proof of this boot with the label's fingerprint; a test counts where it is held from work."""
    assert of("", None, SHOWN, "f00d") == ("proven", True)
    assert of("", "unproven", SHOWN, "f00d") == ("proven", False)
    assert of("tested", None, SHOWN, "f00d") == ("proven", True)
    assert of("", None, SHOWN, "beef") == of("", None, None, "f00d") == of("", None, SHOWN) == ("unproven", True)
    assert of("", "failed", None, "failed") == ("failed", False)
    assert of("", "failed", SHOWN, "failed") == ("failed", False)
    assert of("tested", "failed", None, "failed") == of("tested", "unproven") == ("testing", False)
    assert of("tested", None) == ("unproven", True)
    cordoned = {"unschedulable": True}
    assert of("tested", None, spec=cordoned) == ("testing", False)
    assert of("", None, spec=cordoned) == ("unproven", False)
    assert of("", None, spec={"unschedulable": False}) == of("", None, spec={}) == ("unproven", True)


def test_a_bare_node_is_unproven():
    """It has joined a moment ago: no labels, no taints, no conditions."""
    assert node_proof({"metadata": {"name": "n1"}}, "pool", set()) == NodeProof("n1", "", "unproven", True, "", None)
    (other, own), ready = ({"type": kind, "message": kind} for kind in ("Ready", "RdmaFabricProven")), {"name": "n"}
    bare = {"metadata": {**ready, "labels": {"pool": "a"}}, "status": {"conditions": [other, own]}}
    assert node_proof(bare, "pool", set()).message == "RdmaFabricProven"
    assert node_proof(bare, "pool", set()).pool == "a"


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command before a cluster of such nodes."""

    def run(held: dict[str, Any], *words: str) -> tuple[int, str, str]:
        played.play(monkeypatch, held)
        return command("proofs", "--kubeconfig", played.kubeconfig(tmp_path), *words)

    return run


NODES = [
    node("n3", "failed", None, "failed"),
    node("n1", None, SHOWN, "f00d"),
    node("n2", None, BARE, "f00d", boot="c"),
    node("n0", "unproven"),
]
NODES[3]["metadata"]["labels"]["pool"] = "b"
del NODES[3]["status"]["conditions"]


def test_for_people(shown: Any):
    """A row a node by pool and name; then what is said of each that is not proven, and which take work."""
    code, out, err = shown(played.prover(*NODES))

    rows = [line.split() for line in out.splitlines()]
    time = "2023-11-14T22:13:20Z"
    assert (code, err) == (1, "")
    assert rows[0] == ["node", "pool", "state", "proven", "by", "beside", "GB/s", "floor", "usual"]
    assert rows[2:] == [
        ["n1", "a", "proven", time, "prover", "n2", "n3", "380.5", "350", "391"],
        ["n2", "a", "unproven", time, "up", *["-"] * 3],
        ["n3", "a", "failed", *["-"] * 6],
        ["n0", "b", "unproven", *["-"] * 6],
        ["n2:", "words", "of", "n2"],
        ["n3:", "words", "of", "n3"],
        ["n2", "takes", "work", "and", "is", "not", "proven"],
    ]


def test_for_programs(shown: Any):
    """The same, with times and figures under their own names; a node without a proof has none."""
    code, out, _ = shown(played.prover(NODES[0], NODES[1]), "--json")

    known = {"node": "n1", "pool": "a", "state": "proven", "takesWork": True, "message": "words of n1"}
    tested = {"at": "2023-11-14T22:13:20Z", "by": "prover", "beside": ["n2", "n3"]}
    figures = {"busbwGBytes": 380.5, "floorGBytes": 350.0, "usualGBytes": 391.0}
    history = [{"at": "2023-11-14T22:12:20Z", "busbwGBytes": 391.0}]
    failed = {"node": "n3", "pool": "a", "state": "failed", "takesWork": False, "message": "words of n3"}
    assert (code, json.loads(out)) == (0, {
        "nodes": [{**known, "proof": {**tested, **figures, "fingerprint": "f00d", "history": history}}, failed],
        "unprovenAtWork": [],
    })  # fmt: skip


def test_no_node_has_joined(shown: Any):
    """A pool may be of no nodes, which is no fault."""
    assert shown(played.prover()) == (0, "no node of a pool that is proved has joined\n", "")
    assert json.loads(shown(played.prover(), "--json")[1]) == {"nodes": [], "unprovenAtWork": []}


@pytest.mark.parametrize(
    ("conditions", "runs"),
    [
        (None, True),
        ([], True),
        ([{"type": "Complete", "status": "False"}], True),
        ([{"type": "Running", "status": "True"}], True),
        ([{"type": "Running", "status": "True"}, {"type": "Failed", "status": "True"}], False),
        ([{"type": "Complete", "status": "True"}], False),
        ([{"type": "Succeeded", "status": "True"}], False),
    ],
)
@pytest.mark.parametrize("kind", ["Job", "MPIJob"])
def test_a_test_that_runs(shown: Any, conditions: Any, runs: bool, kind: str):
    """Of either kind, until it has ended in whatever way; each kind of the pools is asked for once."""
    held = played.prover(node("n1", "unproven"), testing=("n1",))
    ((test,),) = (held.pop(played.JOBS)["items"],)
    test["status"] = {"conditions": conditions}
    pools = [{"name": each, "template": {"test": {"kind": kind}}} for each in "ab"]
    held[played.CONFIG] = {"data": {"config.json": json.dumps({"poolLabel": "pool", "pools": pools})}}
    path = {"Job": played.JOBS, "MPIJob": "/apis/kubeflow.org/v2beta1/namespaces/rdma-acceptance/mpijobs"}[kind]
    ended = {**test, "status": {"conditions": [{"type": "Complete", "status": "True"}]}}
    held[path] = {"items": [ended, test]}

    (row,) = json.loads(shown(held, "--json")[1])["nodes"]
    assert row["state"] == ("testing" if runs else "unproven")


def test_nodes_of_the_pools_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """By the label and the names in the prover's own configuration, and the prover's tests by theirs."""
    asked: list[tuple[str, dict[str, str]]] = []
    held = played.prover(node("n1", "unproven"))

    class Heard(played.Played):
        def request(self, method: str, path: str, body: Any = None, content: str = "", **params: str) -> Any:
            asked.append((path, params))
            return super().request(method, path, body, content)

    monkeypatch.setattr("rdma_cluster.kubernetes_api.connect.Client", lambda connection: Heard(held, ""))
    assert command("proofs", "--kubeconfig", played.kubeconfig(tmp_path))[0] == 0
    assert asked == [
        (played.CONFIG, {}),
        (played.NODES, {"labelSelector": "pool in (a)"}),
        (played.JOBS, {"labelSelector": "rdma-cluster/proves"}),
    ]

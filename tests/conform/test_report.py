"""The report that `up` leaves, and the page's second half made of it."""

import json
from pathlib import Path

import pytest
from rdma_cluster.conform.report import FORM, with_proofs
from tests.cli.commands import command
from tests.conform.synthetic import plan
from tests.stacks import STACKS, graph_of

NODES = {"phase": "nodes", "of": "a", "budgetSeconds": 1200}
PROOF = {"phase": "proof", "of": "a", "budgetSeconds": 900}


@pytest.mark.parametrize("stack", STACKS)
def test_every_stack_leaves_a_report_of_what_was_built_and_proved(stack: str):
    """Its phases have budgets, and stand in the order in which they begin."""
    outputs = graph_of(stack).outputs
    told = outputs["report"]
    order = [phase["phase"] for phase in told["phases"]]

    assert told["form"] == FORM and told["stack"] == stack and told["proofs"] == outputs["proofs"]
    assert told["pools"] and sum(told["evidence"].values()) > 20
    assert {phase["of"] for phase in told["phases"] if phase["phase"] == "proof"} <= outputs["proofs"].keys()
    assert order == sorted(order, key=["nodes", "driver", "proof"].index)
    assert ("driver" in order) == bool((parts := plan(stack).in_cluster) and parts.drivers)
    assert all(phase["budgetSeconds"] >= 60 for phase in told["phases"])
    json.dumps(told)


def test_the_seconds_of_a_proof_stand_beside_its_budget_alone():
    """The nodes of a pool have its name too, and get none."""
    whole = with_proofs({"phases": [NODES, PROOF]}, {"a": {"status": "proven", "seconds": 412}})

    assert whole["phases"] == [NODES, {**PROOF, "seconds": 412}] and whole["proven"] is True


@pytest.mark.parametrize("proofs", [{}, {"a": {"status": "proven"}, "b": {"status": "not proven"}}])
def test_a_cluster_is_proven_only_where_every_pool_is(proofs: dict):
    assert with_proofs({"phases": []}, proofs)["proven"] is False


def test_the_page_has_the_report_as_its_second_half(tmp_path: Path):
    report = {**graph_of("gke").outputs["report"], "proofs": {"<b>a4": {"status": "proven", "seconds": 412}}}
    (tmp_path / "report.json").write_text(json.dumps(report))
    words = ("plan", "gke", "--html", str(tmp_path / "page.html"), "--report", str(tmp_path / "report.json"))

    assert command(*words)[0] == 0
    text = (tmp_path / "page.html").read_text()
    assert text.index('id="report"') > text.index("<h1>") and text.count("</body>") == 1
    assert "&lt;b&gt;a4" in text and "<td>412</td>" in text

"""The report that `up` leaves, and the page's second half made of it."""

import json
from pathlib import Path

import pytest
from rdma_cluster.conform.promises import counted
from rdma_cluster.conform.report import FORM, with_proofs
from tests.cli.commands import command
from tests.stacks import STACKS, graph_of


@pytest.mark.parametrize("stack", STACKS)
def test_every_stack_leaves_a_report(stack: str):
    """What was built, its versions, how its promises are known, its phases with their budgets, its proofs."""
    outputs = graph_of(stack).outputs
    told = outputs["report"]

    assert told["form"] == FORM and told["stack"] == stack
    assert told["proofs"] == outputs["proofs"]
    assert told["pools"] and sum(told["evidence"].values()) > 20
    assert {phase["of"] for phase in told["phases"] if phase["phase"] == "proof"} <= outputs["proofs"].keys()
    assert all(phase["budgetSeconds"] >= 60 for phase in told["phases"])
    json.dumps(told)


def test_a_proof_stands_beside_its_budget_and_all_must_be_proven():
    """Not proven is said as long as one pool is not."""
    told = {"phases": [{"phase": "proof", "of": "a", "budgetSeconds": 900}]}
    proven = {"status": "proven", "seconds": 412}

    whole = with_proofs(told, {"a": proven})
    assert whole["proven"] is True
    assert whole["phases"] == [{"phase": "proof", "of": "a", "budgetSeconds": 900, "seconds": 412}]
    assert with_proofs(told, {"a": proven, "b": {"status": "not proven", "reason": "switched off"}})["proven"] is False
    assert with_proofs(told, {})["proven"] is False


def test_counts_are_of_every_class():
    """Zeros too: what hardware alone can tell is always in the table."""
    told = [each.value for each in counted([])]
    assert told == ["measured", "documented", "in code", "not published", "inferred", "not known"]


def test_the_page_has_it_as_its_second_half(tmp_path: Path):
    """Below the plan; what a stack names is text there."""
    report = {**graph_of("gke").outputs["report"], "proven": True}
    report["proofs"] = {"<b>a4": {"status": "proven", "collective": "all_gather", "seconds": 412}}
    (tmp_path / "report.json").write_text(json.dumps(report))
    page = tmp_path / "page.html"

    code, _, err = command("plan", "gke", "--html", str(page), "--report", str(tmp_path / "report.json"))

    assert code == 0, err
    text = page.read_text()
    assert text.index('id="report"') > text.index("<h1>") and text.count("</body>") == 1
    assert "every pool is proven" in text and "&lt;b&gt;a4" in text and "<td>412</td>" in text


@pytest.mark.parametrize("text", ["", "[]", '{"form": "x"}', "[" * 100_000])
def test_what_is_no_report_is_refused(text: str, tmp_path: Path):
    """And nothing is written."""
    file, page = tmp_path / "report.json", tmp_path / "page.html"
    file.write_text(text)

    code, _, err = command("plan", "gke", "--html", str(page), "--report", str(file))

    assert code == 2 and "is no report of the form" in err and not page.exists()
    code, _, err = command("plan", "gke", "--report", str(file))
    assert code == 2 and "add --html FILE" in err

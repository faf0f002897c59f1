"""What a failed gate says: what was seen, where, and what a person should do."""

from dataclasses import replace

import pytest
from nccl_verdict.expectation import SizeThreshold
from nccl_verdict.reader import read_bytes
from nccl_verdict.text import closing, plain_text, termination_message
from nccl_verdict.verdict import Verdict, judge
from tests.nccl import render
from tests.nccl.cases import CASES
from tests.nccl.forms import FABRICS, NETWORKS
from tests.nccl.test_forms import CHANGES


def verdict(lines: list[str], nodes: int = 2) -> Verdict:
    return judge(read_bytes(render.joined(lines)), render.want(nodes=nodes))


def changed(word: str, new: str, *only: str) -> list[str]:
    return [line.replace(word, new) if all(each in line for each in only) else line for line in render.log()]


GDR = {
    "all on node-1 rail 3": changed("/GDRDMA", "", "node-1:", " [3] "),
    "all on node-1, rail 0, rail 1": changed("/GDRDMA", "", "node-1:"),
    "all on rail 3 of node-0, node-1": changed("/GDRDMA", "", " [3] "),
    "32 of 32 channels without GDRDMA, on every node": changed("/GDRDMA", ""),
}


@pytest.mark.parametrize("where", GDR)
def test_channels_without_gpudirect(where: str) -> None:
    """How many of how many, and on which node and rail."""
    gate = next(gate for gate in verdict(GDR[where]).reported if gate.name == "gdr")

    assert where in gate.seen
    assert " of 32 channels" in gate.seen
    assert gate.cause


def test_evidence_names_lines() -> None:
    """A failed gate says on which line of the log it was seen."""
    lines = render.log()
    place = next(n for n, line in enumerate(lines) if "node-1:709" in line and "Using network" in line)
    lines[place] = lines[place].replace("gIB", "Socket")
    gate = next(gate for gate in verdict(lines).gates if gate.name == "socket")

    assert gate.lines == (place + 1,)
    assert "on node-1" in gate.seen


def test_bandwidth_names_its_column() -> None:
    """The gate says that it judges the out-of-place column, and a fast in-place column does not help."""
    lines = [
        render.row(8 * render.GIB, 100.0, 400.0, 16) if line.lstrip().startswith("8589934592 ") else line
        for line in render.log()
    ]
    gate = next(gate for gate in verdict(lines).gates if gate.name == "bandwidth")

    assert not gate.passed
    assert "100 GB/s out-of-place at 8 GiB, 1 of 4 rows below" in gate.seen


def test_whose_threshold_it_is() -> None:
    """A threshold that was given is never told as the catalogue's."""
    want = replace(
        render.want(),
        thresholds={"all_gather": (SizeThreshold(render.GIB, 350.0),)},
        thresholds_from="yours, by --threshold",
    )
    gate = next(gate for gate in judge(read_bytes(render.joined(render.log())), want).reported)

    assert (gate.name, gate.wanted) == (
        "bandwidth",
        "out-of-place busbw >= 350 GB/s from 1 GiB (yours, by --threshold)",
    )


def test_number_of_tests_is_judged() -> None:
    """A whole test that is lost shows only when the number is wanted."""
    runs = read_bytes(render.joined(render.log() + render.log()))

    assert judge(runs, render.want()).passed
    outcome = judge(runs, replace(render.want(), tests=3))
    assert [gate.name for gate in outcome.failed] == ["ran"]


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_reported_once(name: str) -> None:
    """Every gate that is told has its words; what follows from another is not told; there is a next step."""
    outcome = verdict(CHANGES[name][0](render.log(), FABRICS["gIB"].network))
    told = [gate.name for gate in outcome.reported]

    assert 1 <= len(told) <= 3
    for gate in outcome.reported:
        assert gate.seen
        assert gate.wanted
        assert gate.cause, gate.name
    if outcome.is_log:
        assert f"not proved: {told[0]}, " in closing(outcome)
        assert plain_text(outcome).splitlines()[-1].startswith("Next: ")
    message = termination_message(outcome).splitlines()
    assert message[0].startswith(f"{told[0]}: ")


@pytest.mark.parametrize(("transport", "claims"), [("gIB", True), ("GPUDirect-TCPX", False)])
def test_no_claims_are_looked_at_where_there_are_none(transport: str, claims: bool) -> None:
    """gVNICs are claimed by no pod, and plain machines have none: the next step says what to look at."""
    log = [line.replace("/GDRDMA", "") for line in render.log()]
    outcome = judge(read_bytes(render.joined(log)), replace(render.want(), network=NETWORKS[transport]))

    assert outcome.reported[0].name in ("socket", "transport", "nics", "gdr")
    assert ("rdma-cluster claims" in closing(outcome)) is claims
    assert ("workloads" in closing(outcome)) is not claims


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_published_runs_are_told_in_a_few_words(case) -> None:
    """No gate says zero of zero, and what follows is not told."""
    outcome = judge(read_bytes(case.text), case.expectation)
    said = plain_text(outcome)

    assert "0 of 0" not in said
    assert len(outcome.reported) <= 6
    assert all(gate.because in {each.name for each in outcome.failed} for gate in outcome.failed if gate.because)


def test_proved_is_one_sentence() -> None:
    """And what was waived is in it."""
    assert closing(verdict(render.log())) == "The fabric of 2 x m is proved."
    waived = judge(read_bytes(render.joined(render.log()[:-2])), render.want(), ("finished", "data"))
    assert closing(waived) == "The fabric of 2 x m is proved, with finished and data waived."

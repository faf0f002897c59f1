"""Published runs, one by one, in their own form and in every other one; and verbatim logs, where they are at hand."""

import json
from pathlib import Path

import pytest
from rdma_cluster.nccl import from_json, judge, plain_text
from rdma_cluster.nccl.reader import read_bytes

from tests.nccl.cases import CASES, Case
from tests.nccl.forms import PREFIXES
from tests.nccl.render import joined

VERBATIM = sorted((Path(__file__).parents[3] / "shared" / "nccl-logs").glob("*.log"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_published_run(case: Case) -> None:
    """The gates that fail are exactly the noted ones, and the figures are the published ones."""
    verdict = judge(read_bytes(case.text), case.expectation)

    assert tuple(gate.name for gate in verdict.failed) == case.fails
    largest = verdict.largest
    seen = None if largest is None else (largest.size_bytes, largest.out_of_place, largest.in_place)
    assert seen == case.largest
    assert verdict.exit_code == (1 if case.fails else 0)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_published_run_behind_a_prefix(prefix: str) -> None:
    """What launchers put before the lines changes no outcome."""
    for case in CASES:
        lines = [PREFIXES[prefix](number, line) for number, line in enumerate(case.lines())]
        verdict = judge(read_bytes(joined(lines)), case.expectation)

        assert tuple(gate.name for gate in verdict.failed) == case.fails, case.name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_waiving_what_a_publisher_left_out(case: Case) -> None:
    """A verdict passes when every failed gate is waived by name, and names them all."""
    verdict = judge(read_bytes(case.text), case.expectation, waive=case.fails)

    assert verdict.passed
    assert all(name in verdict.headline for name in case.fails)


def test_enough_cases() -> None:
    """Every table of the source documents, and at least 25 further published runs."""
    seeds = [case for case in CASES if case.name.startswith("seed-")]

    assert len(seeds) == 7
    assert len(CASES) - len(seeds) >= 25
    assert all(case.data["source"] for case in CASES)


@pytest.mark.skipif(not VERBATIM, reason="no folder of verbatim logs beside the repository")
def test_verbatim_logs() -> None:
    """The publishers' own text gives what our rendering of its figures gives."""
    for path in VERBATIM:
        text = path.read_bytes()
        head = dict(line[3:].split(": ", 1) for line in text.decode().splitlines()[:4] if line.startswith("## "))
        if "expect" not in head:
            continue
        verdict = judge(read_bytes(text), from_json(json.dumps(json.loads(head["expect"]))))

        assert [gate.name for gate in verdict.failed] == head["fails"].split(), path.name
        assert "Traceback" not in plain_text(verdict)

"""Published logs, one by one."""

import pytest
from rdma_cluster.nccl import judge
from rdma_cluster.nccl.reader import read_bytes

from tests.nccl.cases import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_published_log(case: Case) -> None:
    """The gates that fail are exactly the noted ones, and the figures are the published ones."""
    verdict = judge(read_bytes(case.text), case.expectation)
    assert tuple(gate.name for gate in verdict.failed) == case.fails
    largest = verdict.largest
    seen = None if largest is None else (largest.size_bytes, largest.out_of_place, largest.in_place)
    assert seen == case.largest
    assert verdict.exit_code == (1 if case.fails else 0)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_waiving_what_a_publisher_left_out(case: Case) -> None:
    """A verdict passes when every failed gate is waived by name, and names them all."""
    verdict = judge(read_bytes(case.text), case.expectation, waive=case.fails)
    assert verdict.passed
    assert all(name in verdict.headline for name in case.fails)


def test_enough_cases() -> None:
    """Every table of the source documents, and at least 25 further published logs."""
    seeds = [case for case in CASES if case.name.startswith("seed-")]
    assert len(seeds) == 7
    assert len(CASES) - len(seeds) >= 25
    assert all(case.source for case in CASES)

"""What bus bandwidth means for each collective: its factor, what the wire allows, and how many ranks figures imply."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from nccl_verdict.busbw import COLLECTIVES, could_be, factor, fits, fits_time, most_busbw
from nccl_verdict.rows import WIDTHS, Cell, parse_row
from tests.nccl import render

PART, WHOLE = 15 / 16, 1.0
FACTORS = {
    "all_reduce": 2 * PART,
    **dict.fromkeys(("all_gather", "reduce_scatter", "alltoall", "alltoallv", "gather", "scatter"), PART),
    **dict.fromkeys(("broadcast", "reduce", "sendrecv", "hypercube"), WHOLE),
}
"""busbw / algbw in src/*.cu of nccl-tests at 2026-07-09, for 16 ranks."""


def test_each_collective_has_the_factor_of_nccl_tests() -> None:
    assert {collective: factor(collective, 16) for collective in COLLECTIVES} == FACTORS
    assert factor("no_such", 16) is None


def test_figures_fit_a_factor_within_their_rounding() -> None:
    """0.015 and 0.025 GB/s of six ranks are printed as 0.01 and 0.03; 0.01 more is of no six ranks."""
    six, half = 2 * 5 / 6, 0.005
    fitting = [(0.01, 0.03), (0.02, 0.02), (0.0, 0.0)]

    assert [fits(Cell(alg, half), Cell(bus, half), six) for alg, bus in fitting] == [True] * 3
    assert not fits(Cell(0.01, half), Cell(0.04, half), six)
    assert not fits(Cell(0.03, half), Cell(0.03, half), six)


def test_a_time_fits_a_bandwidth_within_the_rounding_of_both() -> None:
    """1000 bytes in 1 us are 1 GB/s, however the figure was rounded to it."""
    second, time = Cell(1.0, 0.0), Cell(24724.0, 0.5)

    assert [fits_time(1000, second, Cell(value, 0.5)) for value in (0.4, 0.5, 1.5, 1.6)] == [False, True, True, False]
    assert fits_time(8 << 30, time, Cell(347.44, 0.005))
    assert not fits_time(8 << 30, time, Cell(347.54, 0.005))


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_a_row_tells_what_it_can_be_by_reduction_and_count(collective: str) -> None:
    """alltoallv's count is any, and sendrecv's reduction too."""
    line = render.row(8 << 20, 300.0, 300.0, 16, collective=collective)
    _, count, _ = line.split(maxsplit=2)
    reduces = {"all_reduce", "reduce_scatter", "reduce"}
    of_a_part = {"all_gather", "reduce_scatter", "alltoall", "gather", "scatter"}
    prints_sum = {*reduces, "sendrecv"}

    for kind, width in WIDTHS.items():
        of_kind = line.replace("float", kind, 1).replace(f" {count} ", f" {int(count) * 4 // width} ", 1)
        (row, _) = parse_row(1, of_kind.encode()) or pytest.fail(of_kind)
        could = {other for other in COLLECTIVES if could_be(other, row)}
        by_reduction = {other for other in COLLECTIVES if (other in reduces) is (collective in prints_sum)}
        by_count = {other for other in COLLECTIVES if (other in of_a_part) is (collective in of_a_part)}
        assert could == (by_reduction | {"sendrecv"}) & (by_count | {"alltoallv"}), kind


@pytest.mark.parametrize(
    ("collective", "nodes", "gpus", "in_network", "most"),
    [
        ("all_gather", 2, 8, False, 400.0),
        ("sendrecv", 2, 8, False, 400.0),
        ("all_reduce", 2, 8, False, 750.0),  # sums inside the node first: half of the bytes leave it
        ("all_reduce", 4, 8, False, 400 * (31 / 32) * 4 / 3),
        ("all_reduce", 4, 8, True, 400 * 2 * 31 / 32),  # the switches add up
        ("all_gather", 4, 8, True, 400 * (31 / 32) * 4 / 3),
        ("scatter", 2, 8, False, 750.0),  # half of the parts are for the root's own node
        ("gather", 4, 4, False, 500.0),
        ("alltoall", 2, 8, False, 93.75),  # half of each GPU's bytes leave the node, over its own NIC
        ("all_gather", 1, 8, False, None),  # no wire inside a node
        ("no_such", 2, 8, False, None),
    ],
)
def test_the_wire_bounds_what_must_leave_a_node(
    collective: str, nodes: int, gpus: int, in_network: bool, most: float | None
) -> None:
    """NICs of a node carry 400 GB/s together."""
    found = most_busbw(collective, nodes, gpus, 400.0, in_network)
    assert found == (None if most is None else pytest.approx(most))


def test_words_do_not_depend_on_hashes() -> None:
    """Sets of hosts and networks are told in one order, whatever Python's seed is."""
    script = """
from tests.nccl import judging, render
from nccl_verdict.text import plain_text
lines = render.log(render.hosts(4))
for change in (("/GDRDMA", ""), ("network gIB", "network Socket"), ("network gIB", "network UCX"), ("#  R", "# ")):
    changed = [line.replace(*change) for line in lines]
    print(plain_text(judging.verdict(changed, want=render.want(nodes=4))))
"""
    said = set()
    for seed in (1, 2, 3):
        command, environment = [sys.executable, "-c", script], {**os.environ, "PYTHONHASHSEED": str(seed)}
        root = Path(__file__).parents[2]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
        said.add(done.stdout)

    assert len(said) == 1
    assert re.search("not proved", said.pop())

"""What bus bandwidth means for each collective, and what can be."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from nccl_verdict.busbw import COLLECTIVES, could_be, factor, fits, fits_time, implied_ranks, most_busbw
from nccl_verdict.expectation import SizeThreshold
from nccl_verdict.files import NotReadableError, since
from nccl_verdict.reader import read_bytes
from nccl_verdict.rows import WIDTHS, Cell, cell, parse_row
from nccl_verdict.verdict import Verdict, judge
from tests.nccl import render

# busbw / algbw in src/*.cu of nccl-tests at 2026-07-09, for 16 ranks.
FACTORS = {
    "all_reduce": 2 * 15 / 16,
    "all_gather": 15 / 16,
    "reduce_scatter": 15 / 16,
    "alltoall": 15 / 16,
    "alltoallv": 15 / 16,
    "gather": 15 / 16,
    "scatter": 15 / 16,
    "broadcast": 1.0,
    "reduce": 1.0,
    "sendrecv": 1.0,
    "hypercube": 1.0,
}


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_factors(collective: str) -> None:
    """Those of nccl-tests' own sources."""
    assert factor(collective, 16) == FACTORS[collective]
    assert factor("no_such", 16) is None


def test_figures_that_were_rounded_apart() -> None:
    """0.015 and 0.025 GB/s of six ranks are printed as 0.01 and 0.03; and 0.01 more is of no six ranks."""
    six = factor("all_reduce", 6)
    assert six is not None
    half = 0.005
    assert fits(Cell(0.01, half), Cell(0.03, half), six) and fits(Cell(0.02, half), Cell(0.02, half), six)
    assert not fits(Cell(0.01, half), Cell(0.04, half), six) and not fits(Cell(0.03, half), Cell(0.03, half), six)
    assert fits(Cell(0.0, half), Cell(0.0, half), six)


def test_a_figure_at_the_edge_of_its_rounding() -> None:
    """Still belongs to its time: 1000 bytes in 1 us are 1 GB/s, however the figure was rounded to it."""
    second = Cell(1.0, 0.0)
    assert fits_time(1000, second, Cell(0.5, 0.5)) and fits_time(1000, second, Cell(1.5, 0.5))
    assert not fits_time(1000, second, Cell(0.4, 0.5)) and not fits_time(1000, second, Cell(1.6, 0.5))


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_rows_tell_what_they_can_be(collective: str) -> None:
    """By the reduction and the count that nccl-tests prints: alltoallv's count is any, sendrecv's reduction too."""
    line = render.row(8 << 20, 300.0, 300.0, 16, collective=collective)
    _, count, _ = line.split(maxsplit=2)
    reduces = {"all_reduce", "reduce_scatter", "reduce"}
    of_a_part = {"all_gather", "reduce_scatter", "alltoall", "gather", "scatter"}
    prints_sum = {*reduces, "sendrecv"}

    for kind in WIDTHS:
        bits = re.search(r"\d+", kind)
        width = int(bits[0]) // 8 if bits else {"char": 1, "half": 2, "int": 4, "float": 4, "double": 8}[kind]
        of_kind = line.replace("float", kind, 1).replace(f" {count} ", f" {int(count) * 4 // width} ", 1)
        (row, _) = parse_row(1, of_kind.encode()) or pytest.fail(of_kind)
        could = {other for other in COLLECTIVES if could_be(other, row)}
        by_reduction = {other for other in COLLECTIVES if (other in reduces) is (collective in prints_sum)}
        by_count = {other for other in COLLECTIVES if (other in of_a_part) is (collective in of_a_part)}
        assert could == (by_reduction | {"sendrecv"}) & (by_count | {"alltoallv"}), kind


def test_ranks_behind_two_figures() -> None:
    """The factor unmasks one node that poses as two."""
    assert implied_ranks("all_reduce", Cell(100.0, 0.005), Cell(175.0, 0.005)) == pytest.approx(8)
    assert implied_ranks("all_gather", Cell(100.0, 0.005), Cell(93.75, 0.005)) == pytest.approx(16)
    assert implied_ranks("sendrecv", Cell(100.0, 0.005), Cell(100.0, 0.005)) is None
    assert implied_ranks("all_gather", Cell(0.0, 0.005), Cell(0.0, 0.005)) is None
    assert implied_ranks("all_gather", Cell(100.0, 0.005), Cell(100.0, 0.005)) is None
    assert implied_ranks("all_reduce", Cell(100.0, 0.005), Cell(200.0, 0.005)) is None


@pytest.mark.parametrize(
    ("collective", "nodes", "gpus", "in_network", "most"),
    [
        ("all_gather", 2, 8, False, 400.0),
        ("broadcast", 2, 8, False, 400.0),
        ("sendrecv", 2, 8, False, 400.0),
        ("all_reduce", 2, 8, False, 750.0),  # sums inside the node first: half of the bytes leave it
        ("all_reduce", 4, 8, False, 400 * (31 / 32) * 4 / 3),
        ("all_reduce", 4, 8, True, 400 * 2 * 31 / 32),  # the switches add up
        ("all_reduce", 2, 1, False, 400.0),
        ("all_gather", 4, 8, True, 400 * (31 / 32) * 4 / 3),
        ("scatter", 2, 8, False, 750.0),  # half of the parts are for the root's own node
        ("gather", 4, 4, False, 500.0),
        ("alltoall", 2, 8, False, 93.75),  # half of each GPU's bytes leave the node, over its own NIC
    ],
)
def test_what_the_wire_allows(collective: str, nodes: int, gpus: int, in_network: bool, most: float) -> None:
    """Bytes that must leave a node, against its NICs of 400 GB/s together."""
    assert most_busbw(collective, nodes, gpus, 400.0, in_network) == pytest.approx(most)


def test_no_wire_inside_a_node() -> None:
    """Nor a bound of what nccl-tests does not have."""
    assert most_busbw("all_gather", 1, 8, 400.0, False) is None
    assert most_busbw("no_such", 2, 8, 400.0, False) is None


def test_half_of_the_last_place() -> None:
    """A printed figure stands for all that rounds to it."""
    for word, value, half in (("12.30", 12.3, 0.005), ("1.2e+03", 1200.0, 50.0), ("35198", 35198.0, 0.5)):
        assert cell(word) == pytest.approx((value, half))
    assert [cell(word) for word in ("N/A", "XXX.XX", "nan", "inf", "-1", "1_000")] == [None] * 6


def test_time_and_bandwidth_are_of_one_message() -> None:
    """Within the rounding of both."""
    time, alg = Cell(24724.0, 0.5), Cell(347.44, 0.005)

    assert fits_time(8 << 30, time, alg)
    assert not fits_time(8 << 30, time, Cell(347.54, 0.005))
    assert not fits_time(4 << 30, time, alg)


def test_everything_known_is_plain_data() -> None:
    """The form of `--json`: what was wanted, seen and found."""
    data = judge(read_bytes(render.joined(render.log())), render.want()).to_json()

    assert {key: data[key] for key in ("passed", "machine", "nodes", "gpus_per_node", "collective", "tests")} == {
        "passed": True, "machine": "m", "nodes": 2, "gpus_per_node": 8, "collective": "all_gather", "tests": 1,
    }  # fmt: skip
    assert (data["wire_gbytes"], data["limit_gbytes"], data["thresholds_from"]) == (400.0, 400.0, "the catalogue's")
    assert data["largest"] == {
        "size_bytes": 8 << 30, "out_of_place_gbytes": 325.72, "in_place_gbytes": 325.72, "floor_gbytes": 257.0,
    }  # fmt: skip
    bad = judge(read_bytes(render.joined(render.log()[:-2])), render.want()).to_json()
    gate = next(gate for gate in bad["gates"] if gate["name"] == "data")
    assert (gate["passed"], gate["because"]) == (False, "finished")
    assert all(each["cause"] for each in bad["gates"] if not each["passed"] and not each["because"])


def test_words_do_not_depend_on_hashes() -> None:
    """Sets of hosts and networks are told in one order, whatever Python's seed is."""
    script = """
from tests.nccl import render
from nccl_verdict.text import plain_text
from nccl_verdict.verdict import Verdict, judge
from nccl_verdict.expectation import SizeThreshold
from nccl_verdict.files import NotReadableError, since
from nccl_verdict.reader import read_bytes
lines = render.log(render.hosts(4))
for change in (("/GDRDMA", ""), ("network gIB", "network Socket"), ("network gIB", "network UCX"), ("#  R", "# ")):
    changed = render.joined([line.replace(*change) for line in lines])
    print(plain_text(judge(read_bytes(changed), render.want(nodes=4))))
"""
    root = Path(__file__).parents[2]
    said = {
        subprocess.run(
            [sys.executable, "-c", script], cwd=root, env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in (1, 2, 3)
    }  # fmt: skip

    assert len(said) == 1
    assert "not proved" in said.pop()


def test_a_run_that_fell_since_the_last_proof_is_warned_of() -> None:
    """It reaches the threshold, and is 10 % or more below what these nodes did before."""
    before = replace(
        render.want(), expected={"all_gather": (SizeThreshold(8 << 30, 325.0),)}, expected_from="the last proof"
    )

    def outcome(busbw: float) -> Verdict:
        return judge(read_bytes(render.joined(render.log(busbw=[busbw] * 4))), before)

    assert outcome(325.72).warned == outcome(300.0).warned == ()
    assert outcome(267.0).passed
    (gate,) = outcome(267.0).warned
    assert gate.name == "bandwidth"
    assert "267 GB/s at 8 GiB reaches the threshold, and is 18% below the 325 GB/s of the last proof" in gate.warning
    assert outcome(200.0).warned == ()  # it fails
    assert "warnings: bandwidth" in outcome(267.0).headline


def test_the_last_proof_is_a_log(tmp_path: Path) -> None:
    """The slowest of its tests counts, by collective and size; a log without rows is refused."""
    for number, busbw in enumerate((324.0, 310.0)):
        (tmp_path / f"{number}.log").write_bytes(render.joined(render.log(busbw=[busbw] * 4)))
    (tmp_path / "both.log").write_bytes(b"".join((tmp_path / f"{number}.log").read_bytes() for number in (0, 1)))
    want = since(tmp_path / "both.log", render.want())
    assert want.expected_at("all_gather", 8 << 30) == 310.0
    assert want.expected_from == "the last proof"
    (tmp_path / "none.log").write_text("nothing")
    with pytest.raises(NotReadableError, match="no row of 1 GiB"):
        since(tmp_path / "none.log", render.want())

"""The gates of a test's table: all sizes are there, with figures that can be, right data, and fast enough."""

from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import Expectation, SizeThreshold
from tests.nccl import render
from tests.nccl.judging import LOG, Failing, Lines, gate_of, thresholds, verdict, want
from tests.nccl.render import GIB

BANNER, ROW = "nThread", " float "


def in_place(lines: Lines, old: str, new: str, only: str) -> Lines:
    """Another figure in the in-place column of one row."""
    return [new.join(line.rsplit(old, 1)) if only in line else line for line in lines]


FAILING = {
    "above the wire in place": Failing(
        "rows", "413 GB/s at 4 GiB", in_place(LOG, "324.30", "413.00", "4294967296  "), evidence="4294967296  "
    ),
    "not checked in place": Failing(
        "data", "", [line[:-1] + "N/A" if ROW in line else line for line in LOG], evidence=ROW, cause="-c 0"
    ),
    "the slowest of two": Failing(
        "bandwidth",
        "100 GB/s out-of-place at 2 GiB, 2 of 4",
        render.log(busbw=[200.0, 100.0, 322.0, 322.0]),
        evidence="1073741824  |2147483648  ",
    ),
    "nothing as large as the threshold": Failing(
        "bandwidth",
        "325.72 GB/s at 8 GiB",
        LOG,
        want(thresholds=thresholds(all_gather=(16 * GIB, 257.0))),
        cause="-b 1G",
    ),
    "no threshold of this collective": Failing(
        "bandwidth",
        "325.72 GB/s",
        LOG,
        want(collective="all_gather", thresholds=thresholds(all_reduce=(GIB, 1.0))),
        cause="--threshold all_gather:1G=",
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_gate_of_the_table_tells_what_it_saw(name: str) -> None:
    FAILING[name].check()


@pytest.mark.parametrize(
    ("busbw", "wanted"),
    [
        ([257.0] * 4, want()),
        ([411.9] * 4, want()),
        ([500.0] * 4, want(above_wire="a source measured more")),
        ([500.0] * 4, want(wire_gbytes=None)),
        ([500.0] * 4, want(nvlink_domain=16)),
    ],
    ids=["at the threshold", "within 3 % of the wire", "as a source measured", "a wire nobody knows", "by NVLink"],
)
def test_a_figure_just_inside_a_limit_passes(busbw: list[float], wanted: Expectation) -> None:
    assert verdict(render.log(busbw=busbw), want=wanted).failed == ()


def test_a_source_above_the_wire_says_nothing_of_reductions() -> None:
    """What leaves a node is counted for all_reduce, whatever was measured of others."""
    wanted = want(
        collective="all_reduce", above_wire="a source measured more", thresholds=thresholds(all_reduce=(GIB, 257.0))
    )
    found = gate_of("rows", render.log(collective="all_reduce", busbw=[800.0] * 4), wanted)

    assert not found.passed
    assert "750" in found.seen


def test_the_share_of_the_threshold_tells_the_likely_cause() -> None:
    """15 % and 60 % of the threshold of 257 GB/s part the causes, at the largest row and the last threshold."""
    two = {"all_gather": (SizeThreshold(GIB, 100.0), SizeThreshold(8 * GIB, 257.0))}

    def cause(*busbw: float, **more: Any) -> str:
        return gate_of("bandwidth", render.log(busbw=busbw), want(**more)).cause

    tcp, rails, near = (cause(*[figure] * 4) for figure in (38.0, 39.0, 155.0))
    assert len({tcp, rails, near}) == 3
    assert cause(*[154.0] * 4) == rails
    assert cause(30.0, 60.0, 90.0, 200.0) == near
    assert cause(*[38.0] * 4, thresholds=two) == tcp


def test_a_run_that_fell_since_the_last_proof_is_warned_of() -> None:
    """It reaches the threshold, and is 10 % or more below what these nodes did before."""
    before = replace(want(), expected=thresholds(all_gather=(8 * GIB, 325.0)), expected_from="the last proof")

    def outcome(busbw: float):
        return verdict(render.log(busbw=[busbw] * 4), want=before)

    (gate,) = outcome(267.0).warned
    assert outcome(267.0).passed
    assert gate.name == "bandwidth"
    assert "18%" in gate.warning
    assert "the last proof" in gate.warning
    assert [outcome(busbw).warned for busbw in (325.72, 300.0, 200.0)] == [(), (), ()]

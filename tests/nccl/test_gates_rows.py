"""What is told of a test's end, extent and table, with its figures and lines; and what is just inside a limit."""

from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import Expectation, SizeThreshold
from nccl_verdict.gate import Gate
from nccl_verdict.text import next_step
from tests.nccl import render
from tests.nccl.render import GIB
from tests.nccl.test_forms import Lines, swapped, without
from tests.nccl.test_gates import BANNER, ROW, holding, outcome

PORT_DOWN = "NCCL WARN NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)"
ANOTHER = "#  Rank  0 Group  0 Pid   9999 on node-0 device  0 [0000:8f:00] NVIDIA H200"


def want(collective: str | None = None, **more: Any) -> Expectation:
    """Of a test of two nodes of eight."""
    return replace(render.want(), collective=collective, **more)


def thresholds(**by_collective: tuple[int, float]) -> dict[str, tuple[SizeThreshold, ...]]:
    """One of each."""
    return {name: (SizeThreshold(*each),) for name, each in by_collective.items()}


def last_in_place(lines: Lines, old: str, new: str, only: str) -> Lines:
    """Another figure in the in-place column of one row."""
    changed = []
    for line in lines:
        head, found, tail = line.rpartition(old)
        changed.append(head + new + tail if found and only in line else line)
    return changed


LOG = render.log()
WAYS: dict[str, tuple[Lines, Expectation, str, str, str]] = {
    # The lines, what is wanted, the gate, what was seen, and its evidence.
    "no average": (LOG[:-1], want(), "finished", "did not finish: no footer; its last row is 8 GiB", "8589934592  "),
    "no bounds": ([*LOG[:-2], LOG[-1]], want(), "finished", "did not finish: no footer; its last row is 8 GiB",
                  "8589934592  "),
    "a line beyond every bound": ([*LOG, "Out of bounds " + "x" * 20_000], want(), "finished",
                                  "lines or facts beyond what is read", "xxx"),
    "a warning of nobody": ([*LOG, f"[1] net_ib.cc:1 {PORT_DOWN}"], want(), "finished",
                            "the run says it failed: NCCL: NET/IB : mlx5_3:1 Got non-fatal async event: port error(10) "
                            "on a node that is not named: NIC mlx5_3 port 1", "NCCL WARN"),
    "a rank that is not listed": ([*LOG, "MPI_ABORT was invoked on rank 99 in communicator"], want(), "finished",
                                  "the run says it failed: MPI_ABORT was called, rank 99", "MPI_ABORT"),
    "ten nodes": (render.log(render.hosts(10)), want(), "nodes",
                  "10: node-0, node-1, node-2, node-3, node-4, node-5, node-6, node-7 and 2 more", " device  0 "),
    "a rank between others lost": (without("#  Rank 14")(LOG), want(), "ranks",
                                   "15 ranks, 7/8 a node; rank 14 is not listed", "Rank +(0|15) "),
    "rails apart": (render.log(split=8, busbw=[400.0]), want(), "ranks", "16 ranks, 8 a node, in 8 groups",
                    "Rank +(0|15) "),
    "two tests at once": ([*LOG[:30], ANOTHER, *LOG[30:]], want(), "ranks",
                          "16 ranks, 8 a node, ranks listed twice with different devices", "Pid   9999"),
    "GPUs shared on the second node": (swapped("[0000:96:00]", "[0000:95:00]", only="node-1")(LOG), want(), "gpus",
                                       "7 distinct GPUs in 8 ranks on node-1", "Rank .* on node-1"),
    "another model everywhere": (swapped("NVIDIA H200", "NVIDIA H100")(LOG), want(), "gpus",
                                 "NVIDIA H100 on node-0, node-1", "Rank "),
    "two that it could be": (LOG, want(thresholds=thresholds(all_reduce=(GIB, 1.0), all_gather=(GIB, 257.0))),
                             "collective", "not named", ""),
    "named as another": (["# Collective test starting: all_gather_perf", *LOG, "# Collective test concluded"],
                         want("all_reduce"), "collective", "all_gather", "starting"),
    "rows of another": (LOG, want("all_reduce"), "collective", "rows that are not of all_reduce", ROW),
    "a factor of no number of ranks": (last_in_place(render.log(collective="broadcast", busbw=[352.85] * 4), "352.85",
                                                     "176.42", "8589934592  "), want("broadcast"), "implied_ranks",
                                       "a factor of 0.5 at 8 GiB", "8589934592  "),
    "the largest of two": (render.log(busbw=[300.0] * 2)[:-4] + [
        render.row(size * GIB, 300.0, 300.0, 8) for size in (1, 2)] + render.footer([300.0]), want(), "implied_ranks",
        "8 ranks at 2 GiB", "2147483648  "),
    "ranks by the column in place": (last_in_place(LOG, "325.72", "162.86", "8589934592  "), want(), "implied_ranks",
                                     "1.88 ranks at 8 GiB", "8589934592  "),
    "above the wire in place": (last_in_place(LOG, "324.30", "413.00", "4294967296  "), want(), "rows",
                                "413 GB/s at 4 GiB cannot be: NICs of 400 GB/s a node allow 400 at the most",
                                "4294967296  "),
    "3 % above the wire": (render.log(busbw=[412.1] * 4), want(), "rows",
                           "412.1 GB/s at 1 GiB cannot be: NICs of 400 GB/s a node allow 400 at the most",
                           "1073741824  "),
    "not checked in place": ([line[:-1] + "N/A" if ROW in line else line for line in LOG], want(), "data",
                             "not checked (N/A)", ROW),
    "the slowest of two": (render.log(busbw=[200.0, 100.0, 322.0, 322.0]), want(), "bandwidth",
                           "100 GB/s out-of-place at 2 GiB, 2 of 4 rows below", "1073741824  |2147483648  "),
    "nothing as large as the threshold": (LOG, want(thresholds=thresholds(all_gather=(16 * GIB, 257.0))), "bandwidth",
                                          "no row large enough; 325.72 GB/s at 8 GiB", ""),
    "no banner and nothing large": (without(BANNER)(LOG), want(), "rows", "no usable banner announces the sizes", ""),
}  # fmt: skip


def told(lines: Lines, wanted: Expectation) -> dict[str, Gate]:
    """What is told, by gate."""
    return {gate.name: gate for gate in outcome(lines, wanted).reported}


@pytest.mark.parametrize("name", WAYS)
def test_ways(name: str) -> None:
    """The gate, in figures that a person finds in the log again."""
    lines, wanted, gate, seen, words = WAYS[name]
    found = told(lines, wanted)[gate]

    assert (found.seen, found.lines) == (seen, holding(words, lines))


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (render.log(busbw=[257.0] * 4), want()),
        (render.log(busbw=[411.9] * 4), want()),
        (render.log(busbw=[500.0] * 4), want(above_wire="a source measured more")),
        (render.log(busbw=[500.0] * 4), want(wire_gbytes=None)),
        (render.log(busbw=[500.0] * 4), want(nvlink_domain=16)),
        (LOG, want(gpu_model="H200")),
    ],
    ids=["at the threshold", "within 3 %", "as a source measured", "a wire nobody knows", "by NVLink", "no vendor"],
)
def test_what_is_just_right(lines: Lines, wanted: Expectation) -> None:
    """And passes."""
    assert outcome(lines, wanted).failed == ()


def test_a_source_above_the_wire_says_nothing_of_reductions() -> None:
    """What leaves a node is counted for all_reduce, whatever was measured of others."""
    lines = render.log(collective="all_reduce", busbw=[800.0] * 4)
    wanted = want("all_reduce", above_wire="a source measured more", thresholds=thresholds(all_reduce=(GIB, 257.0)))

    assert "cannot be: NICs of 400 GB/s a node allow 750 at the most" in told(lines, wanted)["rows"].seen


@pytest.mark.parametrize(
    ("busbw", "words"),
    [(38.0, "as slow as TCP"), (39.0, "some rails do not carry"), (154.0, "some rails"), (155.0, "near the threshold")],
)
def test_how_slow_it_is(busbw: float, words: str) -> None:
    """15 % and 60 % of the threshold of 257 GB/s part the likely causes."""
    assert words in told(render.log(busbw=[busbw] * 4), want())["bandwidth"].cause


def test_how_slow_the_largest_row_is() -> None:
    """Of the last threshold: small messages, and their own thresholds, say less of the wire."""
    two = {"all_gather": (SizeThreshold(GIB, 100.0), SizeThreshold(8 * GIB, 257.0))}

    assert "near the threshold" in told(render.log(busbw=[30.0, 60.0, 90.0, 200.0]), want())["bandwidth"].cause
    assert "as slow as TCP" in told(render.log(busbw=[38.0] * 4), want(thresholds=two))["bandwidth"].cause


@pytest.mark.parametrize(
    ("wanted", "gate", "words"),
    [
        (want(thresholds=thresholds(all_gather=(GIB // 2, 330.0))), "bandwidth", ">= 330 GB/s from 1 GiB ("),
        (want(thresholds=thresholds(all_gather=(4 * GIB, 330.0))), "bandwidth", ">= 330 GB/s from 4 GiB ("),
        (want(thresholds=thresholds(b=(GIB, 1.0), a=(GIB, 1.0))), "collective", "a or b"),
        (want("reduce"), "implied_ranks", "16 ranks, by busbw / algbw = 1"),
        (want(nodes=3), "ranks", "24 ranks, 8 on each of 3 nodes"),
        (want(gpus_per_node=4, gpu_model="A", nics=4), "gpus", "4 x A a node"),
    ],
)
def test_what_is_wanted(wanted: Expectation, gate: str, words: str) -> None:
    """In the words of whoever asked."""
    (found,) = [each for each in outcome(LOG, wanted).gates if each.name == gate]
    assert words in found.wanted


def test_who_took_part_with_fewer_gpus() -> None:
    """One node of three."""
    lines = without("#  Rank 23")(render.log(render.hosts(3)))
    assert told(lines, want(nodes=3))["ranks"].cause.startswith("node-2 took part with fewer GPUs")


@pytest.mark.parametrize(
    ("lines", "wanted", "words"),
    [
        ([*LOG, f"node-1:709:950 [1] net_ib.cc:1 {PORT_DOWN}"], want(),
         "on node-1: dmesg -T | tail -n 200, and ibv_devinfo -d mlx5_3\n"),
        ([*LOG, "node-1:709:950 [1] x.cc:1 NCCL WARN Call to ibv_create_qp failed"], want(), "and ibv_devinfo\n"),
        (render.log(render.hosts(10)), want(), "--nodes 10 --gpus-per-node 8"),
        (LOG, want("all_reduce"), "--nodes 2 --collective all_reduce"),
        (LOG, want("all_gather", thresholds={}), "--threshold all_gather:1G=GBPS"),
        (render.log(busbw=[100.0] * 4), want(), "NCCL_TESTS_SPLIT='MOD 8' for rails"),
        (swapped("node-1", "node-0")(LOG), want(), "run it again: mpirun"),
    ],
)  # fmt: skip
def test_what_to_run_next(lines: Lines, wanted: Expectation, words: str) -> None:
    """With the node, and the figures of the test itself."""
    assert words in f"{next_step(outcome(lines, wanted))}\n"

"""What a failed gate says of its cause, which node is to be looked at first, and what to run next."""

import re
from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import Expectation
from nccl_verdict.gate import listing
from nccl_verdict.verdict import GATES
from tests.nccl import render
from tests.nccl.render import GIB
from tests.nccl.test_forms import CHANGES, Lines, swapped, without
from tests.nccl.test_gates import outcome
from tests.nccl.test_gates_rows import PORT_DOWN, thresholds

LOG, TEN = render.log(), render.log(render.hosts(10))
FOUR = "node-0, node-1, node-2, node-3 and 6 more"
WARNED = "node-1:709:950 [1] x.cc:1 NCCL WARN Call to ibv_create_qp failed"
FAILURE = "node-1: Test NCCL failure common.cu:958 'internal error'"
NOT_THE_CABLE = "it is probably neither cable nor switch"


def want(form: str = "gIB", nodes: int = 2, **more: Any) -> Expectation:
    return replace(render.want(form, nodes), **more)


def matching(words: str, lines: Lines) -> Lines:
    """All lines but those that hold some words."""
    return [line for line in lines if not re.search(words, line)]


Way = tuple[Lines, Expectation, str, str, str, str, str]
"""The lines, what is wanted, the gate, what was seen, how the cause begins, the node, what to run next."""
WAYS: dict[str, Way] = {
    "no row": (without(" float ")(LOG), want(), "ran", "0 rows", "the test printed no result", "", ""),
    "a failure without a hint": (
        [*LOG, FAILURE], want(), "finished",
        "the run says it failed: nccl-tests: NCCL failure common.cu:958: internal error on node-1",
        "the first such line is nearest to the cause", "node-1", ""),
    "a failure with a hint": (
        [*LOG, "command terminated with exit code 137", WARNED], want(), "finished",
        "the run says it failed: NCCL: Call to ibv_create_qp failed on node-1, rank 9", "", "node-1",
        "on node-1: dmesg -T | tail -n 200, and ibv_devinfo"),
    "a hint of nobody": (
        [*LOG, f"[1] net_ib.cc:1 {PORT_DOWN}"], want(), "finished",
        "the run says it failed: NCCL: NET/IB : mlx5_3:1 Got non-fatal async event: port error(10) on a node that is "
        "not named: NIC mlx5_3 port 1", "", "", ""),
    "a NIC of a ring of several": (
        [*render.log(split=8), f"node-1:709:950 [1] net_ib.cc:1 {PORT_DOWN}"], want(), "finished",
        "the run says it failed: NCCL: NET/IB : mlx5_3:1 Got non-fatal async event: port error(10) on node-1: NIC "
        "mlx5_3 port 1, NIC 3", "", "node-1", "on node-1: dmesg -T | tail -n 200, and ibv_devinfo -d mlx5_3"),
    "a NIC that several GPUs use": (
        [*(re.sub(r"NET/gIB/\d/", "NET/gIB/3/", line) for line in LOG),
         f"node-1:709:950 [1] net_ib.cc:1 {PORT_DOWN}"], want(), "finished",
        "the run says it failed: NCCL: NET/IB : mlx5_3:1 Got non-fatal async event: port error(10) on node-1: NIC "
        "mlx5_3 port 1, rail 0, rail 1, rail 2, rail 3 and 4 more", "", "node-1",
        "on node-1: dmesg -T | tail -n 200, and ibv_devinfo -d mlx5_3"),
    "a rank alone": (
        [*LOG, "[Rank 11] Watchdog caught collective operation timeout: x"], want(), "finished",
        "the run says it failed: PyTorch: a collective did not end in time: x on node-1, rank 11",
        "the first such line", "", ""),
    "never concluded": (
        ["# Collective test starting: all_gather_perf", *LOG], want(), "finished",
        "did not finish: started, never concluded", "a process did not come to its end", "", ""),
    "another number of nodes": (
        LOG, want(nodes=3), "nodes", "2: node-0, node-1", "the log shows 2 nodes; you said 3: say --nodes 2", "", ""),
    "five ranks lost": (
        matching(r"#  Rank +(3|5|7|9|11) ", LOG), want(), "ranks",
        "11 ranks, 5/6 a node; rank 3, 5, 7, 9 and 1 more is not listed", "lines are lost from the list", "", ""),
    "other ranks on all of more nodes": (
        LOG, want(nodes=3), "ranks", "16 ranks, 8 a node", "the log shows 2 nodes; you said 3", "", ""),
    "four ranks a node": (
        render.log(gpus=4), want(), "ranks", "8 ranks, 4 a node",
        "the log shows 4 ranks on each of 2 nodes; you said 8: say --gpus-per-node 4 if that was meant", "", ""),
    "another model on ten nodes": (
        swapped("NVIDIA H200", "NVIDIA H100")(TEN), want(nodes=10), "gpus", f"NVIDIA H100 on {FOUR}",
        "the nodes are of another machine type", "", ""),
    "no model": (
        swapped(" NVIDIA H200", "", only="Rank 12")(LOG), want(), "gpus", "no model on node-1",
        "the nodes are of another machine type", "", ""),
    "fewer GPUs, by their buses": (
        render.log(gpus=4, short=True), want(), "gpus", "4 distinct GPUs in 4 ranks on node-0",
        "two processes share a GPU: on node-0 look", "", ""),
    "GPUs that are shared, by their buses": (
        swapped("device  1 [0x10]", "device  0 [0x10]", only="node-1")(render.log(short=True)), want(), "gpus",
        "not shown for node-1: the list prints the bus alone, and ranks have device and bus in common",
        "run nccl-tests of 2025-02-28 or later", "", ""),
    "another collective": (
        ["# Collective test starting: all_gather_perf", *LOG, "# Collective test concluded"],
        want(collective="all_reduce"), "collective", "all_gather", "say --collective all_gather if that was meant", "",
        ""),
    "no collective": (
        LOG, want(thresholds={}), "collective", "not named", "name it: --collective all_reduce, or such", "", ""),
    "figures that are no numbers": (
        swapped("325.72", "XXX.XX")(LOG), want(), "rows", "figures missing or no numbers", "figures are missing or "
        "masked: run it with -b 1G -e 8G -f 2", "", ""),
    "too fast": (
        render.log(busbw=[500.0] * 4), want(), "rows",
        "500 GB/s at 1 GiB cannot be: NICs of 400 GB/s a node allow 400 at the most",
        "a node's NICs cannot carry this", "", ""),
    "another average": (
        swapped(" : 323.8", " : 222.8")(LOG), want(), "rows",
        "the rows' mean is 323.858, the footer's 222.858: rows are lost or changed", "run it with -b 1G", "", ""),
    "wrong data": (
        CHANGES["wrong data"][0](LOG, "gIB"), want(), "data", "#wrong above 0: 3 wrong elements",
        "memory or a link corrupts data", "", ""),
    "out of bounds": (
        swapped("values : 0 OK", "values : 2 FAILED")(LOG), want(), "data", "2 out of bounds, FAILED",
        "memory or a link corrupts data", "", ""),
    "data not checked": (
        swapped("    0 ", "  N/A ", only="float")(LOG), want(), "data", "not checked (N/A)", "the test ran with -c 0",
        "", ""),
    "no footer": (LOG[:-2], want(), "data", "not shown", "the footer is missing", "", ""),
    "no threshold": (
        LOG, want(thresholds=thresholds(all_reduce=(GIB, 1.0)), collective="all_gather"), "bandwidth",
        "325.72 GB/s at 8 GiB", "give one of your own: --threshold all_gather:1G=GBPS, or waive", "", ""),
    "no threshold, and no collective": (
        LOG, want(thresholds={}), "bandwidth", "325.72 GB/s at 8 GiB",
        "give one of your own: --threshold COLLECTIVE:1G=GBPS, or waive", "", ""),
    "no threshold, and the last row masked": (
        swapped("325.72", "XXX.XX")(LOG), want(thresholds={}), "bandwidth", "no number at 8589934592 B",
        "give one of your own", "", ""),
    "too small": (
        LOG, want(thresholds=thresholds(all_gather=(16 * GIB, 257.0))), "bandwidth",
        "no row large enough; 325.72 GB/s at 8 GiB", "run sizes from 1 GiB on", "", ""),
    "slow, and the last row masked": (
        swapped("325.72", "XXX.XX")(render.log(busbw=[30.0, 30.0, 30.0, 325.72])), want(), "bandwidth",
        "no number out-of-place at 8 GiB, 4 of 4 rows below", "near the threshold", "", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_ways(name: str) -> None:
    """The gate fails, and says where to begin."""
    tells(WAYS[name])


def tells(way: Way) -> None:
    """Whether a gate fails, with its words."""
    lines, wanted, name_of_gate, seen, cause, host, then = way
    (gate,) = [gate for gate in outcome(lines, wanted).gates if gate.name == name_of_gate]

    assert (gate.passed, gate.seen, gate.host, gate.then) == (False, seen, host, then)
    assert gate.cause.startswith(cause) and bool(gate.cause)


def test_a_collective_by_its_rows() -> None:
    """Where the log names none."""
    (found,) = [each for each in outcome(LOG).gates if each.name == "collective"]

    assert (found.passed, found.seen) == (True, "not named, its rows fit all_gather")


def test_what_is_wanted_of_a_log_that_is_none() -> None:
    """The same words as of a log, but for figures of a collective that nobody names."""
    wanted = {gate.name: gate.wanted for gate in outcome([], want(thresholds={})).gates}
    of_log = {gate.name: gate.wanted for gate in outcome(LOG).gates}

    assert {name: wanted[name] for name in GATES if wanted[name] != of_log[name]} == {
        "collective": "a named collective",
        "implied_ranks": "16 ranks, by busbw / algbw",
        "bandwidth": "a threshold, and none is known for this collective on 2 x 8 GPUs of m",
    }
    assert of_log["implied_ranks"] == "16 ranks, by busbw / algbw = 0.9375"


@pytest.mark.parametrize(
    ("names", "most", "words"),
    [
        ("", 4, ""),
        ("a", 4, "a"),
        ("abcd", 4, "a, b, c, d"),
        ("abcde", 4, "a, b, c, d and 1 more"),
        ("abc", 2, "a, b and 1 more"),
    ],
)
def test_names_in_a_row(names: str, most: int, words: str) -> None:
    """As many as are shown, and how many more there are, where there are more."""
    assert listing(names, most) == words

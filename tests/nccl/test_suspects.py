"""Pairs of nodes name the bad node, single rails the bad rail."""

from rdma_cluster.nccl.reader import read_bytes
from rdma_cluster.nccl.report import read_report
from rdma_cluster.nccl.run import Run
from rdma_cluster.nccl.verdict import judge

from tests.nccl import render
from tests.nccl.test_report import raw, report


def pair(first: str, second: str, busbw: float = 324.0) -> list[Run]:
    return read_bytes(render.joined(render.log([first, second], busbw=[busbw, busbw])))


def found(runs: list[Run], nodes: int = 4) -> list[tuple[str, str]]:
    return [(error.kind, error.name) for error in judge(runs, render.want(nodes=nodes)).suspects]


def test_the_slow_node_of_a_round_robin() -> None:
    """Two rounds of pairs suffice: every pair of the bad node is slow, the others meet someone good."""
    runs = [*pair("a", "b", 90.0), *pair("c", "d"), *pair("a", "c"), *pair("b", "d", 95.0)]
    assert found(runs) == [("node", "b")]


def test_two_bad_nodes() -> None:
    """Each is named when the other half of its pair was seen in a good one."""
    runs = [*pair("a", "b", 9.0), *pair("c", "d", 9.0), *pair("a", "c"), *pair("b", "e", 9.0), *pair("e", "a")]
    assert ("node", "b") in found(runs, nodes=5)
    assert ("node", "d") in found(runs, nodes=5)


def test_one_round_leaves_both_of_a_pair() -> None:
    """Nothing is claimed that is not proved."""
    runs = [*pair("a", "b", 90.0), *pair("c", "d"), *pair("e", "f")]
    assert found(runs, nodes=6) == [("pair", "a or b")]


def test_a_bad_link_between_good_nodes() -> None:
    """Both are fine with others: it is the pair."""
    runs = [*pair("a", "b", 90.0), *pair("c", "d"), *pair("a", "c"), *pair("b", "d")]
    assert found(runs) == [("pair", "a - b")]


def test_a_pair_that_did_not_finish_is_bad() -> None:
    """A hang between two nodes has no figure at all."""
    stuck = read_bytes(render.joined(render.log(["b", "c"])[:-6]))
    assert found([*pair("a", "b"), *stuck, *pair("a", "d")]) == [("node", "c")]


def test_pairs_alone_prove_no_pool() -> None:
    """Good pairs are not a run over all nodes."""
    outcome = judge([*pair("a", "b"), *pair("c", "d")], render.want(nodes=4))
    assert not outcome.passed
    assert "pairs" in outcome.gates[0].seen
    assert outcome.suspects == ()


def test_pairs_beside_a_whole_run_do_not_spoil_it() -> None:
    """The whole run proves; a pair is judged beside it."""
    whole = read_bytes(render.joined(render.log(render.hosts(4))))
    assert judge([*whole, *pair("node-0", "node-1")], render.want(nodes=4)).passed


def test_a_whole_run_that_lost_its_nodes_is_no_pair() -> None:
    """Sixteen listed ranks do not make a pair when the figures are those of thirty-two."""
    lines = [line for line in render.log(render.hosts(4), busbw=[90.0, 90.0]) if " on node-2" not in line]
    broken = read_bytes(render.joined([line for line in lines if " on node-3" not in line]))
    whole = read_bytes(render.joined(render.log(render.hosts(4))))
    assert not judge([*whole, *broken], render.want(nodes=4)).passed


def test_single_rail_runs_name_the_rail() -> None:
    """One run a rail, one GPU of the same index on every node."""
    runs = []
    for rail in range(8):
        lines = render.log(gpus=1, busbw=[20.0 if rail == 5 else 46.0])
        runs += read_bytes(render.joined([line.replace("device  0", f"device {rail:2}") for line in lines]))
    assert found(runs, nodes=2) == [("rail", "5")]


def test_split_run_names_the_rail_by_the_times_of_its_processes() -> None:
    """NCCL_TESTS_SPLIT="MOD 8" prints one table for all rails; the report of -I 1 -J holds each process's times."""
    data = report(busbw=46.0)
    half = {"alg_bw": 92.0, "bus_bw": 46.0, "nwrong": 0.0}
    times = [[9000.0 if rank % 8 == 3 else 4000.0] * 4 for rank in range(16)]
    for device in data["config"]["devices"]:
        device["group"] = device["rank"] % 8
    data["results"][0] |= {"count": 1 << 27, "out_of_place": half, "in_place": half}
    data["results"][0]["out_of_place_per_iter"] = {"per_process_max_times_us": times}
    assert found([read_report(raw(data))], nodes=2) == [("rail", "3")]


def test_split_run_is_never_the_whole_proof() -> None:
    """Eight rings of two ranks are not one of sixteen."""
    runs = read_bytes(render.joined(render.log(split=8, busbw=[400.0])))
    outcome = judge(runs, render.want())
    assert not outcome.passed
    assert outcome.tests == 0

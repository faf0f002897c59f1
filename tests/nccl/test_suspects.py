"""Pairs of nodes name the bad node, groups of them the bad cut, single rails the bad rail."""

import time
from collections.abc import Callable, Iterable
from copy import copy
from itertools import combinations

from hypothesis import given, settings, strategies as st
from nccl_verdict.reader import read_bytes
from nccl_verdict.report import read_report
from nccl_verdict.run import Run
from nccl_verdict.subtests import Subtest
from nccl_verdict.suspects import Judged, Suspect, locate
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.test_report import raw, report


def pair(first: str, second: str, busbw: float = 324.0) -> list[Run]:
    return read_bytes(render.joined(render.log([first, second], busbw=[busbw, busbw])))


def blamed(nodes: Iterable[str], slow: Callable[[str, str], bool]) -> tuple[Suspect, ...]:
    """The suspects of a pool of which every pair was run."""
    runs = {False: pair("a", "b")[0], True: pair("a", "b", 90.0)[0]}
    judged = []
    for one, two in combinations(nodes, 2):
        run = copy(runs[slow(one, two)])
        run.ranks = {n: r._replace(host=one if r.host == "a" else two) for n, r in run.ranks.items()}
        judged.append(Judged(Subtest("pair", run, render.want()), ()))
    return locate(judged)


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


NINE, EIGHT = [f"n{n}" for n in range(9)], [f"n{n}" for n in range(9, 17)]


def test_the_way_between_two_groups() -> None:
    """17 nodes, no slow pair inside a group, every pair across slow: one cause, and no node."""
    (cut,) = blamed([*NINE, *EIGHT], lambda one, two: (one in NINE) != (two in NINE))

    assert (cut.kind, cut.explains) == ("cut", 72)
    assert {frozenset(side.split()) for side in cut.name.split(" | ")} == {frozenset(NINE), frozenset(EIGHT)}
    assert "way between the groups" in cut.why


def test_a_cut_and_a_node() -> None:
    """Both are told, what explains more first."""
    cut, node = blamed([*NINE, *EIGHT], lambda one, two: "n3" in (one, two) or (one in NINE) != (two in NINE))

    assert (cut.kind, cut.explains) == ("cut", 64)
    assert (node.kind, node.name, node.explains, node.is_suspected) == ("node", "n3", 16, True)


def test_one_good_pair_clears_no_node() -> None:
    """15 of its 16 pairs are slow."""
    (node,) = blamed([*NINE, *EIGHT], lambda one, two: "n3" in (one, two) and "n7" not in (one, two))

    assert (node.kind, node.name, node.explains, node.is_suspected) == ("node", "n3", 15, True)
    assert "explains 15 of 15 bad pairs, 94% of its own" in node.why


def test_a_node_of_few_bad_pairs_is_not_drained() -> None:
    """It is the smallest explanation, and most of its pairs are good."""
    (node,) = blamed(NINE, lambda one, two: (one, two) in (("n3", "n7"), ("n3", "n8")))

    assert (node.name, node.explains, node.is_suspected) == ("n3", 2, False)


def test_collectives_are_not_compared_with_each_other() -> None:
    """alltoall sends eight times as much by the wire as all_gather: its figures are no sign of a slow pair."""
    nodes = ["a", "b", "c", "d"]
    runs = [run for one, two in combinations(nodes, 2) for run in pair(one, two)]
    slower = [
        read_bytes(render.joined(render.log([one, two], busbw=[9.0 if (one, two) == ("b", "d") else 40.0] * 2,
                                            collective="alltoall", table=render.Table(announced=True))))[0]
        for one, two in combinations(nodes, 2)
    ]  # fmt: skip
    for run in runs:
        run.collective = "all_gather"
    assert found([*runs, *slower]) == [("pair", "b - d")]


def test_no_pair_is_good() -> None:
    """Then nothing tells the nodes apart, and nobody is named."""
    runs = [run for ends in ("ab", "bc", "cd", "da") for run in pair(*ends)]
    slow = [replace_network(run) for run in runs]
    assert found(slow) == [("all", "4 pairs")]


def replace_network(run: Run) -> Run:
    """The same over sockets."""
    run.evidence.networks = {(process, "Socket"): line for (process, _), line in run.evidence.networks.items()}
    return run


def test_a_rail_that_every_bad_pair_lacks() -> None:
    """Two pairs without a node in common, both without GPUDirect on rail 5 alone."""

    def off(first: str, second: str) -> list[Run]:
        return read_bytes(render.joined([
            line.replace("/GDRDMA", "") if "[5] NCCL INFO Channel" in line else line
            for line in render.log([first, second], busbw=[324.0, 324.0])
        ]))  # fmt: skip

    runs = [*off("a", "b"), *off("c", "d"), *pair("a", "c"), *pair("b", "d")]
    assert found(runs) == [("rail", "5")]


def test_one_nic_of_a_rail() -> None:
    """Pairs of nodes on single rails tell a NIC from a rail."""

    def on_rail(rail: int, first: str, second: str, busbw: float = 46.0) -> list[Run]:
        lines = render.log([first, second], gpus=1, busbw=[busbw])
        return read_bytes(render.joined([line.replace("device  0", f"device {rail:2}") for line in lines]))

    good = [*on_rail(4, "a", "b"), *on_rail(4, "b", "c"), *on_rail(5, "a", "c")]
    runs = [*good, *on_rail(5, "a", "b", 20.0), *on_rail(5, "b", "c", 20.0)]
    assert found(runs, nodes=3) == [("NIC", "rail 5 of b")]


def test_large_pools_take_no_long_time() -> None:
    """Trying which nodes are the fewest is bounded: 64 nodes, every pair run, in less than a second or two."""
    nodes = [f"n{n}" for n in range(64)]
    for slow in (
        lambda one, two: (int(one[1:]) < 32) != (int(two[1:]) < 32),  # a cut
        lambda one, two: (int(one[1:]) * 7 + int(two[1:]) * 13) % 5 == 0,  # no pattern
        lambda one, two: int(one[1:]) + 1 == int(two[1:]),
    ):  # a chain
        started = time.process_time()
        assert blamed(nodes, slow)
        assert time.process_time() - started < 5


@settings(max_examples=60)
@given(st.sets(st.sampled_from(NINE), max_size=3))
def test_nodes_that_are_slow_with_everybody(bad: set[str]) -> None:
    """Exactly they are named, and every slow pair has one of them."""
    suspects = blamed(NINE, lambda one, two: one in bad or two in bad)

    assert {suspect.name for suspect in suspects} == bad
    assert all(suspect.is_suspected and suspect.explains == 8 for suspect in suspects)


@settings(max_examples=60)
@given(st.sets(st.sampled_from(list(combinations(NINE, 2))), max_size=20))
def test_every_bad_pair_is_explained(bad: set[tuple[str, str]]) -> None:
    """By a node in it, by the pair itself or by a cut; nothing is told where all is well."""
    suspects = blamed(NINE, lambda one, two: (one, two) in bad)

    def explained(pair: tuple[str, str]) -> bool:
        for suspect in suspects:
            if suspect.kind == "cut":
                sides = [set(side.split()) for side in suspect.name.split(" | ")]
                if sum(not side.isdisjoint(pair) for side in sides) > 1:
                    return True
            elif set(pair) & set(suspect.name.replace(" - ", " ").replace(" or ", " ").split()):
                return True
        return False

    assert bool(suspects) == bool(bad)
    assert all(explained(each) for each in bad)
    assert [suspect.explains for suspect in suspects] == sorted((each.explains for each in suspects), reverse=True)

"""Tests of pairs name the bad node, way or cut between groups, and single rails the bad rail or NIC; each says why."""

import time
from collections.abc import Callable, Iterable
from copy import copy
from itertools import combinations

import pytest
from hypothesis import given, settings, strategies as st
from nccl_verdict.run import Run
from nccl_verdict.subtests import Subtest
from nccl_verdict.suspects import Judged, Suspect, locate
from nccl_verdict.verdict import judge
from tests.nccl import judging, render

NINE, EIGHT = [f"n{n}" for n in range(9)], [f"n{n}" for n in range(9, 17)]


def pair(first: str, second: str, busbw: float = 324.0) -> list[Run]:
    return judging.runs(render.log([first, second], busbw=[busbw, busbw]))


def changed(first: str, second: str, old: str, new: str, only: str = "") -> list[Run]:
    """A pair of whose log some words are others."""
    log = render.log([first, second], busbw=[324.0, 324.0])
    return judging.runs([line.replace(old, new) if only in line else line for line in log])


def on_rail(rail: int, hosts: Iterable[str], busbw: float = 46.0) -> list[Run]:
    """A test of one GPU a node."""
    lines = render.log([*hosts], gpus=1, busbw=[busbw])
    return judging.runs([line.replace("device  0", f"device {rail:2}") for line in lines])


def off(first: str, second: str) -> list[Run]:
    """A pair without GPUDirect on rail 5."""
    return changed(first, second, "/GDRDMA", "", "[5] NCCL")


def blamed(nodes: Iterable[str], slow: Callable[[str, str], bool]) -> tuple[Suspect, ...]:
    """The suspects of a pool of which every pair was run."""
    runs = {False: pair("a", "b")[0], True: pair("a", "b", 90.0)[0]}
    judged = []
    for one, two in combinations(nodes, 2):
        run = copy(runs[slow(one, two)])
        run.ranks = {n: r._replace(host=one if r.host == "a" else two) for n, r in run.ranks.items()}
        judged.append(Judged(Subtest("pair", run, render.want()), ()))
    return locate(judged)


BAD = [*pair("a", "b", 90.0), *pair("c", "d"), *pair("a", "c")]
FINE = [*pair("a", "b"), *pair("a", "d")]
STUCK = judging.runs(render.log(["b", "c"])[:-6])
FOUND: dict[str, tuple[list[Run], str]] = {
    "a node of a round robin": ([*BAD, *pair("b", "d", 95.0)], "node b 2 suspected"),
    "a way between good nodes": ([*BAD, *pair("b", "d")], "pair a - b 1"),
    "one of two, after one round": ([*pair("a", "b", 90.0), *pair("c", "d")], "pair a or b 1"),
    "two bad nodes": (
        [*pair("a", "b", 9.0), *pair("c", "d", 9.0), *pair("a", "c"), *pair("b", "e", 9.0), *pair("e", "a")],
        "node b 2 suspected, node d 1",
    ),
    "a pair that hangs": ([*FINE, *STUCK], "node c 1"),
    "a pair just too slow": ([*FINE, *pair("b", "c", 259.0)], "node c 1"),
    "no pair is good": ([*pair("c", "d", 90.0), *changed("a", "b", "0 OK", "1 FAILED")], "all 2 pairs 2"),
    "a rail of all bad pairs": ([*off("a", "b"), *off("c", "d"), *pair("a", "c")], "rail 5 2"),
    "a rail": ([*on_rail(4, "abc"), *on_rail(5, "abc", 20.0), *on_rail(6, "abc", 44.0)], "rail 5 1"),
    "two rails": (
        [*on_rail(2, "abc"), *on_rail(8, "abc", 20.0), *on_rail(5, "abc", 20.0), *on_rail(5, "abc", 18.0)],
        "rail 5 2, rail 8 1",
    ),
    "a NIC of a rail": ([*on_rail(5, "ab", 20.0), *on_rail(5, "bc", 20.0), *on_rail(5, "ac")], "NIC rail 5 of b 2"),
}
"""The tests, and each suspect with how many bad tests it explains, and whether it is to be taken out."""


@pytest.mark.parametrize("name", FOUND)
def test_the_fewest_suspects_explain_the_bad_tests(name: str) -> None:
    """Whatever explains most comes first, and each says why."""
    runs, told = FOUND[name]
    suspects = judge(runs, render.want(nodes=5)).suspects
    said = (f"{of.kind} {of.name} {of.explains}{' suspected' * of.is_suspected}" for of in suspects)

    assert ", ".join(said) == told
    assert all(len(suspect.why) > 10 for suspect in suspects)


def test_a_suspect_is_told_with_figures_and_partners() -> None:
    (node,) = judge([*BAD, *pair("b", "d", 95.0)], render.want(nodes=4)).suspects
    (way,) = judge([*pair("a", "b"), *pair("c", "d"), *pair("a", "c"), *off("b", "d")], render.want(nodes=4)).suspects
    (stuck,) = judge([*FINE, *STUCK], render.want(nodes=4)).suspects

    assert "90 of 324 GB/s with a, 95 of 324 GB/s with d; explains 2 of 2 bad pairs, 100% of its own" in node.why
    assert "324 of 324 GB/s, fails gdr" in way.why
    assert "GB/s" not in stuck.why
    assert "run c against" in stuck.why


def test_whoever_takes_nodes_out_takes_the_suspected_ones() -> None:
    """Good nodes are those of which every test passed; of a pool that is good nobody is suspected."""
    verdict = judge([*BAD, *pair("b", "d", 95.0)], render.want(nodes=4))
    unsure = judge([*BAD, *pair("b", "d")], render.want(nodes=4))
    good = judging.verdict(render.log())

    assert (verdict.suspected_nodes, verdict.good_nodes, verdict.bad_hosts) == (("b",), ("c",), ("a", "b", "d"))
    assert ([each.name for each in unsure.suspects], unsure.suspected_nodes) == (["a - b"], ())
    assert (good.suspected_nodes, good.good_nodes) == ((), ("node-0", "node-1"))


def test_collectives_are_not_compared_with_each_other() -> None:
    """alltoall sends eight times as much by the wire as all_gather: its figures are no sign of a slow pair."""
    every, slower = [*combinations("abcd", 2)], []
    runs = [run for ends in every for run in pair(*ends)]
    for ends in every:
        busbw, table = [9.0 if ends == ("b", "d") else 40.0] * 2, render.Table(announced=True)
        slower.append(render.log(ends, busbw=busbw, collective="alltoall", table=table))
    for run in runs:
        run.collective = "all_gather"
    suspects = judge([*runs, *judging.runs(*slower)], render.want(nodes=4)).suspects

    assert [(each.kind, each.name) for each in suspects] == [("pair", "b - d")]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        ({0: 1.0, 8: 1.0, 3: 1.25, 11: 1.0}, []),
        ({0: 1.0, 8: 1.0, 3: 1.26, 11: 1.0}, [("3", "1260 ms")]),
        ({0: 1.0, 8: 2.0, 3: 1.0, 11: 1.0, 99: 9.0}, [("0", "2000 ms")]),
        ({7: 4.0, 3: 1.0, 1: 3.0}, [("1", "3000 ms"), ("7", "4000 ms")]),
        ({}, []),
    ],
)
def test_rails_that_run_apart_are_told_by_the_times_of_their_processes(
    seconds: dict[int, float], told: list[tuple[str, str]]
) -> None:
    """The slowest process of a rail counts, if it is in the list; a quarter more than the best rail's is no sign."""
    (run,) = judging.runs(render.log(split=8, busbw=[46.0]))
    run.process_seconds = seconds
    found = locate([Judged(Subtest("whole", run, render.want()), ())])

    assert [(each.kind, each.name, each.why.partition(",")[0]) for each in found] == [("rail", *each) for each in told]


CUT = f"{' '.join(sorted(NINE))} | {' '.join(sorted(EIGHT))}"
POOLS: dict[str, tuple[list[str], Callable[[str, str], bool], str]] = {
    "the way between two groups": ([*NINE, *EIGHT], lambda one, two: (one in NINE) != (two in NINE), f"{CUT} 72"),
    "a cut and a node": (
        [*NINE, *EIGHT],
        lambda one, two: "n3" in (one, two) or (one in NINE) != (two in NINE),
        f"{CUT.replace('n3 ', '')} 64, n3 16 suspected",
    ),
    "a node that one good pair does not clear": (
        [*NINE, *EIGHT],
        lambda one, two: "n3" in (one, two) and "n7" not in (one, two),
        "n3 15 suspected",
    ),
}


@pytest.mark.parametrize("name", POOLS)
def test_one_cause_is_told_of_a_whole_pool(name: str) -> None:
    nodes, slow, told = POOLS[name]
    suspects = blamed(nodes, slow)

    assert ", ".join(f"{of.name} {of.explains}{' suspected' * of.is_suspected}" for of in suspects) == told


@pytest.mark.parametrize("hubs", [8, 9])
def test_more_than_eight_nodes_are_found_by_taking_the_worst_again_and_again(hubs: int) -> None:
    """Up to eight are found by trying; each is bad with two good nodes."""
    ends = {f"{kind}{hub}" for hub in range(hubs) for kind in "hkm"}
    bad = {(f"h{hub}", f"{other}{hub}") for hub in range(hubs) for other in "km"}
    found = blamed(sorted(ends), lambda one, two: (one, two) in bad)

    assert [(each.kind, each.name, each.explains) for each in found] == [("node", f"h{hub}", 2) for hub in range(hubs)]


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
def test_nodes_that_are_slow_with_everybody_are_named(bad: set[str]) -> None:
    suspects = blamed(NINE, lambda one, two: one in bad or two in bad)

    assert {suspect.name for suspect in suspects} == bad
    assert all(suspect.is_suspected and suspect.explains == 8 for suspect in suspects)


@settings(max_examples=60)
@given(st.sets(st.sampled_from(list(combinations(NINE, 2))), max_size=20))
def test_every_bad_pair_is_explained_by_no_more_suspects_than_are_needed(bad: set[tuple[str, str]]) -> None:
    """A node in it, the pair itself or a cut explains it; nothing is told where all is well."""
    suspects = blamed(NINE, lambda one, two: (one, two) in bad)
    needed = next(
        size
        for size in range(9)
        if any(all(set(each) & set(some) for each in bad) for some in combinations(NINE, size))
    )

    def explains(suspect: Suspect, ends: tuple[str, str]) -> bool:
        if suspect.kind == "cut":
            return sum(not set(side.split()).isdisjoint(ends) for side in suspect.name.split(" | ")) > 1
        return bool(set(ends) & set(suspect.name.replace(" - ", " ").replace(" or ", " ").split()))

    assert all(any(explains(suspect, each) for suspect in suspects) for each in bad)
    assert len(suspects) <= needed
    assert bool(suspects) == bool(bad)
    assert [suspect.explains for suspect in suspects] == sorted((each.explains for each in suspects), reverse=True)

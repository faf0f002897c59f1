"""Why a node, a pair, a cut or a rail is suspected: figures, partners, and how many of the bad tests it explains."""

from collections.abc import Callable, Iterable
from copy import copy
from itertools import combinations
from random import Random

import pytest
from nccl_verdict.reader import read_bytes
from nccl_verdict.run import Run
from nccl_verdict.subtests import Subtest
from nccl_verdict.suspects import Judged, Suspect, locate
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.test_suspects import blamed, pair


def changed(first: str, second: str, old: str, new: str, only: str = "") -> list[Run]:
    """A pair of whose log some words are others."""
    log = render.log([first, second], busbw=[324.0, 324.0])
    return read_bytes(render.joined([line.replace(old, new) if only in line else line for line in log]))


def on_rail(rail: int, hosts: Iterable[str], busbw: float = 46.0) -> list[Run]:
    """A test of one GPU a node."""
    lines = render.log([*hosts], gpus=1, busbw=[busbw])
    return read_bytes(render.joined([line.replace("device  0", f"device {rail:2}") for line in lines]))


def told(runs: list[Run], nodes: int = 4) -> tuple[Suspect, ...]:
    return judge(runs, render.want(nodes=nodes)).suspects


AT_ODDS = [*pair("a", "b", 90.0), *pair("c", "d"), *pair("a", "c")]
FINE = [*pair("a", "b"), *pair("a", "d")]
WHY: dict[str, tuple[Callable[[], tuple[Suspect, ...]], list[tuple[str, str, str]]]] = {
    "a node": (
        lambda: told([*AT_ODDS, *pair("b", "d", 95.0)]),
        [("node", "b", "90 of 324 GB/s with a, 95 of 324 GB/s with d; explains 2 of 2 bad pairs, 100% of its own; the "
          "suspect: 2 others blame it")]),
    "a way": (
        lambda: told([*AT_ODDS, *pair("b", "d")]),
        [("pair", "a - b", "90 of 324 GB/s; each is fine elsewhere: look at the way between them")]),
    "one of two": (
        lambda: told([*pair("a", "b", 90.0), *pair("c", "d")]),
        [("pair", "a or b", "90 of 324 GB/s, and neither was seen in a good pair: run each against a good node")]),
    "no end": (
        lambda: told([*FINE, *changed("b", "c", "Avg bus", "Avg")]),
        [("node", "c", "no result; b is fine elsewhere: run c against one more good node")]),
    "a gate": (
        lambda: told([*FINE, *changed("b", "c", "/GDRDMA", "", "[5]")]),
        [("node", "c", "324 of 324 GB/s, fails gdr; b is fine elsewhere: run c against one more good node")]),
    "a pair at the limit": (lambda: told([*pair("a", "b", 50.0), *pair("a", "d", 50.0), *pair("b", "c", 40.0)]), []),
    "a rail at the limit": (lambda: told([*on_rail(4, "abc", 50.0), *on_rail(5, "abc", 40.0)]), []),
    "just fast enough": (lambda: told([*FINE, *pair("b", "c", 260.0)]), []),
    "just too slow": (
        lambda: told([*FINE, *pair("b", "c", 259.0)]),
        [("node", "c", "259 of 324 GB/s; b is fine elsewhere: run c against one more good node")]),
    "a node, unclear": (
        lambda: blamed("abcde", lambda one, two: one in "ab"),
        [("node", "a", "90 of 324 GB/s with b, 90 of 324 GB/s with c, 90 of 324 GB/s with d, 90 of 324 GB/s with e; "
          "explains 4 of 7 bad pairs, 100% of its own; the suspect: 4 others blame it"),
         ("node", "b", "90 of 324 GB/s with a, 90 of 324 GB/s with c, 90 of 324 GB/s with d, 90 of 324 GB/s with e; "
          "explains 4 of 7 bad pairs, 100% of its own; the suspect: 4 others blame it")]),
    "a partner nobody knows": (
        lambda: told([*pair("a", "b", 90.0), *pair("a", "c", 90.0), *pair("c", "d")]),
        [("node", "a", "90 of 324 GB/s with b, 90 of 324 GB/s with c; explains 2 of 2 bad pairs, 100% of its own; b "
          "was in no good pair: run it against a good node")]),
    "half of its pairs": (
        lambda: blamed("abcde", lambda one, two: (one, two) in (("a", "b"), ("a", "c"))),
        [("node", "a", "90 of 324 GB/s with b, 90 of 324 GB/s with c; explains 2 of 2 bad pairs, 50% of its own; its "
          "other pairs are good: run it again before it is taken out")]),
    "a cut and a way": (
        lambda: blamed("abcdefgh", lambda one, two: (one in "abcd") != (two in "abcd") or (one, two) == ("a", "b")),
        [("cut", "a b c d | e f g h", "explains 16 of 17 bad pairs, each from one group to the other, and pairs inside "
          "the groups are good: the way between the groups, so their switches and uplinks; it is probably neither the "
          "nodes nor their NICs"),
         ("pair", "a - b", "90 of 324 GB/s; each is fine elsewhere: look at the way between them")]),
    "a cut, the later group first": (
        lambda: blamed("efghabcd", lambda one, two: (one in "abcd") != (two in "abcd")),
        [("cut", "a b c d | e f g h", "explains 16 of 16 bad pairs, each from one group to the other, and pairs inside "
          "the groups are good: the way between the groups, so their switches and uplinks; it is probably neither the "
          "nodes nor their NICs")]),
    "all": (
        lambda: told([*pair("a", "b", 324.0), *pair("c", "d", 90.0), *changed("a", "b", "0 OK", "1 FAILED")][1:]),
        [("all", "2 pairs", "324 of 324 GB/s, fails data, 90 of 324 GB/s: no pair is good, so that nothing tells one "
          "node from another: look at what they share, or run each against a node that is known to be good")]),
    "a rail of pairs": (
        lambda: told([*(run for ends in ("ab", "cd") for run in changed(*ends, "/GDRDMA", "", "[5] NCCL")),
                      *pair("a", "c")]),
        [("rail", "5", "explains 2 of 2 bad pairs: each of them lacks GDRDMA there and nowhere else")]),
    "a rail": (
        lambda: told([*on_rail(4, "abc"), *on_rail(5, "abc", 20.0), *on_rail(6, "abc", 44.0)]),
        [("rail", "5", "20 GB/s, the best rail has 46; every test of the rail is bad")]),
    "a rail of some nodes": (
        lambda: told([*on_rail(4, "abc"), *on_rail(5, "abc", 20.0), *on_rail(5, "abd")]),
        [("rail", "5", "1 of its 2 tests are bad")]),
    "a rail of a pair and of more nodes": (
        lambda: told([*on_rail(4, "ab"), *on_rail(5, "ab", 20.0), *on_rail(5, "abc")]),
        [("rail", "5", "1 of its 2 tests are bad")]),
    "a NIC": (
        lambda: told([*on_rail(5, "ab", 20.0), *on_rail(5, "bc", 20.0), *on_rail(5, "ac")]),
        [("NIC", "rail 5 of b", "20 of 46 GB/s with a, 20 of 46 GB/s with c; explains 2 of 2 bad pairs, 100% of its "
          "own; the suspect: 2 others blame it")]),
    "rails that lost GPUDirect, one in common": (
        lambda: told([*changed("a", "b", "/GDRDMA", "", "[5] NCCL"), *pair("a", "c"), *pair("b", "d"), *pair("a", "d"),
                      *(run for run in read_bytes(render.joined(
                          [line.replace("/GDRDMA", "") if "[5] NCCL" in line or "[6] NCCL" in line else line
                           for line in render.log(["c", "d"], busbw=[324.0, 324.0])])))]),
        [("pair", "a - b", "324 of 324 GB/s, fails gdr; each is fine elsewhere: look at the way between them"),
         ("pair", "c - d", "324 of 324 GB/s, fails gdr; each is fine elsewhere: look at the way between them")]),
    "a rail of one pair": (
        lambda: told([*changed("a", "b", "/GDRDMA", "", "[5] NCCL"), *pair("a", "c"), *pair("b", "d")]),
        [("pair", "a - b", "324 of 324 GB/s, fails gdr; each is fine elsewhere: look at the way between them")]),
    "a node across two groups": (
        lambda: told([*pair("a", "b"), *pair("c", "d"), *pair("a", "c", 90.0), *pair("a", "d", 90.0)]),
        [("node", "a", "90 of 324 GB/s with c, 90 of 324 GB/s with d; explains 2 of 2 bad pairs, 67% of its own; the "
          "suspect: 2 others blame it")]),
    "two partners nobody knows": (
        lambda: told([*(run for end in "cbde" for run in pair("a", end, 90.0)), *pair("c", "f"), *pair("e", "f")], 6),
        [("node", "a", "90 of 324 GB/s with c, 90 of 324 GB/s with b, 90 of 324 GB/s with d, 90 of 324 GB/s with e; "
          "explains 4 of 4 bad pairs, 100% of its own; b, d was in no good pair: run it against a good node")]),
    "no end of any test": (
        lambda: told([*changed("a", "b", "Avg bus", "Avg"), *changed("c", "d", "Avg bus", "Avg")]),
        [("all", "2 pairs", "no result, no result: no pair is good, so that nothing tells one node from another: look "
          "at what they share, or run each against a node that is known to be good")]),
    "two rails": (
        lambda: told([*(run for rail in (8, 5, 2) for run in on_rail(rail, "abc", 46.0 if rail == 2 else 20.0)),
                      *on_rail(5, "abc", 18.0)]),
        [("rail", "5", "18 GB/s, the best rail has 46; every test of the rail is bad"),
         ("rail", "8", "20 GB/s, the best rail has 46; every test of the rail is bad")]),
    "two rails, alike": (
        lambda: told([*(run for rail in (8, 5, 2) for run in on_rail(rail, "abc", 46.0 if rail == 2 else 20.0))]),
        [("rail", "5", "20 GB/s, the best rail has 46; every test of the rail is bad"),
         ("rail", "8", "20 GB/s, the best rail has 46; every test of the rail is bad")]),
    "a rail without an end": (
        lambda: told([*on_rail(4, "abc"), *(run for run in read_bytes(render.joined(
            [line.replace("device  0", "device  5") for line in render.log([*"abc"], gpus=1, busbw=[46.0])[:-1]])))]),
        [("rail", "5", "no result; every test of the rail is bad")]),
    "one rail alone": (lambda: told([*on_rail(5, "abc", 20.0)], 3), []),
}  # fmt: skip


@pytest.mark.parametrize("name", WHY)
def test_why(name: str) -> None:
    """In the words of whoever has to look there; those that nobody blames alone are no suspects."""
    judged, expected = WHY[name]
    suspects = judged()

    assert [(each.kind, each.name, each.why) for each in suspects] == expected
    assert [each.is_suspected for each in suspects] == ["the suspect:" in why for _, _, why in expected] or name == (
        "a NIC"
    )


EXPLAINED = {
    "a node": [2], "a way": [1], "one of two": [1], "no end": [1], "a cut and a way": [16, 1], "all": [2], "a NIC": [2],
    "a rail of pairs": [2], "a rail of some nodes": [1], "a rail of a pair and of more nodes": [1], "two rails": [2, 1],
}  # fmt: skip


@pytest.mark.parametrize("name", EXPLAINED)
def test_how_many_bad_tests_each_explains(name: str) -> None:
    """Whatever explains most comes first."""
    assert [each.explains for each in WHY[name][0]()] == EXPLAINED[name]


@pytest.mark.parametrize("hubs", [8, 9])
def test_more_nodes_than_are_tried(hubs: int) -> None:
    """Up to eight are found by trying, more by taking the worst again and again: each is bad with two good nodes."""
    runs = {False: pair("a", "b")[0], True: pair("a", "b", 90.0)[0]}
    judged = []
    for hub in range(hubs):
        for one, two in ((f"h{hub}", f"k{hub}"), (f"h{hub}", f"m{hub}"), (f"k{hub}", f"m{hub}")):
            run = copy(runs[one[0] == "h"])
            run.ranks = {n: r._replace(host=one if r.host == "a" else two) for n, r in run.ranks.items()}
            judged.append(Judged(Subtest("pair", run, render.want()), ()))

    assert [(each.kind, each.name, each.explains, each.is_suspected) for each in locate(judged)] == [
        ("node", f"h{hub}", 2, True) for hub in range(hubs)
    ]


@pytest.mark.parametrize("seed", range(12))
def test_as_few_as_explain_all(seed: int) -> None:
    """Of seven nodes with bad pairs here and there no fewer nodes would do, whichever are tried."""
    nodes, draw = "abcdefg", Random(seed)
    bad = {each for each in combinations(nodes, 2) if draw.random() < 0.15 + 0.03 * seed}
    found = [each for each in blamed(nodes, lambda one, two: (one, two) in bad) if each.kind in ("node", "pair")]
    enough = (
        size
        for size in range(8)
        if any(all(set(each) & set(some) for each in bad) for some in combinations(nodes, size))
    )

    assert not bad or len(found) == next(enough)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        ({0: 1.0, 8: 1.0, 3: 1.25, 11: 1.0}, []),
        ({0: 1.0, 8: 1.0, 3: 1.26, 11: 1.0}, [("3", "1260 ms, the best rail takes 1000")]),
        ({0: 1.0, 8: 2.0, 3: 1.0, 11: 1.0, 99: 9.0}, [("0", "2000 ms, the best rail takes 1000")]),
        ({7: 4.0, 3: 1.0, 1: 3.0},
         [("1", "3000 ms, the best rail takes 1000"), ("7", "4000 ms, the best rail takes 1000")]),
        ({}, []),
    ],
)  # fmt: skip
def test_rails_by_the_times_of_their_processes(seconds: dict[int, float], told: list[tuple[str, str]]) -> None:
    """The slowest process of a rail counts, if it is in the list; a quarter more than the best rail's is no sign."""
    (run,) = read_bytes(render.joined(render.log(split=8, busbw=[46.0])))
    run.process_seconds = seconds
    found = locate([Judged(Subtest("whole", run, render.want()), ())])

    assert [(each.kind, each.name, each.why, each.explains) for each in found] == [("rail", *each, 1) for each in told]


def test_good_and_suspected_nodes() -> None:
    """Whoever takes nodes out takes those, and none of the others; of a pool that is good nobody."""
    verdict = judge([*AT_ODDS, *pair("b", "d", 95.0)], render.want(nodes=4))
    assert (verdict.suspected_nodes, verdict.good_nodes) == (("b",), ("c",))
    assert verdict.bad_hosts == ("a", "b", "d") and verdict.hosts == ("a", "b", "c", "d")
    unsure = judge([*AT_ODDS, *pair("b", "d")], render.want(nodes=4))
    assert ([each.name for each in unsure.suspects], unsure.suspected_nodes) == (["a - b"], ())
    good = judge(read_bytes(render.joined(render.log())), render.want())
    assert (good.suspected_nodes, good.good_nodes) == ((), ("node-0", "node-1"))

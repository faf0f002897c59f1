"""What each test of a log is taken for, by which expectation it is judged, and when a part is slow."""

from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import Expectation, SizeThreshold
from nccl_verdict.reader import read_bytes
from nccl_verdict.run import Run
from nccl_verdict.subtests import Subtest, best_of, is_pair, own_extent, rails_of, slow, subtests
from tests.nccl import render

GIB = 1 << 30


def log(nodes: int = 2, gpus: int = 8, busbw: float = 300.0, collective: str = "all_gather", **more: Any) -> Run:
    """A test of two sizes."""
    lines = render.log(render.hosts(nodes), gpus, busbw=[busbw] * 2, collective=collective, **more)
    (run,) = read_bytes(render.joined(lines))
    return run


def rail(number: int, nodes: int = 2, busbw: float = 46.0) -> Run:
    """A test of one GPU a node, all of the same index."""
    run = log(nodes, 1, busbw)
    run.ranks = {at: rank._replace(device=number) for at, rank in run.ranks.items()}
    return run


def want(nodes: int = 4, **more: Any) -> Expectation:
    """Of a pool of nodes of eight GPUs."""
    return replace(render.want(nodes=nodes), **more)


def kinds(runs: list[Run], wanted: Expectation) -> list[tuple[str, str]]:
    """What each is taken for, and what a person calls it."""
    return [(each.kind, each.name) for each in subtests(runs, wanted)]


def test_what_tests_are_taken_for() -> None:
    """The whole, pairs and rails, several rails in groups; one that stands alone is the whole, whatever it covers."""
    runs = [log(4), log(2), rail(5, 4), rail(3, 2), log(2, split=8), log(3)]
    assert kinds(runs, want()) == [
        ("whole", ""), ("pair", "pair node-0 and node-1"), ("rail", "rail 5"), ("rail", "rail 3"),
        ("rails", "rails 0/1/2/3/4/5/6/7"), ("whole", ""),
    ]  # fmt: skip
    for run in runs:
        assert kinds([run], want()) == [("whole", "")]
    assert kinds([log(2), log(2)], want(2)) == [("whole", "")] * 2
    assert subtests([], want()) == []


def test_by_what_parts_are_judged() -> None:
    """NICs and wire are in proportion to GPUs, rails count no NICs, and a threshold holds for no part."""
    whole, pair, one, rails = subtests([log(4), log(2), rail(5, 4), log(2, split=8)], want())
    assert whole.want == want()
    of_pair = want(2, thresholds={}, collective="all_gather")
    assert pair.want == of_pair
    assert one.want == replace(of_pair, nodes=4, gpus_per_node=1, nics=None, wire_gbytes=50.0)
    assert rails.want == replace(of_pair, nics=None)


@pytest.mark.parametrize(
    ("nics", "gpus_per_node", "gpus", "found"),
    [(8, 8, 1, 1), (32, 8, 1, 4), (12, 8, 2, 3), (12, 8, 1, None), (4, 8, 1, None), (8, 8, 3, 3), (None, 8, 1, None)],
)
def test_nics_in_proportion(nics: int | None, gpus_per_node: int, gpus: int, found: int | None) -> None:
    """Where they divide; of a part that has no whole number of NICs nothing is wanted."""
    own = own_extent(log(2, gpus), want(nics=nics, gpus_per_node=gpus_per_node, wire_gbytes=None))
    assert own is not None
    assert (own.nodes, own.gpus_per_node, own.nics, own.wire_gbytes) == (2, gpus, found, None)


def test_an_own_extent() -> None:
    """Of a test whose nodes are alike, whole and not the wanted ones; its figures are those of its own ranks."""
    three = own_extent(log(3), want())
    assert three is not None
    assert (three.nodes, three.gpus_per_node, three.nics, three.wire_gbytes, three.thresholds) == (3, 8, 8, 400.0, {})
    assert own_extent(log(4), want()) is None
    assert own_extent(log(1), want()) is None

    odd, twice, gap, other = log(3), log(3), log(3), log(3)
    del odd.ranks[23]
    twice.conflicts = [7]
    gap.ranks[99] = gap.ranks.pop(23)._replace(rank=99)
    other.rows = log(2).rows
    for run in (odd, twice, gap, other, Run()):
        assert own_extent(run, want()) is None
    unnamed = own_extent(log(3, collective="broadcast"), want(collective="all_gather"))
    assert unnamed is None
    assert own_extent(log(3), want(thresholds={})) is None


def test_a_pair() -> None:
    """Two whole nodes of a larger pool, in one group, by figures of their own number of ranks."""
    assert is_pair(log(2), want(3)) and not is_pair(log(2), want(2))
    foreign, halved = log(2), log(2)
    foreign.rows = log(4).rows
    del halved.ranks[15]
    for run in (log(3), log(1), log(2, 4), log(2, split=2), foreign, halved):
        assert not is_pair(run, want())


def test_rails() -> None:
    """One GPU of one index on each node, or a group of such for each rail, in the order of rails."""
    assert rails_of(rail(5), want()) == (5,)
    assert rails_of(log(2, split=8), want()) == tuple(range(8))
    mixed, foreign = rail(5), rail(5, 4)
    mixed.ranks[1] = mixed.ranks[1]._replace(device=6)
    foreign.rows = log(2).rows
    for run in (log(2), log(1, 1), log(2, split=4), mixed, foreign, Run(), log(1, 8), log(1, split=8)):
        assert rails_of(run, want()) == ()
    assert rails_of(rail(0), want(gpus_per_node=1)) == () and rails_of(rail(1), want(gpus_per_node=2)) == (1,)
    late = log(2, split=8)
    late.ranks = {at: rank._replace(device=7 - rank.device) for at, rank in late.ranks.items()}
    assert rails_of(late, want()) == tuple(range(8))


def test_a_collective_beside_the_wanted_one() -> None:
    """One that is run besides is judged as itself where the test names it, and by others of its kind alone."""
    named = log(4, collective="all_reduce")
    named.collective = "all_reduce"
    beside = want(collective="all_gather", also=("all_reduce",))
    (found,) = subtests([named], beside)
    assert (found.want.collective, found.is_relative) == ("all_reduce", True)
    for wanted, collective in ((want(collective="all_gather"), "all_gather"), (want(), None)):
        (found,) = subtests([named], wanted)
        assert (found.want.collective, found.is_relative) == (collective, False)
    published = replace(beside, thresholds={"all_reduce": (SizeThreshold(GIB, 1.0),)})
    assert not subtests([named], published)[0].is_relative
    assert not subtests([log(4)], beside)[0].is_relative
    assert subtests([named, log(2)], beside)[1].is_relative


def part(busbw: float | None, name: str = "pair", nodes: int = 2, ended: bool = True, size: int = GIB) -> Subtest:
    """A part with one row."""
    run = log(nodes)
    run.rows = {}
    if busbw is not None:
        (other,) = read_bytes(render.joined([render.row(size, busbw, busbw, 16)]))
        run.rows = other.rows
    if not ended:
        run.averages = {}
    return Subtest(name, run, want())


def test_a_speed() -> None:
    """The figure of the largest size of a test that ended."""
    bare = part(1.0)
    bare.run.rows[GIB].out_bus = None
    assert [each.speed for each in (part(46.0), part(46.0, ended=False), part(None), bare)] == [46.0, 0.0, 0.0, 0.0]
    (run,) = read_bytes(render.joined([render.row(size * GIB, 10.0 * size, 1.0, 16) for size in (2, 4, 1)]))
    run.averages = {1.0: 1}
    assert Subtest("pair", run, want()).speed == 40.0


def test_what_can_be_compared() -> None:
    """Tests of one kind, collective, largest size and number of nodes; the best of each is kept."""
    every = [part(46.0), part(48.0), part(47.0), part(99.0, "rail"), part(98.0, nodes=3), part(97.0, size=2 * GIB)]
    assert best_of(every) == {
        ("pair", "all_gather", GIB, 2): 48.0, ("rail", "all_gather", GIB, 2): 99.0,
        ("pair", "all_gather", GIB, 3): 98.0, ("pair", "all_gather", 2 * GIB, 2): 97.0,
    }  # fmt: skip
    assert best_of([part(None)]) == {("pair", "all_gather", 0, 2): 0.0}


@pytest.mark.parametrize(("busbw", "passed"), [(80.0, True), (79.99, False), (None, False)])
def test_slow_beside_others(busbw: float | None, passed: bool) -> None:
    """Below 80 % of the best of its kind, and faster ones of other kinds do not count."""
    judged = part(busbw)
    if busbw is None:
        judged = part(1.0, ended=False)
    gate = slow(judged, [judged, part(100.0), part(900.0, "rail"), part(90.0)])
    assert (gate.name, gate.passed, gate.lines) == ("bandwidth", passed, (1,))
    assert gate.seen == f"{busbw or 0:g} GB/s" and gate.wanted == "80% of the best pair, which has 100 GB/s"
    assert gate.cause.startswith("it alone is slow (pair node-0 and node-1): run ibv_devinfo or fi_info there, and")
    assert gate.cause.endswith("; it is probably not a setting of NCCL, which the others have as well")


def test_slow_by_itself() -> None:
    """With nothing to compare it with, any figure will do."""
    for one, passed, lines in ((part(1.0), True, (1,)), (part(1.0, ended=False), False, (1,)), (part(None), False, ())):
        gate = slow(one, [one, part(900.0, "rail")])
        assert (gate.passed, gate.lines, gate.cause) == (passed, lines, "")
        assert gate.wanted == "a figure; there is no other to compare it with"


def test_a_whole_test_that_is_slow_is_called_by_its_nodes() -> None:
    """Where it has no name of its own."""
    one = part(1.0, "whole", nodes=3)
    assert "(node-0 and node-1 and node-2)" in slow(one, [one, part(9.0, "whole", nodes=3)]).cause

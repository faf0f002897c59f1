"""Each test of a log is the whole, a pair, a rail or several, and is judged by its own extent and its like."""

from typing import Any

import pytest
from nccl_verdict.expectation import Expectation
from nccl_verdict.run import Run
from nccl_verdict.subtests import Subtest, own_extent, rails_of, slow, subtests
from tests.nccl import judging, render
from tests.nccl.judging import runs
from tests.nccl.render import GIB


def log(nodes: int = 2, gpus: int = 8, busbw: float = 300.0, collective: str = "all_gather", **more: Any) -> Run:
    """A test of two sizes."""
    (run,) = runs(render.log(render.hosts(nodes), gpus, busbw=[busbw] * 2, collective=collective, **more))
    return run


def rail(number: int, nodes: int = 2, busbw: float = 46.0) -> Run:
    """A test of one GPU a node, all of the same index."""
    run = log(nodes, 1, busbw)
    run.ranks = {at: rank._replace(device=number) for at, rank in run.ranks.items()}
    return run


def want(nodes: int = 4, **more: Any) -> Expectation:
    """What is wanted of a pool of nodes of eight GPUs."""
    return judging.want(nodes=nodes, **more)


def names(found: list[Run], wanted: Expectation) -> list[str]:
    return [each.name or each.kind for each in subtests(found, wanted)]


def test_parts_beside_a_whole_test_are_pairs_and_rails() -> None:
    """One that stands alone is the whole, whatever it covers."""
    found = [log(4), log(2), rail(5, 4), rail(3, 2), log(2, split=8), log(3)]

    assert names(found, want()) == [
        "whole", "pair node-0 and node-1", "rail 5", "rail 3", "rails 0/1/2/3/4/5/6/7", "whole"
    ]  # fmt: skip
    assert [names([run], want()) for run in found] == [["whole"]] * 6
    assert names([log(2), log(2)], want(2)) == ["whole"] * 2
    assert subtests([], want()) == []


def test_a_part_is_judged_in_proportion_and_by_no_threshold() -> None:
    """Rails count no NICs."""
    whole, pair, one, rails = (each.want for each in subtests([log(4), log(2), rail(5, 4), log(2, split=8)], want()))

    assert whole == want()
    assert (pair.nodes, pair.gpus_per_node, pair.nics, pair.wire_gbytes) == (2, 8, 8, 400.0)
    assert (one.nodes, one.gpus_per_node, one.nics, one.wire_gbytes) == (4, 1, None, 50.0)
    assert (rails.nodes, rails.gpus_per_node, rails.nics) == (2, 8, None)
    assert [each.thresholds for each in (pair, one, rails)] == [{}] * 3
    assert pair.collective == "all_gather"


def test_a_test_shows_an_extent_of_its_own_where_its_nodes_are_alike_and_whole() -> None:
    """Its figures must be those of its own ranks."""
    odd, twice, gap, other = log(3), log(3), log(3), log(3)
    del odd.ranks[23]
    twice.conflicts = [7]
    gap.ranks[99] = gap.ranks.pop(23)._replace(rank=99)
    other.rows = log(2).rows
    three = own_extent(log(3), want())

    assert three is not None
    assert (three.nodes, three.gpus_per_node, three.nics, three.wire_gbytes) == (3, 8, 8, 400.0)
    for run in (log(4), log(1), odd, twice, gap, other, Run()):
        assert own_extent(run, want()) is None
    assert own_extent(log(3, collective="broadcast"), want(collective="all_gather")) is None
    assert own_extent(log(3), want(thresholds={})) is None


def test_a_rail_is_one_gpu_of_one_index_on_each_node() -> None:
    """Several rails are a group of such each, told in order."""
    mixed, foreign, late = rail(5), rail(5, 4), log(2, split=8)
    mixed.ranks[1] = mixed.ranks[1]._replace(device=6)
    foreign.rows = log(2).rows
    late.ranks = {at: rank._replace(device=7 - rank.device) for at, rank in late.ranks.items()}

    assert rails_of(rail(5), want()) == (5,)
    assert rails_of(late, want()) == tuple(range(8))
    assert rails_of(rail(1), want(gpus_per_node=2)) == (1,)
    assert rails_of(rail(0), want(gpus_per_node=1)) == ()
    for run in (log(2), log(1, 1), log(2, split=4), mixed, foreign, Run(), log(1, split=8)):
        assert rails_of(run, want()) == ()


def part(busbw: float | None, kind: str = "pair", nodes: int = 2, ended: bool = True, size: int = GIB) -> Subtest:
    """A part with one row."""
    run = log(nodes)
    run.rows = {} if busbw is None else runs([render.row(size, busbw, busbw, 16)])[0].rows
    run.averages = run.averages if ended else {}
    return Subtest(kind, run, want())


@pytest.mark.parametrize(
    ("judged", "passed"), [(part(80.0), True), (part(79.99), False), (part(1.0, ended=False), False)]
)
def test_a_part_is_slow_below_80_percent_of_the_best_of_its_kind(judged: Subtest, passed: bool) -> None:
    """Faster ones of other kinds do not count, and with nothing to compare it with any figure will do."""
    gate = slow(judged, [judged, part(100.0), part(900.0, "rail"), part(90.0)])
    alone = slow(judged, [judged, part(900.0, "rail")])

    assert (gate.name, gate.passed, gate.lines) == ("bandwidth", passed, (1,))
    assert f"{judged.speed:g} GB/s" in gate.seen
    assert "100 GB/s" in gate.wanted
    assert "pair node-0 and node-1" in gate.cause
    assert (alone.passed, alone.cause) == (judged.speed > 0, "")

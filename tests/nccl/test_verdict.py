"""The verdict over one or more tests: which of them each gate tells of, the headline, and the figures beside it."""

from dataclasses import replace
from typing import Any

import pytest
from nccl_verdict.expectation import Expectation
from nccl_verdict.reader import read_bytes
from nccl_verdict.run import Run
from nccl_verdict.verdict import GATES, Point, Verdict, judge
from tests.nccl import render
from tests.nccl.render import GIB
from tests.nccl.test_affinity import known, mirrored
from tests.nccl.test_extents import rail
from tests.nccl.test_forms import CHANGES, Lines, swapped, without
from tests.nccl.test_gates_rows import thresholds

LOG = render.log()
ON_ALL = "all_gather on 2 x 8 GPUs of m"


def judged(*logs: Lines, want: Expectation | None = None, waive: tuple[str, ...] = ()) -> Verdict:
    """Of logs that each hold one test."""
    runs: list[Run] = [run for lines in logs for run in read_bytes(render.joined(lines))]
    return judge(runs, want or render.want(), waive)


def two(first: str, second: str, busbw: float = 320.0) -> Lines:
    """A test of a pair."""
    return render.log([first, second], busbw=[busbw, busbw])


@pytest.mark.parametrize(
    ("out", "threshold", "passed"),
    [(1.0, None, True), (None, None, True), (2.0, 2.0, True), (1.9, 2.0, False), (None, 2.0, False)],
)
def test_a_size_against_its_threshold(out: float | None, threshold: float | None, passed: bool) -> None:
    """The figure out of place counts, and the threshold itself is enough."""
    assert Point(GIB, out, 9.0, threshold, 1).passed is passed


HEADLINES: dict[str, tuple[Verdict, str, int]] = {
    "passed": (judged(LOG), f"passed; {ON_ALL}; 325.72 GB/s out-of-place at 8 GiB, threshold 257", 0),
    "failed": (
        judged(render.log(busbw=[100.0] * 2)),
        f"failed; {ON_ALL}; 100 GB/s out-of-place at 2 GiB, threshold 257", 1),
    "no log": (judged(), f"not a log of nccl-tests; {ON_ALL}", 2),
    "no collective": (
        judged(LOG, want=replace(render.want(), thresholds={})),
        "failed; no collective on 2 x 8 GPUs of m; 325.72 GB/s out-of-place at 8 GiB", 1),
    "no figure": (judged(swapped("325.72", "XXX.XX")(LOG)), f"failed; {ON_ALL}", 1),
    "waived": (
        judged(LOG, want=replace(render.want(nodes=8), thresholds=thresholds(all_gather=(16 * GIB, 1.0))),
               waive=("bandwidth", "ranks", "nodes", "implied_ranks", "data")),
        "passed; all_gather on 8 x 8 GPUs of m; 325.72 GB/s out-of-place at 8 GiB; waived: nodes, ranks, "
        "implied_ranks, bandwidth", 0),
    "with a warning": (
        judged(mirrored(LOG), want=known()),
        f"passed; {ON_ALL}; 325.72 GB/s out-of-place at 8 GiB, threshold 257; warnings: affinity", 0),
    "two tests": (
        judged(LOG, LOG), f"passed; {ON_ALL}; 325.72 GB/s out-of-place at 8 GiB, threshold 257", 0),
    "one of three tests failed": (
        judged(render.log(render.hosts(4)), two("node-0", "node-1"), two("node-2", "node-3", 90.0),
               want=render.want(nodes=4)),
        "failed; all_gather on 4 x 8 GPUs of m; 90 GB/s out-of-place at 2 GiB, threshold 257; 1 of 3 tests failed", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", HEADLINES)
def test_the_headline_and_the_exit_code(name: str) -> None:
    """The outcome, of what, the largest message, and what a reader must not miss."""
    verdict, headline, code = HEADLINES[name]

    assert (verdict.headline, verdict.exit_code) == (headline, code)


def test_all_as_data() -> None:
    """Of two tests of which one failed: its figures, its gates, who took part and who is to blame."""
    want = replace(render.want(nodes=3), notes=("a note",), thresholds_from="yours")
    runs = [*(run for ends in (("a", "b", 90.0), ("a", "c"), ("b", "c", 95.0)) for run in read_bytes(
        render.joined(two(*ends))))]  # fmt: skip
    data = judge(runs, want).to_json()
    gates = {gate["name"]: gate for gate in data.pop("gates")}

    assert data == {
        "passed": False, "machine": "m", "nodes": 3, "gpus_per_node": 8, "collective": "all_gather", "tests": 0,
        "judged": 3, "judged_failed": 2, "wire_gbytes": 400.0, "limit_gbytes": 400.0, "thresholds_from": "yours",
        "largest": _row(2, 90.0), "rows": [_row(1, 90.0), _row(2, 90.0)],
        "suspects": [
            {"kind": "node", "name": "b", "explains": 2,
             "why": "90 of 320 GB/s with a, 95 of 320 GB/s with c; explains 2 of 2 bad pairs, 100% of its own; the "
             "suspect: 2 others blame it"},
        ],
        "suspected_nodes": ["b"], "notes": ["a note"],
    }  # fmt: skip
    assert tuple(gates) == GATES
    assert gates["ran"] == {
        "name": "ran", "passed": False, "waived": False, "seen": "only 3 runs over pairs or rails",
        "wanted": "a test over 3 nodes", "warning": "", "because": "", "source": "", "subtest": "pair a and b",
        "host": "", "lines": [1],
        "cause": "good parts do not prove the whole: run one test over all nodes, or say the nodes and GPUs of these",
    }  # fmt: skip


def _row(size: int, busbw: float) -> dict[str, Any]:
    """One size in both columns."""
    return {"size_bytes": size * GIB, "out_of_place_gbytes": busbw, "in_place_gbytes": busbw, "floor_gbytes": 257.0}


def test_who_took_part_and_where_it_failed() -> None:
    """Nodes of all tests by name; the bad ones are those of tests that failed, and a part's extent is its own."""
    whole = render.log(render.hosts(4))
    bad = judged(whole, two("node-3", "node-2", 90.0), two("node-0", "node-1"), want=render.want(nodes=4))

    assert (bad.hosts, bad.bad_hosts) == (tuple(render.hosts(4)), ("node-2", "node-3"))
    assert (bad.tests, bad.judged, bad.judged_failed, bad.extent) == (1, 3, 1, (2, 8))
    good = judged(whole, two("node-0", "node-1"), want=render.want(nodes=4))
    assert (good.tests, good.judged, good.judged_failed, good.extent, good.bad_hosts) == (1, 2, 0, None, ())
    none = judged()
    assert (none.tests, none.judged, none.judged_failed, none.hosts, none.is_log) == (0, 0, 0, (), False)


TOLD: dict[str, tuple[Verdict, str, str, str]] = {
    # The verdict, a gate, what was seen, and what it is about where that is a part.
    "the one of two that fails": (
        judged(LOG, render.log(busbw=[100.0] * 2)), "bandwidth",
        "100 GB/s out-of-place at 1 GiB, 2 of 2 rows below (1 of 2 tests)", ""),
    "both, the first": (
        judged(render.log(busbw=[100.0] * 2), render.log(busbw=[90.0] * 2)), "bandwidth",
        "100 GB/s out-of-place at 1 GiB, 2 of 2 rows below (2 of 2 tests)", ""),
    "one that says why before one that follows": (
        judged(without("NCCL INFO")(LOG), without("via NET")(LOG)), "gdr",
        "not shown: no channel line (2 of 2 tests)", ""),
    "other nodes are named": (
        judged(render.log(["a", "b"]), render.log(["c", "d"], busbw=[100.0] * 2)), "bandwidth",
        "100 GB/s out-of-place at 1 GiB, 2 of 2 rows below, in the test of c and d (1 of 2 tests)", ""),
    "a part": (
        judged(render.log(render.hosts(4)), CHANGES["wrong data"][0](two("node-0", "node-1"), "gIB"),
               want=render.want(nodes=4)), "data",
        "#wrong above 0: 3 wrong elements, in the test of pair node-0 and node-1 (1 of 2 tests)",
        "pair node-0 and node-1"),
    "a test alone": (judged(render.log(busbw=[100.0] * 2)), "bandwidth",
                     "100 GB/s out-of-place at 1 GiB, 2 of 2 rows below", ""),
    "one warning of two": (judged(LOG, mirrored(LOG), want=known()), "affinity", "8 of 16 not so", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_of_several_tests_a_gate_tells_one(name: str) -> None:
    """With how many failed it, and of which nodes it was."""
    verdict, name_of_gate, seen, part = TOLD[name]
    (gate,) = [gate for gate in verdict.gates if gate.name == name_of_gate]

    assert (gate.seen, gate.subtest) == (seen, part)


def test_one_that_only_follows_is_not_told_in_the_place_of_a_cause() -> None:
    """The first test lacks its lines for another reason than the second."""
    verdict = judged(without("NCCL INFO")(LOG), without("via NET")(LOG))
    (gate,) = [gate for gate in verdict.gates if gate.name == "gdr"]

    assert gate.because == ""


@pytest.mark.parametrize(
    ("tests", "logs", "passed", "seen", "wanted"),
    [
        (None, 2, True, "4 rows", "a test with rows"),
        (2, 2, True, "4 rows", "a test with rows"),
        (2, 1, False, "1 tests", "2 tests"),
        (1, 2, False, "2 tests", "1 tests"),
        (2, 0, False, "0 rows", "a test with rows"),
    ],
)
def test_how_many_tests_there_are(tests: int | None, logs: int, passed: bool, seen: str, wanted: str) -> None:
    """As many as are to be, where that is said; a gate that failed already keeps its own words."""
    want = replace(render.want(), tests=tests)
    gate = judged(*[LOG] * logs, want=want).gates[0]

    assert (gate.name, gate.passed, gate.seen, gate.wanted) == ("ran", passed, seen, wanted)
    assert passed or judged(*[LOG] * logs, want=want, waive=("ran",)).gates[0].waived
    assert passed or not logs or gate.cause == "a test was lost from the logs, or mpirun did not start it"


def test_rails_apart_beside_the_whole() -> None:
    """One table of eight rings proves no whole, and counts no NICs of whole nodes; its figures are those of a ring."""
    apart = render.log(split=8, busbw=[46.0] * 2)
    fine, bad = judged(LOG, apart), judged(LOG, CHANGES["wrong data"][0](apart, "gIB"))

    assert (fine.failed, fine.tests, fine.judged) == ((), 1, 2)
    assert [(gate.name, gate.subtest) for gate in bad.reported] == [("data", "rails 0/1/2/3/4/5/6/7")]


def test_what_a_rail_shows_of_its_nics() -> None:
    """They are counted on whole nodes; a rail that lost its own says so by its channels."""
    verdict = judged(rail(0), without("via NET")(rail(1)))
    gates = {gate.name: gate for gate in verdict.gates}

    assert (gates["nics"].passed, gates["nics"].seen, gates["nics"].wanted) == (
        True, "a rail has its own", "counted on whole nodes")  # fmt: skip
    assert gates["gdr"].subtest == "rail 1"


def test_sizes_of_the_table() -> None:
    """By size, whatever their order was, without empty messages; below 1 GiB nothing is asked."""
    rows = [render.row(size, 300.0, 299.0, 16) for size in (2 * GIB, 1 << 20, 0, GIB)]
    points = judged([*LOG[:-6], *rows, *LOG[-2:]]).points

    assert [(point.size_bytes, point.out_of_place, point.in_place, point.threshold) for point in points] == [
        (1 << 20, 300.0, 299.0, None), (GIB, 300.0, 299.0, 257.0), (2 * GIB, 300.0, 299.0, 257.0),
    ]  # fmt: skip
    assert [point.line for point in points] == [len(LOG) - 4, len(LOG) - 2, len(LOG) - 5]

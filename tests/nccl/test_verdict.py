"""The verdict over one or more tests: which of them each gate tells of, the headline, and the figures beside it."""

from typing import Any

import pytest
from nccl_verdict.verdict import GATES, Verdict, judge
from tests.nccl import render
from tests.nccl.judging import LOG, Lines, known, runs, thresholds, verdict as judged, want
from tests.nccl.log_changes import CHANGES, mirrored, swapped, without
from tests.nccl.render import GIB

ON_ALL = "all_gather on 2 x 8 GPUs of m"


def two(first: str, second: str, busbw: float = 320.0) -> Lines:
    """A test of a pair."""
    return render.log([first, second], busbw=[busbw, busbw])


HEADLINES: dict[str, tuple[Verdict, str, int]] = {
    "passed": (judged(LOG), f"passed; {ON_ALL}; 325.72 GB/s out-of-place at 8 GiB, threshold 257", 0),
    "failed": (
        judged(render.log(busbw=[100.0] * 2)),
        f"failed; {ON_ALL}; 100 GB/s out-of-place at 2 GiB, threshold 257", 1),
    "no log": (judged(), f"not a log of nccl-tests; {ON_ALL}", 2),
    "no collective": (
        judged(LOG, want=want(thresholds={})),
        "failed; no collective on 2 x 8 GPUs of m; 325.72 GB/s out-of-place at 8 GiB", 1),
    "no figure": (judged(swapped("325.72", "XXX.XX")(LOG)), f"failed; {ON_ALL}", 1),
    "waived": (
        judged(LOG, want=want(nodes=8, thresholds=thresholds(all_gather=(16 * GIB, 1.0))),
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
               want=want(nodes=4)),
        "failed; all_gather on 4 x 8 GPUs of m; 90 GB/s out-of-place at 2 GiB, threshold 257; 1 of 3 tests failed", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", HEADLINES)
def test_the_headline_says_what_a_reader_must_not_miss(name: str) -> None:
    outcome, headline, code = HEADLINES[name]

    assert (outcome.headline, outcome.exit_code) == (headline, code)


def test_a_program_finds_figures_gates_and_suspects_in_the_data() -> None:
    """Two of three pairs are slow, and have one node in common."""
    wanted = want(nodes=3, notes=("a note",), thresholds_from="yours")
    data = judge(runs(two("a", "b", 90.0), two("a", "c"), two("b", "c", 95.0)), wanted).to_json()
    gates = {gate["name"]: gate for gate in data["gates"]}

    assert data["rows"] == [_row(1, 90.0), _row(2, 90.0)]
    assert data["largest"] == data["rows"][-1]
    assert (data["passed"], data["machine"], data["nodes"], data["gpus_per_node"]) == (False, "m", 3, 8)
    assert (data["collective"], data["tests"], data["judged"], data["judged_failed"]) == ("all_gather", 0, 3, 2)
    assert (data["wire_gbytes"], data["limit_gbytes"], data["thresholds_from"]) == (400.0, 400.0, "yours")
    assert (data["suspected_nodes"], data["notes"]) == (["b"], ["a note"])
    assert [(each["kind"], each["name"], each["explains"]) for each in data["suspects"]] == [("node", "b", 2)]
    assert tuple(gates) == GATES
    assert (gates["ran"]["subtest"], gates["ran"]["lines"], gates["ran"]["waived"]) == ("pair a and b", [1], False)
    assert gates["bandwidth"]["cause"]


def _row(size: int, busbw: float) -> dict[str, Any]:
    """One size in both columns."""
    return {"size_bytes": size * GIB, "out_of_place_gbytes": busbw, "in_place_gbytes": busbw, "floor_gbytes": 257.0}


TOLD: dict[str, tuple[Verdict, str, str, str]] = {
    "the one of two that fails": (judged(LOG, render.log(busbw=[100.0] * 2)), "bandwidth", "(1 of 2 tests)", ""),
    "the first of two that fail": (
        judged(render.log(busbw=[100.0] * 2), render.log(busbw=[90.0] * 2)),
        "bandwidth",
        "100 GB/s",
        "",
    ),
    "a test of other nodes": (
        judged(render.log(["a", "b"]), render.log(["c", "d"], busbw=[100.0] * 2)),
        "bandwidth",
        "the test of c and d (1 of 2 tests)",
        "",
    ),
    "a part": (
        judged(
            render.log(render.hosts(4)), CHANGES["wrong data"][0](two("node-0", "node-1"), "gIB"), want=want(nodes=4)
        ),
        "data",
        "the test of pair node-0 and node-1 (1 of 2 tests)",
        "pair node-0 and node-1",
    ),
    "one warning of two": (judged(LOG, mirrored(LOG), want=known()), "affinity", "8 of 16", ""),
}
"""The verdict, a gate, what must be told of it, and the part that it is about."""


@pytest.mark.parametrize("name", TOLD)
def test_a_gate_tells_of_one_test_and_of_how_many_failed_it(name: str) -> None:
    outcome, name_of_gate, seen, part = TOLD[name]
    (gate,) = [gate for gate in outcome.gates if gate.name == name_of_gate]

    assert seen in gate.seen
    assert gate.subtest == part


def test_a_test_that_says_why_is_told_before_one_that_only_follows() -> None:
    """The first test lacks its lines for another reason than the second."""
    outcome = judged(without("NCCL INFO")(LOG), without("via NET")(LOG))
    (gate,) = [gate for gate in outcome.gates if gate.name == "gdr"]

    assert gate.because == ""
    assert "(2 of 2 tests)" in gate.seen


def test_rails_apart_prove_no_whole() -> None:
    """One table of eight rings proves no whole, and counts no NICs of whole nodes; its figures are those of a ring."""
    apart = render.log(split=8, busbw=[46.0] * 2)
    fine, bad = judged(LOG, apart), judged(LOG, CHANGES["wrong data"][0](apart, "gIB"))

    assert (fine.failed, fine.tests, fine.judged) == ((), 1, 2)
    assert [(gate.name, gate.subtest) for gate in bad.reported] == [("data", "rails 0/1/2/3/4/5/6/7")]

"""The JSON report of ``-J`` is judged like a log; odd or missing keys are told, and its environment is never kept."""

import io
import json
from typing import Any

import pytest
from nccl_verdict.files import read_stream
from nccl_verdict.header import Banner, Rank
from nccl_verdict.reader import read_bytes
from nccl_verdict.report import read_report
from nccl_verdict.run import Run
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.log_changes import CHANGES
from tests.nccl.render import GIB
from tests.nccl.reports import raw, report, twin

FABRIC = ("socket", "transport", "nics", "gdr")


def read(**changed: Any) -> Run:
    """The test of a report with other keys; three dots leave one out."""
    data = {key: value for key, value in {**report(), **changed}.items() if value is not ...}
    return read_report(raw(data), "a.json")


def config(**changed: Any) -> dict[str, Any]:
    """The part about the extent and the devices, likewise."""
    return {key: value for key, value in {**report()["config"], **changed}.items() if value is not ...}


def entry(**changed: Any) -> dict[str, Any]:
    """The row of the report, likewise."""
    return {key: value for key, value in {**report()["results"][0], **changed}.items() if value is not ...}


def test_a_report_lacks_nccls_own_lines_alone() -> None:
    """Those gates fail until they are waived."""
    runs = read_stream(io.BytesIO(raw(report())))

    assert tuple(gate.name for gate in judge(runs, render.want()).failed) == FABRIC
    assert judge(runs, render.want(), waive=FABRIC).passed


def test_no_word_of_the_environment_is_kept() -> None:
    runs = [read_report(raw(report()))]

    assert "hunter2" not in repr(runs)
    assert "hunter2" not in json.dumps(judge(runs, render.want()).to_json())


@pytest.mark.parametrize("cut", range(1, len(raw(report())), 37))
def test_a_cut_report_did_not_finish(cut: int) -> None:
    assert not judge([read_report(raw(report())[:cut])], render.want(), waive=FABRIC).passed


@pytest.mark.parametrize(
    "name",
    [
        "wrong data",
        "data not checked",
        "one node posing as two",
        "below the threshold at 1 GiB only",
        "above the wire",
        "masked figures",
        "a hole in the average",
        "out of bounds",
        "half an element wrong",
        "a row lost",
    ],
)
def test_a_report_says_what_its_log_says(name: str) -> None:
    """Every gate that figures decide passes alike and tells the same."""
    lines = CHANGES[name][0](render.log(table=render.Table(announced=True)), "gIB")
    of_log = judge(read_bytes(render.joined(lines)), render.want())
    of_report = judge([read_report(raw(twin(lines)))], render.want())
    said = [[(each.name, each.passed, each.seen) for each in of.gates if each.name not in FABRIC]
            for of in (of_log, of_report)]  # fmt: skip

    assert said[0] == said[1]
    assert [point.to_json() for point in of_report.points] == [point.to_json() for point in of_log.points]


@pytest.mark.parametrize(
    ("change", "gate", "passed"),
    [
        ({"end_time": ...}, "finished", False),
        ({"out_of_bounds": ...}, "finished", False),
        ({"args": ["/x/all_reduce_perf_mpi"]}, "collective", False),
        ({"args": 7}, "collective", True),
        ({"results": [7]}, "rows", False),
        ({"results": []}, "ran", False),
    ],
)
def test_a_part_that_a_report_lacks_is_told_as_of_a_log(change: dict[str, Any], gate: str, passed: bool) -> None:
    (found,) = [each for each in judge([read(**change)], render.want()).gates if each.name == gate]
    assert found.passed is passed


def test_report_and_log_of_the_same_processes_are_one_test() -> None:
    """The report adds what its exact figures show wrong; the log of other processes is another test."""
    log = render.joined(render.log(busbw=[325.72]))
    bad = report(wrong=2.0)
    others = [{**each, "pid": 1} for each in report()["config"]["devices"]]
    apart = bad | {"config": {**bad["config"], "devices": others}}
    fine, wrong, two = (
        judge([*read_bytes(log), read_report(raw(each))], render.want()) for each in (report(), bad, apart)
    )

    assert (fine.passed, fine.judged, fine.collective) == (True, 1, "all_gather")
    assert [gate.name for gate in wrong.failed] == ["data"]
    assert (wrong.judged, two.judged) == (1, 2)


def test_a_report_is_read_with_every_key() -> None:
    run = read()
    (row,) = run.rows.values()

    assert (run.source, run.is_json, run.collective) == ("a.json", True, "all_gather")
    assert run.banner == Banner(1, GIB, GIB, 2, True)
    assert run.ranks[9] == Rank(1, 9, 0, 709, "node-1", 1, "0000:90:00", "NVIDIA H200")
    assert (row.size, row.count, row.width, row.redop, row.whole) == (GIB, 1 << 24, 4, "none", True)
    assert row.out_bus == row.in_bus == (325.72, 5e-7)
    assert row.out_alg == row.in_alg == (pytest.approx(325.72 / 0.9375), 5e-7)
    assert (row.out_wrong, row.in_wrong, run.masked) == (0.0, 0.0, [])
    assert (run.out_of_bounds, run.averages, run.started, run.concluded) == (0, {325.72: 1}, 1, 1)


def test_texts_of_devices_are_shown_without_controls_and_cut() -> None:
    """What is no object is passed over."""
    odd = {"rank": 1, "hostname": " node\x1b-1 ", "device_info": 7}
    long = {**report()["config"]["devices"][0], "rank": 2, "hostname": "x" * 300, "device": 3.0}

    assert list(read(config=config(devices=[7, "x", odd, None, long])).ranks.values()) == [
        Rank(1, 1, -1, -1, "node\\u001b-1", -1, "", "7"),
        Rank(1, 2, 0, 700, "x" * 253, 3, "0000:8f:00", "NVIDIA H200"),
    ]


@pytest.mark.parametrize("odd", [7, None, [], {}, entry(size=-1), entry(size="1"), entry(size=True), entry(size=1e18)])
def test_a_row_without_a_size_is_masked_and_the_next_is_read(odd: Any) -> None:
    run = read(results=[odd, entry(size=0, count=0), entry()])
    assert (run.masked, list(run.rows)) == ([1], [0, GIB])


def test_times_of_a_process_are_the_mean_of_the_largest_message() -> None:
    """What is no number counts for nothing."""
    largest = {"per_process_max_times_us": [[4000.0, 6000], 7, [], ["x", 9000.0, None], ["x"]]}
    small = {"per_process_max_times_us": [[1.0], [1.0], [1.0]]}
    rows = [
        entry(size=8, out_of_place_per_iter=small),
        entry(out_of_place_per_iter=largest),
        entry(size=64, out_of_place_per_iter={"per_process_max_times_us": [[2.0]] * 5}),
    ]
    assert read(results=rows).process_seconds == {0: 0.005, 1: 1e-06, 2: 1e-06, 3: 0.009}
    assert read(results=[entry(out_of_place_per_iter={"per_process_max_times_us": 7})]).process_seconds == {}

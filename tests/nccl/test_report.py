"""The JSON report of ``-J``."""

import io
import json
from typing import Any

import pytest
from nccl_verdict.files import read_stream
from nccl_verdict.reader import read_bytes
from nccl_verdict.report import looks_like_report, read_report
from nccl_verdict.rows import Cell
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.test_forms import CHANGES

FABRIC = ("socket", "transport", "nics", "gdr")


def report(busbw: float = 325.72, wrong: float | None = 0.0) -> dict[str, Any]:
    """A report with the keys of nccl-tests 2.19."""
    half = {"time": 1.0, "alg_bw": busbw / 0.9375, "bus_bw": busbw, "nwrong": wrong}
    return {
        "version": 1,
        "start_time": "2026-07-09 16:03:21",
        "args": ["/opt/nccl-tests/build/all_gather_perf", "-b", "1G"],
        "env": ["AWS_SECRET_ACCESS_KEY=hunter2", "PATH=/bin"],
        "nccl_version": 22903,
        "config": {
            "minimum_bytes": 1 << 30,
            "maximum_bytes": 1 << 30,
            "step_factor": 2,
            "devices": [
                {"rank": r, "group": 0, "pid": 700 + r, "hostname": f"node-{r // 8}", "device": r % 8,
                 "device_hex": f"0000:{0x8F + r % 8:02x}:00", "device_info": "NVIDIA H200"}
                for r in range(16)
            ],
        },
        "results": [
            {"size": 1 << 30, "count": 1 << 24, "type": "float", "redop": "none", "root": "-1",
             "out_of_place": half, "in_place": half}
        ],
        "out_of_bounds": {"count": 0, "okay": "true"},
        "average_bus_bandwidth": {"bandwidth": busbw, "okay": "unchecked"},
        "end_time": "2026-07-09 16:04:21",
    }  # fmt: skip


def raw(data: dict[str, Any]) -> bytes:
    return json.dumps(data).encode()


def test_report_is_judged_like_a_log() -> None:
    """Everything but NCCL's own lines is in a report; those gates fail until they are waived."""
    runs = read_stream(io.BytesIO(raw(report())))
    outcome = judge(runs, render.want())
    assert tuple(gate.name for gate in outcome.failed) == FABRIC
    assert judge(runs, render.want(), waive=FABRIC).passed


@pytest.mark.parametrize(
    ("data", "gate"), [(report(busbw=10.0), "bandwidth"), (report(wrong=3.0), "data"), (report(wrong=None), "data")]
)
def test_bad_reports_fail(data: dict[str, Any], gate: str) -> None:
    """The same gates as for text."""
    outcome = judge([read_report(raw(data))], render.want(), waive=FABRIC)
    assert [each.name for each in outcome.failed] == [gate]


def test_environment_is_not_kept() -> None:
    """No word of the environment block is in anything that was read or said."""
    runs = [read_report(raw(report()))]
    assert "hunter2" not in repr(runs)
    assert "hunter2" not in json.dumps(judge(runs, render.want()).to_json())


@pytest.mark.parametrize("cut", range(1, len(raw(report())), 37))
def test_a_cut_report_did_not_finish(cut: int) -> None:
    """A report that ends early proves nothing."""
    assert not judge([read_report(raw(report())[:cut])], render.want(), waive=FABRIC).passed


def test_report_and_log_of_the_same_processes_are_one_test() -> None:
    """The report then only adds to the log, and does not fail for what it cannot show."""
    log = read_bytes(render.joined(render.log(busbw=[325.72])))
    together = [*log, read_report(raw(report()))]
    outcome = judge(together, render.want())
    assert outcome.passed
    assert outcome.tests == 1


def twin(log: list[str], **config: Any) -> dict[str, Any]:
    """What a test that printed this log writes with ``-J``."""
    (run,) = read_bytes(render.joined(log))
    data = report()

    def half(alg: Cell | None, bus: Cell | None, wrong: float | None) -> dict[str, Any]:
        exact = bus.value / (round(bus.value / alg.value * 16) / 16) if alg and bus else None  # a report rounds nothing
        return {"alg_bw": exact, "bus_bw": bus and bus.value, "nwrong": wrong}

    data["config"] |= {"maximum_bytes": run.largest.size if run.largest else 0, **config}
    data["results"] = [
        {
            "size": row.size, "count": row.count, "type": "float", "redop": row.redop,
            "out_of_place": half(row.out_alg, row.out_bus, row.out_wrong),
            "in_place": half(row.in_alg, row.in_bus, row.in_wrong),
        }
        for row in run.rows.values()
    ]  # fmt: skip
    data["average_bus_bandwidth"]["bandwidth"] = next(iter(run.averages), None)
    data["out_of_bounds"]["count"] = run.out_of_bounds
    return data


@pytest.mark.parametrize(
    "name",
    ["wrong data", "data not checked", "one node posing as two", "below the threshold at 1 GiB only", "above the wire",
     "masked figures", "a hole in the average", "out of bounds", "half an element wrong", "a row lost"],
)  # fmt: skip
def test_a_report_says_what_its_log_says(name: str) -> None:
    """Of every gate that figures decide: whether it passes, and what was seen."""
    announced = ["# Collective test starting: all_gather_perf", *render.log(), "# Collective test concluded"]
    lines = CHANGES[name][0](announced, "gIB")
    of_log, of_report = (judge(runs, render.want()) for runs in (read_bytes(render.joined(lines)), [
        read_report(raw(twin(lines)))
    ]))  # fmt: skip
    both = zip(of_log.gates, of_report.gates, strict=True)

    assert [(log.name, log.passed, log.seen) for log, _ in both if log.name not in FABRIC] == [
        (each.name, each.passed, each.seen) for each in of_report.gates if each.name not in FABRIC
    ]
    assert [point.to_json() for point in of_report.points] == [point.to_json() for point in of_log.points]


@pytest.mark.parametrize(
    ("change", "gate", "seen"),
    [
        ({"start_time": None}, "finished", "the footer"),
        ({"end_time": ...}, "finished", "did not finish: started, never concluded"),
        ({"out_of_bounds": ...}, "finished", "did not finish: no footer; its last row is 1 GiB"),
        ({"average_bus_bandwidth": ...}, "finished", "did not finish: no footer; its last row is 1 GiB"),
        ({"args": ["/x/all_reduce_perf_mpi"]}, "collective", "rows that are not of all_reduce"),
        ({"args": ["./my_perf"]}, "collective", "not named, its rows fit all_gather"),
        ({"args": []}, "collective", "not named, its rows fit all_gather"),
        ({"results": [7]}, "rows", "figures missing or no numbers"),
        ({"results": []}, "ran", "0 rows"),
    ],
)
def test_parts_of_a_report(change: dict[str, Any], gate: str, seen: str) -> None:
    """What is there or not, told as of a log; three dots stand for what is left out."""
    data = {key: value for key, value in {**report(), **change}.items() if value is not ...}
    assert seen in {each.name: each.seen for each in judge([read_report(raw(data))], render.want()).gates}[gate]


def test_a_report_in_steps_of_bytes() -> None:
    """As ``-i`` makes them, and not by a factor."""
    gib = 1 << 30
    lines = [render.banner(gib, 3 * gib, gib, "bytes"), *render.log()[1:-6]]
    lines += [render.row(size * gib, 300.0, 300.0, 16) for size in (1, 2, 3)] + render.footer([300.0])
    data = twin(lines, step_bytes=gib)
    del data["config"]["step_factor"]
    (rows,) = [gate for gate in judge([read_report(raw(data))], render.want()).gates if gate.name == "rows"]
    assert (rows.passed, rows.seen) == (True, "3 rows of 3 sizes")


def test_what_a_report_adds_to_its_log() -> None:
    """The name of the collective, and what its exact figures show wrong; the log of other processes is another test."""
    log = read_bytes(render.joined(render.log(busbw=[325.72])))
    bad = report(wrong=2.0)
    for change, tests in (({}, 1), ({"pid": 1}, 2)):
        devices = [{**each, **change} for each in report()["config"]["devices"]]
        both = [*log, read_report(raw(bad | {"config": {**bad["config"], "devices": devices}}))]
        found = judge(both, render.want())
        assert ("data" in [gate.name for gate in found.failed], found.judged) == (True, tests)
    masked = report()
    masked["results"][0]["in_place"] = {"nwrong": 0.0}
    anew = read_bytes(render.joined(render.log(busbw=[325.72])))
    assert [gate.name for gate in judge([*anew, read_report(raw(masked))], render.want()).reported] == ["rows"]
    assert judge([*log, read_report(raw(report()))], render.want()).collective == "all_gather"


@pytest.mark.parametrize(
    "odd",
    [
        {"version": 1, "results": "x", "config": [], "args": 7, "out_of_bounds": 3, "average_bus_bandwidth": []},
        {"version": 1, "results": [None, 3, {"size": "x"}, {"size": True}, {"size": 8, "out_of_place": 1}]},
        {"version": 1, "config": {"devices": [1, {}, {"rank": -1}], "minimum_bytes": "x", "step_factor": 0}},
    ],
)
def test_odd_reports_give_a_verdict(odd: dict[str, Any]) -> None:
    """Whatever the types are."""
    assert not judge([read_report(raw(odd))], render.want()).passed


@pytest.mark.parametrize("key", ["version", "start_time", "nccl_version"])
def test_one_key_tells_a_report(key: str) -> None:
    """Of a report that is cut the others may lack; an entry of a log has none of them."""
    assert looks_like_report(f'  {{"{key}": 1'.encode())
    assert not looks_like_report(f'["{key}", 1]'.encode()) and not looks_like_report(b'{"log": "x"}')

"""The JSON report of ``-J``."""

import io
import json
from typing import Any

import pytest
from rdma_cluster.nccl.files import read_stream
from rdma_cluster.nccl.reader import read_bytes
from rdma_cluster.nccl.report import read_report
from rdma_cluster.nccl.verdict import judge

from tests.nccl import render

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

"""JSON reports of ``-J`` with the keys of nccl-tests 2.19."""

import json
from typing import Any

from nccl_verdict.reader import read_bytes
from nccl_verdict.rows import Cell
from tests.nccl import render


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

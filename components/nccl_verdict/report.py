"""The JSON report of ``-J``: the same test with exact figures. Nothing is kept of its environment block."""

import json
from typing import Any

from .busbw import COLLECTIVES
from .header import Banner, Rank
from .rows import WIDTHS, Cell, Row
from .run import Run
from .visible import visible

MOST_BYTES = 256 << 20


def looks_like_report(start: bytes) -> bool:
    """Whether a file that starts like this is a report of nccl-tests, whole or cut."""
    head = start.lstrip()
    return head.startswith(b"{") and any(key in head for key in (b'"version"', b'"start_time"', b'"nccl_version"'))


def read_report(raw: bytes, source: str = "") -> Run:
    """The test of a report; a report that is cut gives a test that did not finish."""
    run = Run(source, is_json=True)
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return run
    if isinstance(data, dict):
        _config(run, data)
        for entry in _list(data.get("results")):
            _result(run, entry)
        _footer(run, data)
    return run


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> float | None:
    whole = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if whole and 0 <= value < 1e18 else None


def _int(value: Any) -> int:
    number = _number(value)
    return -1 if number is None else int(number)


def _config(run: Run, data: dict[str, Any]) -> None:
    args = _list(data.get("args"))
    program = str(args[0]).rpartition("/")[2] if args else ""
    run.collective = next((name for name in COLLECTIVES if program.startswith(f"{name}_perf")), None)
    config = data.get("config")
    if not isinstance(config, dict):
        return
    step = config.get("step_factor", config.get("step_bytes"))
    extent = [_int(value) for value in (config.get("minimum_bytes"), config.get("maximum_bytes"), step)]
    if min(extent) >= 0:
        run.banner = Banner(1, *extent, by_factor="step_factor" in config)
    for entry in _list(config.get("devices")):
        if isinstance(entry, dict):
            rank, group, pid, device = (_int(entry.get(key)) for key in ("rank", "group", "pid", "device"))
            texts = (str(entry.get(key, ""))[:253] for key in ("hostname", "device_hex", "device_info"))
            host, pci, model = (visible(each.strip()) for each in texts)
            run.add_rank(Rank(1, rank, group, pid, host, device, pci, model))


def _result(run: Run, entry: Any) -> None:
    if not isinstance(entry, dict) or _int(entry.get("size")) < 0:
        run.masked.append(1)
        return
    size, count = _int(entry.get("size")), _int(entry.get("count"))
    row = Row(1, size, count, size // count if count > 0 else 0, str(entry.get("redop")), whole=True)
    row.out_alg, row.out_bus, row.out_wrong = _half(entry.get("out_of_place"))
    row.in_alg, row.in_bus, row.in_wrong = _half(entry.get("in_place"))
    kind = str(entry.get("type"))
    row.width = WIDTHS.get(kind, 1 if "8" in kind else row.width)
    run.add_row(row)
    times = entry.get("out_of_place_per_iter")
    if isinstance(times, dict) and size >= max(run.rows):
        for process, each in enumerate(_list(times.get("per_process_max_times_us"))):
            if numbers := [n for n in map(_number, _list(each)) if n is not None]:
                run.process_seconds[process] = sum(numbers) / len(numbers) / 1e6


def _half(block: Any) -> tuple[Cell | None, Cell | None, float | None]:
    if not isinstance(block, dict):
        return None, None, None
    alg, bus, wrong = (_number(block.get(key)) for key in ("alg_bw", "bus_bw", "nwrong"))
    return alg if alg is None else Cell(alg, 5e-7), bus if bus is None else Cell(bus, 5e-7), wrong


def _footer(run: Run, data: dict[str, Any]) -> None:
    bounds, average = data.get("out_of_bounds"), data.get("average_bus_bandwidth")
    if isinstance(bounds, dict) and _number(bounds.get("count")) is not None:
        run.out_of_bounds, run.out_of_bounds_line = _int(bounds["count"]), 1
    bandwidth = _number(average.get("bandwidth")) if isinstance(average, dict) else None
    if bandwidth is not None:
        run.averages[bandwidth] = 1
    run.started, run.concluded = (1 if key in data else None for key in ("start_time", "end_time"))

"""What is taken from each key of a JSON report, and what stands in place of a key that is odd or missing."""

from typing import Any

import pytest
from nccl_verdict.header import Banner, Rank
from nccl_verdict.report import looks_like_report, read_report
from nccl_verdict.rows import Cell
from nccl_verdict.run import Run
from tests.nccl.test_report import raw, report

GIB = 1 << 30


def read(**changed: Any) -> Run:
    """The test of a report with other keys; three dots leave one out."""
    return read_report(
        raw({key: value for key, value in {**report(), **changed}.items() if value is not ...}), "a.json"
    )


def config(**changed: Any) -> dict[str, Any]:
    """The part about the extent and the devices, likewise."""
    return {key: value for key, value in {**report()["config"], **changed}.items() if value is not ...}


def test_a_whole_report() -> None:
    """Name, extent, devices, row, footer, and both ends."""
    run = read()
    assert (run.source, run.is_json, run.collective, run.banner) == (
        "a.json", True, "all_gather", Banner(1, GIB, GIB, 2, True),
    )  # fmt: skip
    assert run.ranks[9] == Rank(1, 9, 0, 709, "node-1", 1, "0000:90:00", "NVIDIA H200") and len(run.ranks) == 16
    (row,) = run.rows.values()
    assert (row.line, row.size, row.count, row.width, row.redop, row.whole) == (1, GIB, 1 << 24, 4, "none", True)
    alg, bus = Cell(325.72 / 0.9375, 5e-7), Cell(325.72, 5e-7)
    assert (row.out_alg, row.out_bus, row.out_wrong) == (row.in_alg, row.in_bus, row.in_wrong) == (alg, bus, 0.0)
    assert (run.out_of_bounds, run.out_of_bounds_line, run.averages) == (0, 1, {325.72: 1})
    assert (run.started, run.concluded, run.masked) == (1, 1, [])


@pytest.mark.parametrize(
    ("program", "collective"),
    [
        ("/opt/nccl-tests/build/all_reduce_perf", "all_reduce"),
        ("alltoallv_perf", "alltoallv"),
        ("alltoall_perf_mpi", "alltoall"),
        ("my_all_reduce_perf", None),
        ("/all_reduce_perf/other", None),
        (7, None),
    ],
)
def test_the_program(program: Any, collective: str | None) -> None:
    """Its own name begins with the collective's, whatever folder it lies in."""
    assert read(args=[program]).collective == collective
    assert read(args=[]).collective is read(args=...).collective is read(args=program).collective is None


@pytest.mark.parametrize(
    ("changed", "banner"),
    [
        ({"minimum_bytes": 8, "maximum_bytes": 64, "step_factor": 4}, Banner(1, 8, 64, 4, True)),
        ({"minimum_bytes": 0, "step_factor": ..., "step_bytes": 512}, Banner(1, 0, GIB, 512, False)),
        ({"step_factor": 0}, Banner(1, GIB, GIB, 0, True)),
        ({"minimum_bytes": -1}, None),
        ({"maximum_bytes": "64"}, None),
        ({"step_factor": ...}, None),
        ({"step_factor": True}, None),
        ({"minimum_bytes": ...}, None),
    ],
)
def test_the_extent(changed: dict[str, Any], banner: Banner | None) -> None:
    """Whole numbers from 0 on, in steps of a factor or of bytes; anything else announces nothing."""
    assert read(config=config(**changed)).banner == banner


def test_devices() -> None:
    """What is no object is passed over; texts are shown without controls or blanks around them, and hosts are cut."""
    first = report()["config"]["devices"][0]
    odd = {"rank": 1, "hostname": " node\x1b-1 ", "device_info": 7}
    long = {**first, "rank": 2, "hostname": "x" * 300, "device": 3.0}
    run = read(config=config(devices=[7, "x", odd, first, None, long]))
    assert list(run.ranks.values()) == [
        Rank(1, 1, -1, -1, "node\\u001b-1", -1, "", "7"),
        Rank(1, 0, 0, 700, "node-0", 0, "0000:8f:00", "NVIDIA H200"),
        Rank(1, 2, 0, 700, "x" * 253, 3, "0000:8f:00", "NVIDIA H200"),
    ]
    for no_devices in ({"devices": "x"}, {"devices": ...}):
        assert read(config=config(**no_devices)).ranks == {}
    assert (read(config=[]).ranks, read(config=...).banner) == ({}, None)


def entry(**changed: Any) -> dict[str, Any]:
    """The row of the report, with other keys."""
    return {key: value for key, value in {**report()["results"][0], **changed}.items() if value is not ...}


@pytest.mark.parametrize(
    ("kind", "count", "width"),
    [
        ("float", 1 << 24, 4), ("double", 1 << 24, 8), ("half", 1 << 24, 2), ("int8", 1 << 24, 1),
        ("fp8_new", 1 << 24, 1), ("new", 1 << 28, 4), ("new", 1 << 30, 1), ("new", 0, 0), (None, 1 << 27, 8),
    ],
)  # fmt: skip
def test_the_width_of_an_element(kind: str | None, count: int, width: int) -> None:
    """By the name of its type; of a name that is not known an 8 means one byte, and else size and count tell."""
    (row,) = read(results=[entry(type=kind, count=count)]).rows.values()
    assert (row.width, row.count) == (width, count)


@pytest.mark.parametrize(
    "odd",
    [7, None, "row", [], {}, entry(size=-1), entry(size="1"), entry(size=True), entry(size=...), entry(size=1e18)],
)
def test_a_row_without_a_size(odd: Any) -> None:
    """It is one that nobody can read, and the next is read all the same."""
    run = read(results=[odd, entry(size=0, count=0), entry()])
    assert (run.masked, list(run.rows)) == ([1], [0, GIB])


@pytest.mark.parametrize("value", [None, "1.5", -1.0, 1e18, True, [], ...])
@pytest.mark.parametrize("key", ["alg_bw", "bus_bw", "nwrong"])
def test_a_figure_that_is_none(key: str, value: Any) -> None:
    """Texts, switches, and what is below zero or beyond all bounds are no figures; the others of its row stay."""
    half = {name: each for name, each in {**entry()["in_place"], key: value}.items() if each is not ...}
    (row,) = read(results=[entry(out_of_place=half)]).rows.values()
    out = {"alg_bw": row.out_alg, "bus_bw": row.out_bus, "nwrong": row.out_wrong}
    assert out.pop(key) is None
    assert None not in out.values() and None not in (row.in_alg, row.in_bus, row.in_wrong)


def test_a_column_that_is_missing() -> None:
    """Has no figures, and the row is masked."""
    for odd in (None, [], 7):
        run = read(results=[entry(in_place=odd)])
        (row,) = run.rows.values()
        assert (row.in_alg, row.in_bus, row.in_wrong, run.masked) == (None, None, None, [1])
        assert row.out_bus is not None


def test_times_of_processes() -> None:
    """The mean of each process's times of the largest message, in seconds; what is no number counts for nothing."""
    largest = {"per_process_max_times_us": [[4000.0, 6000], 7, [], ["x", 9000.0, None], ["x"]]}
    small = {"per_process_max_times_us": [[1.0], [1.0], [1.0]]}
    rows = [
        entry(size=8, out_of_place_per_iter=small), entry(out_of_place_per_iter=largest),
        entry(size=64, out_of_place_per_iter={"per_process_max_times_us": [[2.0]] * 5}),
    ]  # fmt: skip
    assert read(results=rows).process_seconds == {0: 0.005, 1: 1e-06, 2: 1e-06, 3: 0.009}
    for odd in (None, 7, {}, {"per_process_max_times_us": 7}):
        assert read(results=[entry(out_of_place_per_iter=odd)]).process_seconds == {}


@pytest.mark.parametrize(
    ("changed", "bounds", "averages"),
    [
        ({"out_of_bounds": {"count": 3}}, 3, {325.72: 1}),
        ({"out_of_bounds": {"count": "3"}}, None, {325.72: 1}),
        ({"out_of_bounds": {}}, None, {325.72: 1}),
        ({"out_of_bounds": 3}, None, {325.72: 1}),
        ({"out_of_bounds": ...}, None, {325.72: 1}),
        ({"average_bus_bandwidth": {"bandwidth": 0}}, 0, {0.0: 1}),
        ({"average_bus_bandwidth": {"bandwidth": None}}, 0, {}),
        ({"average_bus_bandwidth": 325.72}, 0, {}),
        ({"average_bus_bandwidth": ...}, 0, {}),
    ],
)
def test_the_footer(changed: dict[str, Any], bounds: int | None, averages: dict[float, int]) -> None:
    """Each of its parts stands for itself, and is missing where it holds no number."""
    run = read(**changed)
    assert (run.out_of_bounds, run.out_of_bounds_line, run.averages) == (
        bounds, None if bounds is None else 1, averages,
    )  # fmt: skip


@pytest.mark.parametrize(("key", "field"), [("start_time", "started"), ("end_time", "concluded")])
def test_both_ends(key: str, field: str) -> None:
    """Each is known by its own key, whatever it holds."""
    assert getattr(read(**{key: None}), field) == 1 and getattr(read(**{key: ...}), field) is None


@pytest.mark.parametrize("text", [b"", b"[]", b"7", b'{"version": ', b"[" * 100_000, b"\xff{}"])
def test_what_is_no_report(text: bytes) -> None:
    """It is a test of which nothing is known."""
    assert read_report(text, "a.json") == Run("a.json", is_json=True)


@pytest.mark.parametrize(
    ("start", "is_report"),
    [
        (b' \n{"x": 1, "version": 1}', True),
        (b'{"start_time": 1', True),
        (b'{"nccl_version": 1', True),
        (b'{"versions": 1}', False),
        (b'x{"version": 1}', False),
        (b"{", False),
    ],
)
def test_what_looks_like_a_report(start: bytes, is_report: bool) -> None:
    """An object with one of three keys."""
    assert looks_like_report(start) is is_report

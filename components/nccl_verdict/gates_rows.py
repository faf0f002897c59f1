"""The gates of a test's table: all of it there, figures that can be, right data, fast enough."""

from .busbw import NOT_IN_PLACE, most_busbw
from .expectation import GIB, Expectation, SizeThreshold, size_text
from .gate import Gate, collective_of, few, lines_of
from .rows import Row
from .run import Run

_SLACK = 1.03  # above the limit, for clocks and for how figures are rounded
_FALLEN = 0.9
_SMALL = 1 << 18
"""Bytes up to which a message's time is that of its way, and hardly of its size: our own choice, as is the next one."""
_LATER = 1.5
_BEYOND_WIRE = "a node's NICs cannot carry this: the ranks share a node, the size of the machine or the figure is wrong"
_CORRUPT = (
    "memory or a link corrupts data: run pairs of nodes to find which, then there nvidia-smi -q -d ECC and the NIC's "
    "error counters, and take the node out; it is probably not a slow or a missing NIC"
)


def rows(run: Run, want: Expectation) -> Gate:
    """Every size that the test announces is there, with figures that can be."""
    wanted = "every announced size, once a cycle and rising, with figures that can be"
    rerun = f"run it with {want.sizes(collective_of(run, want))} and keep the whole output"
    if run.masked:
        cause = f"figures are missing or masked: {rerun}"
        return Gate("rows", False, "figures missing or no numbers", wanted, tuple(run.masked), cause)
    if run.contradictions and collective_of(run, want) != "alltoallv":  # whose ranks send unlike sizes
        seen = "time and algbw of a row are not of one message"
        return Gate("rows", False, seen, wanted, tuple(run.contradictions), f"the figures were changed: {rerun}")
    if impossible := _impossible(run, want):
        seen, line = impossible
        return Gate("rows", False, seen, wanted, (line,), _BEYOND_WIRE)
    if missing := run.missing_rows():
        lines = (run.banner.line,) if run.banner else ()
        return Gate("rows", False, missing, wanted, lines, f"lines are lost from the log: {rerun}")
    if differs := run.average_differs():
        seen = f"the rows' mean is {differs[1]:.6g}, the footer's {differs[0]:.6g}: rows are lost or changed"
        return Gate("rows", False, seen, wanted, tuple(run.averages.values()), rerun)
    return Gate("rows", True, f"{run.total_rows} rows of {len(run.counts)} sizes", wanted)


def limit(run: Run, want: Expectation) -> float | None:
    """Bus bandwidth, GB/s, that no healthy run passes; ``None`` where the wire is unknown or is not what is used."""
    judged = collective_of(run, want)
    if judged is None or want.wire_gbytes is None or not want.uses_wire:
        return None
    if want.above_wire and judged != "all_reduce":
        return None  # for all_reduce, what leaves the node is counted
    return most_busbw(judged, want.nodes, want.gpus_per_node, want.wire_gbytes, run.evidence.channels.in_network)


def _impossible(run: Run, want: Expectation) -> tuple[str, int] | None:
    """A figure beyond the wire, in words, and its line."""
    most, row = limit(run, want), run.fastest
    if most is None or row is None:
        return None
    if (figure := max(cell.value for cell in row.busbw)) <= most * _SLACK:
        return None
    at = f"{figure:g} GB/s at {size_text(row.size)}"
    return f"{at} cannot be: NICs of {want.wire_gbytes:g} GB/s a node allow {most:.4g} at the most", row.line


def data(run: Run, want: Expectation) -> Gate:
    """The data of every row was checked, and is right."""
    wanted = "#wrong 0 in every row, out of bounds 0"
    bounds = (run.out_of_bounds_line,) if run.out_of_bounds_line else ()
    if run.wrong:
        seen = f"#wrong above 0: {run.wrong_total} wrong elements"
        return Gate("data", False, seen, wanted, tuple(run.wrong), _CORRUPT)
    if run.out_of_bounds or run.out_of_bounds_line in run.refused:
        return Gate("data", False, f"{run.out_of_bounds} out of bounds, FAILED", wanted, bounds, _CORRUPT)
    in_place = [] if collective_of(run, want) in NOT_IN_PLACE else run.unchecked_in_place
    if unchecked := [*run.unchecked, *in_place]:
        return Gate("data", False, "not checked (N/A)", wanted, few(unchecked), "the test ran with -c 0: leave it at 1")
    if run.out_of_bounds is None or not run.rows:
        return Gate("data", False, "not shown", wanted, (), "the footer is missing")
    return Gate("data", True, "0 wrong, 0 out of bounds", wanted, bounds)


def bandwidth(run: Run, want: Expectation) -> Gate:
    """Every row that a threshold holds for reaches it."""
    collective = collective_of(run, want)
    if refused := [line for line in run.averages.values() if line in run.refused]:
        cause = "the test's own least average, NCCL_TESTS_MIN_BW, was not reached"
        return Gate("bandwidth", False, f"{_largest(run)}; the footer says FAILED", "no FAILED", few(refused), cause)
    thresholds = want.thresholds.get(collective or "")
    if not thresholds:
        extent = f"{collective or 'this collective'} on {want.nodes} x {want.gpus_per_node} GPUs of {want.machine}"
        cause = f"give one of your own: --threshold {collective or 'COLLECTIVE'}:1G=GBPS, or waive this gate by name"
        return Gate("bandwidth", False, _largest(run), f"a threshold, and none is known for {extent}", (), cause)
    shown = ", ".join(f"{of.busbw_gbytes:g} GB/s from {size_text(max(of.size_bytes, GIB))}" for of in thresholds)
    wanted = f"out-of-place busbw >= {shown} ({want.thresholds_from})"
    rows = [(row, want.threshold_at(collective, run.nominal(row.size))) for row in run.large_rows()]
    below = [row for row, threshold in rows if _figure(row) < (threshold or 0.0)]
    if below:
        worst = min(below, key=_figure)
        figure = "no number" if worst.out_bus is None else f"{worst.out_bus.value:g} GB/s"
        seen = f"{figure} out-of-place at {size_text(worst.size)}, {len(below)} of {len(rows)} rows below"
        return Gate("bandwidth", False, seen, wanted, lines_of(below), _slow(rows[-1][0], thresholds[-1]))
    if not (judged := [row for row, threshold in rows if threshold is not None]):
        cause = f"run sizes from 1 GiB on: {want.sizes(collective)}"
        return Gate("bandwidth", False, f"no row large enough; {_largest(run)}", wanted, (), cause)
    seen = f"at least {min(map(_figure, judged)):g} GB/s out-of-place in {len(judged)} rows"
    before = want.expected_at(collective, run.nominal(judged[-1].size))
    warning = "; ".join(filter(None, (_fallen(judged[-1], before, want), _late(run, want))))
    return Gate("bandwidth", True, seen, wanted, lines_of(judged), warning=warning)


def _figure(row: Row) -> float:
    """Out-of-place bus bandwidth; less than any where there is none."""
    return -1.0 if row.out_bus is None else row.out_bus.value


def _fallen(largest: Row, before: float | None, want: Expectation) -> str:
    """A warning where the largest row is 10 % or more below what such a run reached before; else nothing."""
    figure = _figure(largest)
    if before is None or figure > _FALLEN * before:
        return ""
    below = f"{1 - figure / before:.0%} below the {before:g} GB/s of {want.expected_from}"
    seen = f"{figure:g} GB/s at {size_text(largest.size)} reaches the threshold, and is {below}"
    return f"{seen}: run pairs of nodes and single rails; it is probably not one dead NIC, which costs more"


def _late(run: Run, want: Expectation) -> str:
    """A warning where small messages take half as long again as in the last proof; one that is not is no sign."""
    before = {each.size_bytes: each.micros for each in want.expected_times.get(collective_of(run, want) or "", ())}
    rows = [row for size, row in sorted(run.rows.items()) if size <= _SMALL and row.out_time and before.get(size)]
    ratios = sorted(
        ((row.out_time.value / before[row.size], row) for row in rows if row.out_time), key=lambda pair: pair[0]
    )
    if len(ratios) < 3 or (middle := ratios[len(ratios) // 2])[0] < _LATER:
        return ""
    share, row = middle
    figures = f"{row.out_time.value if row.out_time else 0:g} us at {size_text(row.size)}, {before[row.size]:g} before"
    return (
        f"small messages take {share:.1f} times as long as in {want.expected_from} ({figures}): a longer way or a "
        "busy CPU: run pairs of nodes, compare NCCL_ settings, and look at the CPUs' affinity"
    )


def _slow(largest: Row, last: SizeThreshold) -> str:
    """What reaching only a part of the last threshold usually means."""
    share = largest.out_bus.value / last.busbw_gbytes if largest.out_bus and last.busbw_gbytes else 1.0
    if share < 0.15:
        return (
            "as slow as TCP: if the gates above pass, run ibv_devinfo on each node for the NICs' link speed, and look "
            "at congestion; it is probably not one bad cable"
        )
    if share < 0.6:
        return (
            "some rails do not carry: run single rails (NCCL_TESTS_SPLIT) or pairs of nodes to find which; it is "
            "probably not the core of the switches, which all rails would feel alike"
        )
    near = "another job on the same fabric, cross-rail traffic, or a node far away"
    return f"near the threshold: {near}; run pairs to find it; it is probably not a dead NIC, which costs more"


def _largest(run: Run) -> str:
    row = run.largest
    if row is None:
        return "no rows"
    return f"{row.out_bus.value:g} GB/s at {size_text(row.size)}" if row.out_bus else f"no number at {row.size} B"

"""Named changes of a healthy log, each with the gates that it fails on every fabric."""

import re
from collections.abc import Callable

from nccl_verdict.verdict import GATES
from tests.nccl import render
from tests.nccl.judging import Lines


def without(word: str) -> Callable[[Lines], Lines]:
    return lambda lines: [line for line in lines if word not in line]


def matching(words: str, lines: Lines) -> Lines:
    """All lines but those that match an expression."""
    return [line for line in lines if not re.search(words, line)]


def swapped(old: str, new: str, only: str = "") -> Callable[[Lines], Lines]:
    return lambda lines: [line.replace(old, new) if only in line else line for line in lines]


def first_only(old: str, new: str) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        place = next(number for number, line in enumerate(lines) if old in line)
        return [*lines[:place], lines[place].replace(old, new), *lines[place + 1 :]]

    return change


def slow_row(lines: Lines, size: int, busbw: float) -> Lines:
    return [render.row(size, busbw, busbw, 16) if line.lstrip().startswith(f"{size} ") else line for line in lines]


def with_last_row(lines: Lines, change: Callable[[str], str]) -> Lines:
    place = max(number for number, line in enumerate(lines) if " float " in line)
    return [*lines[:place], change(lines[place]), *lines[place + 1 :]]


def first_rows_swapped(lines: Lines) -> Lines:
    one, two = [number for number, line in enumerate(lines) if " float " in line][:2]
    return [lines[{one: two, two: one}.get(number, number)] for number in range(len(lines))]


_WARNED = "node-1:709:950 [1] transport/net_ib.cc:142 NCCL WARN NET/IB :"
CHANGES: dict[str, tuple[Callable[[Lines, str], Lines], set[str]]] = {
    "socket fall-back of all": (lambda lines, net: swapped(net, "Socket")(lines), {"socket", "transport"}),
    "socket fall-back of one process": (
        lambda lines, net: swapped(f"NET plugin {net}", "NET plugin Socket", only="node-0:700:")(
            first_only(f"Using network {net}", "Using network Socket")(lines)
        ),
        {"socket", "transport"},
    ),
    "one channel over sockets": (
        lambda lines, net: first_only(f"via NET/{net}/0/GDRDMA", "via NET/Socket/0")(lines),
        {"socket", "transport", "gdr"},
    ),
    "another plugin": (
        lambda lines, net: [re.sub(rf"(network|NET plugin) {re.escape(net)}", r"\1 UCX", line) for line in lines],
        {"transport"},
    ),
    "GDR off": (lambda lines, net: swapped("/GDRDMA", "")(lines), {"gdr"}),
    "GDR off on one channel": (lambda lines, net: first_only("/GDRDMA", "")(lines), {"gdr"}),
    "a channel line is lost": (
        lambda lines, net: [line for line in lines if "node-1:708:908 [0] NCCL INFO Channel" not in line],
        {"gdr"},
    ),
    "NCCL silent": (lambda lines, net: without("NCCL INFO")(lines), {"socket", "transport", "nics", "gdr"}),
    "NCCL silent on one rank": (lambda lines, net: without("node-1:709:909")(lines), {"transport", "gdr"}),
    "NCCL silent on one node": (lambda lines, net: without("node-1:7")(lines), {"transport", "nics", "gdr"}),
    "wrong data": (lambda lines, net: with_last_row(lines, lambda row: row[:-1] + "3"), {"data"}),
    "half an element wrong": (lambda lines, net: with_last_row(lines, lambda row: row[:-1] + "0.5"), {"rows"}),
    "out of bounds": (lambda lines, net: swapped("values : 0 OK", "values : 2 FAILED")(lines), {"data"}),
    "out of bounds without a number": (lambda lines, net: swapped(": 0 OK", ": 0 FAILED")(lines), {"data"}),
    "footer cut inside a word": (lambda lines, net: swapped("values : 0 OK", "values : 0 O")(lines), {"finished"}),
    "least average not reached": (
        lambda lines, net: [f"{line} FAILED" if "Avg bus" in line else line for line in lines], {"bandwidth"},
    ),
    "data not checked": (lambda lines, net: swapped("    0 ", "  N/A ", only="float")(lines), {"data"}),
    "truncated before the footer": (lambda lines, net: lines[:-2], {"finished", "data"}),
    "truncated inside the last row": (
        lambda lines, net: [*lines[:-3], lines[-3][:70]],
        {"finished", "rows", "data", "bandwidth"},
    ),
    "the test timed out": (
        lambda lines, net: [*lines[:-2], "node-0: Test timeout (600s) common.cu:523"],
        {"finished", "data"},
    ),
    "started and never concluded": (
        lambda lines, net: ["# Collective test starting: all_gather_perf", *lines],
        {"finished"},
    ),
    "one node twice": (lambda lines, net: swapped("node-1", "node-0")(lines), {"nodes", "ranks", "gpus"}),
    "one node posing as two": (
        lambda lines, net: [
            render.row(8 << 30, 325.72, 325.72, 8) if "8589934592  " in line else line for line in lines
        ],
        {"implied_ranks"},
    ),
    "a rank lost": (lambda lines, net: without("#  Rank 15")(lines), {"ranks", "gpus"}),
    "no list of devices": (lambda lines, net: without("#  Rank")(lines), {"nodes", "ranks", "gpus", "transport"}),
    "a GPU listed twice": (lambda lines, net: swapped("[0000:96:00]", "[0000:95:00]")(lines), {"gpus"}),
    "another GPU model": (lambda lines, net: swapped("00] ", "00] NVIDIA A10 ", only="Rank  3")(lines), {"gpus"}),
    "below the threshold at 1 GiB only": (lambda lines, net: slow_row(lines, 1 << 30, 256.9), {"bandwidth", "rows"}),
    "above the wire": (lambda lines, net: slow_row(lines, 4 << 30, 413.0), {"rows"}),
    "a time of another message": (
        lambda lines, net: with_last_row(lines, lambda row: row.replace(row.split()[6], "347.00")), {"rows"},
    ),
    "a time that is no number": (
        lambda lines, net: with_last_row(lines, lambda row: row.replace(row.split()[5], "nan", 1)), {"rows"},
    ),
    "an endless time": (
        lambda lines, net: with_last_row(lines, lambda row: row.replace(row.split()[9], "inf", 1)), {"rows"},
    ),
    "a rank's channels on the wrong node": (
        lambda lines, net: swapped("node-0:700:900 [0]", "node-1:708:908 [0]", only="INFO Channel")(lines), {"gdr"},
    ),
    "a NIC's channels are gone at both ends": (
        lambda lines, net: [line for line in lines if f"NET/{net}/1/" not in line and "SHARP/1/" not in line], {"nics"},
    ),
    "all channels on one NIC": (
        lambda lines, net: [re.sub(rf"(NET/{re.escape(net)}|SHARP)/\d+/", r"\1/0/", line) for line in lines], {"nics"},
    ),
    "a NIC that failed": (
        lambda lines, net: [*lines, f"{_WARNED} mlx5_3:1 async fatal event: local catastrophic error"], {"finished"},
    ),
    "a link that flapped": (
        lambda lines, net: [*lines, f"{_WARNED} mlx5_3:1 Got non-fatal async event: port error(10)"], {"finished"},
    ),
    "a process out of memory": (
        lambda lines, net: [*lines, "slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0."], {"finished"},
    ),
    "skipped": (lambda lines, net: ["nccl-tests: skipped, no RDMA devices"], set(GATES) - {"affinity"}),
    "a row lost": (lambda lines, net: without("2147483648  ")(lines), {"rows"}),
    "a size twice, another not at all": (
        lambda lines, net: swapped("  2147483648      33554432", "  1073741824      16777216")(lines), {"rows"},
    ),
    "sizes that fall": (lambda lines, net: first_rows_swapped(lines), {"rows"}),
    "masked figures": (lambda lines, net: swapped("325.72", "XXX.XX")(lines), {"rows", "bandwidth"}),
    "a hole in the average": (lambda lines, net: swapped(" : 323.8", " : 222.8")(lines), {"rows"}),
    "no banner": (lambda lines, net: without("nThread")(lines), {"rows"}),
    "the footer's OK over a bad row": (
        lambda lines, net: swapped("325.72", "  3.15")(lines), {"bandwidth", "rows", "implied_ranks"},
    ),
}  # fmt: skip


def mirrored(lines: Lines, only: str = "node-1") -> Lines:
    """Each GPU of a node uses the NIC at the other end of the node."""
    network = "via NET/gIB/"
    return [
        line.replace(f"{network}{n}/", f"{network}{7 - n}/") if network in line and only in line else line
        for line in lines
        for n in [int(line.partition(network)[2][:1] or 0)]
    ]


def rail(number: int, busbw: float = 46.0, nodes: int = 2) -> Lines:
    """A test of one GPU a node, all of the same index."""
    lines = render.log(render.hosts(nodes), gpus=1, busbw=[busbw] * 2)
    return [line.replace("device  0", f"device {number:2}") for line in lines]

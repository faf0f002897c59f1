"""What is told of each change of a healthy log: on which lines it stands, and which node to look at first."""

import re

import pytest
from nccl_verdict.expectation import Expectation
from nccl_verdict.gate import Gate
from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import GATES, UnknownGateError, Verdict, judge
from tests.nccl import render
from tests.nccl.test_forms import CHANGES, Lines

ROW, FOOTER, BANNER, NETWORK = " float ", "Out of bounds|Avg bus", "nThread", "Using network gIB"
Told = dict[str, tuple[str, str]]
"""By each gate that is told: what was seen, and what the lines hold that are its evidence."""


def outcome(lines: Lines, want: Expectation | None = None) -> Verdict:
    return judge(read_bytes(render.joined(lines)), want or render.want())


def holding(words: str, lines: Lines) -> tuple[int, ...]:
    """The first eight lines that hold some words, counted from 1."""
    return tuple(number for number, line in enumerate(lines, 1) if words and re.search(words, line))[:8]


HEALTHY: Told = {
    "ran": ("4 rows", BANNER),
    "finished": ("the footer", FOOTER),
    "nodes": ("2: node-0, node-1", "Rank +[08] "),
    "ranks": ("16 ranks, 8 a node", "Rank +(0|15) "),
    "gpus": ("8 x NVIDIA H200 a node", "Rank +0 "),
    "collective": ("all_gather", "starting"),
    "implied_ranks": ("16 ranks", ROW),
    "socket": ("none", ""),
    "transport": ("gIB from all 16", NETWORK),
    "nics": ("8 on every node", r"\[send\] via NET"),
    "gdr": ("on all 32 channels", r"Channel 00/0 : (\d)\[0\] -> (0|8)\[0\] \[send\]"),
    "affinity": ("not known which are", ""),
    "rows": ("4 rows of 4 sizes", ""),
    "data": ("0 wrong, 0 out of bounds", "Out of bounds"),
    "bandwidth": ("at least 322.23 GB/s out-of-place in 4 rows", ROW),
}


@pytest.mark.parametrize("before", [0, 7])
def test_what_a_healthy_log_shows(before: int) -> None:
    """By gate; whatever stands before the log, the lines are the file's own."""
    lines = ["Warning: Permanently added an address"] * before + render.log(table=render.Table(announced=True))
    gates = outcome(lines).gates

    assert {gate.name: (gate.seen, gate.lines) for gate in gates} == {
        name: (seen, holding(words, lines)) for name, (seen, words) in HEALTHY.items()
    }
    assert tuple(gate.name for gate in gates) == GATES


TOLD: dict[str, Told] = {
    "socket fall-back of all": {"socket": ("fell back to TCP sockets on node-0, node-1", "")},
    "socket fall-back of one process": {
        "socket": ("fell back to TCP sockets on node-0 rank 0 (rail 0)", "network Socket")},
    "one channel over sockets": {"socket": ("fell back to TCP sockets on node-0 rank 0 (rail 0)", "NET/Socket")},
    "another plugin": {"transport": ("network UCX on node-0, node-1", "node-1:715:.*network UCX")},
    "GDR off": {"gdr": ("32 of 32 channels without GDRDMA, on every node", "via NET")},
    "GDR off on one channel": {
        "gdr": ("1 of 32 channels without GDRDMA, all on node-0 rail 0", "NET/gIB/0$")},
    "a channel line is lost": {
        "nics": ("7 NICs in use, mlx5_0 idle on node-1", r"node-1:.*\[send\] via NET"),
        "gdr": ("at least 2 lines of channels are lost", r"node-0:700:.*\[send\] via|node-1:709:.*\[send\] via")},
    "NCCL silent": {"transport": ("not shown: no process names its network", "")},
    "NCCL silent on one rank": {
        "transport": ("1 of 16 processes do not say theirs: node-1 rank 9 (rail 1)", NETWORK)},
    "NCCL silent on one node": {"transport": ("8 of 16 processes do not say theirs: node-1", NETWORK)},
    "wrong data": {"data": ("#wrong above 0: 3 wrong elements", " 3$")},
    "half an element wrong": {"rows": ("figures missing or no numbers", " 0.5$| 00.5$")},
    "out of bounds": {"data": ("2 out of bounds, FAILED", "Out of bounds")},
    "out of bounds without a number": {"data": ("0 out of bounds, FAILED", "Out of bounds")},
    "footer cut inside a word": {"finished": ("did not finish: no footer; its last row is 8 GiB", "8589934592  ")},
    "least average not reached": {"bandwidth": ("325.72 GB/s at 8 GiB; the footer says FAILED", "Avg bus")},
    "data not checked": {"data": ("not checked (N/A)", ROW)},
    "truncated before the footer": {"finished": ("did not finish: no footer; its last row is 8 GiB", "8589934592  ")},
    "truncated inside the last row": {"finished": ("did not finish: no footer; its last row is 8 GiB", "8589934592  ")},
    "the test timed out": {
        "finished": ("the run says it failed: nccl-tests: no progress for 600 s on node-0", "Test timeout")},
    "started and never concluded": {"finished": ("did not finish: started, never concluded", "starting")},
    "one node twice": {"nodes": ("1: node-0", "Rank +0 ")},
    "one node posing as two": {"implied_ranks": ("8 ranks at 8 GiB", "8589934592  ")},
    "a rank lost": {
        "ranks": ("15 ranks, 7/8 a node", "Rank +(0|14) "),
        "gpus": ("7 distinct GPUs in 7 ranks on node-1", "Rank .* on node-1")},
    "no list of devices": {"nodes": ("not shown: no list of devices", "")},
    "a GPU listed twice": {"gpus": ("7 distinct GPUs in 8 ranks on node-0", "Rank .* on node-0")},
    "another GPU model": {"gpus": ("NVIDIA A10 NVIDIA H200 on node-0", "A10")},
    "below the threshold at 1 GiB only": {
        "rows": ("the rows' mean is 307.525, the footer's 323.858: rows are lost or changed", "Avg bus"),
        "bandwidth": ("256.9 GB/s out-of-place at 1 GiB, 1 of 4 rows below", "1073741824  ")},
    "above the wire": {
        "rows": ("413 GB/s at 4 GiB cannot be: NICs of 400 GB/s a node allow 400 at the most", "4294967296  ")},
    "a time of another message": {
        "implied_ranks": ("16.3 ranks at 8 GiB", "8589934592  "),
        "rows": ("time and algbw of a row are not of one message", "8589934592  ")},
    "a time that is no number": {"rows": ("figures missing or no numbers", "nan")},
    "an endless time": {"rows": ("figures missing or no numbers", "inf")},
    "a rank's channels on the wrong node": {
        "nics": ("7 NICs in use, mlx5_0 idle on node-0", r"node-0:.*\[send\] via NET"),
        "gdr": ("node-1 prints channels of rank 0, which runs on node-0", r"0\[0\] -> 8\[0\] \[send\]")},
    "a NIC's channels are gone at both ends": {
        "nics": ("7 NICs in use, mlx5_1 idle on node-0", r"node-0:.*\[send\] via NET")},
    "all channels on one NIC": {
        "nics": ("1 NICs in use, mlx5_1, mlx5_2, mlx5_3, mlx5_4 and 3 more idle on node-0", r"0\[0\] -> .*\[send\]")},
    "a NIC that failed": {"finished": (
        "the run says it failed: NCCL: NET/IB : mlx5_3:1 async fatal event: local catastrophic error on node-1: NIC "
        "mlx5_3 port 1, rail 3", "NCCL WARN")},
    "a link that flapped": {"finished": (
        "the run says it failed: NCCL: NET/IB : mlx5_3:1 Got non-fatal async event: port error(10) on node-1: NIC "
        "mlx5_3 port 1, rail 3", "NCCL WARN")},
    "a process out of memory": {
        "finished": ("the run says it failed: slurm: out of memory, the kernel killed a process", "oom_kill")},
    "skipped": {
        "ran": ("0 rows", ""), "nodes": ("not shown: no list of devices", ""),
        "transport": ("not shown: no process names its network", "")},
    "a row lost": {"rows": ("3 rows for 4 sizes", BANNER)},
    "a size twice, another not at all": {
        "rows": ("time and algbw of a row are not of one message", "1073741824  .*6229")},
    "sizes that fall": {"rows": ("sizes fall to 1073741824 bytes on line 214, where they must rise", BANNER)},
    "masked figures": {
        "rows": ("figures missing or no numbers", "XXX"),
        "bandwidth": ("no number out-of-place at 8 GiB, 1 of 4 rows below", "XXX")},
    "a hole in the average": {
        "rows": ("the rows' mean is 323.858, the footer's 222.858: rows are lost or changed", "Avg bus")},
    "no banner": {"rows": ("no usable banner announces the sizes", "")},
    "the footer's OK over a bad row": {
        "implied_ranks": ("1.01 ranks at 8 GiB", "8589934592  "),
        "rows": ("the rows' mean is 243.215, the footer's 323.858: rows are lost or changed", "Avg bus"),
        "bandwidth": ("3.15 GB/s out-of-place at 8 GiB, 1 of 4 rows below", "8589934592  ")},
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_told_of_each_change(name: str) -> None:
    """No more gates and no fewer, each with its own evidence; the node that is to be looked at is one that it names."""
    lines = CHANGES[name][0](render.log(), "gIB")
    told = outcome(lines).reported

    assert {gate.name: gate.seen for gate in told} == {gate: seen for gate, (seen, _) in TOLD[name].items()}
    for gate in told:
        words = TOLD[name][gate.name][1]
        assert not words or gate.lines == holding(words, lines), gate.name
        assert gate.host == (node_of(gate.seen) if is_of_a_node(gate) else ""), gate.name


def test_of_several_gates_that_there_are_not_the_first_by_name_is_told() -> None:
    """So that the same command has the same answer, however Python orders a set."""
    with pytest.raises(UnknownGateError, match="waive: a is no gate"):
        judge([], render.want(), waive="zyxwvutsrqponmlkjihgfedcba")


def is_of_a_node(gate: Gate) -> bool:
    """Whether it tells a node to look at first, and not only what the log lacks or holds."""
    about = gate.seen.startswith(("network ", "disabled ")) or "GDRDMA" in gate.seen
    return gate.name in ("finished", "socket", "nics") or about


def node_of(seen: str) -> str:
    """The first that is named; of all, the first."""
    named = re.search(r"node-\d", seen)
    return named[0] if named else "node-0" if "every node" in seen else ""

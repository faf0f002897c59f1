"""One named change of a healthy log fails the gate that is meant for it, and is told once, with evidence and node."""

import re

import pytest
from nccl_verdict.verdict import GATES, UnknownGateError, judge
from tests.nccl import render
from tests.nccl.changes import CHANGES
from tests.nccl.forms import FABRICS, PREFIXES
from tests.nccl.judging import FIRST, LOG, holding, verdict, want

ROW, FOOTER, BANNER, NETWORK = " float ", "Out of bounds|Avg bus", "nThread", "Using network gIB"
OF_FORMS = pytest.mark.parametrize(
    "forms",
    [
        pytest.param(FIRST, id="one of each"),
        pytest.param([form for form in FABRICS if form not in FIRST], id="others", marks=pytest.mark.thorough),
    ],
)
DEALT = {prefix: list(CHANGES)[number :: len(PREFIXES)] for number, prefix in enumerate(PREFIXES)}
"""Each change behind one prefix; `make thorough` asks the others."""
HEALTHY = {
    "ran": ("4 rows", BANNER),
    "finished": ("", FOOTER),
    "nodes": ("node-0, node-1", "Rank +[08] "),
    "ranks": ("16 ranks, 8 a node", "Rank +(0|15) "),
    "gpus": ("8 x NVIDIA H200", "Rank +0 "),
    "collective": ("all_gather", "starting"),
    "implied_ranks": ("16 ranks", ROW),
    "socket": ("", ""),
    "transport": ("gIB from all 16", NETWORK),
    "nics": ("8 on every node", r"\[send\] via NET"),
    "gdr": ("32", r"Channel 00/0 : (\d)\[0\] -> (0|8)\[0\] \[send\]"),
    "affinity": ("", ""),
    "rows": ("", ""),
    "data": ("", "Out of bounds"),
    "bandwidth": ("322.23 GB/s", ROW),
}
"""What each gate tells of a healthy log, and what the lines hold that are its evidence."""


@pytest.mark.parametrize("before", [0, 7])
def test_a_healthy_log_has_evidence_for_every_gate(before: int) -> None:
    """Whatever stands before the log, the lines are the file's own."""
    lines = ["Warning: Permanently added an address"] * before + render.log(table=render.Table(announced=True))
    gates = verdict(lines).gates

    assert tuple(gate.name for gate in gates) == GATES == tuple(HEALTHY)
    for gate in gates:
        seen, words = HEALTHY[gate.name]
        assert gate.passed
        assert seen in gate.seen
        assert gate.lines == holding(words, lines), gate.name


TOLD: dict[str, dict[str, tuple[str, str, str]]] = {
    "socket fall-back of all": {"socket": ("node-0, node-1", "", "node-0")},
    "socket fall-back of one process": {"socket": ("node-0 rank 0 (rail 0)", "network Socket", "node-0")},
    "one channel over sockets": {"socket": ("node-0 rank 0 (rail 0)", "NET/Socket", "node-0")},
    "another plugin": {"transport": ("UCX", "node-1:715:.*network UCX", "node-0")},
    "GDR off": {"gdr": ("32 of 32", "via NET", "node-0")},
    "GDR off on one channel": {"gdr": ("1 of 32", "NET/gIB/0$", "node-0")},
    "a channel line is lost": {
        "nics": ("mlx5_0", r"node-1:.*\[send\] via NET", "node-1"),
        "gdr": ("2 ", r"node-0:700:.*\[send\] via|node-1:709:.*\[send\] via", ""),
    },
    "NCCL silent": {"transport": ("", "", "")},
    "NCCL silent on one rank": {"transport": ("1 of 16", NETWORK, "")},
    "NCCL silent on one node": {"transport": ("8 of 16", NETWORK, "")},
    "wrong data": {"data": ("3 ", " 3$", "")},
    "half an element wrong": {"rows": ("", " 0.5$| 00.5$", "")},
    "out of bounds": {"data": ("2 out of bounds", "Out of bounds", "")},
    "out of bounds without a number": {"data": ("", "Out of bounds", "")},
    "footer cut inside a word": {"finished": ("8 GiB", "8589934592  ", "")},
    "least average not reached": {"bandwidth": ("325.72 GB/s at 8 GiB", "Avg bus", "")},
    "data not checked": {"data": ("N/A", ROW, "")},
    "truncated before the footer": {"finished": ("8 GiB", "8589934592  ", "")},
    "truncated inside the last row": {"finished": ("8 GiB", "8589934592  ", "")},
    "the test timed out": {"finished": ("600 s on node-0", "Test timeout", "node-0")},
    "started and never concluded": {"finished": ("", "starting", "")},
    "one node twice": {"nodes": ("1: node-0", "Rank +0 ", "")},
    "one node posing as two": {"implied_ranks": ("8 ranks", "8589934592  ", "")},
    "a rank lost": {
        "ranks": ("15 ranks, 7/8 a node", "Rank +(0|14) ", ""),
        "gpus": ("node-1", "Rank .* on node-1", ""),
    },
    "no list of devices": {"nodes": ("", "", "")},
    "a GPU listed twice": {"gpus": ("node-0", "Rank .* on node-0", "")},
    "another GPU model": {"gpus": ("NVIDIA A10 NVIDIA H200 on node-0", "A10", "")},
    "below the threshold at 1 GiB only": {
        "rows": ("307.525", "Avg bus", ""),
        "bandwidth": ("256.9 GB/s", "1073741824  ", ""),
    },
    "above the wire": {"rows": ("413 GB/s at 4 GiB", "4294967296  ", "")},
    "a time of another message": {"implied_ranks": ("16.3", "8589934592  ", ""), "rows": ("", "8589934592  ", "")},
    "a time that is no number": {"rows": ("", "nan", "")},
    "an endless time": {"rows": ("", "inf", "")},
    "a rank's channels on the wrong node": {
        "nics": ("mlx5_0", r"node-0:.*\[send\] via NET", "node-0"),
        "gdr": ("rank 0", r"0\[0\] -> 8\[0\] \[send\]", ""),
    },
    "a NIC's channels are gone at both ends": {"nics": ("mlx5_1", r"node-0:.*\[send\] via NET", "node-0")},
    "all channels on one NIC": {"nics": ("mlx5_4 and 3 more", r"0\[0\] -> .*\[send\]", "node-0")},
    "a NIC that failed": {"finished": ("mlx5_3 port 1, rail 3", "NCCL WARN", "node-1")},
    "a link that flapped": {"finished": ("mlx5_3 port 1, rail 3", "NCCL WARN", "node-1")},
    "a process out of memory": {"finished": ("", "oom_kill", "")},
    "skipped": {"ran": ("0 rows", "", ""), "nodes": ("", "", ""), "transport": ("", "", "")},
    "a row lost": {"rows": ("3 rows", BANNER, "")},
    "a size twice, another not at all": {"rows": ("", "1073741824  .*6229", "")},
    "sizes that fall": {"rows": ("line 214", BANNER, "")},
    "masked figures": {"rows": ("", "XXX", ""), "bandwidth": ("8 GiB, 1 of 4", "XXX", "")},
    "a hole in the average": {"rows": ("222.858", "Avg bus", "")},
    "no banner": {"rows": ("", "", "")},
    "the footer's OK over a bad row": {
        "implied_ranks": ("1.01", "8589934592  ", ""),
        "rows": ("243.215", "Avg bus", ""),
        "bandwidth": ("3.15 GB/s", "8589934592  ", ""),
    },
}
"""By change and gate: what must be named, what the lines hold that are the evidence, and the node to look at first."""


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_told_once(name: str) -> None:
    """No more gates are told and no fewer; whatever else fails has the told gate that it follows from."""
    change, fails = CHANGES[name]
    lines = change(LOG, "gIB")
    outcome = verdict(lines)

    assert fails <= {gate.name for gate in outcome.failed}
    assert [gate.name for gate in outcome.reported] == [gate for gate in GATES if gate in TOLD[name]]
    assert {gate.because for gate in outcome.failed if gate.name not in TOLD[name]} <= {
        gate.name for gate in outcome.failed
    }
    for gate in outcome.reported:
        seen, words, host = TOLD[name][gate.name]
        assert seen in gate.seen
        assert not words or gate.lines == holding(words, lines), gate.name
        assert gate.host == host, gate.name
        assert gate.cause
        assert gate.wanted


@OF_FORMS
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_fails_its_gate_on_every_fabric(name: str, forms: list[str]) -> None:
    change, gates = CHANGES[name]
    for form in forms:
        healthy = render.log(form=form)
        changed = change(healthy, FABRICS[form].network)
        outcome = verdict(changed, want=want(form, collective="all_gather"))

        assert changed != healthy
        assert not outcome.passed, form
        assert gates <= {gate.name for gate in outcome.failed}, form
        assert outcome.exit_code in (1, 2)


@pytest.mark.parametrize("dealt", [True, pytest.param(False, marks=pytest.mark.thorough)], ids=["dealt", "others"])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_prefix_hides_no_change(prefix: str, dealt: bool) -> None:
    for name, (change, gates) in CHANGES.items():
        if (name in DEALT[prefix]) is not dealt:
            continue
        lines = [PREFIXES[prefix](number, line) for number, line in enumerate(change(LOG, "gIB"))]
        outcome = verdict(lines, want=want(collective="all_gather"))

        assert gates <= {gate.name for gate in outcome.failed}, name


def test_the_first_unknown_gate_by_name_is_told() -> None:
    """The same command has the same answer, however Python orders a set."""
    with pytest.raises(UnknownGateError, match=re.escape("waive: a is no gate")):
        judge([], render.want(), waive="zyxwvutsrqponmlkjihgfedcba")

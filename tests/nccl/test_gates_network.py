"""What is told of networks, NICs and channels, with node, rank, GPU and NIC; and what is no failure of them."""

import re
from dataclasses import replace

import pytest
from nccl_verdict.expectation import Expectation
from nccl_verdict.reader import read_bytes
from nccl_verdict.run import Run
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.test_affinity import known, mirrored
from tests.nccl.test_forms import FIRST, Lines, swapped, without
from tests.nccl.test_gates import NETWORK, holding, outcome

LOG = render.log()
SENT = r"\[send\] via NET"


def want(form: str = "gIB", nodes: int = 2, collective: str = "all_gather") -> Expectation:
    return replace(render.want(form, nodes, collective=collective), collective=collective)


def matching(words: str, lines: Lines) -> Lines:
    """All lines but those that hold some words."""
    return [line for line in lines if not re.search(words, line)]


def one_way(form: str = "gIB") -> Lines:
    """A test whose ranks send to one other."""
    return render.log(form=form, collective="sendrecv")


def backwards(lines: Lines) -> Lines:
    """The last channel first."""
    channels = [line for line in lines if "via NET" in line]
    return [channels.pop() if "via NET" in line else line for line in lines]


WAYS: dict[str, tuple[Lines, Expectation, str, str, str]] = {
    # The lines, what is wanted, the gate, what was seen, and its evidence.
    "a plugin on one node": (
        swapped("network gIB", "network UCX", only="node-1:")(LOG), want(), "transport", "network UCX on node-1",
        "node-1:715:.*network UCX"),
    "two ranks of a node": (
        [line.replace("network gIB", "network Socket") if re.match("node-0:70[01]:", line) else line for line in LOG],
        want(), "socket", "fell back to TCP sockets on node-0 ranks 0, 1", "network Socket"),
    "channels alone say it": (
        without(NETWORK)(LOG), want(), "transport", "16 of 16 processes do not say theirs: node-0, node-1", ""),
    "two processes": (
        matching("node-1:71[01]:.*network", LOG), want(), "transport",
        "2 of 16 processes do not say theirs: node-1 ranks 10, 11", NETWORK),
    "no provider": (
        without("rovider")(render.log(form="EFA")), want("EFA"), "transport",
        "no `Selected provider is efa` from node-0, node-1", ""),
    "another provider": (
        swapped("provider is efa", "provider is tcp;ofi_rxm", only="node-1")(render.log(form="EFA")), want("EFA"),
        "transport", "libfabric provider tcp on node-1", "node-1:708:.*rovider"),
    "one port of a fused NIC": (
        swapped("[1] mlx5_1:1/RoCE", "[1] mlx5_1:1/IB")(render.log(form="RoCE, fused, 2.19")),
        want("RoCE, fused, 2.19"), "transport", "link layer RoCE/IB of mlx5_0+mlx5_1 on node-0",
        "node-0:700:.*Using .0"),
    "a part of a node": (LOG, replace(want(), nics=None), "nics", "a part of a node", ""),
    "NICs that no channel uses": (
        matching("node-1:.*via NET", LOG), want(), "nics", "8 NICs listed, none used on node-1", "node-1:708:.*HCA"),
    "a NIC that is idle": (
        without("NET/gIB/7/")(LOG), want(), "nics", "7 NICs in use, mlx5_7 idle on node-0", f"node-0:.*{SENT}"),
    "a NIC too few of each": (
        without("NET/gIB/7/")(one_way()), replace(want(collective="sendrecv"), nics=9), "nics",
        "7 NICs in use, mlx5_7 idle on node-0", f"node-0:.*{SENT}"),
    "a NIC too few of libfabric": (
        swapped("found 32 nics", "found 31 nics", only="node-1:709")(render.log(form="EFA")), want("EFA"), "nics",
        "31/32 NICs found on node-1", r"node-1:70[89]:.*(found|\[send\])|node-1:71[0-4]:.*\[send\]"),
    "a GPU without a NIC": (
        matching(r"node-1:.*\[7\] NCCL INFO Channel", render.log(form="EFA")), want("EFA"), "nics",
        "7 groups of NICs in use, none by GPU 7 on node-1", rf"node-1:708:.*found|node-1:.*{SENT}"),
    "GPUDirect that is disabled": (
        swapped("Enabled for HCA 3", "Disabled for HCA 3", only="node-1")(LOG), want(), "gdr",
        "disabled for mlx5_3 on node-1, rail 3", "node-1:708:.*Disabled"),
    "GPUDirect that is disabled, no channel shown": (
        swapped("Enabled for HCA 3", "Disabled for HCA 3", only="node-1")(without("via NET")(LOG)), want(), "gdr",
        "disabled for mlx5_3 on node-1", "node-1:708:.*Disabled"),
    "two nodes without channels": (
        matching("node-[23]:.*via NET", render.log(render.hosts(4))), want(nodes=4), "gdr",
        "no channel of node-2, node-3", r"node-[01]:70[08]:.*\[send\] via"),
    "a receiver that is silent": (
        matching(r"node-1:708:.*\[receive\]", LOG), want(), "gdr", "at least 1 lines of channels are lost",
        r"Channel 00/0 : (0|8)\[0\] -> .*\[send\]"),
    "rings in another order": (
        matching(r"Channel 0([35])/0 : \1\[\1\] ->", backwards(LOG)), want(), "gdr",
        "ring 3 never leaves or enters node-0: lines of channels are lost", ""),
    "groups number their own ranks": (
        swapped("/GDRDMA", "", only=" [3] NCCL")(render.log(split=2)), want(), "gdr",
        "4 of 32 channels without GDRDMA, all on NIC 3 of node-0, node-1", r"\[3\] NCCL.*via"),
    "mirrored, and a rank's channels elsewhere": (
        swapped("node-0:700:900 [0]", "node-1:708:908 [0]", only="INFO Channel")(mirrored(LOG)), known(sure=True),
        "affinity", "8 of 15 not so: node-1 rank 8 (GPU 0) uses mlx5_7 and not mlx5_0, node-1 rank 9 (GPU 1) uses "
        "mlx5_6 and not mlx5_1 and 6 more", f"node-1:7(0[89]|1.):.* [1-9][0-9]?.[0-7]. -> [0-7].*{SENT}"),
    "mirrored, the first node last": (
        [*without("node-0:7")(mirrored(LOG, only="node-"))[:-6], *[line for line in mirrored(LOG, only="node-")
         if "node-0:7" in line], *LOG[-6:]], known(sure=True), "affinity",
        "16 of 16 not so: node-0 rank 0 (GPU 0) uses mlx5_7 and not mlx5_0, node-0 rank 1 (GPU 1) uses mlx5_6 and not "
        "mlx5_1 and 14 more", f"node-1:.*{SENT}"),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_ways(name: str) -> None:
    """The gate, where it is, and its first lines."""
    lines, wanted, gate, seen, words = WAYS[name]
    (found,) = [each for each in outcome(lines, wanted).gates if each.name == gate]

    assert (found.passed, found.seen) == (False, seen)
    assert not words or found.lines == holding(words, lines)


@pytest.mark.parametrize(
    ("lines", "wanted", "gate", "seen"),
    [
        (swapped("network IBext_v8", "network IB", only="node-1:")(render.log(form="InfiniBand, HPC-X")),
         want("InfiniBand, HPC-X"), "transport", "IB, IBext_v8 from all 16"),
        (without("NET/gIB/7/")(one_way()), want(collective="sendrecv"), "implied_ranks", "factor 1"),
        (matching(r"\[7\] NCCL INFO Channel", one_way("EFA")), want("EFA", collective="sendrecv"), "nics",
         "32 on every node"),
        (matching(r"\[receive\] via", render.log(collective="gather")), want(collective="gather"), "socket", "none"),
        (mirrored(render.log(render.hosts(3)), only="node-2"), want(nodes=3), "affinity", "nodes differ"),
    ],
    ids=["names of two versions", "a NIC less one way", "a group less one way", "who gathers", "unlike nodes"],
)  # fmt: skip
def test_what_is_no_failure(lines: Lines, wanted: Expectation, gate: str, seen: str) -> None:
    """And what is shown of it."""
    (found,) = [each for each in outcome(lines, wanted).gates if each.name == gate]

    assert (found.passed, found.seen) == (True, seen)


def glued(lines: Lines) -> Lines:
    """Every second of NCCL's lines ran into a piece of another."""
    return [f"xy{line}" if "NCCL INFO" in line and number % 2 else line for number, line in enumerate(lines)]


@pytest.mark.parametrize("form", [*FIRST, "RoCE, fused", "InfiniBand, SHARP"])
def test_hosts_that_other_text_ran_into(form: str) -> None:
    """Are the hosts of the list of devices, in whatever they say: all is told as without that text."""
    healthy = render.log(form=form)
    for lines in (healthy, swapped("/GDRDMA", "", only=" [3] ")(healthy), without("via NET/")(healthy)):
        plain, other = outcome(lines, want(form)), outcome(glued(lines), want(form))
        assert [(gate.name, gate.seen, gate.host) for gate in other.gates] == [
            (gate.name, gate.seen, gate.host) for gate in plain.gates
        ]


def test_a_nic_alone_is_made_before_nics_are_listed() -> None:
    """NCCL 2.24 and later make a virtual device of each NIC first: what is listed behind still tells its link layer."""
    made = "NET/IB : Made virtual device [{n}] name=mlx5_{n} speed=400000 ndevs=1"
    lines = [line.format(n=n) for line in [f"node-{node}:70{node * 8}:90{node * 8} [0] NCCL INFO {made}"
             for node in (0, 1)] for n in range(8)]  # fmt: skip
    lines = [*lines, *render.log(form="RoCE")]

    assert outcome(lines, want("RoCE")).passed
    assert "link layer RoCE of mlx5_0" in outcome(lines, want("InfiniBand")).reported[-1].seen


def test_evidence_is_few_lines() -> None:
    """Four are shown of a hundred, and that there are more."""
    again = [
        f"node-1:708:908 [0] NCCL INFO Channel {n:02}/1 : 8[0] -> 0[0] [send] via NET/gIB/0/Shared" for n in range(100)
    ]
    (gate,) = [gate for gate in outcome([*LOG, *again], want()).gates if gate.name == "gdr"]

    assert gate.where == f"line {', '.join(str(len(LOG) + n) for n in (1, 2, 3, 4))}"
    assert replace(gate, lines=(1, 2, 3, 4, 5), source="a.log").where == "a.log:1, 2, 3, 4, ..."
    assert replace(gate, lines=(), source="a.log").where == "a.log"
    assert "100 of 132 channels" in gate.seen


def runs(lines: Lines) -> list[Run]:
    return read_bytes(render.joined(lines))


def test_more_facts_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of processes, channels or ranks: the log is not judged as whole."""
    for module in ("channels", "evidence", "run"):
        for most, passed in ((64, True), (15, False)):
            monkeypatch.setattr(f"nccl_verdict.{module}.LIMIT", most)
            verdict = judge(runs(LOG), want())
            assert (verdict.passed, "beyond what is read" in verdict.gates[1].seen) == (passed, not passed)
        monkeypatch.undo()

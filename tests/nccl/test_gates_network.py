"""The gates of networks, NICs and channels tell the node, rank, GPU and NIC; what only comes near a failure passes."""

import re
from dataclasses import replace

import pytest
from nccl_verdict.gate import RERUN
from tests.nccl import render
from tests.nccl.judging import FIRST, LOG, Failing, Lines, gate_of, known, verdict, want
from tests.nccl.log_changes import matching, mirrored, swapped, without

FOUR = "node-0, node-1, node-2, node-3 and 6 more"
TEN = render.log(render.hosts(10))
SENT, NETWORK = r"\[send\] via NET", "Using network gIB"
ALONE = "node-0:700:900 [0] NCCL INFO Channel 40/1 : 0[0] -> 8[0] [send] via NET/gIB/0/GDRDMA"
EFA, ONE_WAY = render.log(form="EFA"), want(collective="sendrecv")


def off(words: str, lines: Lines) -> Lines:
    """Lines that match an expression lose GPUDirect."""
    return [line.replace("/GDRDMA", "") if re.search(words, line) else line for line in lines]


def backwards(lines: Lines) -> Lines:
    """The last channel first."""
    channels = [line for line in lines if "via NET" in line]
    return [channels.pop() if "via NET" in line else line for line in lines]


FAILING = {
    "two processes do not say": Failing(
        "transport", "node-1 ranks 10, 11", matching("node-1:71[01]:.*network", LOG), evidence=NETWORK
    ),
    "sockets, by channels of ten nodes": Failing(
        "socket", FOUR, swapped("NET/gIB/3/", "NET/Socket/3/")(TEN), want(nodes=10), cause="gIB", host="node-0"
    ),
    "sockets, by channels alone": Failing(
        "socket",
        "on node-1",
        off("Socket", swapped("NET/gIB/3/", "NET/Socket/3/", only="node-1")(without("#  Rank")(LOG))),
        host="node-1",
    ),
    "another provider": Failing(
        "transport",
        "tcp on node-1",
        swapped("is efa", "is tcp;ofi_rxm", only="node-1")(EFA),
        want("EFA"),
        "node-1:708:.*rovider",
        "fi_info -p efa",
    ),
    "one port of a fused NIC": Failing(
        "transport",
        "RoCE/IB of mlx5_0+mlx5_1 on node-0",
        swapped("[1] mlx5_1:1/RoCE", "[1] mlx5_1:1/IB")(render.log(form="RoCE, fused, 2.19")),
        want("RoCE, fused, 2.19"),
        "node-0:700:.*Using .0",
    ),
    "a part of a node": Failing("nics", "", LOG, want(nics=None)),
    "NICs that no channel uses": Failing(
        "nics", "8 NICs", matching("node-1:.*via NET", LOG), evidence="node-1:708:.*HCA", host="node-1"
    ),
    "a NIC too few of each, one way": Failing(
        "nics",
        "mlx5_7",
        without("NET/gIB/7/")(render.log(collective="sendrecv")),
        replace(ONE_WAY, nics=9),
        f"node-0:.*{SENT}",
        host="node-0",
    ),
    "a GPU that sends by another's NIC": Failing(
        "nics",
        "GPU 7 on node-1",
        swapped("via NET/gIB/7/", "via NET/gIB/6(14)/", only="node-1")(without("for HCA")(LOG)),
        host="node-1",
    ),
    "a GPU without a NIC of libfabric": Failing(
        "nics",
        "7 groups",
        matching(r"node-1:.*\[7\] NCCL INFO Channel", EFA),
        want("EFA"),
        rf"node-1:708:.*found|node-1:.*{SENT}",
        host="node-1",
    ),
    "GPUDirect that is disabled": Failing(
        "gdr",
        "mlx5_3 on node-1, rail 3",
        swapped("Enabled for HCA 3", "Disabled for HCA 3", only="node-1")(LOG),
        evidence="node-1:708:.*Disabled",
        cause="on node-1 run",
        host="node-1",
    ),
    "no channel of some nodes": Failing(
        "gdr", "node-2, node-3, node-4, node-5 and 4 more", matching("node-[2-9]:.*via NET", TEN), want(nodes=10)
    ),
    "a ring whose way out of a node is lost at both ends": Failing(
        "gdr", "ring 3 never leaves or enters node-0", matching(r"Channel 0([35])/0 : \1\[\1\] ->", backwards(LOG))
    ),
    "off on one rail of all nodes": Failing(
        "gdr", f"rail 3 of {FOUR}", off(r"\[3\] NCCL", TEN), want(nodes=10), cause="pair the wrong", host="node-0"
    ),
    "off on one node": Failing(
        "gdr",
        "node-1, rail 0, rail 1, rail 2, rail 3, rail 4, rail 5, rail 6, rail 7",
        off("node-1:", LOG),
        cause="that node's driver",
        host="node-1",
    ),
    "off here and there": Failing(
        "gdr", "126 of 160", off(r"node-[1-9]:.*\[[1-7]\] NCCL", TEN), want(nodes=10), cause="these pods", host="node-1"
    ),
    "NICs of other GPUs, a rank's channels elsewhere": Failing(
        "affinity",
        "8 of 15",
        swapped("node-0:700:900 [0]", "node-1:708:908 [0]", only="INFO Channel")(mirrored(LOG)),
        known(sure=True),
        f"node-1:7(0[89]|1.):.* [1-9][0-9]?.[0-7]. -> [0-7].*{SENT}",
        host="node-1",
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_gate_of_the_network_tells_where_it_failed(name: str) -> None:
    FAILING[name].check()


HPCX, TWO_A_GPU, IB = (render.log(form=form) for form in ("InfiniBand, HPC-X", "RoCE, two a GPU", "InfiniBand"))
NEAR = {
    "names of two versions of a plugin": (
        swapped("network IBext_v8", "network IB", only="node-1:")(HPCX),
        want("InfiniBand, HPC-X"),
        "transport",
    ),
    "a wrong NIC that is idle": (
        swapped("mlx5_3:1/IB", "mlx5_3:1/RoCE")(matching("NET/IB/3/", IB)),
        want("InfiniBand"),
        "transport",
    ),
    "eight of sixteen NICs": (matching(r"NET/IB/\d?[13579]/", TWO_A_GPU), want("RoCE, two a GPU"), "nics"),
    "a NIC less one way": (without("NET/gIB/7/")(render.log(collective="sendrecv")), ONE_WAY, "nics"),
    "a rank that gathers": ([ALONE, *render.log(collective="gather")], want(collective="gather"), "gdr"),
}


@pytest.mark.parametrize("name", NEAR)
def test_what_only_comes_near_a_failure_passes(name: str) -> None:
    lines, wanted, gate = NEAR[name]
    assert gate_of(gate, lines, wanted).passed


def glued(lines: Lines) -> Lines:
    """Every second of NCCL's lines ran into a piece of another."""
    return [f"xy{line}" if "NCCL INFO" in line and number % 2 else line for number, line in enumerate(lines)]


@pytest.mark.parametrize("form", [*FIRST, "RoCE, fused", "InfiniBand, SHARP"])
def test_hosts_that_other_text_ran_into_are_those_of_the_list_of_devices(form: str) -> None:
    """All is told as without that text."""
    healthy = render.log(form=form)
    for lines in (healthy, off(r" \[3\] ", healthy), without("via NET/")(healthy)):
        plain, other = (verdict(each, want=want(form)).gates for each in (lines, glued(lines)))
        assert [(gate.name, gate.seen, gate.host) for gate in other] == [
            (gate.name, gate.seen, gate.host) for gate in plain
        ]


def test_a_log_without_nccls_lines_is_to_be_run_again_with_them() -> None:
    for lines, gate in ((without("NCCL INFO")(LOG), "transport"), (without("via NET")(LOG), "gdr")):
        assert gate_of(gate, lines).then == RERUN


def test_four_lines_are_shown_of_a_hundred() -> None:
    again = [
        f"node-1:708:908 [0] NCCL INFO Channel {n:02}/1 : 8[0] -> 0[0] [send] via NET/gIB/0/Shared" for n in range(100)
    ]
    gate = gate_of("gdr", [*LOG, *again])

    assert gate.where == f"line {', '.join(str(len(LOG) + n) for n in (1, 2, 3, 4))}"
    assert replace(gate, lines=(1, 2, 3, 4, 5), source="a.log").where == "a.log:1, 2, 3, 4, ..."
    assert replace(gate, lines=(), source="a.log").where == "a.log"
    assert "100 of 132" in gate.seen


@pytest.mark.parametrize("module", ["channels", "evidence", "run"])
def test_a_log_of_more_facts_than_are_kept_is_not_proved(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    for most, finished in ((64, True), (15, False)):
        monkeypatch.setattr(f"nccl_verdict.{module}.LIMIT", most)
        assert gate_of("finished", LOG).passed is finished

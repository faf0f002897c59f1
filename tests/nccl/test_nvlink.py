"""Tests between nodes of a rack: over NVLink, where no NIC may be in use, and by the NICs alone."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from nccl_verdict.expectation import NVLINK, Expectation
from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import GATES, Verdict, judge
from rdma_cluster.catalog import find
from rdma_cluster.incluster.plan.acceptance.expectation import expect
from tests.nccl import render
from tests.nccl.test_gates import holding

# As NCCL says it (NVIDIA/nccl@5067397 src/init.cc), of two nodes of four.
_COMM = "comm 0xaaab0c5d6e70 rank {rank} nRanks 8 nNodes 2 localRanks 4 localRank {local} MNNVL {has}"
# Google's run on A4X, a ComputeDomain between two nodes: out of place, 1 to 8 GiB.
# docs.cloud.google.com/ai-hypercomputer/docs/nccl/test-gke-custom-a4x, 2026-04-06
_A4X = [450.10, 452.27, 453.37, 453.99]
# And on A4X Max, two nodes of two racks.
# docs.cloud.google.com/ai-hypercomputer/docs/nccl/test-gke-custom-a4x-max, 2026-04-06
_A4X_MAX = [337.55, 348.22, 355.22, 357.69]


def want(name: str, nvlink: bool | None) -> Expectation:
    """What a run of two nodes of the catalogue's machine must show."""
    machine = find(name)
    assert machine is not None
    return expect(machine, nodes=2, collective="all_gather", nvlink=nvlink)


def log(wanted: Expectation, busbw: list[float], nvlink: bool = True, nodes: int = 2) -> list[str]:
    """A healthy log, with NVLink between the nodes and no channel of a NIC, or without."""
    lines = []
    for line in render.log(render.hosts(nodes), form="gIB", gpus=4, busbw=busbw):
        line = re.sub(r"NVIDIA H200$", wanted.gpu_model, line)
        if nvlink and " via NET/" in line:
            continue
        lines.append(line)
        if "Using network" in line:
            rank = int(line.partition(":")[2].partition(":")[0]) - 700
            prefix = line.partition("Using network")[0]
            lines.append(prefix + _COMM.format(rank=rank, local=rank % 4, has=int(nvlink)))
    return lines


def told(lines: list[str], wanted: Expectation) -> list[tuple[str, str]]:
    """The failed gates, each with what was seen."""
    return [(gate.name, gate.seen) for gate in judged(lines, wanted).reported]


def judged(lines: list[str], wanted: Expectation) -> Verdict:
    return judge(read_bytes(render.joined(lines)), wanted)


def test_nvlink_passes():
    """Google's figures pass the threshold that they are the source of, and no NIC's line rate limits them."""
    wanted = want("a4x-highgpu-4g", True)

    assert told(log(wanted, _A4X), wanted) == []
    assert tuple(gate.name for gate in judged(log(wanted, _A4X), wanted).gates) == GATES
    assert (wanted.network, wanted.wire_gbytes) == (NVLINK, 200.0)


def test_the_nics_pass():
    """Google's figures of two racks, judged as the acceptance test judges nodes of one rack with NVLink off."""
    wanted = replace(want("a4x-maxgpu-4g-metal", False), nics=4)

    assert told(log(wanted, _A4X_MAX, nvlink=False), wanted) == []
    assert wanted.thresholds["all_gather"][0].busbw_gbytes < min(_A4X_MAX)


def test_nvlink_that_is_off():
    """A node whose pods had no IMEX channel, or whose NCCL was told to leave NVLink alone."""
    wanted = want("a4x-highgpu-4g", True)
    lines = [line.replace("MNNVL 1", "MNNVL 0") if "node-1:" in line else line for line in log(wanted, _A4X)]

    assert told(lines, wanted) == [("transport", "`MNNVL 0` on node-1")]


def test_a_process_that_does_not_say():
    """What is not shown has not been."""
    wanted = want("a4x-highgpu-4g", True)
    lines = [line for line in log(wanted, _A4X) if "rank 5 nRanks" not in line]

    assert told(lines, wanted) == [("transport", "1 of 8 processes do not say so, on node-1")]
    assert told([line for line in lines if "MNNVL" not in line], wanted)[0][0] == "transport"


EIGHT = "node-0, node-1, node-2, node-3 and 4 more"
Shown = tuple[bool, str, str]
"""Of a gate: whether it passes, what was seen, and what the lines hold that are its evidence."""
SHOWN: dict[str, tuple[Callable[[list[str]], list[str]], Shown, Shown, str]] = {
    # A change to a healthy log of eight nodes, the gates `transport` and `nics`, and what the other gates about NICs
    # follow from.
    "nothing": (lambda lines: lines, (True, "MNNVL from all 32", "MNNVL"), (True, "none", ""), ""),
    "off everywhere": (
        lambda lines: [line.replace("MNNVL 1", "MNNVL 0") for line in lines],
        (False, f"`MNNVL 0` on {EIGHT}", "MNNVL"), (True, "none", ""), ""),
    "said by one process of each node": (
        lambda lines: [line for line in lines if "MNNVL" not in line or "localRank 0" in line],
        (False, f"24 of 32 processes do not say so, on {EIGHT}", ""), (True, "none", ""), ""),
    "no list of devices": (
        lambda lines: [line for line in lines if "#  Rank" not in line],
        (False, "not shown: no list of devices", ""), (True, "none", ""), ""),
    "said by none": (
        lambda lines: [line for line in lines if "MNNVL" not in line],
        (False, f"32 of 32 processes do not say so, on {EIGHT}", ""), (False, "not shown", ""), "transport"),
    "every channel by a NIC": (
        lambda lines: [*lines, *(line for line in render.log(render.hosts(8), gpus=4) if " via NET/" in line)],
        (True, "MNNVL from all 32", "MNNVL"), (False, f"64 ends of channels by NICs, on {EIGHT}",
                                               r"Channel 00/0 : (\d+)\[0\] -> \d+\[0\] \[send\]"), "nics"),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_what_each_gate_shows(name: str):
    """Those about NICs say what `nics` says, and fail for it; NCCL's lines are the evidence."""
    change, transport, nics, because = SHOWN[name]
    wanted = want("a4x-highgpu-4g", True)
    lines = change(log(wanted, _A4X, nodes=8))
    gates = {gate.name: gate for gate in judged(lines, wanted).gates}

    for each, (passed, seen, words) in (("transport", transport), ("nics", nics), ("gdr", nics), ("affinity", nics)):
        gate = gates[each]
        assert (gate.name, gate.passed, gate.seen) == (each, passed, seen)
        assert gate.lines == holding(words, lines)
    assert [gates[each].because for each in ("gdr", "affinity")] == [because, because]


def test_a_channel_by_a_nic():
    """Then some of the bytes did not go over NVLink."""
    wanted = want("a4x-highgpu-4g", True)
    by_nic = next(line for line in render.log(form="gIB", gpus=4) if " via NET/" in line)

    assert told([*log(wanted, _A4X), by_nic], wanted) == [("nics", "1 ends of channels by NICs, on node-0")]


def test_nvlink_as_slow_as_nics():
    """A threshold above the NICs' line rate is what shows that it was NVLink."""
    wanted = want("a4x-highgpu-4g", True)

    assert told(log(wanted, [190.0] * 4), wanted)[0][0] == "bandwidth"
    assert wanted.wire_gbytes is not None
    assert wanted.thresholds["all_gather"][0].busbw_gbytes > wanted.wire_gbytes


def test_nvlink_in_the_place_of_nics():
    """A run over NVLink proves no NIC, however fast: it is told what it was."""
    wanted = want("a4x-maxgpu-4g-metal", False)
    failed = judged(log(wanted, [700.0] * 4), wanted)

    (gdr,) = (gate for gate in failed.reported if gate.name == "gdr")
    assert gdr.seen == "not shown: no channel line"
    assert "judge it as NVLink" in gdr.cause
    assert "rows" in [gate.name for gate in failed.reported], "700 GB/s are more than the NICs can carry"


@pytest.mark.parametrize(
    ("says", "cause"),
    [((), "NCCL_DEBUG=INFO"), ((0, 0), "NCCL_DEBUG=INFO"), ((0, 1), "NVLink domain"), ((1, 1), "NVLink domain")],
)
def test_why_no_channel_is_shown(says: tuple[int, ...], cause: str):
    """Of machines without NVLink between nodes: by what any process says of it, and where none does, by the log."""
    wanted = want("a3-ultragpu-8g", None)
    lines = [line for line in render.log(form="gIB") if " via NET/" not in line]
    prefix = next(line for line in lines if "Using network" in line).partition("Using network")[0]
    lines += [prefix + _COMM.format(rank=rank, local=rank, has=has) for rank, has in enumerate(says)]

    (gdr,) = (gate for gate in judged(lines, wanted).reported if gate.name == "gdr")
    assert cause in gdr.cause


def test_thresholds_of_both_ways_are_apart():
    """Neither is measured by the other's."""
    for name in ("a4x-highgpu-4g", "a4x-maxgpu-4g-metal"):
        machine = find(name)
        assert machine is not None

        by_way = [expect(machine, nodes=2, nvlink=way).thresholds for way in (True, False)]
        assert all(by_way)
        assert by_way[0] != by_way[1]

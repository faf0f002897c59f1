"""Tests between nodes of a rack: over NVLink, where no NIC may be in use, and by the NICs alone."""

import re
from dataclasses import replace

import pytest
from nccl_verdict.expectation import NVLINK, Expectation
from rdma_cluster.incluster.plan.acceptance.expectation import expect
from tests.machines import known_machine
from tests.nccl import render
from tests.nccl.judging import Failing, gate_of, verdict
from tests.nccl.log_changes import matching, swapped, without

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
    machine = known_machine(name)
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


def told(lines: list[str], wanted: Expectation) -> list[str]:
    """The gates that are told."""
    return [gate.name for gate in verdict(lines, want=wanted).reported]


def test_googles_figures_over_nvlink_pass() -> None:
    """No NIC's line rate limits them; a threshold above that rate is what shows that it was NVLink."""
    wanted = want("a4x-highgpu-4g", True)

    assert told(log(wanted, _A4X), wanted) == []
    assert told(log(wanted, [190.0] * 4), wanted) == ["bandwidth"]
    assert (wanted.network, wanted.wire_gbytes) == (NVLINK, 200.0)


def test_googles_figures_by_the_nics_of_two_racks_pass() -> None:
    """They are judged as the acceptance test judges nodes of one rack with NVLink off."""
    wanted = replace(want("a4x-maxgpu-4g-metal", False), nics=4)

    assert told(log(wanted, _A4X_MAX, nvlink=False), wanted) == []


EIGHT = "node-0, node-1, node-2, node-3 and 4 more"
NVL, WIRE = want("a4x-highgpu-4g", True), r"Channel 00/0 : (\d+)\[0\] -> \d+\[0\] \[send\]"
RACK = log(NVL, _A4X, nodes=8)
CHANNELS = [line for line in render.log(render.hosts(8), gpus=4) if " via NET/" in line]
FAILING = {
    "off on one node": Failing("transport", "node-1", swapped("MNNVL 1", "MNNVL 0", "node-1:")(RACK), NVL, "MNNVL 0"),
    "off everywhere": Failing("transport", EIGHT, swapped("MNNVL 1", "MNNVL 0")(RACK), NVL, "MNNVL", "IMEX"),
    "said by one process of each node": Failing(
        "transport",
        f"24 of 32 processes do not say so, on {EIGHT}",
        matching("MNNVL.*", RACK) + [line for line in RACK if "localRank 0" in line],
        NVL,
        cause="NCCL_DEBUG=INFO",
    ),
    "no list of devices": Failing("transport", "", without("#  Rank")(RACK), NVL),
    "said by none": Failing("nics", "", without("MNNVL")(RACK), NVL),
    "every channel by a NIC": Failing(
        "nics", f"64 ends of channels by NICs, on {EIGHT}", [*RACK, *CHANNELS], NVL, WIRE
    ),
    "one channel by a NIC": Failing("nics", "1 ends of channels by NICs, on node-0", [*RACK, CHANNELS[0]], NVL),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_run_that_is_not_all_by_nvlink_fails(name: str) -> None:
    FAILING[name].check()


@pytest.mark.parametrize(("lines", "because"), [([*RACK, *CHANNELS], "nics"), (without("MNNVL")(RACK), "transport")])
def test_gates_about_nics_say_what_the_gate_nics_says(lines: list[str], because: str) -> None:
    nics, *others = (gate_of(name, lines, NVL) for name in ("nics", "gdr", "affinity"))

    assert [(gate.passed, gate.seen, gate.lines) for gate in others] == [(nics.passed, nics.seen, nics.lines)] * 2
    assert [gate.because for gate in others] == [because] * 2


def test_a_run_over_nvlink_proves_no_nic() -> None:
    """It is told what it was, however fast; 700 GB/s are more than the NICs can carry."""
    wanted = want("a4x-maxgpu-4g-metal", False)
    lines = log(wanted, [700.0] * 4)

    assert {"gdr", "rows"} <= {*told(lines, wanted)}
    assert "NCCL_MNNVL_ENABLE=0" in gate_of("gdr", lines, wanted).cause

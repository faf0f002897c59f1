"""For each machine of the catalogue and each gate: can a healthy run pass at all, and do plan and advice say so?

A healthy log is written as the machine would print it: its GPUs' name, its NICs, its network, the sizes that its GPUs
hold and that are advised, just above its threshold.
"""

import re
from typing import Any

import pytest
from nccl_verdict.busbw import most_busbw
from nccl_verdict.expectation import NVLINK, Expectation
from nccl_verdict.reader import read_bytes
from nccl_verdict.text import next_step
from nccl_verdict.verdict import judge
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog import machines
from rdma_cluster.catalog.machine import Machine
from rdma_cluster.fabrics import FABRICS, network_of
from rdma_cluster.incluster.plan.acceptance.checks import check_figures
from rdma_cluster.incluster.plan.acceptance.expectation import collective_of, expect, largest_row
from tests.nccl import render
from tests.nccl.forms import Fabric, enabled, ofi, verbs
from tests.nccl.render import GIB

JUDGED = {machine.name: machine for machine in machines() if machine.gpu is not None and network_of(machine)}
MODES = [
    (name, gpus, nvlink)
    for name, machine in JUDGED.items()
    for gpus, nvlink in ((machine.gpus, False), (1, False), (machine.gpus, True))
    if (not nvlink or machine.is_rack) and machine.nics * gpus % machine.gpus == 0
]
"""A machine, how many of its GPUs take part, and whether by NVLink. A part whose NICs have no count is left out: the
verdict says so."""


def sizes(want: Expectation, machine: Machine, collective: str) -> list[int]:
    """The sizes that the advice names, as far as the GPUs hold them: nccl-tests leaves out the rest."""
    (most,) = re.findall(r"^-b 1G -e (\d+)G -f 2$", want.sizes(collective))
    memory = machine.gpu.memory_gib if machine.gpu else None
    held = int(most) * GIB if memory is None else min(int(most) * GIB, largest_row(memory))
    return [GIB << power for power in range(held.bit_length() - GIB.bit_length() + 1)]


def healthy(want: Expectation, machine: Machine, collective: str) -> list[str]:
    network, gpus = want.network, want.gpus_per_node
    names, ladder = render.hosts(want.nodes), sizes(want, machine, collective)
    ways = by_nvlink(names, gpus) if network == NVLINK else by_nics(want, names)
    bounded = want.wire_gbytes and want.uses_wire
    most = most_busbw(collective, want.nodes, gpus, want.wire_gbytes, False) if bounded and want.wire_gbytes else None
    figures = [want.threshold_at(collective, size) or (most or 10.0) / 2 for size in ladder]
    rows = zip(ladder, figures, strict=True)
    body = [render.row(size, bus, bus, len(names) * gpus, collective=collective) for size, bus in rows]
    head = [render.banner(ladder[0], ladder[-1]), *render.ranks(names, gpus, model=want.gpu_model)]
    return [*head, *ways, render.Table().head(), *body, *render.footer(figures)]


def by_nvlink(names: list[str], gpus: int) -> list[str]:
    said = "NCCL INFO comm 0x5f rank {0} nRanks {1} nNodes 2 localRanks 4 localRank 0 MNNVL 1"
    total = len(names) * gpus
    return [f"{names[rank // gpus]}:{700 + rank}:9 [0] {said.format(rank, total)}" for rank in range(total)] + [
        f"{names[rank // gpus]}:{700 + rank}:9 [0] NCCL INFO Using network IB" for rank in range(total)
    ]


def by_nics(want: Expectation, names: list[str]) -> list[str]:
    """As the renderer has it for nodes of eight GPUs."""
    network, gpus, nics = want.network, want.gpus_per_node, want.nics or 0
    listed: Any = enabled(network.names[0], "mlx5_")
    if network.provider:
        listed = ofi("NET/OFI Selected provider is efa, fabric is efa (found {} nics)")
    elif network.link_layer:
        listed = verbs(network.link_layer)
    used = min(gpus, nics) if network.provider else nics
    scale = 8 / gpus if gpus < 8 else 1
    form = Fabric(network.transport, network.names[0], int(nics * scale), int(used * scale), want.gpu_model, listed)
    lines = render.fabric(names, gpus, form)
    return [line.replace("/GDRDMA", "") for line in lines] if want.without_gdr else lines


@pytest.mark.parametrize(("name", "gpus", "nvlink"), MODES)
def test_a_gate_fails_a_healthy_run_only_where_the_plan_says_that_it_cannot_pass(
    name: str, gpus: int, nvlink: bool
) -> None:
    machine = JUDGED[name]
    collective = collective_of(machine, nvlink=nvlink)
    want = expect(machine, 2, gpus, collective, nvlink=nvlink)
    verdict = judge(read_bytes(render.joined(healthy(want, machine, collective))), want)
    without_figure = {"bandwidth"} if not want.thresholds else set()

    assert {gate.name: gate.seen for gate in verdict.failed}.keys() == without_figure
    if gpus == machine.gpus and not nvlink:
        errors, network = ErrorList(), network_of(machine)
        fabric = next(each for each in FABRICS.values() if each.acceptance.network == network)
        check_figures(machine, fabric, {}, errors)
        assert bool(errors) is bool(without_figure)


@pytest.mark.parametrize("name", JUDGED)
def test_no_advice_names_sizes_below_the_threshold(name: str) -> None:
    """A log of small messages alone fails, and what it is told to run next reaches the sizes that are judged."""
    machine = JUDGED[name]
    collective = collective_of(machine)
    want = expect(machine, 2, collective=collective, nvlink=False)
    short = [line for line in healthy(want, machine, collective) if " float " not in line][:-2]
    step = next_step(judge(read_bytes(render.joined(short[:1])), want))
    last = max((line.size_bytes for line in want.thresholds.get(collective, ())), default=0)

    (most,) = re.findall(r"-e (\d+)G", step)
    assert f"{collective}_perf" in step
    assert f"-np {2 * machine.gpus} " in step
    assert int(most) * GIB >= last
    assert machine.gpu
    assert machine.gpu.memory_gib is None or int(most) * GIB <= largest_row(machine.gpu.memory_gib)

"""The gate that every channel between nodes goes by GPUDirect RDMA."""

from .expectation import Expectation
from .gate import Gate, collective_of, few, listing, rail_of
from .run import Run

_PARTIAL = ("gather", "scatter")
"""Collectives whose channels not every process says."""


def gdr(run: Run, want: Expectation) -> Gate:
    wanted = "GDRDMA on every channel between nodes"
    channels = run.evidence.channels
    if channels.spots:
        return _without(run, wanted)
    if disabled := _disabled(run):
        host, nic, line = disabled
        cause = "neither nvidia-peermem nor DMA-BUF works for it: look at the driver and at IOMMU and ACS"
        return Gate("gdr", False, f"disabled for NIC {nic} on {host}", wanted, (line,), cause)
    silent = sorted(set(run.hosts) - channels.hosts)
    lines = few(channels.networks.values())
    if not channels.total or not run.hosts:
        cause = "no line of a channel: run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET on every rank"
        if want.nvlink_domain >= want.ranks > want.gpus_per_node or any(has for has, _ in run.evidence.nvlink.values()):
            cause = "the nodes share an NVLink domain: set NCCL_MNNVL_ENABLE=0 to prove the NICs, or judge it as NVLink"
        return Gate("gdr", False, "not shown: no channel line", wanted, lines, cause)
    if silent:
        cause = "the output of that node's processes is not in this log"
        return Gate("gdr", False, f"no channel of {listing(silent)}", wanted, lines, cause)
    if (lost := channels.lost()) and collective_of(run, want) not in _PARTIAL:
        cause = "each channel is said by sender and receiver: the output of some process is not whole"
        return Gate("gdr", False, f"at least {lost} lines of channels are lost", wanted, lines, cause)
    if (broken := channels.broken(run.hosts)) and run.groups == 1:
        seen = f"ring {broken[0]} never leaves or enters {broken[1]}: lines of channels are lost"
        return Gate("gdr", False, seen, wanted, lines, "keep the whole output of every rank, standard error included")
    return Gate("gdr", True, f"on all {max(map(len, channels.ends)) or channels.total} channels", wanted, lines)


def _without(run: Run, wanted: str) -> Gate:
    """How many of how many, and whether they have a node or a rail in common."""
    channels = run.evidence.channels
    spots = list(channels.spots.values())
    bad, total = sum(spot.total for spot in spots), channels.total
    hosts = sorted({spot.host for spot in spots})
    rails = sorted({rail_of(run, spot.rank, spot.device) for spot in spots})
    if bad == total:
        where = "on every node"
        cause = "GPUDirect is off everywhere: NCCL_NET_GDR_LEVEL, nvidia-peermem or DMA-BUF, or IOMMU and ACS on"
    elif len(hosts) == 1 and len(rails) == 1:
        where = f"all on {hosts[0]} {rails[0]}"
        cause = "its NIC is missing from the claim, or is not the GPU's neighbour on PCIe"
    elif len(rails) == 1:
        where = f"all on {rails[0]} of {listing(hosts)}"
        cause = "that rail's NIC is not the GPU's neighbour on PCIe: the claims pair the wrong devices"
    elif len(hosts) == 1:
        where = f"all on {hosts[0]}, {listing(rails, 8)}"
        cause = "that node's driver has no nvidia-peermem or DMA-BUF, or its IOMMU or ACS is on"
    else:
        where = f"on {listing(hosts)}, {listing(rails, 8)}"
        cause = "GPUs and NICs of these pods are not neighbours on PCIe: look at the claims"
    lines = few(line for spot in spots for line in spot.lines)
    return Gate("gdr", False, f"{bad} of {total} channels without GDRDMA, {where}", wanted, lines, cause)


def _disabled(run: Run) -> tuple[str, int, int] | None:
    """A NIC in use of which a process says only that GPUDirect is disabled; HPC-X says so of one way, enabled of the
    other."""
    for ((host, _), nic), said in run.evidence.direct.items():
        if True not in said and nic in run.evidence.channels.used.get(host, {nic: 0}):
            return host, nic, said[False]
    return None

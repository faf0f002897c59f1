"""The gates of a test over NVLink between nodes, in the place of those about its network and NICs."""

from dataclasses import replace

from .expectation import Expectation
from .gate import UNSAID, Gate, few, listing
from .run import Run


def transport(run: Run, want: Expectation) -> Gate:
    """NCCL says of each process whether it has NVLink to other nodes (``comm ... nNodes 2 ... MNNVL 1``)."""
    wanted = "`MNNVL 1` from every process"
    said = run.evidence.nvlink
    processes = {(rank.host, rank.pid) for rank in run.ranks.values()}
    if without := {process: line for process, (has, line) in said.items() if not has}:
        hosts = listing(sorted({host for host, _ in without}))
        cause = (
            "the pod has no IMEX channel, NCCL_MNNVL_ENABLE is 0, or the nodes are not in one NVLink domain: see the "
            "ComputeDomain, /dev/nvidia-caps-imex-channels in the pod, and nvidia.com/gpu.clique of the nodes"
        )
        return Gate("transport", False, f"`MNNVL 0` on {hosts}", wanted, few(without.values()), cause)
    silent = sorted(processes - said.keys())
    if silent or not processes:
        hosts = listing(sorted({host for host, _ in silent}))
        seen = f"{len(silent)} of {len(processes)} processes do not say so, on {hosts}"
        return Gate("transport", False, seen if processes else "not shown: no list of devices", wanted, (), UNSAID)
    lines = few(line for _, line in said.values())
    return Gate("transport", True, f"MNNVL from all {len(processes)}", wanted, lines)


def nics(run: Run, want: Expectation) -> Gate:
    """A channel by a NIC is one that is not by NVLink."""
    wanted = "no channel between nodes by a NIC"
    channels = run.evidence.channels
    if channels.total:
        cause = "NCCL did not take NVLink between these nodes: they are not in one NVLink domain"
        seen = f"{channels.total} ends of channels by NICs, on {listing(sorted(channels.hosts))}"
        return Gate("nics", False, seen, wanted, few(channels.networks.values()), cause)
    if not run.evidence.nvlink:
        return Gate("nics", False, "not shown", wanted, (), UNSAID)
    return Gate("nics", True, "none", wanted)


def gdr(run: Run, want: Expectation) -> Gate:
    """Of what a NIC would do there is nothing to be seen."""
    held = nics(run, want)
    return replace(held, name="gdr", because="" if held.passed else "nics")


CHECKS = {"transport": transport, "nics": nics, "gdr": gdr}

"""The gates of a test whose nodes are joined by NVLink, in the place of those of the network."""

from collections.abc import Callable
from dataclasses import replace

from .expectation import Expectation
from .gate import UNSAID, Gate, few, listing
from .run import Run


def _transport(run: Run, want: Expectation) -> Gate:
    """Each process has NVLink to other nodes, as NCCL prints it (``comm ... nNodes 2 ... MNNVL 1``)."""
    wanted = "`MNNVL 1` from every process"
    nvlink = run.evidence.nvlink
    if without := {process: line for process, (has, line) in nvlink.items() if not has}:
        hosts = listing(sorted({host for host, _ in without}))
        cause = (
            "the pod has no IMEX channel, NCCL_MNNVL_ENABLE is 0, or the nodes are not in one NVLink domain: see the "
            "ComputeDomain, /dev/nvidia-caps-imex-channels in the pod, and nvidia.com/gpu.clique of the nodes"
        )
        return Gate("transport", False, f"`MNNVL 0` on {hosts}", wanted, few(without.values()), cause)
    silent = run.processes - nvlink.keys()
    if silent or not run.processes:
        hosts = listing(sorted({host for host, _ in silent}))
        seen = f"{len(silent)} of {len(run.processes)} processes do not say so, on {hosts}"
        return Gate("transport", False, seen if silent else "not shown: no list of devices", wanted, (), UNSAID)
    lines = few(line for _, line in nvlink.values())
    return Gate("transport", True, f"MNNVL from all {len(run.processes)}", wanted, lines)


def _nics(run: Run, want: Expectation) -> Gate:
    """No channel goes by a NIC: such a channel is not by NVLink."""
    wanted = "no channel between nodes by a NIC"
    channels = run.evidence.channels
    if channels.total:
        cause = "NCCL did not take NVLink between these nodes: they are not in one NVLink domain"
        seen = f"{channels.total} ends of channels by NICs, on {listing(sorted(channels.hosts))}"
        return Gate("nics", False, seen, wanted, few(channels.networks.values()), cause)
    if not run.evidence.nvlink:
        return Gate("nics", False, "not shown", wanted, (), UNSAID)
    return Gate("nics", True, "none", wanted)


def _without_nics(name: str) -> Callable[[Run, Expectation], Gate]:
    """A gate about NICs, which passes where none is used."""

    def check(run: Run, want: Expectation) -> Gate:
        gate = _nics(run, want)
        return replace(gate, name=name, because="" if gate.passed else "nics")

    return check


NVLINK_CHECKS = {"transport": _transport, "nics": _nics, **{name: _without_nics(name) for name in ("gdr", "affinity")}}

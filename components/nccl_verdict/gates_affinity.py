"""The gate of affinity: each GPU's channels go by a NIC beside it, where anybody knows which these are.

What a rank sends by the NIC of another GPU of its node (PXN) is that GPU's, and in order. Where nothing is known the
gate passes and says so: it is the only one that may.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .expectation import Expectation
from .gate import Gate, few, listing
from .header import Rank
from .run import Run


@dataclass(frozen=True, slots=True)
class _Use:
    """A rank on a node with the NIC that it uses itself."""

    rank: Rank
    nic: str
    line: int
    near: tuple[str, ...] = ()
    """The NICs beside its GPU, where that is known."""

    def __str__(self) -> str:
        beside = f" and not {listing(self.near)}" if self.near else ""
        return f"{self.rank.host} rank {self.rank.rank} (GPU {self.rank.device}) uses {self.nic}{beside}"


def affinity(run: Run, want: Expectation) -> Gate:
    """Each GPU uses the NICs beside it."""
    wanted = "each GPU's channels by a NIC beside it"
    uses = list(_uses(run))
    near, named = _near(run, want), {nic for group in want.neighbours for nic in group.nics}
    judged = [replace(use, near=near[use.rank.rank]) for use in uses if use.rank.rank in near and use.nic in named]
    far = [use for use in judged if use.nic not in use.near]
    if far:
        seen, which = f"{len(far)} of {len(judged)} not so", listing(map(str, far), 2)
        host = far[0].rank.host
        cause = (
            f"on {host} run nvidia-smi topo -m in the pod, and look at its claim and at NCCL_TOPO_FILE; it is probably "
            "neither cable nor switch"
        )
        lines = few(use.line for use in far)
        if want.neighbours_sure:
            return Gate("affinity", False, f"{seen}: {which}", wanted, lines, cause, host=host)
        warning = f"{which}: the plugin may have chosen so, or the catalogue is wrong; {cause}"
        return Gate("affinity", True, seen, wanted, lines, warning=warning)
    if judged:
        return Gate("affinity", True, f"all {len(judged)}", wanted, few(use.line for use in judged))
    if unlike := _unlike(uses, want):
        one, two = unlike
        warning = f"{one}, and {two}: run nvidia-smi topo -m in a pod on each; one pairs GPUs and NICs in another way"
        return Gate("affinity", True, "nodes differ", wanted, few((one.line, two.line)), warning=warning)
    return Gate("affinity", not (run.empty and run.evidence.empty), "not known which are", wanted)


def _uses(run: Run) -> Iterator[_Use]:
    """What each rank uses; NCCL's number stands for a NIC whose name is not printed. Groups number their own ranks."""
    nics = run.evidence.nics
    for (host, number), devices in sorted(run.evidence.channels.own.items()):
        rank = run.ranks.get(number) if run.groups == 1 else None
        if rank is None or rank.host != host:
            continue
        for device, line in devices.items():
            names = nics[host, device].names if (host, device) in nics else ()
            for name in names or (f"NIC {device}",):
                yield _Use(rank, name, line)


def _near(run: Run, want: Expectation) -> dict[int, tuple[str, ...]]:
    """Rank to the NICs beside its GPU: by PCI address where the catalogue has them, all or none, for other addresses
    are those of another machine; else by index, where all of the machine's GPUs take part."""
    ranks = run.ranks.values()
    if by_address := {address: group.nics for group in want.neighbours for address in group.addresses}:
        addresses = {rank.rank: run.address_of(rank) for rank in ranks}
        known = all(address in by_address for address in addresses.values())
        return {rank: by_address[address] for rank, address in addresses.items()} if known else {}
    by_index = {gpu: group.nics for group in want.neighbours for gpu in group.gpus}
    return {} if want.part_of_node else {rank.rank: by_index[rank.device] for rank in ranks if rank.device in by_index}


def _unlike(uses: list[_Use], want: Expectation) -> tuple[_Use, _Use] | None:
    """Two nodes on which a GPU of the same index uses another NIC, where each GPU has one of its own."""
    by_host: dict[str, dict[int, _Use]] = {}
    for use in uses:
        if by_host.setdefault(use.rank.host, {}).setdefault(use.rank.device, use).nic != use.nic:
            return None
    paired = [of for of in by_host.values() if len({use.nic for use in of.values()}) == len(of) == want.gpus_per_node]
    if len(paired) < len(by_host) or want.part_of_node:
        return None
    for other in paired[1:]:
        for device, use in sorted(paired[0].items()):
            if device in other and other[device].nic != use.nic:
                return use, other[device]
    return None

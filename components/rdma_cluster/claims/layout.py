"""Where aligned sets of GPUs and NICs sit in a machine: pure arithmetic over its root table."""

from collections import Counter

from pulumi_offline.frozen import frozen
from ..catalog import Machine


@frozen
class Slot:
    """One place in the machine where a group of GPUs and NICs shares a PCIe root."""

    root: int
    """Index into the machine's roots."""
    nics: tuple[int, ...]


def slots(machine: Machine, gpus: int, nics: int) -> tuple[Slot, ...]:
    """All disjoint places for groups of ``gpus`` + ``nics``, in NIC order; as many as the machine can hold at once."""
    places = (
        Slot(index, root.nics[n * nics : (n + 1) * nics])
        for index, root in enumerate(machine.roots or ())
        for n in range(min(len(root.gpus) // gpus, len(root.nics) // nics))
    )
    return tuple(sorted(places, key=lambda slot: slot.nics))


def neighbours(machine: Machine) -> tuple[tuple[int, int], ...]:
    """GPU and NIC of the pairs that must be named by address, since no PCIe root shows them; in rail order."""
    return () if machine.pcie_root_comparable else machine.neighbours


def windows(machine: Machine, k: int) -> tuple[tuple[int, ...], ...]:
    """The aligned, disjoint runs of ``k`` rails that fill a node: (0, 1), (2, 3) ... for two of eight."""
    return runs(len(slots(machine, 1, 1)), k)


def runs(total: int, size: int) -> tuple[tuple[int, ...], ...]:
    """Disjoint runs of ``size`` numbers below ``total``, from 0 on; what is left over is in none of them."""
    return tuple(tuple(range(first, first + size)) for first in range(0, total - size + 1, size))


def numa_nodes(machine: Machine) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """GPUs and NICs of each NUMA node that is known to hold both."""
    by_node: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    for root in machine.roots or ():
        if root.numa is not None:
            gpus, nics = by_node.get(root.numa, ((), ()))
            by_node[root.numa] = (tuple(sorted(gpus + root.gpus)), tuple(sorted(nics + root.nics)))
    return {node: both for node, both in sorted(by_node.items()) if all(both)}


def shapes(machine: Machine) -> Counter[tuple[int, int]]:
    """How many roots hold how many GPUs and NICs."""
    return Counter((len(root.gpus), len(root.nics)) for root in machine.roots or ())


def devices(gpus: int, nics: int) -> str:
    """``2 GPUs + 1 NIC``."""
    return f"{gpus} GPU{'s' * (gpus != 1)} + {nics} NIC{'s' * (nics != 1)}"


def summary(machine: Machine) -> str:
    """The root table in a line: ``4 roots of 2 GPUs + 2 NICs``."""
    counts = shapes(machine).items()
    return ", ".join(f"{count} root{'s' * (count > 1)} of {devices(*shape)}" for shape, count in counts)


def table(machine: Machine) -> list[str]:
    """The root table in words, a line a root."""
    if not machine.roots:
        return ["its PCIe roots are not published"]
    return [
        f"root {index}{f' ({root.name})' if root.name else ''}: {_listed('GPU', root.gpus)}, "
        f"{_listed('NIC', root.nics)}{'' if root.numa is None else f', NUMA node {root.numa}'}"
        for index, root in enumerate(machine.roots)
    ]


def _listed(noun: str, numbers: tuple[int, ...]) -> str:
    return f"{noun}{'s' * (len(numbers) > 1)} {' '.join(map(str, numbers))}" if numbers else f"no {noun}"


def has_nvidia_gpus(machine: Machine) -> bool:
    """Whether gpu.nvidia.com serves the machine's GPUs. Old boards print no vendor: ``Tesla T4``."""
    return machine.gpu is not None and not machine.gpu.model.startswith("AMD")

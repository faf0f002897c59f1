"""Where aligned sets of GPUs and NICs sit in a machine: pure arithmetic over its root table."""

from dataclasses import dataclass

from ..catalog import Cloud, Machine


@dataclass(frozen=True, slots=True)
class Slot:
    """One place in the machine where a group of GPUs and NICs shares a PCIe root."""

    root: int
    """Index into the machine's roots."""
    nics: tuple[int, ...]


def slots(machine: Machine, gpus: int, nics: int) -> tuple[Slot, ...]:
    """All disjoint places for groups of ``gpus`` + ``nics``, in NIC order; as many as the machine can hold at once."""
    found = (
        Slot(index, tuple(sorted(root.nics)[n * nics : (n + 1) * nics]))
        for index, root in enumerate(machine.roots or ())
        for n in range(min(len(root.gpus) // gpus, len(root.nics) // nics))
    )
    return tuple(sorted(found, key=lambda slot: slot.nics))


def windows(machine: Machine, k: int) -> tuple[tuple[int, ...], ...]:
    """The aligned, disjoint runs of ``k`` rails that fill a node: (0, 1), (2, 3) ... for two of eight."""
    return runs(len(slots(machine, 1, 1)), k)


def runs(total: int, size: int) -> tuple[tuple[int, ...], ...]:
    """Disjoint runs of ``size`` numbers below ``total``, from 0 on; what is left over is in none of them."""
    return tuple(tuple(range(first, first + size)) for first in range(0, total - size + 1, size))


def numa_nodes(machine: Machine) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """GPUs and NICs of each NUMA node, as far as the catalogue knows them."""
    found: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    for root in machine.roots or ():
        if root.numa is not None:
            gpus, nics = found.get(root.numa, ((), ()))
            found[root.numa] = (tuple(sorted(gpus + root.gpus)), tuple(sorted(nics + root.nics)))
    return dict(sorted(found.items()))


def table(machine: Machine) -> str:
    """The root table in words."""
    if not machine.roots:
        return f"the PCIe roots of {machine.name} are not published"
    plural = {True: "", False: "s"}
    rows = [
        f"root {index}{f' ({root.name})' if root.name else ''}: "
        f"{len(root.gpus)} GPU{plural[len(root.gpus) == 1]} {list(root.gpus)}, "
        f"{len(root.nics)} NIC{plural[len(root.nics) == 1]} {list(root.nics)}"
        f"{'' if root.numa is None else f', NUMA {root.numa}'}"
        for index, root in enumerate(machine.roots)
    ]
    return "\n".join(rows)


def has_rdma_front_end(machine: Machine) -> bool:
    """Whether NICs that are no rails also show as RDMA devices.

    Azure's accelerated-networking VF and OCI's VCN ports do (aks.md §1, oke.md §1.1), so ``rdma`` alone does not
    tell a rail from them.
    """
    return machine.cloud in (Cloud.AKS, Cloud.OKE)

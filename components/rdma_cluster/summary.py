"""A plan in words and numbers: sections of flat rows, for people as tables and for programs as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .catalog.machine import Machine

if TYPE_CHECKING:  # the catalogue's own command needs no plan
    from .incluster.plan.acceptance import AcceptancePlan
    from .incluster.plan.claim_templates import Offer

Row = dict[str, Any]


@dataclass(frozen=True)
class Summary:
    """What a plan says; every row of a section has the same keys."""

    sections: Mapping[str, Sequence[Row]]
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The summary's JSON form: a list of rows by section, and the warnings."""
        return {**{name: list(rows) for name, rows in self.sections.items()}, "warnings": list(self.warnings)}


def machine_rows(machine: Machine) -> list[Row]:
    """One row a rail: which GPU it serves, over which PCIe root, as which NIC."""
    rows = []
    for rail in range(machine.nics):
        root = machine.root_of_nic(rail)
        gpus = _served(machine, root, rail)
        pci = machine.gpu_pci
        rows.append(
            {
                "rail": rail,
                "gpu": gpus[0] if len(gpus) == 1 else ", ".join(map(str, gpus)) or "-",
                "gpu pci": ", ".join(pci[gpu] for gpu in gpus) if pci and gpus else "-",
                "root": "-" if root is None else root,
                "numa": machine.roots[root].numa if machine.roots and root is not None else "-",
                "nic": machine.nic_names[rail] if machine.nic_names else "-",
            }
        )
    return rows


def _served(machine: Machine, index: int | None, rail: int) -> tuple[int, ...]:
    """The GPUs a rail serves: rails and GPUs of one root go together in order, which is how claims are allocated."""
    if index is None or not machine.roots:
        return ()
    root = machine.roots[index]
    beside = root.nics.index(rail)
    if len(root.nics) >= len(root.gpus):
        return root.gpus[beside * len(root.gpus) // len(root.nics) :][:1]
    share = len(root.gpus) // len(root.nics)
    return root.gpus[beside * share : (beside + 1) * share]


def claim_rows(offers: "Sequence[Offer]") -> list[Row]:
    """One row a shape: its first template, the other windows, and how many pods of it one node holds."""
    rows = []
    for offer in offers:
        first, *others = ([template.name for template in window] for window in offer.windows)
        rows.append(
            {
                "shape": str(offer.intent),
                "template": " + ".join(first),
                "further windows": ", ".join(name.partition(f"{offer.intent.slug}-")[2] for name, *_ in others) or "-",
                "pods a node": offer.pods_per_node,
            }
        )
    return rows


def acceptance_rows(plan: "AcceptancePlan") -> list[Row]:
    """One row a pool: the test that proves it inside `up`, or why none does."""
    rows = []
    for test in plan.tests:
        want = test.expectation
        floors = want.floors.get(want.collective or "", ())
        rows.append(
            {
                "pool": test.pool,
                "test": f"{want.collective} over {want.tests} pair{'s' * ((want.tests or 1) > 1)} of nodes, "
                f"1 to {test.most_bytes >> 30} GiB",
                # No row is judged below 1 GiB.
                "floor": ", ".join(
                    f"{line.busbw_gbytes:g} GB/s from {max(line.size_bytes >> 30, 1)} GiB" for line in floors
                )
                or "none known",
                "fails after": f"{test.timeout_seconds // 60} min",
            }
        )
    for pool, reason in plan.not_proven.items():
        rows.append({"pool": pool, "test": f"not proven: {reason}", "floor": "-", "fails after": "-"})
    return rows

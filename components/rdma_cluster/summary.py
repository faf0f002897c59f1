"""A plan in words and numbers: sections of flat rows, for people as tables and for programs as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .catalog.machine import Machine
from .incluster.plan.claim_templates import Offer

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
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
        gpus = machine.roots[root].gpus if machine.roots and root is not None else ()
        # Rails and GPUs of one root pair up in order, which is how a pair's claim is allocated too.
        beside = machine.roots[root].nics.index(rail) if machine.roots and root is not None else 0
        gpu = gpus[beside] if beside < len(gpus) else None
        rows.append(
            {
                "rail": rail,
                "gpu": "-" if gpu is None else gpu,
                "gpu pci": machine.gpu_pci[gpu] if machine.gpu_pci and gpu is not None else "-",
                "root": "-" if root is None else root,
                "numa": machine.roots[root].numa if machine.roots and root is not None else "-",
                "nic": machine.nic_names[rail] if machine.nic_names else "-",
            }
        )
    return rows


def claim_rows(offers: Sequence[Offer]) -> list[Row]:
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

"""The proof: the claims of an intent, allocated on a synthetic node of the machine until nothing more fits."""

from collections.abc import Sequence
from typing import Any

from pulumi_offline.frozen import frozen
from ..catalog import Machine
from ..fabrics import GpuAllocation
from .allocator import Allocation, allocate
from .device import Device
from .generate import offers, templates
from .intent import Gpus, Groups, Intent, Nics, Numa, Pairs, Whole
from .refusal import Unsatisfiable
from .slices import resource_slices
from .target import Target, naming
from .template import Template


@frozen
class Copies:
    """One intent's claims and every copy of them that a node held."""

    intent: Intent
    templates: tuple[Template, ...]
    allocations: tuple[Allocation, ...]


@frozen
class Solution:
    """A node of the machine satisfies the claims; these are the devices that each copy got."""

    machine: Machine
    intent: Intent
    target: Target
    templates: tuple[Template, ...]
    """The claims of one pod with the user's intent."""
    alone: tuple[Allocation, ...]
    """Its copies on an otherwise empty node, until full."""
    windows: tuple[Copies, ...]
    """All windows of the intent on one node together, until full."""
    idle: tuple[str, ...]
    """Names of GPUs and rails that were left once the node was full."""

    @property
    def copies(self) -> int:
        """Pods of this intent, over all windows, that one node holds."""
        return sum(len(window.allocations) for window in self.windows)

    @property
    def all_templates(self) -> tuple[Template, ...]:
        """The templates of every window: what a cluster offers so that its nodes can be filled."""
        return tuple(template for window in self.windows for template in window.templates)

    @property
    def doubts(self) -> dict[str, str]:
        """The catalogue's fields that this proof rests on and that are not certain, each with the reason."""
        fields = rests_on(self.machine, self.intent, self.target)
        return {name: reason for name, reason in self.machine.unverified.items() if name in fields}

    def explain(self) -> str:
        """The proof in words."""
        pods = f"{self.copies} pod{'' if self.copies == 1 else 's'}"
        lines = [f"{self.machine.name}: {self.intent}: {pods} a node"]
        for window in self.windows:
            names = " + ".join(template.name for template in window.templates)
            times = len(window.allocations)
            lines.append(f"  {names}: fits {'once' if times == 1 else f'{times} times'}")
            for number, allocation in enumerate(window.allocations):
                requests = ((name, devices) for (_, name), devices in allocation.devices.items())
                words = (f"{name} = {', '.join(device.name for device in devices)}" for name, devices in requests)
                lines.append(f"    pod {number}: {'; '.join(words)}")
        if self.target.gpus is GpuAllocation.DEVICE_PLUGIN:
            lines.append("  GPUs: from the device plugin, outside of these claims")
        if self.idle:
            lines.append(f"  left over on a full node: {', '.join(self.idle)}")
        lines += [f"  not certain: {name}: {reason}" for name, reason in self.doubts.items()]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The proof as data: names of templates, and for each pod the devices of each request."""
        return {
            "machine": self.machine.name,
            "intent": str(self.intent),
            "podsPerNode": self.copies,
            "templates": [template.manifest() for template in self.all_templates],
            "windows": [
                {
                    "templates": [template.name for template in window.templates],
                    "pods": [_devices(allocation) for allocation in window.allocations],
                }
                for window in self.windows
            ],
            "idle": list(self.idle),
            "doubts": self.doubts,
        }


def rests_on(machine: Machine, intent: Intent, target: Target) -> set[str]:
    """The catalogue's fields, beside the counts, without which nobody could say that the claims fit."""
    match intent:
        case Pairs() | Groups():
            fields = {"roots"} if machine.pcie_root_comparable else {"roots", "gpu_pci", "nic_pci"}
        case Numa():
            fields = {"roots", "roots.numa", "gpu_pci"}
        case _:
            fields = set()
    named_by = naming(machine, target)
    if named_by and not isinstance(intent, Whole | Nics | Gpus):
        fields.add(named_by[0])
    return fields


def solve(machine: Machine, intent: Intent, target: Target) -> Solution:
    """Generate and allocate; raises ``Unsatisfiable`` with the maximum and the form that works instead."""
    claims = templates(machine, intent, target)
    devices = tuple(device for each in resource_slices(machine, target) for device in each.devices)
    alone = fill(claims, devices, target)
    if not alone:
        result = allocate(claims, devices, target.classes)
        raise Unsatisfiable(machine, intent, getattr(result, "reason", ""), 0, "claim the whole node")
    in_use: set[Device] = set()
    windows = []
    for each in offers(machine, intent, target):
        window = templates(machine, each, target)
        windows.append(Copies(each, window, fill(window, devices, target, in_use)))
    idle = tuple(device.name for device in devices if device not in in_use and not device.name.startswith("eth"))
    return Solution(machine, intent, target, claims, alone, tuple(windows), idle)


def fill(
    claims: Sequence[Template], devices: Sequence[Device], target: Target, in_use: set[Device] | None = None
) -> tuple[Allocation, ...]:
    """Give a pod after pod its devices until the next one does not fit; ``in_use`` grows with each."""
    in_use = set() if in_use is None else in_use
    copies = []
    while isinstance(result := allocate(claims, devices, target.classes, in_use), Allocation):
        copies.append(result)
        in_use.update(result.all())
    return tuple(copies)


def _devices(allocation: Allocation) -> dict[str, dict[str, list[str]]]:
    names: dict[str, dict[str, list[str]]] = {}
    for (template, request), devices in allocation.devices.items():
        names.setdefault(template, {})[request] = [device.name for device in devices]
    return names

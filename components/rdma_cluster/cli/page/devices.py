"""The GPUs, NICs and rails of a machine as parts of a drawing, each with all that the plan knows of it."""

from collections.abc import Mapping, Sequence

from ...catalog import Machine
from ...common.summary import Row
from ...common.use import PoolUse
from .part import Facts, Part

_OF_GPU = ("rail", "gpu", "gpu_pci")
_OF_RAIL = ("subnet", "cidr", "network", "mtu")


def with_network(rows: Sequence[Row], addresses: Sequence[Row]) -> list[Row]:
    """Rows of rails, each with what the plan says of its subnet, such as the MTU."""
    subnets = {row["subnet"]: {key: value for key, value in row.items() if key != "cidr"} for row in addresses}
    return [{**row, **subnets.get(row.get("subnet"), {})} for row in rows]


def gpu(index: int, use: PoolUse, near: Sequence[Row]) -> Part:
    """A GPU; ``near`` are the rows of its rails."""
    machine = use.machine
    root = machine.root_of_gpu(index)
    facts = {
        "model": machine.gpu.model if machine.gpu else None,
        "memory": f"{machine.gpu.memory_gib} GiB" if machine.gpu and machine.gpu.memory_gib else None,
        "PCI address": machine.gpu_pci[index] if machine.gpu_pci else None,
        **_place(machine, root),
        "rails": ", ".join(str(row["rail"]) for row in near),
        "asked for by": use.gpu_by,
        "templates": ", ".join(_templates(use, use.gpu_by, index, machine.gpus)),
    }
    return Part("gpu", f"{machine.name}-gpu-{index}", f"GPU {index}", facts)


def nic(row: Row, use: PoolUse) -> Part:
    """The NIC of a rail, with the addresses of the rail."""
    machine, rail = use.machine, row["rail"]
    own = {_words(key): value for key, value in row.items() if key not in (*_OF_GPU, *_OF_RAIL, "root", "numa")}
    facts = {
        **own,
        **_place(machine, machine.root_of_nic(rail)),
        "NUMA": row.get("numa"),
        "near": f"GPU {row['gpu']}" if row["gpu"] != "-" else None,
        "rail": rail,
        **rail_facts(row, use),
        "asked for by": use.nic_by,
        "templates": ", ".join(_templates(use, use.nic_by, rail, machine.nics)),
    }
    return Part("nic", f"{machine.name}-nic-{rail}", nic_name(row), facts)


def rail(row: Row, use: PoolUse) -> Part:
    """The rail that a NIC is on."""
    return Part("rail", f"{use.machine.name}-rail-{row['rail']}", f"rail {row['rail']}", rail_facts(row, use))


def rail_facts(row: Row, use: PoolUse) -> Facts:
    """The addresses of a rail, and who reaches whom."""
    return {
        **{_words(key): row.get(key) for key in _OF_RAIL},
        "transport": use.fabric.transport.value,
        "line rate": f"{use.machine.nic_gbps} Gb/s" if use.machine.nic_gbps else "not published",
        "reaches": "the same rail of other nodes" if use.fabric.rail_bound else "every NIC of other nodes",
    }


def nic_name(row: Row) -> str:
    """What the plan calls a NIC."""
    name = row.get("nic", "-")
    return str(name) if name != "-" else f"card {row['card']}" if "card" in row else "NIC"


def gpus_of(row: Row) -> list[int]:
    """The GPUs that a rail is near."""
    return [] if row["gpu"] == "-" else [int(gpu) for gpu in str(row["gpu"]).split(", ")]


def _place(machine: Machine, root: int | None) -> Mapping[str, object]:
    if root is None or not machine.roots:
        return {}
    known = machine.roots[root]
    return {"PCIe root": f"{root} ({known.name})" if known.name else root, "NUMA": known.numa}


def _templates(use: PoolUse, asked_by: str, index: int, count: int) -> list[str]:
    """A device's claim templates: the windows of an offer divide a node's devices in order."""
    windows = [offer.windows[index * len(offer.windows) // count] for offer in use.offers]
    return [
        template.name
        for window in windows
        for template in window
        if any(f"DeviceClass {request.device_class}" == asked_by for request in template.requests)
    ]


def _words(key: str) -> str:
    return {"mtu": "MTU", "cidr": "CIDR", "nic_pci": "PCI address"}.get(key, key.replace("_", " "))

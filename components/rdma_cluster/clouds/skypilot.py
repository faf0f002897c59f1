"""What SkyPilot asks of a cluster, so that its ``network_tier: best`` runs over the fabric on whichever cloud.

Read in SkyPilot 0.14.1: sky/clouds/kubernetes.py, sky/provision/kubernetes/utils.py, sky/utils/gpu_names.py and
sky/templates/kubernetes-ray.yml.j2. It takes the network of the first node that it knows for all pods, asks for GPUs as
``nvidia.com/gpu``, and never makes a claim; where it finds no network it runs on TCP without a word.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..catalog import Machine
from ..fabrics import GpuAllocation
from ..faults import Faults
from .pools import allocation_of

ACCELERATOR_LABEL = "skypilot.co/accelerator"
"""The label by which SkyPilot asks for a GPU before all others, with its own name of it in lower case."""

# The more special ones first, as SkyPilot has them.
_NAMES = ("GB300", "GB200", "B300", "B200", "H200", "H100", "A100-80GB", "A100")


def accelerator(machine: Machine | None) -> str | None:
    """SkyPilot's name of a machine's GPUs; ``None`` where it has none."""
    words = machine.gpu.model.replace("SXM4-", "").replace("-40GB", "").split() if machine and machine.gpu else []
    return next((name for name in _NAMES if name in words), None)


def labelled(pools: list[Any], machines: Mapping[str, Machine]) -> list[Any]:
    """The pools with SkyPilot's label of their GPU, where the user gives none."""
    return _changed(pools, machines, _labelled)


def plugged(pools: list[Any], machines: Mapping[str, Machine]) -> list[Any]:
    """The pools with a device plugin for their GPUs, where nobody chose and NVLink ends at the node."""
    return _changed(pools, machines, _plugged)


def _changed(
    pools: list[Any], machines: Mapping[str, Machine], change: Callable[[Mapping[str, Any], Machine], dict[str, Any]]
) -> list[Any]:
    def changed(pool: Any) -> Any:
        machine = machines.get(pool["machine"])
        return pool if machine is None else change(pool, machine)

    return [changed(pool) for pool in pools]


def _labelled(pool: Mapping[str, Any], machine: Machine) -> dict[str, Any]:
    name, labels = accelerator(machine), pool.get("labels", {})
    if name is None:
        return dict(pool)
    return {**pool, "labels": {ACCELERATOR_LABEL: name.lower(), **labels}}


def _plugged(pool: Mapping[str, Any], machine: Machine) -> dict[str, Any]:
    usual = {} if machine.is_rack else {"gpu_allocation": GpuAllocation.DEVICE_PLUGIN}
    return {**usual, **pool}


def check_plugged(allocations: Sequence[GpuAllocation], faults: Faults) -> None:
    """GPUs are handed out by device plugins; ``allocations`` go by pool."""
    for i, allocation in enumerate(allocations):
        if allocation != GpuAllocation.DEVICE_PLUGIN:
            faults.at(i, "gpu_allocation").add(
                f"is {allocation.value}; SkyPilot asks for nvidia.com/gpu and makes no claims, so that its pods would "
                "stay pending or run on TCP; set device-plugin, or remove skypilot"
            )


def check_one_machine(listed: Sequence[tuple[Mapping[str, Any], Faults]]) -> None:
    """All pods get the network of the node that SkyPilot sees first; each pool stands with the place of its machine."""
    names = [(pool["machine"], at) for pool, at in listed]
    for name, at in names:
        if name != names[0][0]:
            at.add(
                f"got {name} beside {names[0][0]}; SkyPilot takes the network of the first node it sees for all pods; "
                "put it into a stack of its own, or remove skypilot"
            )


def pools_for_skypilot(pools: list[Any], machines: Mapping[str, Machine], faults: Faults) -> list[Any]:
    """The pools as SkyPilot can use them; faults are what would leave its pods pending, or on TCP."""
    used = plugged(labelled(pools, machines), machines)
    check_plugged([allocation_of(pool) for pool in used], faults)
    check_one_machine([(pool, faults.at(i, "machine")) for i, pool in enumerate(used)])
    return used


def asked_for(skypilot: bool) -> bool:
    """Whether a stack is for SkyPilot, as far as that could be read."""
    return skypilot

"""What SkyPilot asks of a cluster, so that its ``network_tier: best`` runs over the fabric on whichever cloud.

Read in SkyPilot 0.14.1: sky/clouds/kubernetes.py, sky/provision/kubernetes/utils.py, sky/utils/gpu_names.py and
sky/templates/kubernetes-ray.yml.j2. It takes the network of the first node that it knows for all pods, asks for GPUs as
``nvidia.com/gpu``, and never makes a claim; where it finds no network it runs on TCP without a word.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_offline.errors import ErrorList
from ..catalog import Machine
from ..fabrics import GpuAllocation
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
    return [
        {**pool, "labels": {ACCELERATOR_LABEL: name.lower(), **pool.get("labels", {})}} if name else pool
        for pool in pools
        for name in [accelerator(machines.get(pool["machine"]))]
    ]


def check_plugged(allocations: Sequence[GpuAllocation], errors: ErrorList) -> None:
    """GPUs are handed out by device plugins; ``allocations`` go by pool."""
    for i, allocation in enumerate(allocations):
        if allocation != GpuAllocation.DEVICE_PLUGIN:
            errors.at(i, "gpu_allocation").add(
                f"is {allocation.value}; SkyPilot asks for nvidia.com/gpu and makes no claims, so that its pods would "
                "stay pending or run on TCP; set device-plugin, or remove skypilot"
            )


def check_one_machine(listed: Sequence[tuple[Mapping[str, Any], ErrorList]]) -> None:
    """All pods get the network of the node that SkyPilot sees first; each pool stands with the place of its machine."""
    for pool, at in listed:
        if (name := pool["machine"]) != (first := listed[0][0]["machine"]):
            at.add(
                f"got {name} beside {first}; SkyPilot takes the network of the first node it sees for all pods; "
                "put it into a stack of its own, or remove skypilot"
            )


def pools_for_skypilot(pools: list[Any], machines: Mapping[str, Machine], errors: ErrorList) -> list[Any]:
    """The pools as SkyPilot can use them. Adds an error for all that would leave its pods pending, or on TCP."""
    # A device plugin hands out their GPUs, where the user chose nothing and NVLink ends at the node.
    used = [
        pool if machine is None or machine.is_rack else {"gpu_allocation": GpuAllocation.DEVICE_PLUGIN, **pool}
        for pool in labelled(pools, machines)
        for machine in [machines.get(pool["machine"])]
    ]
    check_plugged([allocation_of(pool) for pool in used], errors)
    check_one_machine([(pool, errors.at(i, "machine")) for i, pool in enumerate(used)])
    return used

"""The pool that serves, and what its words stand for."""

from dataclasses import dataclass

from ....catalog.machine import Machine
from ....fabrics import Fabric, GpuAllocation
from ....faults import Faults
from ....nccl.expectation import NETWORKS
from ...plan.looked_up import machine_and_fabric, misfit
from .args import DistributedInferenceArgs, InferencePool


@dataclass(frozen=True)
class ServingPool:
    """The pool that serves, with what its words stand for."""

    args: InferencePool
    machine: Machine
    fabric: Fabric
    allocation: GpuAllocation


def choose_pool(args: DistributedInferenceArgs, faults: Faults, *, all_planned: bool) -> ServingPool | None:
    """The pool that serves; ``None`` with an error, or where it may be one that could not be planned."""
    pools = args["pools"]
    names = [pool["name"] for pool in pools]
    if not all_planned and args.get("pool") not in names:
        return None
    if not pools:
        faults.at("pools").add("empty; list the pool that serves")
        return None
    if "pool" in args and args["pool"] not in names:
        faults.at("pool").add(f"got {args['pool']!r}; choose one of {', '.join(names)}")
        return None
    if "pool" not in args and len(pools) != 1:
        faults.at("pool").add(f"missing; say which serves: {', '.join(names)}")
        return None
    i = names.index(args["pool"]) if "pool" in args else 0
    return _looked_up(pools[i], faults.at("pools", i), faults.at("pool"))


def _looked_up(pool: InferencePool, at: Faults, chosen: Faults) -> ServingPool | None:
    """A fault of the choice stands where it is made: in a stack the pools are told elsewhere."""
    if (found := machine_and_fabric(pool["machine"], pool["fabric"], at)) is None:
        return None
    machine, fabric = found
    if machine.gpu is None or not machine.gpus or machine.transport.value not in NETWORKS:
        chosen.add(f"{machine.name} has no GPUs whose fabric NCCL speaks; name another pool")
    elif not machine.gpu.model.startswith("NVIDIA"):
        chosen.add(f"{machine.name} has {machine.gpu.model}, which vLLM's images here do not know; name another pool")
    elif why := misfit(machine, fabric):
        at.at("fabric").add(why)
    elif machine.is_rack:
        chosen.add(
            f"{machine.name} shares NVLink between nodes, which takes a ComputeDomain that serving does not ask for; "
            "name another pool"
        )
    else:
        return ServingPool(pool, machine, fabric, pool.get("gpu_allocation", GpuAllocation.DRA))
    return None

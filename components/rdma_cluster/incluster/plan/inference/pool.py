"""The pool that serves, and what its words stand for."""

from dataclasses import dataclass

from ....catalog import find, nearest
from ....catalog.machine import Machine
from ....fabrics import FABRICS, Fabric, GpuAllocation
from ....fabrics import nearest as nearest_fabrics
from ....faults import Faults
from ....nccl.expectation import NETWORKS
from ....unread import UNREAD, items, readable, rule
from .args import DistributedInferenceArgs, InferencePool


@dataclass(frozen=True)
class ServingPool:
    """The pool that serves, with what its words stand for."""

    args: InferencePool
    machine: Machine
    fabric: Fabric
    allocation: GpuAllocation


@rule
def choose_pool(args: DistributedInferenceArgs, faults: Faults) -> ServingPool | None:
    """The pool that serves, or faults."""
    pools = items(args["pools"])
    names = readable([pool["name"] for pool in readable(pools)])
    if args.get("pool") is UNREAD:
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


@rule
def _looked_up(pool: InferencePool, at: Faults, chosen: Faults) -> ServingPool | None:
    """A fault of the choice stands where it is made: in a stack the pools are told elsewhere."""
    machine, fabric = find(pool["machine"]), FABRICS.get(pool["fabric"])
    if machine is None:
        at.at("machine").add(f"unknown machine {pool['machine']!r}; nearest are {', '.join(nearest(pool['machine']))}")
    if fabric is None:
        near = ", ".join(nearest_fabrics(pool["fabric"]))
        at.at("fabric").add(f"unknown fabric {pool['fabric']!r}; nearest are {near}")
    if machine is None or fabric is None:
        return None
    if machine.gpu is None or not machine.gpus or machine.transport.value not in NETWORKS:
        chosen.add(f"{machine.name} has no GPUs whose fabric NCCL speaks; name another pool")
    elif not machine.gpu.model.startswith("NVIDIA"):
        chosen.add(f"{machine.name} has {machine.gpu.model}, which vLLM's images here do not know; name another pool")
    elif not fabric.is_for(machine):
        known = [each.name for each in FABRICS.values() if each.is_for(machine)]
        at.at("fabric").add(f"got {fabric.name!r}; {machine.name} has {' or '.join(known) or 'none that is built'}")
    elif machine.is_rack:
        chosen.add(
            f"{machine.name} shares NVLink between nodes, which takes a ComputeDomain that serving does not ask for; "
            "name another pool"
        )
    else:
        return ServingPool(pool, machine, fabric, pool.get("gpu_allocation", GpuAllocation.DRA))
    return None

"""What GPU pools have in common on every cloud: how they are named, where their nodes come from, what they warn of."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from .args import to_camel
from .catalog import Capacity, Machine, find
from .faults import Faults
from .incluster.plan.nodes import NodeSet


class GpuAllocation(str, Enum):
    """Who hands out the GPUs of a pool. Never both."""

    DRA = "dra"
    """NVIDIA's DRA driver, by claims."""
    DEVICE_PLUGIN = "device-plugin"
    """A device plugin, as ``nvidia.com/gpu``."""


Pool = Mapping[str, Any]
"""A pool as a stack lists it on any cloud: ``name``, ``machine``, ``nodes``, ``capacity``, ..."""


def by_claim(pool: Pool) -> bool:
    """Whether the pool's GPUs are handed out by claims."""
    return pool.get("gpu_allocation", GpuAllocation.DRA) is GpuAllocation.DRA


def check_pools(pools: Sequence[Pool], faults: Faults) -> None:
    """There is a pool, and no two have one name."""
    if not pools:
        faults.add("empty; list at least one pool with name, machine, nodes and capacity")
    for i, pool in enumerate(pools):
        if (first := [each["name"] for each in pools].index(pool["name"])) < i:
            faults.at(i, "name").add(f"{pool['name']} is the name of pools[{first}] already; name each pool once")


def check_nodes(nodes: int, faults: Faults) -> None:
    """A pool has a node."""
    if nodes < 1:
        faults.add(f"got {nodes}; must be 1 or more")


def check_labels(labels: Mapping[str, str], ours: Sequence[str], faults: Faults) -> None:
    """The user's labels leave alone what the drivers read."""
    for key in labels:
        if key in ours:
            faults.at(key).add("set by this library and read by the drivers; remove it")


def one_source(args: Mapping[str, Any], sources: Mapping[str, Capacity], faults: Faults) -> Capacity | None:
    """The capacity source that ``args`` names; a fault unless it is exactly one of ``sources``, which go by key."""
    chosen = [key for key in sources if args.get(key)]
    if len(chosen) == 1:
        return sources[chosen[0]]
    if "reservation" in chosen and "spot" in chosen:
        faults.at("reservation").add(
            "not allowed with spot: a spot node never uses a reservation; remove one of the two"
        )
        chosen.remove("reservation")
    if len(chosen) > 1:
        faults.add(f"got {' and '.join(sources[key].value for key in chosen)}; name exactly one capacity source")
    elif not chosen:
        *most, last = map(to_camel, sources)
        faults.add(f"empty; name exactly one of {', '.join(most)} and {last}")
    return None


def capacity_warnings(name: str, machine: Machine, capacity: Capacity, nodes: int) -> list[str]:
    """What may go wrong with the nodes' source, whichever cloud they are on."""
    warnings = []
    if capacity not in machine.capacity:
        offered = ", ".join(each.value for each in machine.capacity)
        warnings.append(
            f"pool {name}: {machine.name} is published as sold by {offered}; {capacity.value} may find no capacity"
        )
    if capacity is Capacity.SPOT and nodes > 1:
        warnings.append(f"pool {name}: one preempted spot node stops every job that spans it")
    return warnings


def machine_names(pools: Sequence[Pool], cloud: str) -> list[str]:
    """Machine types of the pools that the catalogue knows, each once, in the pools' order."""
    return [name for name in dict.fromkeys(pool["machine"] for pool in pools) if find(name, cloud)]


def node_set(pools: Sequence[Pool], label: str) -> NodeSet:
    """The nodes of these pools, by the label that their cloud gives them."""
    return NodeSet(label=label, values=[pool["name"] for pool in pools], nodes=sum(pool["nodes"] for pool in pools))

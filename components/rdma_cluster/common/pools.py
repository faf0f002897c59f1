"""What GPU pools have in common on every cloud: names, capacity sources, warnings, the fields of their plans."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import field, replace
from typing import Any, NotRequired, TypeVar

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_agent import names
from typing_extensions import TypedDict
from ..base.args import Link, args_schema, to_camel
from ..catalog import Capacity, Machine
from ..catalog.quotas import Quota
from ..fabrics import Fabric, GpuAllocation

GPU_TAINT = (names.GPU, "present", "NO_SCHEDULE")
"""GKE's own, with which NFD's chart agrees (k8s-device-plugin#1934): a pod that tolerates it fits every cloud."""
STARTUP_TAINT = (names.STARTUP_TAINT, names.UNPROVEN, "NO_SCHEDULE")
"""The taint of nodes that are held until they are proven."""
DEFAULT_MAX_NODES = 250
"""GPU nodes that the subnets of a new network are cut for."""
SYSTEM_NODES = 10
"""The system pool's ceiling; cluster-toolkit v1.95 scales 2 to 10."""

MOST_NODES = 5_000
"""What Kubernetes is made for: https://kubernetes.io/docs/setup/best-practices/cluster-large/."""

Pool = Mapping[str, Any]
"""A pool as a stack lists it on any cloud: ``name``, ``machine``, ``nodes``, ``capacity``, ..."""


def allocation_of(pool: Pool) -> GpuAllocation:
    """Who hands out the pool's GPUs."""
    return pool.get("gpu_allocation", GpuAllocation.DRA)


def check_pools(pools: Sequence[Pool], errors: ErrorList) -> None:
    """There is a pool, and no two have one name."""
    if not pools:
        errors.add("empty; list at least one pool with name, machine, nodes and capacity")
    first_with: dict[str, int] = {}
    for i, pool in enumerate(pools):
        if (first := first_with.setdefault(name := pool["name"], i)) < i:
            errors.at(i, "name").add(f"{name} is the name of pools[{first}] already; name each pool once")


def check_pool_names(pools: Sequence[Pool], ours: Mapping[str, str], errors: ErrorList) -> None:
    """No pool has the name of one of ours; ``ours`` maps these to what they are for."""
    for i, pool in enumerate(pools):
        if (name := pool["name"]) in ours:
            errors.at(i, "name").add(f"{name} is the name of the pool for {ours[name]}; take another")


def check_nodes(nodes: int, errors: ErrorList, most: int = MOST_NODES, whole: str = "cluster") -> None:
    """A pool has a node, and no more than ``whole`` can hold."""
    if nodes < 1:
        errors.add(f"got {nodes}; must be 1 or more")
    elif nodes > most:
        errors.add(f"got {nodes}; a {whole} holds {most:,} nodes at the most")


def one_source(args: Mapping[str, Any], sources: Mapping[str, Capacity], errors: ErrorList) -> Capacity | None:
    """The capacity source that ``args`` names; an error unless it is exactly one of ``sources``, which go by key."""
    chosen = [key for key in sources if args.get(key) not in (None, False)]
    if len(chosen) == 1:
        return sources[chosen[0]]
    if "reservation" in chosen and "spot" in chosen:
        at = errors.at("reservation")
        at.add("not allowed with spot: a spot node never uses a reservation; remove one of the two")
        chosen.remove("reservation")
    if len(chosen) > 1:
        errors.add(f"got {' and '.join(map(to_camel, chosen))}; name exactly one capacity source")
    elif not chosen:
        *most, last = map(to_camel, sources)
        errors.add(f"empty; name exactly one of {', '.join(most)} and {last}")
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


def over(quota: Quota, count: int, taken: str) -> list[str]:
    """One warning where ``count`` is more than an account has at first; ``taken`` says who takes how many.

    A plan cannot read what the account has by now.
    """
    if count <= quota.default:
        return []
    return [
        f"{taken}, and an account has {quota.default:,} {quota.what} unless they were raised: ask the cloud for more "
        f"before the first up ({quota.source.ref.partition(' ')[0]})"
    ]


@args_schema
class PoolUpgrade(TypedDict):
    """How the nodes of a pool are made anew when their version or image changes."""

    max_unavailable: NotRequired[int]
    """Nodes that may be away at once. Default: 1: one node after the other. Example: ``8``."""


def plan_unavailable(pool: Pool, errors: ErrorList, most: int = MOST_NODES) -> int:
    """How many nodes of a pool may be away at once; a cloud makes ``most`` anew at once. ``errors`` are the pool's."""
    wanted, nodes = pool.get("upgrade", {}).get("max_unavailable", 1), pool["nodes"]
    at = errors.at("upgrade", "max_unavailable")
    if wanted < 1 or 1 <= nodes < wanted:
        at.add(f"got {wanted}; take 1 to {nodes}, the pool's nodes: with all of them it is empty for one node's time")
    elif wanted > most:
        at.add(f"got {wanted}; the cloud makes {most} nodes of a pool anew at once at the most; take {most} or fewer")
    return wanted


def create_minutes(nodes: int) -> int:
    """Time-out of a pool's creation: reserved pools were seen to take over 30 minutes, and a large one fills slowly."""
    return min(120, 60 + nodes // 2)


def update_minutes(nodes: int, at_once: int) -> int:
    """Time-out of a change that makes a pool's nodes anew, so many ``at_once``; what one takes is not published.

    A cloud waits for the pods of each: AKS for 30 minutes if nothing else is said (its API's drainTimeoutInMinutes).
    """
    return 60 * max(1, -(-nodes // at_once))


@frozen
class MachinesPlan:
    """What a pool of machines is on every cloud, with Kubernetes or without."""

    name: str
    machine: Machine
    nodes: int
    fabric: Fabric
    capacity: Capacity
    reservation: Link | None
    """What the nodes' places are reserved by, as the cloud names it."""
    create_minutes: int
    warnings: tuple[str, ...]


@frozen
class PoolPlan(MachinesPlan):
    """What a node pool is on every cloud."""

    gpu_allocation: GpuAllocation
    auto_repair: bool
    labels: Mapping[str, Link]
    held: bool
    """Whether its nodes register with the taint that keeps work away until they are proven."""
    max_unavailable: int = field(default=1, kw_only=True)
    """Nodes that may be away at once while all are made anew."""

    @property
    def racks(self) -> tuple[int, ...]:
        """Nodes of the pool in each NVLink rack: a pool is one rack unless a cloud says otherwise; empty without."""
        return (self.nodes,) if self.machine.is_rack else ()


P = TypeVar("P", bound=PoolPlan)


def held_until_proven(pools: Sequence[P], held: Set[str]) -> tuple[P, ...]:
    """The pools; those that ``held`` names get the start-up taint."""
    return tuple(replace(pool, held=True) if pool.name in held else pool for pool in pools)


def taints_of(pool: PoolPlan) -> list[tuple[str, str, str]]:
    """Key, value and effect of each taint with which a pool's nodes register."""
    return [GPU_TAINT, STARTUP_TAINT] if pool.held else [GPU_TAINT]

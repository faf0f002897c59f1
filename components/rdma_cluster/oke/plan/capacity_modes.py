"""The four ways to obtain nodes on one RDMA fabric, and what each alone has."""

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from pulumi_offline.errors import ErrorList
from typing_extensions import TypedDict
from ...base.args import args_schema
from ...catalog.oke import OkeMachine, PoolMode
from ...common.names import check_once
from .zones import check_ocid


class OkePoolMode(str, Enum):
    """How the nodes of one RDMA fabric are obtained. Cannot change later: another mode is another pool."""

    MANAGED = "managed"
    """A node pool of OKE in a compute cluster."""
    CLUSTER_NETWORK = "cluster-network"
    """Self-managed nodes: one instance pool in a cluster network."""
    INSTANCES = "instances"
    """Self-managed nodes one by one in a compute cluster: a broken host is replaced alone."""
    GPU_MEMORY_CLUSTER = "gpu-memory-cluster"
    """Self-managed hosts of NVLink racks: one GPU memory cluster for each fabric."""


_OBTAINED = {
    OkePoolMode.MANAGED: PoolMode.COMPUTE_CLUSTER,
    OkePoolMode.CLUSTER_NETWORK: PoolMode.CLUSTER_NETWORK,
    OkePoolMode.INSTANCES: PoolMode.COMPUTE_CLUSTER,
    OkePoolMode.GPU_MEMORY_CLUSTER: PoolMode.GPU_MEMORY_CLUSTER,
}


@args_schema
class OkeMemoryFabric(TypedDict):
    """A GPU memory fabric: one NVLink rack."""

    id: str
    """Its OCID."""
    nodes: int
    """Hosts of it to use, 18 at the most."""


def default_mode(machine: OkeMachine) -> OkePoolMode:
    """The first mode that Oracle sells the shape by."""
    return next(mode for mode, how in _OBTAINED.items() if how is machine.pool_modes[0])


def check_sold(machine: OkeMachine, mode: OkePoolMode, errors: ErrorList) -> None:
    """Oracle sells the shape by this mode."""
    offered = [each for each in OkePoolMode if _OBTAINED[each] in machine.pool_modes]
    if mode not in offered:
        names = ", ".join(each.value for each in offered)
        errors.add(f"got {mode.value}; {machine.name} is to be had by {names}")


def check_mode(args: Mapping[str, Any], *, mode: OkePoolMode, errors: ErrorList) -> None:
    """No key belongs to another mode, and the keys that this mode needs are there and have their form."""
    if "vpus_per_gb" in args.get("boot_volume", {}) and mode == OkePoolMode.MANAGED:
        errors.at("boot_volume", "vpus_per_gb").add(
            "not allowed with managed nodes, whose API does not know it; remove it, or take mode: cluster-network"
        )
    if "upgrade" in args and mode != OkePoolMode.MANAGED:
        errors.at("upgrade").add(
            f"not allowed with mode: {mode.value}, whose nodes OKE never makes anew; remove it, or take mode: managed"
        )
    placement, at = args.get("placement", {}), errors.at("placement")
    if "spread" in placement and mode == OkePoolMode.CLUSTER_NETWORK:
        at.at("spread").add("not allowed with a cluster network, which has no such choice; remove it")
    if "host_group" in placement and mode == OkePoolMode.GPU_MEMORY_CLUSTER:
        at.at("host_group").add("not allowed with a GPU memory cluster, whose fabric names the hosts; remove it")
    if "hosts" in args:
        _check_hosts(args["hosts"], mode=mode, nodes=args["nodes"], errors=errors.at("hosts"))
    _check_fabrics(args.get("memory_fabrics", []), mode=mode, nodes=args["nodes"], errors=errors.at("memory_fabrics"))


_HOST = re.compile(r"[A-Za-z0-9_-]{1,32}")


def _check_hosts(hosts: list[str], *, mode: OkePoolMode, nodes: int, errors: ErrorList) -> None:
    for i, host in enumerate(hosts):
        at = errors.at(i)
        if not _HOST.fullmatch(host):
            at.add(f"got {host!r}; write 1 to 32 letters, digits, hyphens and underscores")
        if host in hosts[:i]:
            at.add(f"{host} is listed twice; list each once")
    if mode != OkePoolMode.INSTANCES:
        errors.add(f"not allowed with mode: {mode.value}, which names its nodes itself; remove it")
    elif len(hosts) != nodes:
        errors.add(f"got {len(hosts)} names for {nodes} nodes; name each node")


def _check_fabrics(fabrics: list[OkeMemoryFabric], *, mode: OkePoolMode, nodes: int, errors: ErrorList) -> None:
    check_once([each["id"] for each in fabrics], "fabric", "id", errors)
    for i, each in enumerate(fabrics):
        check_ocid(each["id"], ("computegpumemoryfabric",), errors.at(i, "id"))
    if mode != OkePoolMode.GPU_MEMORY_CLUSTER:
        if fabrics:
            errors.add(f"not allowed with mode: {mode.value}; remove it")
    elif not fabrics:
        errors.add("missing; name the GPU memory fabrics, e.g. {id: ocid1.computegpumemoryfabric..., nodes: 18}")
    elif (total := sum(each["nodes"] for each in fabrics)) != nodes:
        errors.add(f"{total} hosts in all, and the pool has {nodes} nodes; make the two agree")


def check_racks(fabrics: list[OkeMemoryFabric], machine: OkeMachine, errors: ErrorList) -> None:
    """No pool takes more hosts of a rack than the rack has."""
    most = machine.max_nodes
    for i, each in enumerate(fabrics):
        if most is not None and not 1 <= (nodes := each["nodes"]) <= most:
            at = errors.at(i, "nodes")
            at.add(f"got {nodes}; must be 1 to {most}, the hosts of {machine.name} that a fabric has")


def check_routes(machine: OkeMachine, dual_stack: bool, errors: ErrorList) -> None:
    """A rack is on no cluster of two address families.

    Routers of its RDMA fabric announce themselves to hosts (kubernetes-sigs/dranet#138, 2026-04-08).
    """
    if dual_stack and machine.is_rack:
        errors.add(
            f"{machine.name} with dual stack: its RDMA ports have default routes of IPv6 by router advertisement, "
            "which would take the pods' packets; remove kubernetes.dualStack, or put these nodes on another cluster"
        )


def check_racks_once(pools: Sequence[Mapping[str, Any]], errors: ErrorList) -> None:
    """A rack belongs to one pool."""
    taken: dict[str, int] = {}
    for i, pool in enumerate(pools):
        for j, fabric in enumerate(pool.get("memory_fabrics", [])):
            if (first := taken.setdefault(name := fabric["id"], i)) < i:
                errors.at(i, "memory_fabrics", j, "id").add(f"{name} is of pools[{first}] already; name each once")


def mode_warnings(name: str, mode: OkePoolMode) -> list[str]:
    """What Oracle does not publish about a mode."""
    if mode != OkePoolMode.MANAGED:
        return []
    return [
        f"pool {name}: OKE's API has no field for the agent's RDMA plugins in managed pools; that it turns them on by "
        "itself is not published. The acceptance test shows whether the RDMA ports have addresses"
    ]

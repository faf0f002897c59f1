"""How pods on GKE get their NICs: the mode that a stack chooses, and the fabric that a machine then has."""

from collections.abc import Sequence
from enum import Enum

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ...catalog.gke import GkeMachine
from ...common.pools import Pool
from ...fabrics import Claims, Fabric, GpuAllocation, PodNetworks, fabrics_of
from .machines import BUILDABLE


class GkeNetworkMode(str, Enum):
    """How the networks of GPU nodes are made, and how pods get NICs on them."""

    DRANET = "dranet"
    """Own networks; open-source DraNet answers claims, also for single GPU and NIC pairs."""
    MANAGED = "managed"
    """Own networks; GKE's managed DRANET answers claims for all NICs of a node or a number of them."""
    MANAGED_AUTO = "managed-auto"
    """The same on networks that GKE makes by itself. A pool that is deleted may hang, and block new ones."""
    POD_NETWORKS = "pod-networks"
    """Own networks, which a pod names to get all NICs of a node. The only mode of A3 High and Mega; SkyPilot's."""


@frozen
class PoolFabric:
    """How pods get NICs and GPUs on the nodes of a pool. It is decided once, whatever else is wrong with the pool."""

    mode: GkeNetworkMode | None
    """The stack's mode; ``None`` is the machine's usual one."""
    machine: GkeMachine | None
    """``None`` where this library does not build it."""
    fabric: Fabric | None
    """``None`` where the machine is not built, or cannot have the mode."""
    allocation: GpuAllocation
    """Who hands out the GPUs."""


def pool_fabric(pool: Pool, mode: GkeNetworkMode | None) -> PoolFabric:
    """The fabric of a pool in the stack's mode, and the user's or the fabric's choice of who hands out GPUs."""
    machine = BUILDABLE.get(pool["machine"])
    fabric = fabric_for(machine, mode) if machine else None
    usual = fabric.default_allocation if fabric else GpuAllocation.DRA
    return PoolFabric(mode, machine, fabric, pool.get("gpu_allocation", usual))


def known_machines(pools: Sequence[PoolFabric]) -> list[GkeMachine]:
    """The machines of the pools whose machine can be built."""
    return [pool.machine for pool in pools if pool.machine]


def mode_used(mode: GkeNetworkMode | None, pools: Sequence[PoolFabric]) -> GkeNetworkMode | None:
    """The mode that the user chose, or the usual one of the first machine, which is that of the others."""
    known = known_machines(pools)
    return usual_mode(known[0]) if mode is None and known else mode


def usual_mode(machine: GkeMachine) -> GkeNetworkMode:
    """The mode of a machine where the user chooses none."""
    return modes_of(machine)[0]


def modes_of(machine: GkeMachine) -> list[GkeNetworkMode]:
    """The modes that a machine can have, its usual one first."""
    return [mode for fabric in fabrics_of(machine) for mode in _modes(fabric)]


def fabric_for(machine: GkeMachine, mode: GkeNetworkMode | None) -> Fabric | None:
    """The fabric of a machine in a mode, or in its usual one; ``None`` where it cannot have it."""
    return next((each for each in fabrics_of(machine) if mode is None or mode in _modes(each)), None)


def _modes(fabric: Fabric) -> list[GkeNetworkMode]:
    if names_networks(fabric):
        return [GkeNetworkMode.POD_NETWORKS]
    return [GkeNetworkMode.MANAGED, GkeNetworkMode.MANAGED_AUTO] if is_managed(fabric) else [GkeNetworkMode.DRANET]


def is_managed(fabric: Fabric) -> bool:
    """Whether GKE itself brings the driver of the NICs."""
    return isinstance(fabric.nic_attachment, Claims) and fabric.nic_attachment.chart is None


def names_networks(fabric: Fabric) -> bool:
    """Whether pods name networks to get NICs, so that a cluster must have objects for them."""
    return isinstance(fabric.nic_attachment, PodNetworks)


def check_one_mode(machines: Sequence[tuple[GkeMachine, ErrorList]]) -> None:
    """One cluster has one mode: where nobody chooses, the machines' usual ones are the same."""
    first = machines[0][0] if machines else None
    for machine, at in machines[1:]:
        if first is not None and usual_mode(machine) != usual_mode(first):
            both = [mode.value for mode in modes_of(machine) if mode in modes_of(first)]
            at.add(
                f"pods on {machine.name} get NICs by {usual_mode(machine).value} where nobody chooses, and those on "
                f"{first.name} by {usual_mode(first).value}; one cluster has one way: set network.mode to "
                f"{_or(both)}"
            )


def _or(modes: Sequence[str]) -> str:
    *most, last = modes
    return f"{', '.join(most)} or {last}" if most else last


def check_mode(pool: PoolFabric, errors: ErrorList) -> None:
    """No claim can name a gVNIC rail: docs.cloud.google.com/.../how-to/allocate-network-resources-dra."""
    if pool.machine is not None and pool.fabric is None and pool.mode is not None:
        can = _or([each.value for each in modes_of(pool.machine)])
        errors.add(
            f"{pool.machine.name} has no network mode {pool.mode.value}; set network.mode to {can}, or leave it out"
        )

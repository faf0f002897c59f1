"""Drivers of GPUs and NICs on GKE: whose they are, and what version of the cluster their claims need."""

from ...catalog import releases
from ...clouds.floors import VersionFloor
from ...fabrics import GpuAllocation
from ...faults import Faults
from ...incluster.plan.dra_drivers import DriverChoice, Part
from .fabric import GkeNetworkMode, fabric_for, names_networks, usual_mode
from .machines import BUILDABLE
from .node_pool import GkePool, allocation_of
from .racks import check_one_owner
from .site import known_machines


def mode_used(mode: GkeNetworkMode | None, pools: list[GkePool]) -> GkeNetworkMode | None:
    """The mode as chosen, or the first machine's usual one: that of the others is the same."""
    known = known_machines(pools)
    return usual_mode(known[0]) if mode is None and known else mode


def check_drivers(drivers: DriverChoice, mode: GkeNetworkMode | None, faults: Faults) -> None:
    """The mode says whose driver of NICs it is; ``drivers`` can only say that ours is there already."""
    part = drivers.get("nic")
    if part == Part.MANAGED:
        faults.at("nic").add("got managed; on GKE that is network.mode: managed; remove it here and set it there")
    elif part is not None and mode is not None and mode is not GkeNetworkMode.DRANET:
        faults.at("nic").add(f"not allowed with network.mode: {mode.value}, which has no driver of ours; remove it")


def drivers_of(drivers: DriverChoice, mode: GkeNetworkMode | None) -> DriverChoice:
    """The choice, with GKE as the owner of the NICs' driver where it is."""
    managed = mode in (GkeNetworkMode.MANAGED, GkeNetworkMode.MANAGED_AUTO)
    return DriverChoice(**{**drivers, "nic": Part.MANAGED}) if managed else drivers


def check_owners(pools: list[GkePool], mode: GkeNetworkMode | None, faults: Faults) -> None:
    """One driver of NVIDIA's serves all pools, of which each says who hands out its GPUs."""
    found = []
    for i, pool in enumerate(pools):
        name = pool["machine"]
        machine = BUILDABLE.get(name)
        fabric = fabric_for(machine, mode) if machine else None
        if machine is not None and fabric is not None:
            found.append((machine, allocation_of(pool, fabric), faults.at(i, "gpu_allocation")))
    check_one_owner(found)


def floors(pools: list[GkePool], mode: GkeNetworkMode | None) -> list[VersionFloor]:
    """What claims need of the cluster, where a pool has any; machines not known are taken to."""
    found = [_claimed(pool, mode) for pool in pools]
    claimed = [allocation for each in found for allocation in each]
    if GpuAllocation.DRA in claimed:
        remedy = "raise it, or give the pools gpuAllocation: device-plugin"
        return [VersionFloor("claims for GPUs need", releases.GKE.gpu_dra, remedy)]
    if claimed:
        return [VersionFloor("claims for NICs need", releases.GKE.nic_dra, "raise it")]
    racks = any(machine.is_rack for machine in known_machines(pools))
    return [VersionFloor("claims for IMEX channels need", releases.GKE.nic_dra, "raise it")] if racks else []


def _claimed(pool: GkePool, mode: GkeNetworkMode | None) -> list[GpuAllocation]:
    """Who hands out the GPUs, where NICs are claimed."""
    machine = BUILDABLE.get(pool["machine"])
    fabric = fabric_for(machine, mode) if machine else None
    return [] if fabric and names_networks(fabric) else [allocation_of(pool, fabric)]

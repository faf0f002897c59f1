"""Drivers of GPUs and NICs on GKE: who brings them, and which version of the cluster their claims need."""

from ...catalog import releases
from ...common.minimum_versions import MinimumVersion
from ...errors import ErrorList
from ...fabrics import GpuAllocation
from ...incluster.plan.dra_drivers import DriverOptions, ManagedBy
from .fabric import GkeNetworkMode, fabric_for, names_networks, usual_mode
from .gpu_pools import known_machines
from .machines import BUILDABLE
from .node_pool import GkePool, allocation_of


def mode_used(mode: GkeNetworkMode | None, pools: list[GkePool]) -> GkeNetworkMode | None:
    """The mode as chosen, or the first machine's usual one: that of the others is the same."""
    known = known_machines(pools)
    return usual_mode(known[0]) if mode is None and known else mode


def check_drivers(drivers: DriverOptions, mode: GkeNetworkMode | None, errors: ErrorList) -> None:
    """The mode decides who brings the driver of the NICs; ``drivers`` can only name ours as existing."""
    part = drivers.get("nic")
    if part == ManagedBy.MANAGED:
        errors.at("nic").add("got managed; on GKE that is network.mode: managed; remove it here and set it there")
    elif part is not None and mode is not None and mode is not GkeNetworkMode.DRANET:
        errors.at("nic").add(f"not allowed with network.mode: {mode.value}, which has no driver of ours; remove it")


def drivers_of(drivers: DriverOptions, mode: GkeNetworkMode | None) -> DriverOptions:
    """The choice; in a managed mode GKE brings the driver of the NICs."""
    managed = mode in (GkeNetworkMode.MANAGED, GkeNetworkMode.MANAGED_AUTO)
    return DriverOptions(**{**drivers, "nic": ManagedBy.MANAGED}) if managed else drivers


def check_owners(pools: list[GkePool], mode: GkeNetworkMode | None, errors: ErrorList) -> None:
    """One NVIDIA driver serves all nodes with one setting: channels beside device plugins, or channels and GPUs."""
    handed_out = [
        (machine, allocation, errors.at(i, "gpu_allocation"))
        for i, pool in enumerate(pools)
        if (machine := BUILDABLE.get(pool["machine"])) and (fabric := fabric_for(machine, mode))
        # A pool whose machine refuses claims has that error alone.
        if not ((allocation := allocation_of(pool, fabric)) == GpuAllocation.DRA and machine.plugged_alone)
    ]
    claimed = next((machine for machine, allocation, _ in handed_out if allocation == GpuAllocation.DRA), None)
    for machine, allocation, at in handed_out:
        if claimed is not None and machine.is_rack and allocation != GpuAllocation.DRA:
            at.add(
                f"the GPUs of {machine.name} are handed out by GKE's device plugin and those of {claimed.name} by "
                "claims; NVIDIA's driver, which hands out the racks' IMEX channels, can do one of the two for a "
                "cluster; give all pools the same gpuAllocation"
            )


def minimum_versions(pools: list[GkePool], mode: GkeNetworkMode | None) -> list[MinimumVersion]:
    """The versions that claims need. A machine that is not known counts as one with claims."""
    claimed = set[GpuAllocation]()
    for pool in pools:
        machine = BUILDABLE.get(pool["machine"])
        fabric = fabric_for(machine, mode) if machine else None
        if fabric is None or not names_networks(fabric):
            claimed.add(allocation_of(pool, fabric))
    if GpuAllocation.DRA in claimed:
        remedy = "raise it, or give the pools gpuAllocation: device-plugin"
        return [MinimumVersion("claims for GPUs need", releases.GKE.gpu_dra, remedy)]
    if claimed:
        return [MinimumVersion("claims for NICs need", releases.GKE.nic_dra, "raise it")]
    racks = any(machine.is_rack for machine in known_machines(pools))
    return [MinimumVersion("claims for IMEX channels need", releases.GKE.nic_dra, "raise it")] if racks else []

"""Drivers of GPUs and NICs on GKE: who brings them, and which version of the cluster their claims need."""

from collections.abc import Sequence

from pulumi_offline.errors import ErrorList
from ...catalog import releases
from ...common.minimum_versions import MinimumVersion
from ...fabrics import GpuAllocation
from ...incluster.plan.dra_drivers import DriverOptions, ManagedBy
from .fabric import GkeNetworkMode, PoolFabric, known_machines, names_networks


def check_drivers(drivers: DriverOptions, mode: GkeNetworkMode | None, errors: ErrorList) -> None:
    """Refuse a choice for the driver of the NICs that the mode has made already."""
    part = drivers.get("nic")
    if part == ManagedBy.MANAGED:
        errors.at("nic").add("got managed; on GKE that is network.mode: managed; remove it here and set it there")
    elif part is not None and mode is not None and mode is not GkeNetworkMode.DRANET:
        errors.at("nic").add(f"not allowed with network.mode: {mode.value}, which has no driver of ours; remove it")


def drivers_of(drivers: DriverOptions, mode: GkeNetworkMode | None) -> DriverOptions:
    """The user's choice of drivers, with GKE's own driver of the NICs in a managed mode."""
    managed = mode in (GkeNetworkMode.MANAGED, GkeNetworkMode.MANAGED_AUTO)
    return DriverOptions(**{**drivers, "nic": ManagedBy.MANAGED}) if managed else drivers


def check_owners(pools: Sequence[PoolFabric], errors: ErrorList) -> None:
    """Refuse racks with device plugins beside pools with claims for GPUs.

    One NVIDIA driver serves all nodes with one setting: channels beside device plugins, or channels and GPUs.
    """
    handed_out = [
        (machine, pool.allocation, i)
        for i, pool in enumerate(pools)
        if pool.fabric and (machine := pool.machine)
        # A pool whose machine refuses claims has that error alone.
        if not (pool.allocation == GpuAllocation.DRA and machine.plugged_alone)
    ]
    claimed = next((machine for machine, allocation, _ in handed_out if allocation == GpuAllocation.DRA), None)
    for machine, allocation, i in handed_out:
        if claimed is not None and machine.is_rack and allocation != GpuAllocation.DRA:
            errors.at(i, "gpu_allocation").add(
                f"the GPUs of {machine.name} are handed out by GKE's device plugin and those of {claimed.name} by "
                "claims; NVIDIA's driver, which hands out the racks' IMEX channels, can do one of the two for a "
                "cluster; give all pools the same gpuAllocation"
            )


def minimum_versions(pools: Sequence[PoolFabric]) -> list[MinimumVersion]:
    """The versions that claims need. A machine that is not known counts as one with claims."""
    claimed = {pool.allocation for pool in pools if pool.fabric is None or not names_networks(pool.fabric)}
    if GpuAllocation.DRA in claimed:
        remedy = "raise it, or give the pools gpuAllocation: device-plugin"
        return [MinimumVersion("claims for GPUs need", releases.GKE.gpu_dra, remedy)]
    if claimed:
        return [MinimumVersion("claims for NICs need", releases.GKE.nic_dra, "raise it")]
    racks = any(machine.is_rack for machine in known_machines(pools))
    return [MinimumVersion("claims for IMEX channels need", releases.GKE.nic_dra, "raise it")] if racks else []

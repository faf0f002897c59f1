"""What each transport decides, one file a fabric. Pure; all other code reads these decisions here."""
# ruff: noqa: F401 (other rooms read these names here)

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module

from nccl_verdict.expectation import Network
from ..catalog import machines
from ..catalog.machine import Machine
from .acceptance import FabricAcceptance, Launcher
from .fabric import DriverCounters, Fabric, GpuAllocation, InterfaceCounters, PortCounters
from .nic_attachment import Claims, ExtendedResource, HostNetwork, Install, NicAttachment, PodNetwork, PodNetworks
from .plugin import HostDaemon, HostPlugin, ImagePlugin, NoPlugin, Plugin
from .pod_patch import ConfigFile, HostMount, PodPatch, Sidecar

_FILES = ("gib", "tcpx", "tcpxo", "efa", "infiniband", "infiniband_aks", "roce")
"""One file a transport, or what one cloud makes of it: the one entry that a new fabric adds."""

FABRICS: Mapping[str, Fabric] = {
    fabric.name: fabric for file in _FILES for fabric in import_module(f".{file}", __name__).FABRICS
}
"""By name; the first of a transport is its usual one."""

NIC_DRIVERS: Mapping[str, Claims] = {
    fabric.nic_attachment.driver: fabric.nic_attachment
    for fabric in FABRICS.values()
    if isinstance(fabric.nic_attachment, Claims)
}
"""DRA drivers of NICs by name."""

NIC_PLUGINS: Mapping[str, ExtendedResource] = {
    fabric.nic_attachment.driver: fabric.nic_attachment
    for fabric in FABRICS.values()
    if isinstance(fabric.nic_attachment, ExtendedResource)
}
"""Device plugins of NICs by name."""


def fabric_of(machine: Machine) -> Fabric | None:
    """The usual fabric of a machine; ``None`` where no file here knows its transport."""
    return next(iter(fabrics_of(machine)), None)


def fabrics_of(machine: Machine) -> list[Fabric]:
    """The fabrics that a machine can have, its usual one first."""
    return [fabric for fabric in FABRICS.values() if fabric.is_for(machine)]


def nic_drivers_of(machine: Machine) -> list[Claims]:
    """The DRA drivers that can hand out a machine's NICs, its usual one first."""
    attachments = (fabric.nic_attachment for fabric in fabrics_of(machine))
    return list({each.driver: each for each in attachments if isinstance(each, Claims)}.values())


def nic_charts_on(cloud: str) -> list[str]:
    """The DRA drivers of NICs that this library can install on a cloud's nodes, the usual one first."""
    drivers = (driver for machine in machines(cloud) for driver in nic_drivers_of(machine))
    return list(dict.fromkeys(driver.driver for driver in drivers if driver.chart is not None))


def network_of(machine: Machine) -> Network | None:
    """What NCCL prints on a machine: of its usual fabric, or of its transport where no fabric is built for it."""
    of_transport = (fabric for fabric in FABRICS.values() if fabric.transport is machine.transport)
    fabric = fabric_of(machine) or next(of_transport, None)
    return fabric.acceptance.network if fabric else None


def nearest(name: str) -> list[str]:
    """The fabrics most like what a user wrote, best first."""
    return get_close_matches(name, FABRICS, n=4, cutoff=0.0)


def unknown_fabric(name: str) -> str:
    """Why a name is no fabric's, with those that are most like it."""
    return f"unknown fabric {name!r}; nearest are {', '.join(nearest(name))}"

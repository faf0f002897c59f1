"""What each transport decides, one file a fabric. Pure; whoever needs a decision of a transport reads it here."""

from collections.abc import Mapping
from difflib import get_close_matches

from ..catalog.machine import Machine
from . import efa, gib, infiniband, roce, tcpx, tcpxo
from .fabric import (
    Carrier,
    Claims,
    ConfigFile,
    DriverCounters,
    Exposure,
    ExtendedResource,
    Fabric,
    Fragment,
    GpuAllocation,
    HostDaemon,
    HostMount,
    HostNetwork,
    HostPlugin,
    ImagePlugin,
    Install,
    InterfaceCounters,
    NoPlugin,
    Plugin,
    PodNetwork,
    PodNetworks,
    PortCounters,
    Proof,
    Sidecar,
)

__all__ = [
    "FABRICS",
    "NIC_DRIVERS",
    "NIC_PLUGINS",
    "Carrier",
    "Claims",
    "ConfigFile",
    "DriverCounters",
    "Exposure",
    "ExtendedResource",
    "Fabric",
    "Fragment",
    "GpuAllocation",
    "HostDaemon",
    "HostMount",
    "HostNetwork",
    "HostPlugin",
    "ImagePlugin",
    "Install",
    "InterfaceCounters",
    "NoPlugin",
    "Plugin",
    "PodNetwork",
    "PodNetworks",
    "PortCounters",
    "Proof",
    "Sidecar",
    "fabric_of",
    "fabrics_of",
    "nearest",
    "unknown_fabric",
]

FABRICS: Mapping[str, Fabric] = {
    fabric.name: fabric for room in (gib, tcpx, tcpxo, efa, infiniband, roce) for fabric in room.FABRICS
}
"""By name; the first of a transport is its usual one."""

NIC_DRIVERS: Mapping[str, Claims] = {
    fabric.exposure.driver: fabric.exposure for fabric in FABRICS.values() if isinstance(fabric.exposure, Claims)
}
"""DRA drivers of NICs by name."""

NIC_PLUGINS: Mapping[str, ExtendedResource] = {
    fabric.exposure.driver: fabric.exposure
    for fabric in FABRICS.values()
    if isinstance(fabric.exposure, ExtendedResource)
}
"""Device plugins of NICs by name."""


def fabric_of(machine: Machine) -> Fabric | None:
    """The usual fabric of a machine; ``None`` where no file here knows its transport."""
    return next(iter(fabrics_of(machine)), None)


def fabrics_of(machine: Machine) -> list[Fabric]:
    """The fabrics that a machine can have, its usual one first."""
    return [fabric for fabric in FABRICS.values() if fabric.is_for(machine)]


def nearest(name: str) -> list[str]:
    """The fabrics most like what a user wrote, best first."""
    return get_close_matches(name, FABRICS, n=4, cutoff=0.0)


def unknown_fabric(name: str) -> str:
    """Why a name is no fabric's, with those that are most like it."""
    return f"unknown fabric {name!r}; nearest are {', '.join(nearest(name))}"

"""Who answers the claims: the drivers with their versions, the Kubernetes minor, and how a claim names a rail."""

import json
import re
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ..base.versions import parse
from ..catalog import Machine, NicKind, charts
from ..fabrics import NIC_DRIVERS, Claims, GpuAllocation, fabric_of, nic_charts_on, nic_drivers_of
from ..fabrics.dranet import DRANET
from .template import API_VERSION

PCIE_ROOT = "resource.kubernetes.io/pcieRoot"
NUMA_NODE = "resource.kubernetes.io/numaNode"


def driver_of(machine: Machine) -> Claims:
    """The usual DRA driver of a machine's NICs."""
    return drivers_of(machine)[0]


def drivers_of(machine: Machine) -> list[Claims]:
    """Those that can hand out a machine's NICs; the usual one of its cloud where no fabric of the machine has one."""
    return nic_drivers_of(machine) or [NIC_DRIVERS[nic_charts_on(machine.cloud)[0]]]


def check_driver(name: str, machine: Machine, errors: ErrorList) -> bool:
    """Whether a driver hands out a machine's NICs."""
    known = [each.driver for each in drivers_of(machine)]
    if name not in known:
        errors.add(f"got {name}, which does not hand out the NICs of {machine.name}; choose one of {', '.join(known)}")
    return name in known


def kubernetes_minor(text: str) -> tuple[int, int]:
    """``1.35`` or any longer form, such as ``v1.35.2-gke.100``, as numbers."""
    if not (form := re.match(r"v?(\d+)\.(\d+)(?![0-9])", text, re.ASCII)):
        raise ValueError(f"kubernetes: got {text!r}; a version such as 1.35")
    return int(form[1]), int(form[2])


_GPU_CLASS = (
    "gpu.nvidia.com",
    'device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "gpu"',
)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def nvidia_order(version: str) -> tuple[int, ...]:
    """Sort key of NVIDIA DRA driver versions by date: v25.12.0 (2026-02) came before 0.4.0 (2026-05)."""
    numbers = _numbers(version)
    return (0 if numbers[0] >= 25 else 1, *numbers)


def judged_minor(version: str) -> tuple[int, int]:
    """The minor that claims are judged under: the cluster's own rules refuse one below the minimum version of DRA."""
    dra = (1, 34)  # ``resource.k8s.io/v1`` is served from here on
    major, minor = (parse(version) or dra)[:2]
    return max(dra, (major, minor))


@frozen
class Target:
    """A cluster as far as claims are concerned."""

    nics: Claims = DRANET
    """The DRA driver that hands out NICs."""
    gpus: GpuAllocation = GpuAllocation.DRA
    kubernetes: tuple[int, int] = (1, 35)
    dranet: str = ""
    """Version of DraNet; empty takes the one that the driver follows."""
    nvidia: str = charts.NVIDIA_DRA_DRIVER.version
    """Version of NVIDIA's GPU DRA driver."""

    def __post_init__(self) -> None:
        if not self.dranet:
            object.__setattr__(self, "dranet", self.nics.follows)

    @property
    def gpu_class(self) -> str:
        """DeviceClass of a GPU request."""
        return _GPU_CLASS[0]

    @property
    def nic_class(self) -> str:
        """DeviceClass of a NIC request."""
        return self.nics.device_class

    @property
    def classes(self) -> dict[str, str]:
        """CEL selector of each DeviceClass that a claim may name."""
        return dict((_GPU_CLASS, (self.nics.device_class, self.nics.selector)))

    @property
    def own_class(self) -> dict[str, Any] | None:
        """The DeviceClass that must be applied beside the claims, where no driver brings one."""
        if not self.nics.makes_class:
            return None
        return {
            "apiVersion": API_VERSION,
            "kind": "DeviceClass",
            "metadata": {"name": self.nic_class},
            "spec": {"selectors": [{"cel": {"expression": self.nics.selector}}]},
        }

    @property
    def has_pcie_root(self) -> bool:
        """NVIDIA's driver publishes ``pcieRoot`` from v25.8.0 on, DraNet from 0.5.1 on."""
        return nvidia_order(self.nvidia) >= nvidia_order("25.8.0") and _numbers(self.dranet) >= (0, 5, 1)

    @property
    def gpu_has_bus_id(self) -> bool:
        """The standard ``pciBusID`` is sure from 0.4.0 on; sources disagree about v25.12."""
        return nvidia_order(self.nvidia) >= nvidia_order("0.4.0")

    @property
    def has_numa_node(self) -> bool:
        """The standard ``numaNode``: Kubernetes 1.37, NVIDIA's driver 0.5.0, a DraNet later than 1.4.0."""
        nvidia = nvidia_order(self.nvidia) >= nvidia_order("0.5.0")
        return nvidia and self.kubernetes >= (1, 37) and _numbers(self.dranet) > (1, 4, 0)


def any_of(domain: str, attribute: str, values: tuple[str, ...]) -> str:
    """A CEL selector for devices whose attribute has one of the values; a device without it is no match, no error."""
    read = f'device.attributes["{domain}"].?{attribute}.orValue("")'
    if len(values) == 1:
        return f"{read} == {json.dumps(values[0])}"
    return f"{read} in {json.dumps(list(values))}"


def all_of(*expressions: str) -> tuple[str, ...]:
    """One selector of several: a scheduler builds the device anew for each that it asks. None makes none."""
    return (" && ".join(expressions),) if expressions else ()


def rail_bound(machine: Machine) -> bool:
    """Whether pods of one job must hold the same rails; true where no fabric is built for the machine."""
    fabric = fabric_of(machine)
    return fabric is None or fabric.rail_bound


def naming(machine: Machine, target: Target) -> tuple[str, str, tuple[str, ...]] | None:
    """What names the rails: the catalogue's field, the attribute of ``dra.net``, and its values in rail order.

    Rails matter where a NIC reaches only its like on other nodes (RoCE subnets, rail-wired InfiniBand). Where any two
    NICs reach each other, a claim that leaves them open serves every copy on a node.
    """
    if not rail_bound(machine) or not target.nics.names_nics:
        return None
    for field, attribute, values in (
        ("nic_names", "ifName", machine.nic_names if machine.nic_kind is NicKind.NETDEV_RDMA else None),
        ("nic_pci", "pciAddress", machine.nic_pci),
        ("rdma_names", "rdmaDevice", machine.rdma_names),
    ):
        if values:
            return field, attribute, values
    return None


def pin(machine: Machine, target: Target, nics: tuple[int, ...]) -> str | None:
    """The selector of these rails, or ``None`` when nothing names them or they need no name."""
    if (named_by := naming(machine, target)) is None:
        return None
    _, attribute, values = named_by
    return any_of("dra.net", attribute, tuple(values[nic] for nic in nics))

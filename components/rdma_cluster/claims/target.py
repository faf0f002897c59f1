"""Who answers the claims: the drivers with their versions, and the Kubernetes minor."""

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ..catalog import Cloud, releases
from .template import API_VERSION

PCIE_ROOT = "resource.kubernetes.io/pcieRoot"
NUMA_NODE = "resource.kubernetes.io/numaNode"
OWN_CLASS = "dranet"
OWN_CLASS_SELECTOR = 'device.driver == "dra.net"'
"""Upstream DraNet ships no DeviceClass; this one is ours."""


class NicDriver(str, Enum):
    """The DRA driver that hands out NICs."""

    DRANET = "dranet"
    """kubernetes-sigs/dranet from its own chart."""
    AWS_DRANET = "aws-dranet"
    """The chart ``eks/aws-dranet``, which publishes EFA devices only."""
    GKE_MANAGED = "gke-managed"
    """GKE's managed DRANET."""
    AKS_MANAGED = "aks-managed"
    """AKS's managed DRANET."""


class GpuMode(str, Enum):
    """Who hands out the GPUs."""

    DRA = "dra"
    DEVICE_PLUGIN = "device-plugin"


def nic_driver_of(cloud: Cloud) -> NicDriver:
    """The NIC driver of a cloud unless the user names another."""
    return NicDriver.AWS_DRANET if cloud is Cloud.EKS else NicDriver.DRANET


def kubernetes_minor(text: str) -> tuple[int, int]:
    """``1.35`` or any longer form, such as ``v1.35.2-gke.100``, as numbers."""
    form = re.match(r"v?(\d+)\.(\d+)(?![0-9])", text)
    if not form:
        raise ValueError(f"kubernetes: got {text!r}; a version such as 1.35")
    return int(form[1]), int(form[2])


_NIC_CLASS = {
    NicDriver.DRANET: (OWN_CLASS, OWN_CLASS_SELECTOR),
    NicDriver.AWS_DRANET: (
        "efa.networking.k8s.aws",
        'device.driver == "dra.net" && '
        'device.attributes["dra.net"].?pciDevice.orValue("") == "Elastic Fabric Adapter (EFA)"',
    ),
    # GKE installs the class and does not publish its selector; nothing but RDMA NICs is known to match it.
    NicDriver.GKE_MANAGED: ("mrdma.google.com", 'device.driver == "mrdma.google.com"'),
    # No DeviceClass of AKS's is published, its driver is dra.net: ours selects the devices.
    NicDriver.AKS_MANAGED: (OWN_CLASS, OWN_CLASS_SELECTOR),
}
_GPU_CLASS = (
    "gpu.nvidia.com",
    'device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "gpu"',
)
_BUILT_FROM = {NicDriver.AWS_DRANET: "1.2.0", NicDriver.GKE_MANAGED: "1.0.1", NicDriver.AKS_MANAGED: "1.0.1"}
"""The upstream DraNet that a provider's build is known, or at least taken, to follow."""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def nvidia_order(version: str) -> tuple[int, ...]:
    """Sort key of NVIDIA DRA driver versions by date: v25.12.0 (2026-02) came before 0.4.0 (2026-05)."""
    numbers = _numbers(version)
    return (0 if numbers[0] >= 25 else 1, *numbers)


@dataclass(frozen=True)
class Target:
    """A cluster as far as claims are concerned."""

    nic_driver: NicDriver = NicDriver.DRANET
    gpu_mode: GpuMode = GpuMode.DRA
    kubernetes: tuple[int, int] = (1, 35)
    dranet: str = field(default="")
    """Version of DraNet; empty takes the pinned one, or what the provider's build is known to follow."""
    nvidia: str = releases.NVIDIA_DRA_DRIVER.version
    """Version of NVIDIA's GPU DRA driver."""

    def __post_init__(self) -> None:
        if not self.dranet:
            object.__setattr__(self, "dranet", _BUILT_FROM.get(self.nic_driver, releases.DRANET.version))

    @property
    def gpu_class(self) -> str:
        """DeviceClass of a GPU request."""
        return _GPU_CLASS[0]

    @property
    def nic_class(self) -> str:
        """DeviceClass of a NIC request."""
        return _NIC_CLASS[self.nic_driver][0]

    @property
    def classes(self) -> dict[str, str]:
        """CEL selector of each DeviceClass that a claim may name."""
        return dict((_GPU_CLASS, _NIC_CLASS[self.nic_driver]))

    @property
    def own_class(self) -> dict[str, Any] | None:
        """The DeviceClass that must be applied beside the claims, where no driver brings one."""
        if self.nic_class != OWN_CLASS:
            return None
        return {
            "apiVersion": API_VERSION,
            "kind": "DeviceClass",
            "metadata": {"name": OWN_CLASS},
            "spec": {"selectors": [{"cel": {"expression": OWN_CLASS_SELECTOR}}]},
        }

    @property
    def has_pcie_root(self) -> bool:
        """NVIDIA's driver publishes ``pcieRoot`` from v25.8.0 on, DraNet from 1.0.1 on."""
        return nvidia_order(self.nvidia) >= nvidia_order("25.8.0") and _numbers(self.dranet) >= (1, 0, 1)

    @property
    def gpu_has_bus_id(self) -> bool:
        """The standard ``pciBusID`` is sure from 0.4.0 on; sources disagree about v25.12."""
        return nvidia_order(self.nvidia) >= nvidia_order("0.4.0")

    @property
    def has_numa_node(self) -> bool:
        """The standard ``numaNode``: Kubernetes 1.37, NVIDIA's driver 0.5.0, a DraNet later than 1.4.0."""
        return (
            self.kubernetes >= (1, 37)
            and nvidia_order(self.nvidia) >= nvidia_order("0.5.0")
            and _numbers(self.dranet) > (1, 4, 0)
        )

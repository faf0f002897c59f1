"""Who brings which driver to AKS nodes: one choice, which sets properties of the pools and values of the operators."""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Choice, args_schema
from ...base.other_names import other_names
from ...catalog import images
from ...fabrics import Fabric, GpuAllocation
from ...fabrics.infiniband import INFINIBAND, Tuning
from ...fabrics.infiniband_aks import RDMA_HCA_SHARED, RDMA_IB, RDMA_SHARED_IB
from ...incluster.plan.dra_drivers import DriverOptions, InstalledBy, ManagedBy, refuse_managed


class AksGpuDriver(str, Enum):
    """Who installs NVIDIA's kernel driver. The pool and the GPU Operator must agree, or no GPU is allocatable."""

    OPERATOR = "operator"
    """The GPU Operator, on nodes that come without a driver. AKS's own checks of GPUs do not run there."""
    AKS = "aks"
    """AKS, with the node image; its node problem detector then checks GPUs, NVLink and InfiniBand links."""

    @property
    def in_pool(self) -> str:
        """``gpuProfile.driver`` of the pool."""
        return "Install" if self is AksGpuDriver.AKS else "None"


class AksRdmaDriver(str, Enum):
    """Who brings the InfiniBand driver."""

    DOCA = "doca"
    """NVIDIA's, compiled on each node by the Network Operator; nvidia-peermem or DMA-BUF registers GPU memory."""
    INBOX = "inbox"
    """The kernel's own; DMA-BUF registers GPU memory."""


class AksRdmaResource(str, Enum):
    """What a pod asks for to get NICs, where a device plugin hands them out."""

    IB = "rdma/ib"
    """NICs for the pod alone: ask for as many as it shall have."""
    SHARED_IB = "rdma/shared_ib"
    """All NICs of the node, shared with other pods: ask for 1."""
    HCA_SHARED = "rdma/hca_shared_devices_a"
    """All NICs of the node, as ``rdma/shared_ib``, under the name that NeMo, Dynamo and AICR ask for."""


class AksMemoryLock(str, Enum):
    """How containers get to lock the memory that NICs read and write."""

    ROOT = "root"
    """By capability IPC_LOCK, which reaches containers that run as root, and no others."""
    NODE = "node"
    """By lifting the limit for every container of a GPU node, which restarts containerd once."""


@other_names({"rdma_resource": "rdmaDeviceName"})  # NeMo Platform's chart
@args_schema
class AksDriverOptions(TypedDict):
    """Who brings which driver."""

    gpu_driver: NotRequired[Choice[AksGpuDriver]]
    """NVIDIA's kernel driver. Default: ``operator``."""
    rdma_driver: NotRequired[Choice[AksRdmaDriver]]
    """The InfiniBand driver. Default: ``doca`` with device plugins, ``inbox`` with claims."""
    rdma_resource: NotRequired[Choice[AksRdmaResource]]
    """What pods ask the NICs' device plugin for. Default: ``rdma/ib``."""
    memory_lock: NotRequired[Choice[AksMemoryLock]]
    """Default: ``root``."""
    sharp: NotRequired[bool]
    """Let switches reduce: further settings, for images that hold nccl-rdma-sharp-plugins. Default: false."""
    gpu: NotRequired[Choice[InstalledBy]]
    """NVIDIA's DRA driver. Default: ``installed``."""
    nic: NotRequired[Choice[ManagedBy]]
    """The DRA driver of the NICs. Default: ``installed``."""


@frozen
class AksDrivers:
    """The drivers of a stack, with every default filled in."""

    allocation: GpuAllocation
    gpu_driver: AksGpuDriver
    rdma_driver: AksRdmaDriver
    memory_lock: AksMemoryLock
    fabric: Fabric
    dra: DriverOptions
    """Options of the DRA drivers."""

    @property
    def gpu_operator(self) -> bool:
        """Whether NVIDIA's GPU Operator is installed: for the driver, for the device plugin, or for both."""
        return self.gpu_driver == AksGpuDriver.OPERATOR or self.plugged

    @property
    def network_operator(self) -> bool:
        """Whether NVIDIA's Network Operator is installed: for the driver, for the device plugin, or for both."""
        return self.rdma_driver == AksRdmaDriver.DOCA or self.plugged

    @property
    def plugged(self) -> bool:
        """Whether device plugins hand out GPUs and NICs."""
        return self.allocation == GpuAllocation.DEVICE_PLUGIN

    @property
    def peermem(self) -> bool:
        """Whether nvidia-peermem is loaded; it is built against NVIDIA's InfiniBand driver.

        Built where nothing offers the symbols of that driver it does not load (its init returns EINVAL:
        NVIDIA/open-gpu-kernel-modules nvidia-peermem.c), and AKS's driver is built before that one comes. Azure's guide
        loads AKS's by a DaemonSet all the same (Azure/aks-rdma-infiniband@700dabb 02-gpu-drivers.md, issue 50). That it
        still can on kernel 6.8 is unverified, so it is left out: the proof fails where DMA-BUF does not work either.
        """
        return self.gpu_driver == AksGpuDriver.OPERATOR and self.rdma_driver == AksRdmaDriver.DOCA

    @property
    def on_nodes(self) -> tuple[str, ...]:
        """What drives GPUs and NICs, by version where it is ours: another one is proved anew."""
        by_operator, doca = self.gpu_driver == AksGpuDriver.OPERATOR, self.rdma_driver == AksRdmaDriver.DOCA
        gpu = images.GPU_DRIVER.image if by_operator else "the node image's"
        return gpu, images.DOCA_DRIVER.image if doca else "the kernel's"

    @property
    def seconds(self) -> int:
        """How much longer than a pull of images a new node takes until its GPUs are there."""
        return 1200 if self.gpu_driver == AksGpuDriver.OPERATOR else 0

    @property
    def host(self) -> str:
        """The nodes' system, a name in ``catalog.clouds.HOSTS``: where the driver lies follows from who installs it."""
        return "ubuntu-aks" if self.gpu_driver == AksGpuDriver.AKS else "ubuntu-operator"


_RESOURCES = {
    AksRdmaResource.IB: RDMA_IB,
    AksRdmaResource.SHARED_IB: RDMA_SHARED_IB,
    AksRdmaResource.HCA_SHARED: RDMA_HCA_SHARED,
}
_MANAGED_NICS = (
    "AKS's managed DRANET is a property of pools from API version 2026-08-01 on (networkProfile.dranet.mode), and "
    "azure-native speaks 2025-09-01: it cannot be asked for yet"
)


def plan_drivers(choice: AksDriverOptions, allocations: Sequence[GpuAllocation], errors: ErrorList) -> AksDrivers:
    """Choose the drivers of a cluster whose pools hand out their devices as ``allocations`` say.

    The plan of the stack refuses pools that differ; here the first of them counts.
    """
    allocation = next(iter(allocations), GpuAllocation.DRA)
    plugged = allocation == GpuAllocation.DEVICE_PLUGIN
    parts: dict[str, Any] = {key: choice[key] for key in ("gpu", "nic") if key in choice}
    dra = refuse_managed(DriverOptions(**parts), _MANAGED_NICS, errors)
    if choice.get("rdma_resource") is not None and not plugged:
        errors.at("rdma_resource").add(
            "not allowed with claims, which name no resource; remove it, or set gpuAllocation: device-plugin on the "
            "pools"
        )
    usual = AksRdmaDriver.DOCA if plugged else AksRdmaDriver.INBOX
    lock = choice.get("memory_lock", AksMemoryLock.ROOT)
    tuning = Tuning(sharp=bool(choice.get("sharp", False)), locks_memory=lock == AksMemoryLock.ROOT)
    fabric = _RESOURCES[choice.get("rdma_resource", AksRdmaResource.IB)] if plugged else INFINIBAND
    return AksDrivers(
        allocation=allocation,
        gpu_driver=choice.get("gpu_driver", AksGpuDriver.OPERATOR),
        rdma_driver=choice.get("rdma_driver", usual),
        memory_lock=lock,
        fabric=replace(fabric, tuned=tuning),
        dra=dra,
    )


def check_alike(allocations: Sequence[GpuAllocation], errors: ErrorList) -> None:
    """Check that all pools hand out GPUs alike: the GPU Operator's device plugin is on or off for the whole cluster."""
    for i, own in enumerate(allocations):
        if own != (first := allocations[0]):
            errors.at(i, "gpu_allocation").add(
                f"got {own.value}, and pools[0] has {first.value}; the GPU Operator serves all nodes of a cluster "
                "alike: give all pools one, or make a second stack"
            )


def driver_warnings(drivers: AksDrivers) -> list[str]:
    """Warn of what a choice of drivers gives up, or leaves to others."""
    warnings, by_aks = [], drivers.gpu_driver == AksGpuDriver.AKS
    if drivers.rdma_driver == AksRdmaDriver.INBOX:
        warnings.append(
            "drivers.rdmaDriver is inbox: others have run NCCL over the kernel's own InfiniBand driver on H100, and "
            "published no bandwidth; GPU memory is registered by DMA-BUF, which wants NVIDIA's open kernel modules"
            + (", the default of the installer that AKS runs" if by_aks else "")
        )
        if drivers.plugged:
            warnings.append(
                "drivers.rdmaDriver is inbox: the device plugin picks NICs by PCI id, for want of a network interface; "
                "an Ethernet function of the same id would be handed out, too"
            )
    if by_aks and drivers.rdma_driver == AksRdmaDriver.DOCA:
        warnings.append(
            "drivers.gpuDriver is aks: nvidia-peermem of AKS's driver is built before the InfiniBand driver comes, and "
            "is not loaded; GPU memory is registered by DMA-BUF, which wants NVIDIA's open kernel modules, the default "
            "of the installer that AKS runs"
        )
    if by_aks:
        warnings.append(
            "drivers.gpuDriver is aks: the container toolkit of AKS's node images gives all GPUs of the node to a pod "
            "that sets NVIDIA_VISIBLE_DEVICES=all, whatever it asked for"
        )
    else:
        warnings.append(
            "drivers.gpuDriver is operator: AKS's node problem detector checks neither GPUs nor InfiniBand links of "
            "nodes whose driver it has not installed"
        )
    return warnings

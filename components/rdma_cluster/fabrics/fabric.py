"""The record of a fabric: how pods get its NICs, who brings the plugin, what a pod adds, what proves it."""

from collections.abc import Callable
from enum import Enum

from pulumi_offline.frozen import frozen
from ..catalog.artifact import Image
from ..catalog.machine import Machine, Transport
from .acceptance import FabricAcceptance
from .nic_attachment import Claims, NicAttachment
from .plugin import Plugin
from .pod_patch import PodPatch


class GpuAllocation(str, Enum):
    """Who hands out the GPUs of a pool. Never both."""

    DRA = "dra"
    """NVIDIA's DRA driver, by claims."""
    DEVICE_PLUGIN = "device-plugin"
    """A device plugin, as ``nvidia.com/gpu``."""


@frozen
class PortCounters:
    """On the host, by the kernel's RDMA class: the state of each port, and its bytes."""


@frozen
class DriverCounters:
    """On the host, by the kernel's RDMA class too, but for the bytes, which the driver counts by names of its own."""

    received: str
    """File among a port's ``hw_counters``. Example: ``rx_bytes``."""
    transmitted: str


@frozen
class InterfaceCounters:
    """In the pod that holds the NIC, as a network interface, where the host sees neither its bytes nor its link."""


Counters = PortCounters | DriverCounters | InterfaceCounters


@frozen
class Fabric:
    """All that a transport decides, for one way in which pods get its NICs."""

    name: str
    """Example: ``efa-device-plugin``."""
    transport: Transport
    nic_attachment: NicAttachment
    plugin: Plugin
    pod_patch: PodPatch
    """What pods add on every machine."""
    acceptance: FabricAcceptance
    rail_bound: bool
    """Whether a NIC reaches only its like on other nodes, so that pods of one job must hold the same rails."""
    pci_names: tuple[str, str]
    """Vendor and device of a NIC, as the PCI database prints them."""
    counters: Counters = PortCounters()
    default_allocation: GpuAllocation = GpuAllocation.DRA
    serving: tuple[Image, ...] = ()
    """Images of vLLM whose NCCL finds the NICs, the usual one first; none where none is known."""
    tuned: Callable[[Machine], PodPatch] | None = None
    """What pods add on one machine, where machines differ; in the place of ``pod_patch``."""
    only_on: str | None = None
    """The cloud that has it; ``None`` where every cloud with its transport does."""
    serves: Callable[[Machine], bool] | None = None
    """Which of its transport's machines it is for, where it is not for all."""

    def is_for(self, machine: Machine) -> bool:
        """Whether a machine has it."""
        if self.transport is not machine.transport or not machine.fabric_is_built:
            return False
        clouds = (self.only_on, self.nic_attachment.only_on if isinstance(self.nic_attachment, Claims) else None)
        return all(cloud in (None, machine.cloud) for cloud in clouds) and (self.serves is None or self.serves(machine))

    def pod_patch_on(self, machine: Machine | None) -> PodPatch:
        """What a pod adds on a machine."""
        return self.tuned(machine) if self.tuned is not None and machine is not None else self.pod_patch

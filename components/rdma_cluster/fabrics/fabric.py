"""The record of a fabric, in four parts: how pods get NICs, who brings the plugin, what a pod adds, what proves it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from ..catalog.artifact import Image, repository
from ..catalog.machine import Cloud, Machine, Transport
from ..catalog.releases import Chart, NcclPlugin, NcclTests

if TYPE_CHECKING:  # facts need no checker of args
    from ..incluster.plan.nodes import NodeSet


class GpuAllocation(str, Enum):
    """Who hands out the GPUs of a pool. Never both."""

    DRA = "dra"
    """NVIDIA's DRA driver, by claims."""
    DEVICE_PLUGIN = "device-plugin"
    """A device plugin, as ``nvidia.com/gpu``."""


class Carrier(str, Enum):
    """What carries the acceptance test to the nodes."""

    INDEXED_JOB = "indexed-job"
    """An Indexed Job and nothing else; for images that hold their own ssh keys."""
    MPI_JOB = "mpi-job"
    """An MPIJob of Kubeflow's MPI operator."""


@dataclass(frozen=True)
class Install:
    """What a driver's chart may ask of the cluster it goes to."""

    nodes: "NodeSet"
    """Exactly the nodes it serves."""
    cloud_hint: str
    """DraNet's name of the cloud."""
    registry: str
    """Registry of its image, where the nodes cannot reach the chart's own; else empty."""


@dataclass(frozen=True)
class DriverChart:
    """The chart that installs a driver of NICs."""

    chart: Chart
    namespace: str
    values: Callable[[Install], dict[str, Any]]
    rolls_one_by_one: bool = False
    """Whether its DaemonSet rolls one node at a time and cannot be told otherwise: time-outs grow with the nodes."""


# Exposure: how a pod gets its NICs.


@dataclass(frozen=True)
class Claims:
    """By a DRA driver, which answers ResourceClaims."""

    driver: str
    """Its name in this library. Example: ``dranet``."""
    device_class: str
    """DeviceClass that a request names."""
    selector: str
    """CEL of that class."""
    makes_class: bool
    """Whether the class is ours to make, since the driver brings none."""
    follows: str
    """Version of upstream DraNet whose attributes it publishes, or is taken to."""
    chart: DriverChart | None
    """``None`` where the cloud installs it."""
    slice_driver: str = "dra.net"
    """Its name in ResourceSlices."""
    names_nics: bool = True
    """Whether it publishes a NIC's name or address, by which a rail can be pinned, and its NUMA node."""
    every_interface: bool = True
    """Whether it publishes all interfaces of a node, so that a request must ask for RDMA devices."""
    only_on: Cloud | None = None
    only_for: Transport | None = None
    """``None`` is any."""


@dataclass(frozen=True)
class ExtendedResource:
    """By a device plugin, as a countable resource."""

    driver: str
    """The plugin's name in this library. Example: ``efa``."""
    resource: str
    """Example: ``vpc.amazonaws.com/efa``."""
    chart: DriverChart | None
    """``None`` where somebody else installs it."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """What a pod of a whole node must ask for besides. Example: ``{"hugepages-2Mi": "5120Mi"}``."""
    whole_node: bool = False
    """Whether one unit of it is all NICs of a node, shared with other pods, and not one NIC."""
    network: str = ""
    """Network that a pod names once for each unit, as ``namespace/name`` of its NetworkAttachmentDefinition; empty
    where a unit needs none."""


@dataclass(frozen=True)
class HostNetwork:
    """All at once: a pod in the host's network has every NIC of the node, so it has the node to itself."""


@dataclass(frozen=True)
class PodNetwork:
    """A network of the cluster that a pod names to get one NIC of its node."""

    name: str
    """Name of its object. Example: ``vpc1``."""
    interface: str
    """What the NIC is called in the pod. Example: ``eth1``."""
    rdma: bool = False
    """Whether the pod gets the NIC's RDMA device with it."""


@dataclass(frozen=True)
class PodNetworks:
    """By annotations of a multi-network plugin."""

    annotations: Callable[[Machine], Mapping[str, str]]
    """What a pod with all NICs of a node says."""
    networks: Callable[[Machine], tuple[PodNetwork, ...]]
    """The networks that these annotations name, in the order of a node's NICs."""


Exposure = Claims | ExtendedResource | HostNetwork | PodNetworks


# Plugin: how NCCL finds the NICs, and who puts it there.


@dataclass(frozen=True)
class HostDaemon:
    """A program that stays on the hosts, for what the plugin's pods ask of them."""

    name: str
    """Its DaemonSet's."""
    image: str
    host_paths: Mapping[str, str]
    """Folders of the host by volume name; it sees each where the host has it."""
    script: str = ""
    """What it runs, in bash; empty leaves the image's own."""
    env: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    """What it may use. Example: ``{"memory": "1Gi"}``."""
    huge_pages: str = ""
    """Where it sees the huge pages that ``limits`` names; empty where there are none."""
    health_port: int = 0
    """Where it answers ``/healthz``, on the host's network; 0 asks nothing."""


@dataclass(frozen=True)
class HostPlugin:
    """A plugin that is installed on the hosts, and mounted."""

    name: str
    """As its publisher spells it, in lower case; a part of objects' names."""
    release: NcclPlugin
    host_paths: Mapping[str, str]
    """Folders on the host by volume name; the installer sees each under ``STAGE``."""
    script: str
    """What the installer runs."""
    beside: tuple[HostDaemon, ...] = ()

    STAGE = "/usr/local"
    """Where the installer sees the host's folders."""

    @property
    def version(self) -> str:
        """For people."""
        return f"{self.release.version}, {repository(self.release.installer)}"


@dataclass(frozen=True)
class ImagePlugin:
    """A plugin that is in the images that run."""

    name: str
    least: str
    """The least version of it."""
    beside: tuple[HostDaemon, ...] = ()

    @property
    def version(self) -> str:
        """For people."""
        return f"in the workload's image, {self.least} or later"


@dataclass(frozen=True)
class NoPlugin:
    """None: NCCL speaks to the NICs by itself."""

    name = ""
    version = ""
    beside = ()


Plugin = HostPlugin | ImagePlugin | NoPlugin


# Fragment: what a pod adds.


@dataclass(frozen=True)
class HostMount:
    """A folder of the host, seen by the container."""

    name: str
    host_path: str
    mount_path: str


@dataclass(frozen=True)
class ConfigFile:
    """A file that a pod reads, which a ConfigMap of its namespace brings."""

    config_map: str
    """Name of the ConfigMap, and of the volume."""
    name: str
    folder: str
    """Where the container sees it."""
    text: str
    alone: bool = False
    """Whether the folder holds other files that must stay, so that this one is mounted by itself."""

    def manifest(self, namespace: str) -> dict[str, Any]:
        """The ConfigMap, ready to be applied."""
        metadata = {"name": self.config_map, "namespace": namespace}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {self.name: self.text}}


@dataclass(frozen=True)
class Sidecar:
    """A program that serves the pod's own while it runs: an init container that is started again for ever."""

    name: str
    image: str
    command: tuple[str, ...]
    mounts: tuple[HostMount, ...]
    """Folders of the host, by names that are other folders in no other container of the pod."""
    env: Mapping[str, str] = field(default_factory=dict)
    capabilities: tuple[str, ...] = ()
    ready: tuple[str, ...] = ()
    """Command that succeeds once it serves; the pod's own program starts after that. None asks nothing."""
    ready_seconds: int = 0
    """How long that may take."""


@dataclass(frozen=True)
class Fragment:
    """What a pod of any program adds to use the fabric."""

    shared_memory: str = ""
    """Size limit of ``/dev/shm``; empty leaves the container runtime's."""
    env: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[HostMount, ...] = ()
    files: tuple[ConfigFile, ...] = ()
    source: str = ""
    """Script to source before NCCL starts."""
    capabilities: tuple[str, ...] = ()
    privileged: bool = False
    """Whether the container must open devices of the host that nobody hands out."""
    sidecars: tuple[Sidecar, ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict)


# Proof: what a log must show, and what runs to make that log.


@dataclass(frozen=True)
class Proof:
    """How a fabric is proved."""

    tests: tuple[NcclTests, ...]
    """Images with nccl-tests, one an architecture, the usual one first."""
    carrier: Carrier
    fabric_of_node: str = ""
    """A command whose output names the fabric that a node is on, where nodes of one pool may be on several; further
    words on that line are for people."""
    check_of_node: str = ""
    """A command that prints what is wrong with a node's NICs, before NCCL is asked; nothing where they are well."""
    also: tuple[str, ...] = ()
    """Versions of what else is proved: the proof is made anew when they change."""


# Counters: where the bytes of a NIC are counted, and its link is seen.


@dataclass(frozen=True)
class PortCounters:
    """On the host, by the kernel's RDMA class: the state of each port, and its bytes."""


@dataclass(frozen=True)
class DriverCounters:
    """The same, but for the bytes, which the driver counts by names of its own."""

    received: str
    """File among a port's ``hw_counters``. Example: ``rx_bytes``."""
    transmitted: str


@dataclass(frozen=True)
class InterfaceCounters:
    """In the pod that holds the NIC, as a network interface, where the host sees neither its bytes nor its link."""


Counters = PortCounters | DriverCounters | InterfaceCounters


@dataclass(frozen=True)
class Fabric:
    """All that a transport decides, for one way in which pods get its NICs."""

    name: str
    """Example: ``efa-device-plugin``."""
    transport: Transport
    exposure: Exposure
    plugin: Plugin
    fragment: Fragment
    """What pods add on every machine."""
    proof: Proof
    rail_bound: bool
    """Whether a NIC reaches only its like on other nodes, so that pods of one job must hold the same rails."""
    pci_names: tuple[str, str]
    """Vendor and device of a NIC, as the PCI database prints them."""
    counters: Counters = PortCounters()
    default_allocation: GpuAllocation = GpuAllocation.DRA
    serving: tuple[Image, ...] = ()
    """Images of vLLM whose NCCL finds the NICs, the usual one first; none where none is known."""
    tuned: Callable[[Machine], Fragment] | None = None
    """What pods add on one machine, where machines differ; in the place of ``fragment``."""
    only_on: Cloud | None = None
    """The cloud whose machines ``tuned`` knows; ``None`` is any."""
    serves: Callable[[Machine], bool] | None = None
    """Which of its transport's machines it is for, where it is not for all."""

    def is_for(self, machine: Machine) -> bool:
        """Whether a machine has it."""
        clouds = (self.only_on, self.exposure.only_on if isinstance(self.exposure, Claims) else None)
        served = self.transport is machine.transport and all(cloud in (None, machine.cloud) for cloud in clouds)
        return served and (self.serves is None or self.serves(machine))

    def fragment_on(self, machine: Machine | None) -> Fragment:
        """What a pod adds on a machine."""
        return self.tuned(machine) if self.tuned is not None and machine is not None else self.fragment

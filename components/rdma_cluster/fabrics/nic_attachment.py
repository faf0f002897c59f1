"""How a pod gets its NICs: by claims, as a countable resource, with the host's network, or by naming networks."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from pulumi_offline.frozen import frozen
from ..catalog.artifact import Chart
from ..catalog.machine import Machine, Transport
from .rollout import LabelledNodes


@frozen
class Install:
    """What a driver's chart may ask of the cluster it goes to."""

    nodes: LabelledNodes
    """Exactly the nodes it serves."""
    cloud_hint: str
    """DraNet's name of the cloud."""
    registry: str
    """Registry of its image, where the nodes cannot reach the chart's own; else empty."""


@frozen
class DriverChart:
    """The chart that installs a driver of NICs."""

    chart: Chart
    namespace: str
    values: Callable[[Install], dict[str, Any]]
    rolls_one_by_one: bool = False
    """Whether its DaemonSet rolls one node at a time and cannot be told otherwise: time-outs grow with the nodes."""


@frozen
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
    only_on: str | None = None
    """The cloud that has it; ``None`` where any may."""
    only_for: Transport | None = None
    """The transport of its NICs; ``None`` where it hands out those of any."""


@frozen
class ExtendedResource:
    """By a device plugin, as a countable resource."""

    driver: str
    """The plugin's name in this library. Example: ``efa``."""
    resource: str
    """Example: ``vpc.amazonaws.com/efa``."""
    chart: DriverChart | None
    """``None`` where the cloud or another chart installs it."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """What a pod of a whole node must ask for besides. Example: ``{"hugepages-2Mi": "5120Mi"}``."""
    full_node: bool = False
    """Whether one unit of it is all NICs of a node, shared with other pods, and not one NIC."""
    network: str = ""
    """Network that a pod names once for each unit, as ``namespace/name`` of its NetworkAttachmentDefinition; empty
    where a unit needs none."""


@frozen
class HostNetwork:
    """All at once: a pod in the host's network has every NIC of the node, so it has the node to itself."""


@frozen
class PodNetwork:
    """A network of the cluster that a pod names to get one NIC of its node."""

    name: str
    """Name of its object. Example: ``vpc1``."""
    interface: str
    """What the NIC is called in the pod. Example: ``eth1``."""
    rdma: bool = False
    """Whether the pod gets the NIC's RDMA device with it."""


@frozen
class PodNetworks:
    """By annotations of a multi-network plugin."""

    annotations: Callable[[Machine], Mapping[str, str]]
    """What a pod with all NICs of a node says."""
    networks: Callable[[Machine], tuple[PodNetwork, ...]]
    """The networks that these annotations name, in the order of a node's NICs."""


NicAttachment = Claims | ExtendedResource | HostNetwork | PodNetworks

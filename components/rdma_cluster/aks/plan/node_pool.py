"""One GPU node pool on AKS: what the machine, the capacity and the drivers decide."""

import re
from enum import Enum
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base import versions
from ...base.args import Choice, Link, Texts, args_schema
from ...catalog.aks import AksMachine
from ...catalog.aks_releases import FLOORS
from ...catalog.machine import Capacity
from ...common.minimum_versions import check_node_version
from ...common.names import check_labels
from ...common.pools import (
    PoolPlan,
    PoolUpgrade,
    allocation_of,
    capacity_warnings,
    check_nodes,
    create_minutes,
    one_source,
    plan_unavailable,
)
from ...fabrics import GpuAllocation
from .capacity import SOURCES, AksCapacity, check_reservation
from .cluster import check_version
from .drivers import AksDriverOptions, AksDrivers, AksGpuDriver, plan_drivers
from .features import AksFeatureCheck
from .machines import machine_for
from .zones import check_resource, check_zone

SPOT_TAINT = {"kubernetes.azure.com/scalesetpriority": "spot"}
"""The taint that AKS puts on spot nodes."""
POOL_LABEL = "kubernetes.azure.com/agentpool"
RAISED_PLACEMENT_GROUP = 300

_OF_AKS = "kubernetes.azure.com/"
_NAME = re.compile(r"[a-z][a-z0-9]{0,11}", re.ASCII)
_LEAST_DISK_GB = 128  # a driver is compiled on the node, and GPU images are 8 to 20 GB each
_DISK_GB = 512
MOST_DISK_GB = 2048
"""Largest system disk that AKS takes, GB.

Azure/azure-rest-api-specs containerservice/aks managedClusters.json ContainerServiceOSDisk (2026-08).
"""


class AksOsDisk(str, Enum):
    """Where a node's system disk is; images and pods' own files are on it."""

    MANAGED = "Managed"
    """On Azure's storage."""
    EPHEMERAL = "Ephemeral"
    """On the node's temporary disk: faster, at no cost, and gone with the node."""


@args_schema
class AksPool(TypedDict):
    """A GPU node pool as a stack lists it: one scale set, which is one InfiniBand fabric."""

    name: str
    """Name of the node pool: up to 12 lower-case letters and digits. Example: ``h100``."""
    machine: str
    """Size. Example: ``Standard_ND96isr_H100_v5``."""
    nodes: int
    """Nodes."""
    capacity: AksCapacity
    """Exactly one capacity source."""
    gpu_allocation: NotRequired[Choice[GpuAllocation]]
    """Who hands out GPUs and InfiniBand devices. Default: ``dra``."""
    large_placement_group: NotRequired[bool]
    """Azure's support has raised the limit of a placement group from 100 to 300 nodes. Default: false."""
    labels: NotRequired[Texts]
    """Further node labels."""
    os_disk: NotRequired[Choice[AksOsDisk]]
    """Default: ``Managed``."""
    os_disk_gb: NotRequired[int]
    """Size of the system disk, GB. Default: 512."""
    upgrade: NotRequired[PoolUpgrade]
    """How many nodes are made anew at once."""
    node_version: NotRequired[str]
    """Kubernetes version of the nodes. Another one makes them anew, one after the other. Default: the cluster's at the
    pool's creation. Example: ``1.36.2``."""


@args_schema
class AksPoolLinks(TypedDict):
    """What other resources bring to a pool."""

    resource_group: Link
    """Name of the resource group of the cluster."""
    cluster: Link
    """Name of the cluster."""
    subnet: Link
    """Id of the subnet for nodes."""


@args_schema
class AksGpuNodePoolArgs(AksPool, AksPoolLinks):
    """A pool, and the cluster and network that it joins."""

    zone: NotRequired[str]
    """Zone of the nodes. Default: none, where the location or the size has no zones."""
    gpu_driver: NotRequired[Choice[AksGpuDriver]]
    """Who installs NVIDIA's kernel driver. Default: ``operator``."""
    infiniband_feature: NotRequired[Choice[AksFeatureCheck]]
    """What is done about the subscription's feature AKSInfinibandSupport. Default: ``look-up``."""
    version: NotRequired[str]
    """The cluster's version, for checks. Default: ``1.36``."""


@frozen
class ClusterSettings:
    """Settings that all pools of a cluster share."""

    zone: str | None
    version: str
    drivers: AksDrivers
    infiniband_feature: AksFeatureCheck


@frozen
class AksNodePoolPlan(PoolPlan):
    """What ``AksGpuNodePool`` builds."""

    machine: AksMachine
    zone: str | None
    gpu_driver: AksGpuDriver
    infiniband_feature: AksFeatureCheck
    os_sku: str
    os_disk: AksOsDisk
    os_disk_gb: int
    node_version: str | None = None
    """Kubernetes version of the nodes; ``None`` leaves it to AKS."""
    reservation_group: Link | None = None
    """Id of the capacity reservation group."""


def plan_node_pool(args: AksGpuNodePoolArgs, errors: ErrorList) -> AksNodePoolPlan | None:
    """Make all choices of ``AksGpuNodePool``. Returns ``None`` when an error was added."""
    version, driver = args.get("version", FLOORS.default), args.get("gpu_driver", AksGpuDriver.OPERATOR)
    check_zone(args.get("zone"), errors.at("zone"))
    check_resource(args["subnet"], "Microsoft.Network/virtualNetworks/subnets", errors.at("subnet"))
    check_version(version, (), errors.at("version"))
    drivers = plan_drivers(AksDriverOptions(gpu_driver=driver), [allocation_of(args)], ErrorList())
    feature = args.get("infiniband_feature", AksFeatureCheck.LOOK_UP)
    return plan_pool(args, ClusterSettings(args.get("zone"), version, drivers, feature), errors)


def plan_pool(args: AksPool, cluster: ClusterSettings, errors: ErrorList) -> AksNodePoolPlan | None:
    """Plan one GPU pool of a stack; adds every broken rule to ``errors``."""
    name = args["name"]
    if not _NAME.fullmatch(name):
        errors.at("name").add(f"got {name!r}; AKS wants 1 to 12 lower-case letters and digits, a letter first")
    machine = machine_for(args["machine"], errors.at("machine"))
    check_nodes(args["nodes"], errors.at("nodes"))
    capacity = one_source(args["capacity"], SOURCES, errors.at("capacity"))
    check_reservation(args["capacity"], zone=cluster.zone, errors=errors.at("capacity", "reservation"))
    at_once = plan_unavailable(args, errors)
    check_labels(args.get("labels", {}), (), errors.at("labels"))
    for key in args.get("labels", {}):
        if key.startswith(_OF_AKS):
            errors.at("labels", key).add(f"AKS keeps {_OF_AKS} for itself; take another prefix")
    disk_gb = args.get("os_disk_gb", _DISK_GB)
    if disk_gb < _LEAST_DISK_GB:
        errors.at("os_disk_gb").add(
            f"got {disk_gb}; drivers are compiled on the node and GPU images are large: take {_LEAST_DISK_GB} or more"
        )
    elif disk_gb > MOST_DISK_GB:
        errors.at("os_disk_gb").add(f"got {disk_gb}; AKS takes {MOST_DISK_GB} GB at the most; take it, or less")
    if "node_version" in args:
        check_node_version(args["node_version"], cluster.version, "AKS", errors.at("node_version"))
    if machine is not None:
        _check_machine(args, machine, drivers=cluster.drivers, disk_gb=disk_gb, errors=errors)
    # The cluster's plan adds the errors of the version.
    if errors or machine is None or capacity is None or versions.parse(cluster.version) is None:
        return None
    group = args["capacity"].get("reservation", {}).get("group")
    own = args.get("node_version", cluster.version)
    is_2404 = versions.at_least(own, FLOORS.ubuntu_is_2404) and not versions.at_least(own, FLOORS.ubuntu_is_2604)
    os_sku = machine.os_sku if is_2404 else "Ubuntu2404"
    return AksNodePoolPlan(
        max_unavailable=at_once,
        held=False,
        name=name,
        machine=machine,
        nodes=args["nodes"],
        zone=cluster.zone,
        fabric=cluster.drivers.fabric,
        gpu_allocation=allocation_of(args),
        capacity=capacity,
        reservation=group.rpartition("/")[2] if isinstance(group, str) else None,
        # AKS repairs what Kubernetes finds not ready, and has no switch for it.
        auto_repair=True,
        gpu_driver=cluster.drivers.gpu_driver,
        infiniband_feature=cluster.infiniband_feature,
        os_sku=os_sku,
        os_disk=args.get("os_disk", AksOsDisk.MANAGED),
        os_disk_gb=disk_gb,
        labels=args.get("labels", {}),
        create_minutes=create_minutes(args["nodes"]),
        warnings=tuple(_warnings(args, machine, capacity, os_sku, cluster.infiniband_feature)),
        node_version=args.get("node_version"),
        reservation_group=group,
    )


def _check_machine(args: AksPool, machine: AksMachine, *, drivers: AksDrivers, disk_gb: int, errors: ErrorList) -> None:
    large = args.get("large_placement_group", False)
    _check_fabric(args["nodes"], large, machine, errors)
    if drivers.gpu_driver.in_pool not in machine.gpu_drivers:
        errors.at("machine").add(
            f"AKS installs no driver on {machine.name}; set drivers.gpuDriver: {AksGpuDriver.OPERATOR.value}, or take "
            "another machine"
        )
    if machine.is_rack and allocation_of(args) == GpuAllocation.DEVICE_PLUGIN:
        errors.at("gpu_allocation").add(
            f"got device-plugin; NVLink between nodes of {machine.name} is handed out by claims; leave it out"
        )
    # A system disk on the temporary one fits there.
    if args.get("os_disk") == AksOsDisk.EPHEMERAL and disk_gb > (machine.temp_gib or 0):
        fault, remedy = f"{machine.name} has no temporary disk beside its NVMe disks", "take Managed"
        if machine.temp_gib:
            fault = f"the temporary disk of {machine.name} has {machine.temp_gib} GiB, and {disk_gb} GB are asked for"
            remedy += ", or a smaller osDiskGb"
        errors.at("os_disk").add(f"got Ephemeral; {fault}; {remedy}")


def _check_fabric(nodes: int, large: bool, machine: AksMachine, errors: ErrorList) -> None:
    """Check that the pool fits in one InfiniBand fabric, or in one NVLink rack."""
    if large and machine.rack_nodes:
        errors.at("large_placement_group").add(
            f"not allowed with {machine.name}, whose pools are racks of {machine.rack_nodes} nodes; remove it"
        )
    most = RAISED_PLACEMENT_GROUP if large and not machine.rack_nodes else machine.max_nodes
    if nodes <= most:
        return
    place = "a placement group, which is one InfiniBand fabric,"
    remedy = "list a second pool, which is a fabric of its own"
    if machine.rack_nodes:
        place, remedy = "an NVLink rack", "list one pool a rack"
    elif not large:
        raised = RAISED_PLACEMENT_GROUP
        remedy += f", or have Azure's support raise the limit to {raised} and set largePlacementGroup: true"
    errors.at("nodes").add(f"got {nodes}; {place} holds {most} nodes of {machine.name}; {remedy}")


def _warnings(
    args: AksPool, machine: AksMachine, capacity: Capacity, os_sku: str, feature: AksFeatureCheck
) -> list[str]:
    name, nodes = args["name"], args["nodes"]
    warnings = capacity_warnings(name, machine, capacity, nodes)
    if os_sku == "Ubuntu2404":
        warnings.append(
            f"pool {name}: osSKU Ubuntu2404 is newer than the API version that azure-native speaks (2025-09-01); that "
            "the service takes it there is not confirmed"
        )
    if machine.rack_nodes:
        warnings.append(
            f"pool {name}: nodes of one {machine.name} pool were seen in different placement groups, where InfiniBand "
            "between them fails; the acceptance test reads each node's group"
        )
        if nodes % machine.rack_nodes:
            warnings.append(
                f"pool {name}: {machine.name} is ordered in racks of {machine.rack_nodes} nodes; {nodes} nodes leave "
                "one in parts"
            )
    if capacity is Capacity.RESERVATION:
        warnings.append(
            f"pool {name}: the cluster's role on the reservation may take 60 minutes to reach AKS; until then the pool "
            "may be refused: run up again"
        )
        warnings.append(
            f"pool {name}: nodes for which the reservation has no room are made on demand, with no more than a warning "
            "of Azure's"
        )
    if feature == AksFeatureCheck.TAKEN_AS_RIGHT:
        state = "registered" if machine.infiniband_feature else "not registered"
        warnings.append(
            f"pool {name}: AKSInfinibandSupport is taken as {state} and not looked up; check it with az feature show "
            "--namespace Microsoft.ContainerService --name AKSInfinibandSupport"
        )
    return warnings

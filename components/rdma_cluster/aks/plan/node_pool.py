"""One GPU node pool on AKS: what the machine, the capacity and the drivers decide."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import NotRequired

from typing_extensions import TypedDict

from ... import versions
from ...args import Link, shape
from ...catalog import aks, nearest
from ...catalog.aks import AksMachine
from ...catalog.aks_releases import FLOORS
from ...catalog.machine import Capacity
from ...claims.layout import has_nvidia_gpus
from ...faults import Faults
from ...pools import GpuAllocation, capacity_warnings, check_labels, check_nodes, one_source
from .capacity import SOURCES, AksCapacity, check_reservation
from .drivers import AksGpuDriver
from .features import AksFeatureCheck
from .zones import check_resource, check_zone

GPU_TAINT = ("nvidia.com/gpu", "present", "NoSchedule")
"""NFD, the Network Operator's and the GPU Operator's pods tolerate this key as they come."""
SPOT_TAINT = ("kubernetes.azure.com/scalesetpriority", "spot", "NoSchedule")
"""AKS puts it on spot nodes by itself."""
POOL_LABEL = "kubernetes.azure.com/agentpool"
RAISED_PLACEMENT_GROUP = 300

_OF_AKS = "kubernetes.azure.com/"
_NAME = re.compile(r"[a-z][a-z0-9]{0,11}")
_LEAST_DISK_GB = 128  # a driver is compiled on the node, and GPU images are 8 to 20 GB each
_DISK_GB = 512


class AksOsDisk(str, Enum):
    """Where a node's system disk is; images and pods' own files are on it."""

    MANAGED = "Managed"
    """On Azure's storage."""
    EPHEMERAL = "Ephemeral"
    """On the node's temporary disk: faster, at no cost, and gone with the node."""


@shape
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
    gpu_allocation: NotRequired[GpuAllocation]
    """Who hands out GPUs and InfiniBand devices. Default: ``dra``."""
    large_placement_group: NotRequired[bool]
    """Azure's support has raised the limit of a placement group from 100 to 300 nodes. Default: false."""
    labels: NotRequired[dict[str, str]]
    """Further node labels."""
    os_disk: NotRequired[AksOsDisk]
    """Default: ``Managed``."""
    os_disk_gb: NotRequired[int]
    """Size of the system disk, GB. Default: 512."""


@shape
class AksGpuNodePoolArgs(AksPool):
    """A pool, and the cluster and network that it joins."""

    resource_group: Link
    """Name of the resource group of the cluster."""
    cluster: Link
    """Name of the cluster."""
    subnet: Link
    """Id of the subnet for nodes."""
    zone: NotRequired[str]
    """Zone of the nodes. Default: none, where the location or the size has no zones."""
    gpu_driver: NotRequired[AksGpuDriver]
    """Who installs NVIDIA's kernel driver. Default: ``operator``."""
    infiniband_feature: NotRequired[AksFeatureCheck]
    """What is done about the subscription's feature AKSInfinibandSupport. Default: ``look-up``."""
    version: NotRequired[str]
    """The cluster's version, for checks. Default: ``1.35``."""


@dataclass(frozen=True)
class NodePoolPlan:
    """What ``AksGpuNodePool`` builds."""

    name: str
    machine: AksMachine
    nodes: int
    zone: str | None
    gpu_allocation: GpuAllocation
    capacity: Capacity
    gpu_driver: AksGpuDriver
    infiniband_feature: AksFeatureCheck
    os_sku: str
    os_disk: AksOsDisk
    os_disk_gb: int
    labels: dict[str, str]
    create_minutes: int
    warnings: tuple[str, ...]


def machine_for(name: str, faults: Faults) -> AksMachine | None:
    """The catalogue row of a size that this library builds on AKS, or a fault."""
    machine = next((each for each in aks.MACHINES if each.name == name), None)
    can = ", ".join(each.name for each in aks.MACHINES if buildable(each))
    if machine is None:
        faults.add(f"unknown machine {name!r}; nearest are {', '.join(nearest(name, 'aks'))}")
    elif machine.gpu is None:
        faults.add(f"{name} has no GPU; choose one of {can}")
    elif not buildable(machine):
        faults.add(f"{name} is in the catalogue, but AMD's drivers are not built yet; choose one of {can}")
    else:
        return machine
    return None


def buildable(machine: AksMachine) -> bool:
    """Whether this release builds the size: it has NVIDIA GPUs."""
    return has_nvidia_gpus(machine)


def decide_node_pool(args: AksGpuNodePoolArgs, faults: Faults) -> NodePoolPlan | None:
    """All choices of ``AksGpuNodePool``. Returns ``None`` when a fault was added."""
    if (zone := args.get("zone")) is not None:
        check_zone(zone, faults.at("zone"))
    check_resource(args["subnet"], "Microsoft.Network/virtualNetworks/subnets", faults.at("subnet"))
    if versions.parse(version := args.get("version", FLOORS.default)) is None:
        faults.at("version").add(f"got {version!r}; write 1.35 or 1.35.2")
        version = FLOORS.default
    return decide_pool(
        args,
        zone=zone,
        version=version,
        gpu_driver=args.get("gpu_driver", AksGpuDriver.OPERATOR),
        infiniband_feature=args.get("infiniband_feature", AksFeatureCheck.LOOK_UP),
        faults=faults,
    )


def decide_pool(
    args: AksPool,
    *,
    zone: str | None,
    version: str,
    gpu_driver: AksGpuDriver,
    infiniband_feature: AksFeatureCheck,
    faults: Faults,
) -> NodePoolPlan | None:
    """The same from a pool as a stack lists it."""
    if not _NAME.fullmatch(args["name"]):
        faults.at("name").add(f"got {args['name']!r}; AKS wants 1 to 12 lower-case letters and digits, a letter first")
    machine = machine_for(args["machine"], faults.at("machine"))
    check_nodes(args["nodes"], faults.at("nodes"))
    capacity = one_source(args["capacity"], SOURCES, faults.at("capacity"))
    check_reservation(args["capacity"], zone, faults.at("capacity", "reservation"))
    allocation = args.get("gpu_allocation", GpuAllocation.DRA)
    ours = _labels(allocation)
    check_labels(args.get("labels", {}), list(ours), faults.at("labels"))
    for key in args.get("labels", {}):
        if key.startswith(_OF_AKS):
            faults.at("labels", key).add(f"AKS keeps {_OF_AKS} for itself; take another prefix")
    disk_gb = args.get("os_disk_gb", _DISK_GB)
    if disk_gb < _LEAST_DISK_GB:
        faults.at("os_disk_gb").add(
            f"got {disk_gb}; drivers are compiled on the node and GPU images are large: take {_LEAST_DISK_GB} or more"
        )
    if machine is None or capacity is None:
        return None
    _check_machine(args, machine, gpu_driver, disk_gb, faults)
    if faults:
        return None
    os_sku = machine.os_sku if versions.at_least(version, FLOORS.ubuntu_is_2404) else "Ubuntu2404"
    return NodePoolPlan(
        name=args["name"],
        machine=machine,
        nodes=args["nodes"],
        zone=zone,
        gpu_allocation=allocation,
        capacity=capacity,
        gpu_driver=gpu_driver,
        infiniband_feature=infiniband_feature,
        os_sku=os_sku,
        os_disk=args.get("os_disk", AksOsDisk.MANAGED),
        os_disk_gb=disk_gb,
        labels={**ours, **args.get("labels", {})},
        # As on the other clouds: a large pool is filled node by node.
        create_minutes=min(120, 60 + args["nodes"] // 2),
        warnings=tuple(_warnings(args, machine, capacity, os_sku, infiniband_feature)),
    )


def multi_node_nvlink(machine: AksMachine) -> bool:
    """Whether NVLink reaches beyond the node, which takes IMEX channels."""
    return machine.nvlink_domain > machine.gpus


def _labels(allocation: GpuAllocation) -> dict[str, str]:
    """By this label the GPU Operator leaves its device plugin away where GPUs are claimed."""
    return {"nvidia.com/gpu.deploy.device-plugin": "false"} if allocation is GpuAllocation.DRA else {}


def _check_machine(args: AksPool, machine: AksMachine, driver: AksGpuDriver, disk_gb: int, faults: Faults) -> None:
    """What the machine asks of the other choices."""
    large = args.get("large_placement_group", False)
    most = RAISED_PLACEMENT_GROUP if large and not machine.rack_nodes else machine.max_nodes
    if args["nodes"] > most:
        remedy = (
            "list one pool a rack"
            if machine.rack_nodes
            else "list a second pool, which is a fabric of its own"
            if large
            else "list a second pool, which is a fabric of its own, or have Azure's support raise the limit to "
            f"{RAISED_PLACEMENT_GROUP} and set largePlacementGroup: true"
        )
        place = "an NVLink rack" if machine.rack_nodes else "a placement group, which is one InfiniBand fabric,"
        faults.at("nodes").add(f"got {args['nodes']}; {place} holds {most} nodes of {machine.name}; {remedy}")
    if large and machine.rack_nodes:
        faults.at("large_placement_group").add(
            f"not allowed with {machine.name}, whose pools are racks of {machine.rack_nodes} nodes; remove it"
        )
    if driver.in_pool not in machine.gpu_drivers:
        faults.at("machine").add(
            f"AKS installs no driver on {machine.name}; set drivers.gpuDriver: {AksGpuDriver.OPERATOR.value}, or take "
            "another machine"
        )
    if multi_node_nvlink(machine) and args.get("gpu_allocation") is GpuAllocation.DEVICE_PLUGIN:
        faults.at("gpu_allocation").add(
            f"got device-plugin; NVLink between nodes of {machine.name} is handed out by claims; leave it out"
        )
    if args.get("os_disk") is AksOsDisk.EPHEMERAL and disk_gb > (machine.temp_gib or 0):
        size = f"{machine.temp_gib} GiB" if machine.temp_gib else "no size that is known"
        faults.at("os_disk").add(
            f"got Ephemeral; the temporary disk of {machine.name} has {size}, and {disk_gb} GB are asked for; "
            "take Managed, or a smaller osDiskGb"
        )


def _warnings(
    args: AksPool, machine: AksMachine, capacity: Capacity, os_sku: str, feature: AksFeatureCheck
) -> list[str]:
    """What may go wrong, whether or not anybody has seen it."""
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
    if feature is AksFeatureCheck.TAKEN_AS_RIGHT:
        state = "registered" if machine.infiniband_feature else "not registered"
        warnings.append(
            f"pool {name}: AKSInfinibandSupport is taken as {state} and not looked up; check it with az feature show "
            "--namespace Microsoft.ContainerService --name AKSInfinibandSupport"
        )
    return warnings

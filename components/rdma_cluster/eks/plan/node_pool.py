"""One GPU node pool on EKS: what the machine, the capacity and the device management decide."""

import re
from dataclasses import replace
from enum import Enum
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base import versions
from ...base.args import Choice, Input, Link, Texts, args_schema, at_hand, is_output, within
from ...base.other_names import other_names
from ...catalog.eks import EksMachine
from ...catalog.machine import Capacity
from ...common.minimum_versions import check_skew
from ...common.names import check_labels, check_once
from ...common.pools import (
    PoolPlan,
    PoolUpgrade,
    allocation_of,
    capacity_warnings,
    check_nodes,
    create_minutes,
    one_source,
)
from ...fabrics import GpuAllocation
from .capacity import SOURCES, EksCapacity, EksPlacement, check_reservation, place, plan_at_once
from .cluster import check_version
from .devices import FABRICS
from .interfaces import Interface, efa_on_card_0, interfaces_of, max_pods_of
from .machines import machine_for
from .network import EksSubnet
from .user_data import user_data
from .zones import check_group_name, check_region, check_zone

POOL_LABEL = "eks.amazonaws.com/nodegroup"
LABELS = {"vpc.amazonaws.com/efa.present": "true"}
BOOT_DISK_GB = 100  # system alone, where images and pods are on local disks
BOOT_DISK_WITHOUT_LOCAL_GB = 300  # GPU images are 8 to 20 GB each

RESERVED = (Capacity.RESERVATION, Capacity.CAPACITY_BLOCK)
"""Capacity with a fixed number of places: a node that is given back may find none."""
_SYSTEM_PODS = 12
"""Pods of DaemonSets on a GPU node (CNI, proxy, identity, monitoring, GPU and EFA drivers), and three of a job."""

_RELEASE = re.compile(r"(?P<minor>\d+\.\d+)\.\d+-(?P<day>\d{8})", re.ASCII)
_DROP_IN_RELEASE = "20251023"  # nodeadm's drop-in folder: amazon-eks-ami 0d558ec3
_ARM_RELEASE = "20251103"  # GB200, as AWS's page on UltraServers asks


class EksAmiType(str, Enum):
    """EKS's images with NVIDIA's driver."""

    X86 = "AL2023_x86_64_NVIDIA"
    """Amazon Linux 2023 for x86 hosts."""
    ARM = "AL2023_ARM_64_NVIDIA"
    """Amazon Linux 2023 for Grace hosts."""


@other_names({"leave it out: the machine says how many NICs a GPU has": "efaDevicesPerGPU", "machine": "instance_type"})
@args_schema
class EksPool(TypedDict):
    """A GPU node pool as a stack lists it."""

    name: str
    """Name of the node group. Example: ``p5``."""
    machine: str
    """Machine type. Example: ``p5.48xlarge``."""
    nodes: int
    """Nodes."""
    capacity: EksCapacity
    """Exactly one capacity source."""
    gpu_allocation: NotRequired[Choice[GpuAllocation]]
    """Who hands out GPUs and EFA devices. Default: ``dra``."""
    auto_repair: NotRequired[bool]
    """Let EKS repair broken nodes: it replaces them, and on a reservation or capacity block, which may have no other,
    reboots them. Default: true, and false on a reservation or capacity block."""
    labels: NotRequired[Texts]
    """Further node labels."""
    placement: NotRequired[Choice[EksPlacement]]
    """Default: ``cluster`` with on-demand, ``none`` with the other sources."""
    placement_group: NotRequired[Link]
    """Name of a cluster placement group that exists, such as the one a reservation was made in."""
    ami_type: NotRequired[Choice[EksAmiType]]
    """Default: the machine's."""
    upgrade: NotRequired[PoolUpgrade]
    """How many nodes are made anew at once."""
    release_version: NotRequired[str]
    """Release of the node image. Default: EKS's newest at creation; no later ``up`` moves it by itself."""
    max_pods: NotRequired[int]
    """Pods a node may hold. Default: as many as its addresses."""


@args_schema
class EksPoolLinks(TypedDict):
    """What other resources bring to a pool."""

    cluster: Link
    """Name of the cluster."""
    cluster_security_group: Link
    """Id of the security group that EKS gives control plane and nodes."""
    efa_security_group: Link
    """Id of the security group of EFA interfaces."""
    node_role: Link
    """ARN of the role that nodes run as."""
    subnets: Input[list[EksSubnet]]
    """Private subnets of the zone."""


@args_schema
class EksGpuNodePoolArgs(EksPool, EksPoolLinks):
    """A pool, and the cluster and network that it joins."""

    region: str
    """Region."""
    zone: str
    """Zone of the nodes."""
    version: NotRequired[str]
    """The cluster's Kubernetes version, against which ``release_version`` is held. Example: ``1.35``."""


@frozen
class EksNodePoolPlan(PoolPlan):
    """What ``EksGpuNodePool`` builds."""

    machine: EksMachine
    reservation: Link | None
    """Id of the reservation or capacity block, or ARN of a group of reservations."""
    by_group: bool
    """Whether ``reservation`` names a group of reservations."""
    interfaces: tuple[Interface, ...]
    makes_group: bool
    """Whether a cluster placement group is made."""
    ami_type: str
    max_pods: int | None
    boot_disk_gb: int
    user_data: str
    """User data of the nodes, base64; empty where it is EKS's own."""
    node_version: str | None = None
    """Kubernetes minor of the node image; ``None`` leaves it to EKS."""
    release_version: str | None = None
    """Release of the node image; ``None`` leaves it to EKS."""
    placement_group: Link | None = None
    """Name of the user's cluster placement group."""

    @property
    def keeps_instances(self) -> bool:
        """Whether node repair may reboot an instance and not replace it."""
        return self.capacity in RESERVED

    @property
    def racks(self) -> tuple[int, ...]:
        """Not known: an UltraServer has 9 or 18 nodes, and EC2 puts a pool into as many as it likes."""
        return ()


def plan_node_pool(args: EksGpuNodePoolArgs, errors: ErrorList) -> EksNodePoolPlan | None:
    """Make all choices of ``EksGpuNodePool``. Returns ``None`` when an error was added."""
    check_region(args["region"], errors.at("region"))
    check_zone(args["zone"], region=args["region"], errors=errors.at("zone"))
    check_one_zone(args["subnets"], args["zone"], errors.at("subnets"))
    if "version" in args:
        check_version(args["version"], (), errors.at("version"))
    plan = plan_pool(args, zone=args["zone"], version=args.get("version"), errors=errors)
    subnets = args["subnets"]
    later = is_output(subnets) or any(is_output(within(each, "subnet")) for each in at_hand(subnets) or [])
    if plan is not None and isinstance(args["cluster"], str) and later:
        plan = replace(plan, warnings=(*plan.warnings, _ANOTHER_VPC.format(args["name"], args["cluster"])))
    return plan


_ANOTHER_VPC = (
    "pool {}: cluster {} is named as text, so it exists already, and the pool's subnets come from elsewhere in this "
    "program; unless they are of the cluster's own VPC no node joins. EksHpcNetwork makes another VPC: name subnets "
    "that the cluster's has, or give EksRdmaCluster kubernetes.existing and network.existing"
)


def check_one_zone(subnets: Input[list[EksSubnet]], zone: str, errors: ErrorList) -> None:
    """Check that all subnets are in the GPUs' zone; one that is known only later is trusted."""
    if subnets == []:
        errors.add(f"empty; name a private subnet in {zone}")
    listed = at_hand(subnets) or []
    check_once([within(each, "subnet") for each in listed], "subnet", "subnet", errors)
    for i, each in enumerate(listed):
        other = within(each, "zone")
        if not is_output(other) and other != zone:
            errors.at(i, "zone").add(
                f"got {other}, the GPUs are in {zone}; EFA traffic does not leave a zone: keep subnets of one"
            )


def plan_pool(args: EksPool, *, zone: str, version: str | None = None, errors: ErrorList) -> EksNodePoolPlan | None:
    """Plan one GPU pool of a stack; adds every broken rule to ``errors``. ``version`` is the control plane's."""
    check_group_name(args["name"], errors.at("name"))
    machine = machine_for(args["machine"], errors.at("machine"))
    check_nodes(args["nodes"], errors.at("nodes"))
    capacity = one_source(args["capacity"], SOURCES, errors.at("capacity"))
    check_reservation(args["capacity"], zone=zone, errors=errors.at("capacity"))
    makes_group = place(args.get("placement"), args.get("placement_group"), capacity, errors)
    at_once = plan_at_once(args, capacity, errors)
    check_labels(args.get("labels", {}), [*LABELS, POOL_LABEL], errors.at("labels"))
    allocation = allocation_of(args)
    if machine is not None:
        # What the machine asks of the other choices.
        if (ami := args.get("ami_type")) is not None and ami.value != machine.ami_type:
            errors.at("ami_type").add(
                f"got {ami.value}; {machine.name} is {machine.architecture} and boots {machine.ami_type}; leave it out"
            )
        if machine.is_rack and allocation == GpuAllocation.DEVICE_PLUGIN:
            errors.at("gpu_allocation").add(
                f"got device-plugin; NVLink between nodes of {machine.name} is handed out by claims; leave it out"
            )
        _check_release(args.get("release_version"), machine, errors.at("release_version"), version=version)
        _check_max_pods(args.get("max_pods"), machine, errors.at("max_pods"))
    if errors or machine is None or capacity is None:
        return None
    max_pods = args.get("max_pods", max_pods_of(machine))
    reservation = args["capacity"].get("reservation", {})
    block = args["capacity"].get("capacity_block")
    local = bool(machine.nvme_gb)
    return EksNodePoolPlan(
        max_unavailable=at_once,
        held=False,
        name=args["name"],
        machine=machine,
        interfaces=interfaces_of(machine),
        nodes=args["nodes"],
        fabric=FABRICS[allocation],
        gpu_allocation=allocation,
        capacity=capacity,
        reservation=block["id"] if block else reservation.get("id") or reservation.get("group"),
        by_group="group" in reservation,
        makes_group=makes_group,
        auto_repair=args.get("auto_repair", capacity not in RESERVED),
        ami_type=args.get("ami_type", EksAmiType(machine.ami_type)).value,
        max_pods=max_pods,
        boot_disk_gb=BOOT_DISK_GB if local else BOOT_DISK_WITHOUT_LOCAL_GB,
        user_data=user_data(max_pods=max_pods, efa_on_card_0=efa_on_card_0(machine), local_disks=local),
        labels={**LABELS, **args.get("labels", {})},
        create_minutes=create_minutes(args["nodes"]),
        warnings=tuple(_warnings(args, machine, capacity)),
        node_version=versions.minor_of(args["release_version"]) if "release_version" in args else None,
        release_version=args.get("release_version"),
        placement_group=args.get("placement_group"),
    )


def _check_max_pods(wanted: int | None, machine: EksMachine, errors: ErrorList) -> None:
    """Check that there is room for the system's own pods, and an address for each pod."""
    if wanted is None:
        return
    most = max_pods_of(machine)
    if wanted < _SYSTEM_PODS:
        errors.add(
            f"got {wanted}; a GPU node runs up to {_SYSTEM_PODS - 3} pods of the system itself; take "
            f"{_SYSTEM_PODS} or more"
        )
    elif most is not None and wanted > most:
        place = ", and its EFA interface takes a place there" if efa_on_card_0(machine) else ""
        errors.add(
            f"got {wanted}; {machine.name} has addresses for {most}, since only card 0 serves pods{place}; "
            f"take {most} or fewer, or leave it out"
        )


def _check_release(release: str | None, machine: EksMachine, errors: ErrorList, *, version: str | None) -> None:
    """Check that the node image reads our user data, and knows the machine."""
    if release is None:
        return
    match = _RELEASE.fullmatch(release)
    minimum_version = _ARM_RELEASE if machine.architecture == "arm64" else _DROP_IN_RELEASE
    if match is None:
        errors.add(f"got {release!r}; write it as EKS does, e.g. 1.35.0-{minimum_version}")
    elif match["day"] < minimum_version:
        errors.add(f"got {release}; {machine.name} needs a node image of {minimum_version} or later")
    if match is not None and version is not None:
        check_skew("a node image", match["minor"], version, errors)


def _warnings(args: EksPool, machine: EksMachine, capacity: Capacity) -> list[str]:
    name, nodes = args["name"], args["nodes"]
    warnings = capacity_warnings(name, machine, capacity, nodes)
    if capacity is Capacity.SPOT:
        warnings.append(
            f"pool {name}: EFA keeps spot nodes in one zone and of one type, so that EC2 tends to take all at once"
        )
    if args.get("auto_repair") and capacity in RESERVED:
        warnings.append(
            f"pool {name}: autoRepair reboots a node whose GPUs are at fault, and its {capacity.value} keeps it; one "
            "whose kubelet is silent is replaced all the same, and there may be no other"
        )
    if machine.is_rack and nodes % 9:
        warnings.append(
            f"pool {name}: {machine.name} is sold in UltraServers of 9 or 18 nodes; {nodes} nodes leave one in parts"
        )
    return warnings

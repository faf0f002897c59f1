"""A pool of plain machines with GPUDirect-TCPX: machines, start-up and test."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Input, Link, args_schema, at_hand
from ...base.other_names import other_names
from ...catalog.gce_image import COS, DRIVER, LEAST_BRANCH, OTHER_SYSTEMS
from ...catalog.gke import GkeMachine
from ...catalog.machine import Capacity
from ...common.google.names import NAME, NAME_WORDS, Place, check_name, place_of
from ...common.google.subnets import MOST_NODES
from ...common.pools import MachinesPlan, capacity_warnings, check_nodes, create_minutes
from ...fabrics import Fabric, fabrics_of
from ...incluster.plan.acceptance import AcceptancePlan
from ...incluster.plan.images import check_registries
from ...incluster.plan.pool import InClusterPool
from .acceptance import GceAcceptance, OrderPlan, order_for, plan_machines_acceptance
from .capacity import GceCapacity, plan_capacity
from .machine_config import StartUp, cloud_config
from .network import BUILDABLE, GceNic, machine_for

_LONGEST_NAME = 63
_NUMBER = 7  # what Pulumi puts behind a policy's name; a machine's number is shorter
BOOT_DISK_GB = 200
"""Driver, images and logs. Google's archived Terraform for A3 has 128 at the least."""
_IMAGE = re.compile(
    r"projects/(?P<project>[-a-z0-9.:]+)/global/images/(family/)?(?P<name>[a-z]([-a-z0-9]{0,61}[a-z0-9])?)"
)
_ARM = re.compile(r"\b(arm64|aarch64)\b")  # as Google names its own: cos-arm64-125-lts, debian-13-arm64
# As cos-gpu-installer takes it: cos.googlesource.com/cos/tools src/cmd/cos_gpu_installer.
_DRIVER = re.compile(r"default|latest|R(?P<branch>\d{3})|(?P<major>\d{3})\.\d{1,3}(\.\d{1,3})?", re.ASCII)


@other_names({"machine": "instance_type", "nodes": "num_nodes"})  # SkyPilot
@args_schema
class GcePool(TypedDict):
    """Machines of one type."""

    name: str
    """Name of the pool. Its machines are ``STACK-POOL-0``, ``STACK-POOL-1`` and so on. Example: ``a3``."""
    machine: str
    """Machine type: ``a3-highgpu-8g`` or ``a3-edgegpu-8g``."""
    nodes: int
    """How many machines."""
    capacity: GceCapacity
    """Exactly one capacity source."""


@other_names({"image": "image_id"})  # SkyPilot
@args_schema
class GceSystem(TypedDict):
    """What the machines boot, and which driver of the GPUs they install."""

    image: NotRequired[str]
    """Image or image family. Default: the COS milestone of GKE's own nodes for this release. Example:
    ``projects/cos-cloud/global/images/family/cos-125-lts``."""
    driver: NotRequired[str]
    """What ``cos-extensions install gpu`` is asked for: ``default``, a branch (``R580``) or a version. Default:
    ``default``."""


@args_schema
class GceGpuVmsArgs(GcePool):
    """A pool, and the networks that it joins."""

    project: str
    """Project id."""
    zone: str
    """Zone of the machines."""
    networks: Input[list[GceNic]]
    """A network for each NIC, eth0's first, then the rails' in order."""
    service_account: NotRequired[Link]
    """Service account of the machines. Default: the project's compute account."""
    prefix: NotRequired[str]
    """What the machines' names begin with, before the pool's name. Default: the component's own name."""
    system: NotRequired[GceSystem]
    """Image and driver."""
    acceptance: NotRequired[GceAcceptance]
    """How the fabric is proved before `up` ends."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold images, by prefix of their references."""


@frozen
class VmsPlan(MachinesPlan):
    """What ``GceGpuVms`` builds."""

    machine: GkeMachine
    place: Place
    run_hours: int | None
    """Hours after which Google deletes a machine; ``None`` where it runs until somebody ends it."""
    compact: bool
    """Whether the machines have a compact placement policy."""
    image: str
    start: StartUp
    cloud_config: str
    members: str
    """What the machines' names begin with; a number follows, and 0 leads the test."""
    order: OrderPlan | None
    skip_reason: str
    """Why no test is ordered; empty where one is."""


def plan_vms(args: GceGpuVmsArgs, name: str, errors: ErrorList) -> VmsPlan | None:
    """All choices of ``GceGpuVms(name, args)``. Returns ``None`` when an error was added."""
    place = place_of(args, errors)
    prefix = args.get("prefix", name)
    check_name(prefix, 30, errors.at("name"))
    registries = args.get("registries", {})
    sound = check_registries(registries, errors.at("registries"))
    system, choice = args.get("system", {}), args.get("acceptance", {})
    check_system(system, errors.at("system"))
    plan = plan_pool(args, prefix=prefix, place=place, system=system, registries=registries, errors=errors)
    tested = to_test([args])
    acceptance = plan_machines_acceptance(tested, choice, registries if sound else {}, errors.at("acceptance"))
    if plan is None or acceptance is None:
        return None
    # One network a NIC, where the list is known.
    known, wanted = at_hand(args["networks"]), 1 + plan.machine.nics
    if known is not None and len(known) != wanted:
        errors.at("networks").add(
            f"got {len(known)}; {plan.machine.name} wants {wanted}: eth0's, then those of {plan.machine.nics} rails"
        )
    return ordered(plan, acceptance, choice)


def check_system(system: GceSystem, errors: ErrorList) -> None:
    """Refuse an image that is not COS for x86, and a driver that is too old for the GPUs.

    Only Google knows which images and drivers exist.
    """
    _check_image(system.get("image", COS.family), errors.at("image"))
    driver, at = system.get("driver", DRIVER), errors.at("driver")
    if not (form := _DRIVER.fullmatch(driver)):
        at.add(f"got {driver!r}; write default, a branch (R580) or a version")
    elif branch := form["branch"] or form["major"]:
        gpu = next(iter(BUILDABLE.values())).gpu  # all have the same
        assert gpu is not None
        if int(branch) < (least := LEAST_BRANCH[gpu.arch]):
            at.add(f"got {driver}; {gpu.model} needs R{least} or later, take default or R580")


def _check_image(image: str, errors: ErrorList) -> None:
    """Refuse every other image than one of COS for x86: COS alone has the kernel that GPUDirect-TCPX needs."""
    if not (form := _IMAGE.fullmatch(image)):
        errors.add(f"got {image!r}; write projects/PROJECT/global/images/NAME")
    elif form["project"] in OTHER_SYSTEMS:
        errors.add(f"got {image!r}, which is no COS: GPUDirect-TCPX needs COS's kernel; take e.g. {COS.family}")
    elif _ARM.search(form["name"]):
        errors.add(f"got {image!r}, which is for Arm, and the machines are x86; take e.g. {COS.family}")


def plan_pool(
    args: GcePool, *, prefix: str, place: Place, system: GceSystem, registries: Mapping[str, str], errors: ErrorList
) -> VmsPlan | None:
    """Plan one pool of a stack without the order to test it; every broken rule is added to ``errors``."""
    members = f"{prefix}-{args['name']}-"
    _check_pool_name(args["name"], prefix, errors.at("name"))
    machine = machine_for(args["machine"], errors.at("machine"))
    check_nodes(args["nodes"], errors.at("nodes"), MOST_NODES, "VPC")
    capacity = plan_capacity(args["capacity"], args["name"], args["nodes"], errors.at("capacity"))
    if errors or machine is None or capacity is None or not place.region:
        return None
    fabric = fabric_of(machine)
    driver = system.get("driver", DRIVER)
    start = StartUp(machine, fabric, driver, registries)
    warnings = [*capacity_warnings(args["name"], machine, capacity.source, args["nodes"]), *capacity.warnings]
    if driver == "latest":
        warnings.append(
            f"pool {args['name']}: with the driver `latest`, GPUDirect-TCPX was seen to break on a Slurm image of 2024 "
            "(cluster-toolkit issue 3032)"
        )
    return VmsPlan(
        name=args["name"],
        machine=machine,
        fabric=fabric,
        nodes=args["nodes"],
        place=place,
        capacity=capacity.source,
        reservation=capacity.reservation,
        run_hours=capacity.run_hours,
        # A reservation has a policy of its own or none; spot and flex-start machines are taken where there are some.
        compact=capacity.source is Capacity.ON_DEMAND,
        image=system.get("image", COS.family),
        start=start,
        cloud_config=cloud_config(start),
        members=members,
        order=None,
        skip_reason="",
        create_minutes=create_minutes(args["nodes"]),
        warnings=tuple(warnings),
    )


def _check_pool_name(name: str, prefix: str, errors: ErrorList) -> None:
    """Refuse a pool's name that makes the names of its machines or of their placement policy too long."""
    longest = _LONGEST_NAME - len(f"{prefix[:30]}--") - _NUMBER
    if not NAME.fullmatch(name) or len(name) > longest:
        errors.add(
            f"got {name!r}; Google wants {_LONGEST_NAME} characters or fewer for {prefix}-{name}-NUMBER: write 1 to "
            f"{longest} {NAME_WORDS}"
        )


def fabric_of(machine: GkeMachine) -> Fabric:
    """The one fabric of a machine that can be plain."""
    return fabrics_of(machine)[0]


def to_test(pools: Sequence[GcePool]) -> list[InClusterPool]:
    """The pools of known machines as the acceptance test takes them, whatever else is wrong; each name once."""
    by_name: dict[str, InClusterPool] = {}
    for pool in pools:
        if (machine := BUILDABLE.get(pool["machine"])) is not None:
            by_name.setdefault(
                pool["name"],
                InClusterPool(
                    name=pool["name"],
                    machine=machine.name,
                    nodes=min(pool["nodes"], MOST_NODES),  # more is an error of the pool
                    fabric=fabric_of(machine).name,
                ),
            )
    return list(by_name.values())


def ordered(plan: VmsPlan, acceptance: AcceptancePlan, choice: GceAcceptance) -> VmsPlan:
    """The pool with its order to test, or the reason for none."""
    orders = [order_for(test, plan.start, choice, plan.members) for test in acceptance.tests if test.pool == plan.name]
    return replace(plan, order=orders[0] if orders else None, skip_reason=acceptance.skip_reason.get(plan.name, ""))

"""Which ResourceClaimTemplates a cluster offers: every aligned shape of its machines, in the user's namespaces."""

import re
from collections.abc import Sequence
from importlib import import_module
from math import gcd
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_agent.names import TESTS_NAMESPACE
from typing_extensions import TypedDict
from ...base.args import args_schema
from ...base.kubernetes_names import check_taken
from ...base.other_names import other_names
from ...catalog import find, releases, unknown
from ...catalog.machine import Machine
from ...claims import (
    Gpus,
    Groups,
    Intent,
    Nics,
    Numa,
    Pairs,
    Target,
    Template,
    Unsatisfiable,
    Whole,
    check_driver,
    driver_of,
    judged_minor,
    offers,
    templates,
)
from ...claims.layout import neighbours, slots
from ...fabrics import NIC_DRIVERS, Claims, GpuAllocation
from .node_sets import claimed_of, from_pools
from .pool import FromNodePools, GpuPool

_TEMPLATE = "leave it out: the templates say it; pairs says how many GPUs with their NICs a claim has"


@other_names({"pairs": "count", _TEMPLATE: "deviceClassName selectors expression constraints matchAttribute"})
@args_schema
class ClaimOptions(TypedDict):
    """Which shapes to offer."""

    namespaces: NotRequired[list[str]]
    """Namespaces that get the templates. Default: ``["default"]``."""
    pairs: NotRequired[list[int]]
    """Numbers of aligned GPU+NIC pairs, each offered on every window of rails. Default: 1, 2, 4 ... up to all, on
    machines with a NIC for every GPU."""
    groups: NotRequired[list[int]]
    """Numbers of aligned groups, on the other machines: the fewest GPUs and NICs of one PCIe root in the machine's own
    ratio, such as 1 + 4. Default: 1, 2, 4 ... up to all."""
    gpus: NotRequired[list[int]]
    """Numbers of GPUs without a NIC, for pods that talk inside their node alone. Default: none."""
    whole: NotRequired[bool]
    """A claim for all GPUs and NICs of a node. Default: true."""
    nics: NotRequired[bool]
    """A claim for all NICs alone, for pods whose GPUs come from a device plugin. Default: true."""


@args_schema
class ClaimTemplatesArgs(ClaimOptions, FromNodePools):
    """The machines to offer claims for."""

    machines: NotRequired[list[str]]
    """Machine types whose GPUs and NICs are claimed. Default: as ``pools`` have it."""
    nic_only_machines: NotRequired[list[str]]
    """Machine types whose GPUs a device plugin hands out."""
    nic_driver: NotRequired[str]
    """The DRA driver of the NICs. Default: of each machine the one of its usual fabric, such as ``aws-dranet`` for
    ``p5.48xlarge``."""
    version: NotRequired[str]
    """Kubernetes version of the cluster. Default: ``1.35``."""
    create_namespaces: NotRequired[bool]
    """Make the namespaces, those of Kubernetes itself aside. Default: false."""


@frozen
class Offer:
    """One shape on one machine: the windows that together fill a node."""

    intent: Intent
    windows: tuple[tuple[Template, ...], ...]
    """The claims of one pod, by window of rails."""
    pods_per_node: int
    """How many pods with this shape fill a node, over all windows."""


@frozen
class ClaimTemplatesPlan:
    """What ``ClaimTemplates`` makes."""

    namespaces: tuple[str, ...]
    new_namespaces: tuple[str, ...]
    by_machine: dict[str, tuple[Offer, ...]]
    """The shapes that each machine can hold, the same in every namespace."""
    targets: dict[str, Target]
    """Who answers the claims on each machine."""

    def templates(self, machine: str, allocation: GpuAllocation = GpuAllocation.DRA) -> list[Template]:
        """The templates for a pool of a machine, in the order of the shapes: without GPUs where a plugin has those."""
        fitting = [
            offer
            for offer in self.by_machine[machine]
            if allocation == GpuAllocation.DRA or isinstance(offer.intent, Nics)
        ]
        return [template for offer in fitting for window in offer.windows for template in window]


DEFAULT_NAMESPACES = ["default"]
_OUR_NAMESPACES = {
    TESTS_NAMESPACE: "the acceptance test",
    "dra-driver-nvidia-gpu": "NVIDIA's DRA driver",
    "dranet": "the DRA driver of the NICs",
    "nvidia-device-plugin": "NVIDIA's device plugin",
    "mpi-operator": "the MPI operator",
    "gpu-operator": "NVIDIA's GPU Operator",
    "network-operator": "NVIDIA's Network Operator",
    "nvidia-network-operator": "NVIDIA's Network Operator",
    "rdma-definitions": "what waits for the Network Operator's definitions",
}
"""Namespaces that are made without an add-on."""
OF_KUBERNETES = ("default", "kube-system", "kube-public", "kube-node-lease")
"""Each cluster has them."""
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def claims_for(pools: Sequence[GpuPool], asked: ClaimOptions, version: str = releases.KUBERNETES) -> ClaimTemplatesArgs:
    """The args of the templates for pools whose NICs are claimed, with their GPUs or without."""
    names = {
        allocation: list(dict.fromkeys(pool.machine.name for pool in pools if pool.allocation is allocation))
        for allocation in GpuAllocation
    }
    gpus_too, nics_alone = names[GpuAllocation.DRA], names[GpuAllocation.DEVICE_PLUGIN]
    args = ClaimTemplatesArgs(**asked, machines=gpus_too, nic_only_machines=nics_alone, version=version)
    for nic_attachment in (pool.fabric.nic_attachment for pool in pools):
        if isinstance(nic_attachment, Claims):
            args["nic_driver"] = nic_attachment.driver
    return args


def our_namespaces() -> dict[str, str]:
    """Namespaces that this library makes, each with what is in it: no claim templates go into them."""
    # Of add-ons, whose options hold those of claims.
    add_ons = import_module("..addons.plan", __package__).add_ons()
    return _OUR_NAMESPACES | {name: what for each in add_ons for name, what in each.namespaces.items()}


def new_namespaces(namespaces: Sequence[str]) -> list[str]:
    """Those that no cluster has from the start."""
    return [each for each in namespaces if each not in OF_KUBERNETES]


def plan_claim_templates(args: ClaimTemplatesArgs, errors: ErrorList) -> ClaimTemplatesPlan | None:
    """All templates, each proved on the machine. Returns ``None`` when an error was added."""
    read = from_pools(args, ("machines",), lambda pools, _: claims_for(claimed_of(pools), {}), errors)
    if read is None:
        return None
    args = read
    namespaces = args.get("namespaces", DEFAULT_NAMESPACES)
    check_namespaces(namespaces, errors.at("namespaces"))
    check_taken(namespaces, our_namespaces(), errors.at("namespaces"))
    for key in ("pairs", "groups", "gpus"):
        numbers = args.get(key, [])
        for i, k in enumerate(numbers):
            if k < 1:
                errors.at(key, i).add(f"got {k}; must be 1 or more")
            elif k in numbers[:i]:
                errors.at(key, i).add(f"{k} is listed twice; list each number once")
    if (driver := args.get("nic_driver")) is not None and driver not in NIC_DRIVERS:
        errors.at("nic_driver").add(f"got {driver!r}; choose one of {', '.join(NIC_DRIVERS)}")
        return None
    by_machine: dict[str, tuple[Offer, ...]] = {}
    targets: dict[str, Target] = {}
    units: list[tuple[int, int] | None] = []
    for key, allocation in (("machines", GpuAllocation.DRA), ("nic_only_machines", GpuAllocation.DEVICE_PLUGIN)):
        for i, name in enumerate(args.get(key, [])):
            if name in by_machine:
                continue
            if (machine := find(name)) is None:
                errors.at(key, i).add(unknown(name))
            elif driver is None or check_driver(driver, machine, errors.at("nic_driver")):
                targets[name] = _target(machine, allocation, args)
                by_machine[name] = _offers(machine, targets[name], args, errors)
                units.append(_unit(machine))
    if args.get("groups") and units and all(unit in (None, (1, 1)) for unit in units):
        errors.at("groups").add(f"{', '.join(by_machine)} pairs GPUs and NICs one to one, or not at all; ask for pairs")
    keys = [key for key in ("pairs", "groups", "gpus", "whole") if args.get(key)]
    for name in args.get("nic_only_machines", []):
        if keys and not args["machines"]:
            machine = find(name)
            instead = "" if machine and machine.plugged_alone else ", or set gpuAllocation: dra on its pool"
            errors.at(keys[0]).add(
                f"the GPUs of {name} are handed out by a device plugin, so no claim can name them; "
                f"offer nics only{instead}"
            )
    if errors:
        return None
    new = new_namespaces(namespaces) if args.get("create_namespaces") else []
    return ClaimTemplatesPlan(tuple(namespaces), tuple(new), by_machine, targets)


def usual_claims(
    machine: Machine, driver: str, allocation: GpuAllocation, version: str, reasons: ErrorList
) -> ClaimTemplatesPlan | None:
    """Every shape that a stack offers by default on a machine. Returns ``None`` where it has none, with the reasons."""
    by_claim, by_plugin = [machine.name], []
    if allocation == GpuAllocation.DEVICE_PLUGIN:
        by_claim, by_plugin = by_plugin, by_claim
    whole = bool(machine.gpus and by_claim)
    args = ClaimTemplatesArgs(
        machines=by_claim, nic_only_machines=by_plugin, nic_driver=driver, version=version, whole=whole
    )
    return plan_claim_templates(args, reasons)


def check_namespaces(namespaces: list[str], errors: ErrorList) -> None:
    """There is one, each has its form, and none is listed twice."""
    if not namespaces:
        errors.add("empty; name at least one namespace, e.g. default")
    for i, namespace in enumerate(namespaces):
        check_namespace(namespace, namespaces[:i], errors.at(i))


def check_namespace(namespace: str, before: list[str], errors: ErrorList) -> None:
    """A namespace's form, and that it is not there ``before``."""
    if not _NAMESPACE.fullmatch(namespace):
        errors.add(f"got {namespace!r}; a namespace is 1 to 63 lower-case letters, digits and hyphens")
    elif namespace in before:
        errors.add(f"{namespace} is listed twice; name each namespace once")


def _target(machine: Machine, allocation: GpuAllocation, args: ClaimTemplatesArgs) -> Target:
    driver = NIC_DRIVERS[args["nic_driver"]] if "nic_driver" in args else driver_of(machine)
    return Target(driver, allocation, judged_minor(args.get("version", releases.KUBERNETES)))


def _offers(machine: Machine, target: Target, args: ClaimTemplatesArgs, errors: ErrorList) -> tuple[Offer, ...]:
    # With the key that names each; ``None`` for those that are offered by default.
    intents: list[tuple[tuple[str | int, ...] | None, Intent]] = []
    if target.gpus == GpuAllocation.DRA:
        unit = _unit(machine)
        for key, fits in (("pairs", unit == (1, 1)), ("groups", unit not in (None, (1, 1)))):
            if key not in args:
                # 1, 2, 4 ... units; more than the machine has are not offered.
                powers = range(machine.gpus.bit_length()) if unit and fits else ()
                intents += [(None, _sets(unit, 1 << power)) for power in powers]
            elif key == "pairs" or fits:
                intents += [((key, i), _sets(unit if fits else (1, 1), k)) for i, k in enumerate(args[key]) if k > 0]
        if unit is None or not machine.pcie_root_comparable:
            intents.append((None, Numa()))
        intents += [(("gpus", i), Gpus(k)) for i, k in enumerate(args.get("gpus", [])) if k > 0]
        if args.get("whole", True) is True:
            intents.append((("whole",), Whole()))
    if args.get("nics", True) is True:
        intents.append((("nics",), Nics()))
    fitting = []
    for path, intent in intents:
        try:
            # Where no window fits, the intent itself is refused, with the reason.
            windows = offers(machine, intent, target) or (intent,)
            claims = tuple(templates(machine, window, target) for window in windows)
        except Unsatisfiable as error:
            if path is not None:  # a default that does not fit is not offered
                errors.at(*path).add(str(error))
        else:
            fitting.append(Offer(intent, claims, max(len(claims), _copies(machine, intent))))
    return tuple(fitting)


def _unit(machine: Machine) -> tuple[int, int] | None:
    """The fewest GPUs and NICs of one root in the machine's own ratio; ``None`` where no root is shared, or known."""
    if neighbours(machine):
        return 1, 1
    if not machine.pcie_root_comparable:
        return None
    shapes = {(len(root.gpus), len(root.nics)) for root in machine.roots or ()}
    gpus, nics = shapes.pop() if len(shapes) == 1 else (0, 0)
    return (gpus // gcd(gpus, nics), nics // gcd(gpus, nics)) if gpus and nics else None


def _sets(unit: tuple[int, int] | None, k: int) -> Intent:
    """``k`` units."""
    return Pairs(k) if unit in (None, (1, 1)) else Groups(k, *unit)


def _copies(machine: Machine, intent: Intent) -> int:
    """Pods with one shape that fill a node, where no window pins them to rails."""
    match intent:
        case Pairs(k):
            # Those that no root shows are named by address, and so pinned.
            return len(slots(machine, 1, 1)) // k
        case Gpus(k):
            return machine.gpus // k
        case Groups(k, gpus, nics):
            return len(slots(machine, gpus, nics)) // k
    return 1

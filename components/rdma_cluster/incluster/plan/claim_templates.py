"""Which ResourceClaimTemplates a cluster offers: every aligned shape of its machines, in the user's namespaces."""

import re
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from ...catalog import find, nearest, releases
from ...catalog.machine import Machine
from ...claims import GpuMode, Intent, NicDriver, Nics, Pairs, Target, Template, Unsatisfiable, Whole, offers, templates
from ...door import Faults, shape
from ...versions import parse


@shape
class ClaimChoice(TypedDict):
    """Which shapes to offer."""

    namespaces: NotRequired[list[str]]
    """Namespaces that get the templates. Default: ``["default"]``."""
    pairs: NotRequired[list[int]]
    """Numbers of aligned GPU+NIC pairs, each offered on every window of rails. Default: 1, 2, 4 ... up to all."""
    whole: NotRequired[bool]
    """A claim for all GPUs and NICs of a node. Default: true."""
    nics: NotRequired[bool]
    """A claim for all NICs alone, for pods whose GPUs come from a device plugin. Default: true."""


@shape
class ClaimTemplatesArgs(ClaimChoice):
    """The machines to offer claims for."""

    machines: list[str]
    """Machine types whose GPUs and NICs are claimed."""
    nic_only_machines: NotRequired[list[str]]
    """Machine types whose GPUs a device plugin hands out."""
    nic_driver: NotRequired[NicDriver]
    """Default: ``dranet``."""
    version: NotRequired[str]
    """Kubernetes version of the cluster. Default: ``1.35``."""
    create_namespaces: NotRequired[bool]
    """Make the namespaces, those of Kubernetes itself aside. Default: false."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One shape on one machine: the windows that together fill a node."""

    intent: Intent
    windows: tuple[tuple[Template, ...], ...]
    """The claims of one pod, by window of rails."""


@dataclass(frozen=True, slots=True)
class ClaimTemplatesPlan:
    """What ``ClaimTemplates`` makes."""

    namespaces: tuple[str, ...]
    new_namespaces: tuple[str, ...]
    by_machine: dict[str, tuple[Offer, ...]]
    """The shapes that each machine can hold, the same in every namespace."""

    def templates(self, machine: str) -> list[Template]:
        """All templates of a machine, in the order of the shapes."""
        return [template for offer in self.by_machine[machine] for window in offer.windows for template in window]


_ADMITTED_MINOR = 34
"""A version below the floor of DRA is refused by the cluster's own rules; the claims are judged as if it were met."""
_OF_KUBERNETES = ("default", "kube-system", "kube-public", "kube-node-lease")
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def decide_claim_templates(args: ClaimTemplatesArgs, faults: Faults) -> ClaimTemplatesPlan | None:
    """All templates, each proved on the machine. Returns ``None`` when a fault was added."""
    namespaces = args.get("namespaces", ["default"])
    for i, namespace in enumerate(namespaces):
        if not _NAMESPACE.fullmatch(namespace):
            faults.at("namespaces", i).add(
                f"got {namespace!r}; a namespace is 1 to 63 lower-case letters, digits and hyphens"
            )
        elif namespace in namespaces[:i]:
            faults.at("namespaces", i).add(f"{namespace} is listed twice; name each namespace once")
    if not namespaces:
        faults.at("namespaces").add("empty; name at least one namespace, e.g. default")
    for i, k in enumerate(args.get("pairs", [])):
        if k < 1:
            faults.at("pairs", i).add(f"got {k}; must be 1 or more")
        elif k in args.get("pairs", [])[:i]:
            faults.at("pairs", i).add(f"{k} is listed twice; list each number once")
    by_machine: dict[str, tuple[Offer, ...]] = {}
    for key, mode in (("machines", GpuMode.DRA), ("nic_only_machines", GpuMode.DEVICE_PLUGIN)):
        for i, name in enumerate(args.get(key, [])):
            if (machine := find(name)) is None:
                faults.at(key, i).add(f"unknown machine {name!r}; nearest are {', '.join(nearest(name))}")
            elif name not in by_machine:
                by_machine[name] = _offers(machine, mode, args, faults)
    asked = [key for key in ("pairs", "whole") if args.get(key)]
    for name in args.get("nic_only_machines", []):
        if asked and name not in args["machines"]:
            faults.at(asked[0]).add(
                f"the GPUs of {name} are handed out by a device plugin, so no claim can name them; "
                "offer nics only, or set gpuAllocation: dra on its pool"
            )
    if faults:
        return None
    made = [each for each in namespaces if args.get("create_namespaces") and each not in _OF_KUBERNETES]
    return ClaimTemplatesPlan(tuple(namespaces), tuple(made), by_machine)


def _offers(machine: Machine, mode: GpuMode, args: ClaimTemplatesArgs, faults: Faults) -> tuple[Offer, ...]:
    major, minor = (parse(args.get("version", releases.GKE.default)) or (1, 34))[:2]
    target = Target(args.get("nic_driver", NicDriver.DRANET), mode, (major, max(minor, _ADMITTED_MINOR)))
    asked: list[tuple[tuple[str | int, ...], Intent]] = []
    if mode is GpuMode.DRA:
        if "pairs" in args:
            asked += [(("pairs", i), Pairs(k)) for i, k in enumerate(args["pairs"]) if k > 0]
        else:
            asked += [(("pairs",), Pairs(k)) for k in _default_pairs(machine, target)]
        if args.get("whole", True):
            asked.append((("whole",), Whole()))
    if args.get("nics", True):
        asked.append((("nics",), Nics()))
    made = []
    for path, intent in asked:
        try:
            # Where no window fits, the intent itself is refused, with the reason.
            windows = offers(machine, intent, target) or (intent,)
            claims = tuple(templates(machine, window, target) for window in windows)
        except Unsatisfiable as error:
            faults.at(*path).add(str(error))
        else:
            made.append(Offer(intent, claims))
    return tuple(made)


def _default_pairs(machine: Machine, target: Target) -> list[int]:
    """1, 2, 4 ... pairs up to all; all alone where the driver names no rail to pin; none where no root is shared."""
    if not machine.pcie_root_comparable:
        return []
    most = min(machine.gpus, machine.nics)
    return [1 << i for i in range(most.bit_length())] if target.nic_driver is NicDriver.DRANET else [most]

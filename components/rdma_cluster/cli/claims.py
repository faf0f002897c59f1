"""``rdma-cluster claims``: templates for one machine, and the proof that a node of it can satisfy them."""

from collections.abc import Callable
from enum import Enum
from typing import TypeVar

from ..catalog import find, unknown
from ..claims import (
    Gpus,
    Groups,
    Intent,
    Nics,
    Numa,
    Pairs,
    Target,
    Unsatisfiable,
    Whole,
    driver_of,
    kubernetes_minor,
    prove,
)
from ..fabrics import NIC_DRIVERS, GpuAllocation
from ..faults import Fault, Faults, Refused
from ..incluster.plan.claim_templates import check_namespace
from .output import as_json

E = TypeVar("E", bound=Enum)
T = TypeVar("T")
R = TypeVar("R")


def show_claims(
    machine: str,
    pairs: int | None,
    groups: str | None,
    gpus: int | None,
    numa: bool,
    whole: bool,
    nics: bool,
    kubernetes: str,
    driver: str | None,
    gpu_allocation: str,
    namespace: str,
    yaml: bool,
    json: bool,
) -> int:
    """Print the templates or the proof. Returns 1 when no node can satisfy them. Raises ``Refused`` for wrong input."""
    row = find(machine)
    intents = _intents(pairs, groups, gpus, numa, whole, nics)
    faults = Faults()
    if row is None:
        faults.add(unknown(machine))
    if len(intents) != 1:
        faults.add("name exactly one of --pairs, --groups, --gpus, --numa, --whole and --nics")
    if driver is not None and driver not in NIC_DRIVERS:
        faults.at("--driver").add(f"got {driver!r}; choose one of {', '.join(NIC_DRIVERS)}")
    check_namespace(namespace, [], faults.at("--namespace"))
    if faults or row is None:
        raise Refused(faults.found())
    nic_driver = NIC_DRIVERS[driver] if driver is not None else driver_of(row)
    by = _choice("--gpu-allocation", GpuAllocation, gpu_allocation)
    target = Target(nic_driver, by, _said(kubernetes_minor, kubernetes))
    try:
        proof = prove(row, intents[0], target)
    except Unsatisfiable as refusal:
        print(as_json({"satisfiable": False, "reason": str(refusal)}) if json else refusal.explain())
        return 1
    if json:
        print(as_json({"satisfiable": True, **proof.to_json()}))
    elif yaml:
        from yaml import safe_dump_all

        own_class = [target.own_class] if target.own_class else []
        templates = [each.manifest(namespace) for each in proof.all_templates]
        print(safe_dump_all([*own_class, *templates], sort_keys=False), end="")
    else:
        print(proof.explain())
    return 0


def _intents(
    pairs: int | None, groups: str | None, gpus: int | None, numa: bool, whole: bool, nics: bool
) -> list[Intent]:
    """What the options ask for. Raises ``Refused`` for numbers that mean nothing."""
    asked: list[Intent] = []
    if pairs is not None:
        asked.append(_said(Pairs, pairs))
    if groups is not None:
        asked.append(_said(Groups.parse, groups))
    if gpus is not None:
        asked.append(_said(Gpus, gpus))
    asked += [Numa()] if numa else []
    asked += [Whole()] if whole else []
    asked += [Nics()] if nics else []
    return asked


def _said(make: Callable[[T], R], option: T) -> R:
    """What an option means; its ``ValueError`` is the user's."""
    try:
        return make(option)
    except ValueError as error:
        raise Refused([Fault((), str(error))]) from None


def _choice(option: str, choices: type[E], value: str) -> E:
    if value not in {each.value for each in choices}:
        raise Refused([Fault((option,), f"got {value!r}; choose one of {', '.join(each.value for each in choices)}")])
    return choices(value)

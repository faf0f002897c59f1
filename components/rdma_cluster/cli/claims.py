"""``rdma-cluster claims``: templates for one machine, and the proof that a node of it can satisfy them."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from pulumi_offline.errors import ErrorList, Refused, refusal
from ..catalog import find, unknown
from ..catalog.machine import Machine
from ..claims import (
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
    kubernetes_minor,
    solve,
)
from ..common.summary import claim_rows
from ..fabrics import NIC_DRIVERS, GpuAllocation
from ..incluster.plan.claim_templates import check_namespace, usual_claims
from .options import Verb, json_option, option
from .output import as_json, table

T = TypeVar("T")
R = TypeVar("R")


class ShowClaims(Verb):
    """Print the templates or the proof; without a shape, every shape that the machine has.

    Returns 1 when no node can satisfy them. Raises ``Refused`` for wrong input.
    """

    machine: str = option("MACHINE", "a machine type of any cloud")
    pairs: int | None = option("--pairs K", "K GPUs, each with a NIC on its own PCIe root")
    groups: str | None = option("--groups GxN", "G GPUs and N NICs on one root")
    gpus: int | None = option("--gpus K", "K GPUs and no NIC")
    numa: bool = option("--numa", "the GPUs and NICs of one NUMA node")
    whole: bool = option("--whole", "all GPUs and NICs")
    nics: bool = option("--nics", "all NICs, no GPU")
    kubernetes: str = option("--kubernetes VERSION", "Kubernetes version; default 1.35", default="1.35")
    driver: str | None = option("--driver", "DRA driver of the NICs; by default the usual one of the machine's fabric")
    gpu_allocation: str = option("--gpu-allocation BY", "dra or device-plugin: who hands out GPUs", default="dra")
    namespace: str = option("--namespace", "namespace of the templates", default="default")
    yaml: bool = option("--yaml", "print the templates, ready for kubectl")
    json: bool = json_option()

    def run(self) -> int:
        row, driver, namespace = find(self.machine), self.driver, self.namespace
        intents = _intents(self)
        errors = ErrorList()
        if row is None:
            errors.add(unknown(self.machine))
        if len(intents) > 1:
            errors.add("name at most one of --pairs, --groups, --gpus, --numa, --whole and --nics")
        if driver is not None and driver not in NIC_DRIVERS:
            errors.at("--driver").add(f"got {driver!r}; choose one of {', '.join(NIC_DRIVERS)}")
        elif driver is not None and row is not None:
            check_driver(driver, row, errors.at("--driver"))
        check_namespace(namespace, [], errors.at("--namespace"))
        if errors or row is None:
            raise Refused(errors.found())
        nic_driver = NIC_DRIVERS[driver] if driver is not None else driver_of(row)
        try:
            allocation = GpuAllocation(self.gpu_allocation)
        except ValueError:
            choices = ", ".join(each.value for each in GpuAllocation)
            reason = f"got {self.gpu_allocation!r}; choose one of {choices}"
            raise refusal(reason, "--gpu-allocation") from None
        target = Target(nic_driver, allocation, _parsed(kubernetes_minor, self.kubernetes))
        if not intents:
            return _show_every(row, target, self)
        try:
            solution = solve(row, intents[0], target)
        except Unsatisfiable as impossible:
            print(as_json({"satisfiable": False, "reason": str(impossible)}) if self.json else impossible.explain())
            return 1
        if self.json:
            print(as_json({"satisfiable": True, **solution.to_json()}))
        elif self.yaml:
            _write(solution.all_templates, target, namespace)
        else:
            print(solution.explain())
        return 0


def _show_every(machine: Machine, target: Target, options: ShowClaims) -> int:
    """Every shape that a stack offers by default on the machine, with the template of its first window.

    Returns 1 where the machine has none.
    """
    plan = usual_claims(machine, target.nics.driver, target.gpus, options.kubernetes, errors := ErrorList())
    if plan is None:  # not even whole nodes can be claimed
        reasons = [error.reason for error in errors.found()]
        print(as_json({"satisfiable": False, "reason": "; ".join(reasons)}) if options.json else "\n".join(reasons))
        return 1
    offers = plan.by_machine[machine.name]
    if options.yaml:
        _write(plan.templates(machine.name, target.gpus), target, options.namespace)
    elif options.json:
        print(as_json(claim_rows(offers)))
    else:
        print(table(claim_rows(offers)))
        print("\n--yaml prints the templates; a shape (--pairs 2, --whole, ...) the proof that a node satisfies it")
    return 0


def _write(templates: Iterable[Template], target: Target, namespace: str) -> None:
    from yaml import safe_dump_all

    own_class = [target.own_class] if target.own_class else []
    print(safe_dump_all([*own_class, *(each.manifest(namespace) for each in templates)], sort_keys=False), end="")


def _intents(options: ShowClaims) -> list[Intent]:
    """What the options ask for. Raises ``Refused`` for numbers that mean nothing."""
    return [
        *([_parsed(Pairs, options.pairs)] if options.pairs is not None else []),
        *([_parsed(Groups.parse, options.groups)] if options.groups is not None else []),
        *([_parsed(Gpus, options.gpus)] if options.gpus is not None else []),
        *([Numa()] if options.numa else []),
        *([Whole()] if options.whole else []),
        *([Nics()] if options.nics else []),
    ]


def _parsed(parse: Callable[[T], R], option: T) -> R:
    """The value of an option; a ``ValueError`` of ``parse`` is the user's error."""
    try:
        return parse(option)
    except ValueError as error:
        raise refusal(str(error)) from None

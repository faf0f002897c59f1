"""Plans are plain data that nobody changes: the one that is shown is the one that is built."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from types import EllipsisType, NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import pytest
from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common.stack import plan_stack
from rdma_cluster.incluster.addons import plan as addons
from typing_extensions import is_typeddict
from tests.clouds import clouds
from tests.stacks import ROOT, cloud_of

FOR_TYPES = {
    name: getattr(import_module(f"rdma_cluster.{module}"), name)
    for module, names in {
        "common.pools": "MachinesPlan PoolPlan",
        "common.use": "PoolUse",
        "incluster.addons": "AddOnArgs Addons",
        "incluster.addons.monitoring.args": "ExporterPods",
        "incluster.addons.storage.store": "Store",
        "incluster.plan.acceptance": "AcceptanceOptions",
        "incluster.plan.claim_templates": "ClaimOptions Offer",
        "incluster.plan.dra_drivers": "DriverOptions",
        "incluster.plan.in_cluster": "InClusterPlan",
        "incluster.plan.pool": "NodeSet",
        "incluster.plan.statements": "Statement",
    }.items()
    for name in names.split()
}
"""What modules import for type checkers alone."""
PACKAGE = ROOT / "components" / "rdma_cluster"
PURE = ("catalog", "claims", "conform", "fabrics", "injection", "supply", "upgrades")
"""The rooms with records of plans, beside each ``plan``."""
PLAIN = (str, int, float, bool, bytes, NoneType, EllipsisType)
HOLDERS = (tuple, frozenset, Mapping, Sequence, Callable, Union, UnionType)
"""What shows no way to change it, of plain things."""
OBJECTS = dict
"""What goes to an API as it is: its keys are the API's."""


def records() -> list[type]:
    """Every record of plans and of what they stand on."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        parts = ("rdma_cluster", *path.relative_to(PACKAGE).with_suffix("").parts)
        if parts[1] in PURE or ("plan" in parts and parts[1] != "cli"):
            name = ".".join(part for part in parts if part != "__init__")
            module = import_module(name)
            found += [of for of in vars(module).values() if isinstance(of, type) and of.__module__ == name]
    return [record for record in found if is_dataclass(record)]


def not_plain(hint: Any) -> Iterator[str]:
    """What a type says of things that could be changed."""
    origin = get_origin(hint)
    # A call holds neither what it takes nor what it returns. A protocol has properties alone; its records are asked.
    if origin is Callable or getattr(hint, "_is_protocol", False):
        return
    if origin is not None:
        if origin not in (*HOLDERS, OBJECTS) and not is_dataclass(origin):
            yield str(hint)
        for each in get_args(hint):
            yield from not_plain(each)
    elif hint in (*PLAIN, Any, ..., OBJECTS) or is_typeddict(hint) or isinstance(hint, TypeVar):
        return
    elif not isinstance(hint, type):
        yield str(hint)
    elif not (is_dataclass(hint) or issubclass(hint, (Enum, str)) or hasattr(hint, "_fields")):
        yield hint.__name__


def test_records_are_frozen_and_hold_plain_data():
    """No field can be set, and no field is a list or a set, at any depth that its type tells."""
    all_of: Any = records()
    assert [record for record in all_of if record.__setattr__ is object.__setattr__] == []

    for record in all_of:
        hints = get_type_hints(record, localns={**vars(addons), **FOR_TYPES})
        wrong = {field.name: found for field in fields(record) if (found := list(not_plain(hints[field.name])))}
        assert wrong == {}, record


@pytest.mark.parametrize("stack", [cloud.stacks[0] for cloud in clouds()])
def test_program_changes_nothing_in_its_plan(stack: str, monkeypatch: pytest.MonkeyPatch):
    """Objects for an API lie in a plan as they are; a component that laid something into one would plan anew."""
    monkeypatch.chdir(ROOT)
    root, settings = read_stack(stack, None, [])
    room = import_module(f"rdma_cluster.{cloud_of(stack)}.plan")
    plan = plan_stack(room.plan_rdma_cluster_args, room.STACK_KEYS, settings.config, stack)
    before = deepcopy(plan)

    run_program(root, settings)

    assert plan is plan_stack(room.plan_rdma_cluster_args, room.STACK_KEYS, settings.config, stack)
    assert plan == before

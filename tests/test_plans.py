"""Plans are plain data that nobody changes: the one that is shown is the one that is built."""

from copy import deepcopy
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import pytest
from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common.stack import plan_stack
from tests.clouds import clouds
from tests.stacks import ROOT, cloud_of

PACKAGE = ROOT / "components" / "rdma_cluster"
PURE = ("catalog", "claims", "conform", "fabrics", "injection", "supply", "upgrades")
"""The rooms with records of plans, beside each ``plan``."""
MUTABLE = ("list[", "set[", "List[", "bytearray")


def records() -> list[Any]:
    """Every record of plans and of what they stand on."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        parts = ("rdma_cluster", *path.relative_to(PACKAGE).with_suffix("").parts)
        if parts[1] in PURE or ("plan" in parts and parts[1] != "cli"):
            name = ".".join(part for part in parts if part != "__init__")
            module = import_module(name)
            found += [of for of in vars(module).values() if isinstance(of, type) and of.__module__ == name]
    return [record for record in found if is_dataclass(record)]


def test_records_of_plans_are_frozen_and_hold_no_lists_and_no_sets():
    wrong = {
        f"{record.__name__}.{field.name}": field.type
        for record in records()
        for field in fields(record)
        if str(field.type).startswith(MUTABLE)
    }

    assert len(records()) > 50 and wrong == {}
    assert [record for record in records() if record.__setattr__ is object.__setattr__] == []


@pytest.mark.parametrize("stack", [cloud.stacks[0] for cloud in clouds()])
def test_a_program_changes_nothing_in_its_plan(stack: str, monkeypatch: pytest.MonkeyPatch):
    """Objects for an API lie in a plan as they are, and a component might lay something into one."""
    monkeypatch.chdir(ROOT)
    root, settings = read_stack(stack, None, [])
    room = import_module(f"rdma_cluster.{cloud_of(stack)}.plan")
    plan = plan_stack(room.plan_rdma_cluster_args, room.STACK_KEYS, settings.config, stack)
    before = deepcopy(plan)

    run_program(root, settings)

    assert plan is plan_stack(room.plan_rdma_cluster_args, room.STACK_KEYS, settings.config, stack)
    assert plan == before

"""Components share this: args as the engine shows them, errors as its own, warnings that are logged once."""

from typing import Any, NotRequired

import pytest
from pulumi_offline.errors import RULES_FOLLOW, ErrorList
from rdma_cluster.base.args import CamelCased, Hidden, Input, args_schema
from typing_extensions import TypedDict


@args_schema
class Lock(TypedDict):
    """A nested schema."""

    key_text: NotRequired[Hidden]
    key_name: NotRequired[str]


@args_schema
class Door(TypedDict):
    """A schema with a secret in it."""

    width_cm: NotRequired[int]
    lock: NotRequired[Lock]
    locks: NotRequired[list[Lock]]
    key_text: NotRequired[Hidden]
    road: NotRequired[Input[str]]
    labels: NotRequired[dict[str, Any]]
    tags: NotRequired[list[Any]]


def make_plan(door: Door, errors: ErrorList) -> str | None:
    """A width of more than 100 is refused."""
    if door.get("width_cm", 0) > 100:
        errors.at("width_cm").add("too wide")
        return None
    return f"{door.get('width_cm')} cm"


def refused(args: Any) -> Any:
    """The engine's own error for these args."""
    import pulumi
    from rdma_cluster.component.frame import plan_args

    with pytest.raises(pulumi.InputPropertiesError) as error:
        plan_args(Door, make_plan, args)
    return error.value


def test_args_are_planned_by_the_component_or_by_its_parent():
    """The args and the plan of a parent are taken as they are."""
    from rdma_cluster.component.frame import plan_args

    assert plan_args(Door, make_plan, {"width_cm": 90.0}) == ({"width_cm": 90}, "90 cm")
    assert plan_args(Door, make_plan, CamelCased(widthCm=90)) == ({"width_cm": 90}, "90 cm")
    args: Any = {"width_cm": "not read"}
    assert plan_args(Door, make_plan, args, "of the parent") == (args, "of the parent")
    named = plan_args(Door, lambda door, name, errors: name, {}, None, "front")
    assert named == ({}, "front")


def test_errors_are_the_engines_own():
    """The message has every line in Python; elsewhere the engine lists them, each at its place."""
    of_form, hosted = refused({"width": 1}), refused(CamelCased(width=1))
    rule, hosted_rule = refused({"width_cm": 101}), refused(CamelCased(widthCm=101))

    assert str(of_form).startswith("width: unknown key; did you mean width_cm?") and RULES_FOLLOW in str(of_form)
    assert str(hosted).partition("\n")[0] == f"these inputs cannot work; {RULES_FOLLOW}"
    assert str(rule) == "width_cm: too wide" and str(hosted_rule).partition("\n")[0] == "these inputs cannot work"
    told = [(each["property_path"], each["reason"]) for error in (rule, hosted_rule) for each in error.errors]
    assert told == [("width_cm", "too wide"), ("widthCm", "too wide")]


@pytest.mark.usefixtures("loop")
def test_the_engine_is_shown_neither_secrets_nor_outputs():
    """Empty values and a user's own keys stay."""
    import pulumi
    from rdma_cluster.component.frame import inputs

    later: Any = pulumi.Output.from_input("r")
    args: dict[str, Any] = {
        "width_cm": 90,
        "lock": {"key_text": "hush", "key_name": "n"},
        "locks": [{"key_text": "hush"}, {"key_name": later}, {}, {"key_name": "m"}],
        "key_text": "hush",
        "road": later,
        "labels": {"a_b": "c", "d": {"e": later}, "f": {}, "g": 0},
        "tags": [later, [later], [], "t"],
    }

    assert inputs(Door, args) == {
        "widthCm": 90,
        "lock": {"keyName": "n"},
        "locks": [{}, {}, {"keyName": "m"}],
        "labels": {"a_b": "c", "f": {}, "g": 0},
        "tags": [[], "t"],
    }


@pytest.mark.parametrize("handed", [True, False])
def test_warnings_of_a_plan_are_logged_once(handed: bool, monkeypatch: pytest.MonkeyPatch):
    """A component logs those of its own plan, at the resource that it names."""
    from types import SimpleNamespace

    import pulumi
    from rdma_cluster.component.frame import plan_args

    logged: list[Any] = []
    monkeypatch.setattr(pulumi.log, "warn", lambda *given: logged.append(given))
    plan: Any = SimpleNamespace(warnings=("a", "b"))
    resource = object.__new__(pulumi.Resource)

    plan_args(Door, lambda door, errors: plan, {}, plan if handed else None, warn=resource)
    assert logged == ([] if handed else [("a", resource), ("b", resource)])
    plan_args(Door, lambda door, errors: plan, {})
    plan_args(Door, lambda door, errors: SimpleNamespace(), {}, warn=resource)
    assert len(logged) == (0 if handed else 2)


def test_what_waits_keeps_its_options_and_what_is_replaceable_is_never_protected():
    import pulumi
    from rdma_cluster.component.frame import replaceable, waiting_for

    first, second = (object.__new__(pulumi.Resource) for _ in range(2))
    given = pulumi.ResourceOptions(protect=True, depends_on=[first])
    waiting, free = waiting_for(given, [second]), replaceable(given)

    assert (waiting.depends_on, waiting.protect) == ([first, second], True)
    assert (free.depends_on, free.protect) == ([first], False)
    assert (given.depends_on, given.protect) == ([first], True)

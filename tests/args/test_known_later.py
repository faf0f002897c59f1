"""Values that another resource brings, that are encrypted, or that are secrets pass the door without being read."""

from typing import Any, NotRequired

import pytest
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.base.args import Hidden, Input, Link, args_schema, parse, plan_from, spelt
from typing_extensions import TypedDict


class Output:
    """An output of another resource, whose value comes later."""

    def __init__(self, known: Any) -> None:
        self.known = known

    def apply(self, function: Any) -> "Output":
        return Output(function(self.known))


@args_schema
class Hook(TypedDict):
    ring_size: NotRequired[int]
    labels: NotRequired[dict[str, str]]


@args_schema
class Truck(TypedDict):
    """Some keys may be outputs, and some decide what is built."""

    name: NotRequired[str]
    front_hook: NotRequired[Input[Hook]]
    all_hooks: NotRequired[Input[list[Hook]]]
    road_id: NotRequired[Link]
    tags: NotRequired[Input[list[str]]]
    wheels: NotRequired[int]
    key_text: NotRequired[Hidden]
    labels: NotRequired[dict[str, str]]


def read(value: Any, camel: bool = True) -> Any:
    """A truck, in which nothing is wrong."""
    errors = ErrorList()
    found = parse(Truck, value, errors, camel=camel)
    assert not errors, errors.found()
    return found


def refused(value: Any, make_plan: Any = None, camel: bool = True) -> list[str]:
    with pytest.raises(Refused) as caught:
        plan_from(Truck, make_plan, value, camel=camel)
    return [str(each) for each in caught.value.errors]


HOOK = {"ringSize": 3, "labels": {"my_key": "v"}, "other_key": 1}
IN_PYTHON = {"ring_size": 3, "labels": {"my_key": "v"}, "other_key": 1}


def test_keys_inside_an_output_are_spelt_as_python_does():
    """Keys that are the user's own, or that no schema has, stay."""
    found = read({"frontHook": Output(HOOK), "allHooks": Output([HOOK, {}])})

    assert (found["front_hook"].known, found["all_hooks"].known) == (IN_PYTHON, [IN_PYTHON, {}])


def test_an_output_without_keys_is_handed_on_as_it_is():
    """So is every output of a Python program."""
    road, tags, hook = Output("r"), Output(["a"]), Output(HOOK)

    found = read({"roadId": road, "tags": tags})
    assert found["road_id"] is road and found["tags"] is tags
    found = read({"front_hook": hook, "all_hooks": [hook]}, camel=False)
    assert found["front_hook"] is hook and found["all_hooks"][0] is hook


def test_args_are_spelt_for_the_engine_around_outputs_and_users_keys():
    tags, hook = Output(["a"]), Output({"ring_size": 3})
    args = {"tags": tags, "front_hook": hook, "all_hooks": [{"ring_size": 1}], "labels": {"a_b": "c"}}

    assert spelt(Truck, args) == {
        "tags": tags,
        "frontHook": hook,
        "allHooks": [{"ringSize": 1}],
        "labels": {"a_b": "c"},
    }


@pytest.mark.parametrize("value", [7, {"user": "hunter2"}, ["hunter2"]])
def test_a_secret_of_another_type_is_not_shown(value: Any):
    (error,) = refused({"keyText": value})

    assert error.startswith("keyText: ") and "hunter2" not in error and "7" not in error
    assert read({"keyText": "hunter2"}) == {"key_text": "hunter2"}


def test_an_encrypted_value_is_told_as_that():
    """It may not have the form, and a rule may need to know it."""

    def rule(truck: Truck, errors: ErrorList) -> str:
        errors.at("name").add(f"got {truck.get('name')!r}; choose another")
        errors.at("wheels").add("got 3; choose 4")
        return "plan"

    (form,) = refused({"wheels": "[secret]"})
    first, second = refused({"name": "[secret]", "wheels": 3}, rule)
    assert "encrypted" in form and first.startswith("name: is encrypted") and second == "wheels: got 3; choose 4"


def test_rules_speak_of_places_as_the_file_does():
    """A place may be a list as a whole, an item, a user's own key, or a key that no schema has."""
    paths = (("all_hooks",), ("all_hooks", 0, "ring_size"), ("labels", "a_b"), ("own_key", 1), ())

    def rule(truck: Truck, errors: ErrorList) -> str:
        for path in paths:
            errors.at(*path).add("wrong")
        return "plan"

    assert refused({}, rule) == [
        *("allHooks: wrong", "allHooks[0].ringSize: wrong", "labels.a_b: wrong", "own_key[1]: wrong", "wrong")
    ]
    assert refused({}, rule, camel=False)[:2] == ["all_hooks: wrong", "all_hooks[0].ring_size: wrong"]

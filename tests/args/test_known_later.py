"""Values that another resource brings, that are encrypted, or that are secrets: what the door does with each."""

from typing import Any, NotRequired

import pytest
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.base.args import Hidden, Input, Link, args_schema, parse, plan_from, spelt
from typing_extensions import TypedDict


class Output:
    """Stands for an output of another resource, whose value comes later."""

    def __init__(self, known: Any) -> None:
        self.known = known

    def apply(self, function: Any) -> "Output":
        """As Pulumi's."""
        return Output(function(self.known))


@args_schema
class Hook(TypedDict):
    """What another resource may bring."""

    ring_size: NotRequired[int]
    labels: NotRequired[dict[str, str]]


@args_schema
class Truck(TypedDict):
    """Some keys that may be outputs, and some that decide what is built."""

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


HOOK = {"ringSize": 3, "labels": {"my_key": "v"}, "other_key": 1}
IN_PYTHON = {"ring_size": 3, "labels": {"my_key": "v"}, "other_key": 1}


def test_keys_inside_an_output_are_spelt_as_python_does():
    """By itself and in a list; keys that are the user's own, or that no schema has, stay."""
    found = read({"frontHook": Output(HOOK), "allHooks": Output([HOOK, {}])})

    assert found["front_hook"].known == IN_PYTHON
    assert found["all_hooks"].known == [IN_PYTHON, {}]


def test_an_output_without_keys_is_handed_on():
    """The same object, whoever spells the keys; so is every output of a Python program."""
    road, tags, hook = Output("r"), Output(["a"]), Output(HOOK)

    found = read({"roadId": road, "tags": tags})
    assert found["road_id"] is road and found["tags"] is tags
    found = read({"front_hook": hook, "all_hooks": [hook]}, camel=False)
    assert found["front_hook"] is hook and found["all_hooks"][0] is hook


def test_args_for_the_engine():
    """An output stays in the place of a list, and of a set of keys."""
    tags, hook = Output(["a"]), Output({"ring_size": 3})

    assert spelt(Truck, {"tags": tags, "front_hook": hook, "labels": {"a_b": "c"}, "own_key": {"a_b": 1}}) == {
        "tags": tags,
        "frontHook": hook,
        "labels": {"a_b": "c"},
        "ownKey": {"a_b": 1},
    }


def refused(value: Any, make_plan: Any = None, camel: bool = True) -> list[str]:
    """What is told of a truck."""
    with pytest.raises(Refused) as caught:
        plan_from(Truck, make_plan, value, camel=camel)
    return [str(each) for each in caught.value.errors]


@pytest.mark.parametrize("value", [7, {"user": "hunter2"}, ["hunter2"]])
def test_a_secret_of_another_type_is_not_shown(value: Any):
    """It may be the secret itself."""
    assert refused({"keyText": value}) == [
        "keyText: must be a string; what was got is a secret and not shown; write a set of keys as JSON"
    ]
    assert read({"keyText": "hunter2"}) == {"key_text": "hunter2"}


def test_an_encrypted_value_is_told_as_that():
    """Where it has not the form, and where a rule needs to know it."""

    def rule(truck: Truck, errors: ErrorList) -> str:
        errors.at("name").add(f"got {truck.get('name')!r}; choose another")
        errors.at("wheels").add("got 3; choose 4")
        return "plan"

    assert refused({"wheels": "[secret]", "labels": 7}) == [
        "wheels: must be a whole number, got an encrypted value, which cannot be read here",
        "labels: must be a set of keys, got 7; write KEY: VALUE, each on a line of its own, or {KEY: VALUE}",
    ]
    assert refused({"name": "[secret]", "wheels": 3}, rule) == [
        "name: is encrypted, and cannot be read here, while it decides what is built; write it unencrypted",
        "wheels: got 3; choose 4",
    ]


def test_rules_speak_of_places_as_the_file_does():
    """Of a list as a whole, of an item, of a user's own key, and of one that no schema has."""

    def rule(truck: Truck, errors: ErrorList) -> str:
        for path in (
            ("all_hooks",),
            ("all_hooks", 0),
            ("all_hooks", 0, "ring_size"),
            ("labels", "a_b"),
            ("own_key", 1),
        ):
            errors.at(*path).add("wrong")
        errors.add("wrong")
        return "plan"

    places = ["allHooks", "allHooks[0]", "allHooks[0].ringSize", "labels.a_b", "own_key[1]"]
    assert refused({}, rule) == [*(f"{place}: wrong" for place in places), "wrong"]
    assert refused({}, rule, camel=False)[:3] == [
        "all_hooks: wrong",
        "all_hooks[0]: wrong",
        "all_hooks[0].ring_size: wrong",
    ]

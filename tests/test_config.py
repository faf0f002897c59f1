"""A stack's configuration as args: its file's words are what is planned, and a misspelt key is told where it stands."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, InputError, Refused
from rdma_cluster.base.config import plan_config, stack_args, value

KEYS = {"gcp:project": "project"}
SOUND = {"gcp:project": "p", "rdma-cluster:cloud": "gke", "rdma-cluster:zone": "z"}


def refused(config: dict[str, str], plan: Any = lambda args: args) -> tuple[list[str], bool]:
    """What is told of a configuration, and whether more may follow."""
    with pytest.raises(Refused) as caught:
        plan_config(config, KEYS, plan)
    return [str(error) for error in caught.value.errors], caught.value.rules_follow


def broken(*path: str, rules_follow: bool) -> Any:
    """A plan that is refused with one error."""

    def plan(args: dict[str, Any]) -> None:
        raise Refused([InputError(path, "wrong")], rules_follow=rules_follow)

    return plan


def test_args_are_what_the_file_says():
    """Keys of ours and of the cloud's provider; those of other programs are none, nor is the cloud."""
    assert stack_args({**SOUND, "other:zone": "x", "gcp:region": "x"}, KEYS) == {"project": "p", "zone": "z"}
    assert plan_config(SOUND, KEYS, dict) == {"project": "p", "zone": "z"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        ("false", False),
        ("True", "True"),
        ("12", "12"),
        ("1.35", "1.35"),
        ("", ""),
        ('{"a": [1]}', {"a": [1]}),
        ('["a", {"b": null}]', ["a", {"b": None}]),
        ("[secret]", "[secret]"),
        ("{", "{"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_a_value_is_what_the_file_had(text: str, expected: Any):
    """The engine hands over objects and lists as JSON, and all else as text."""
    assert value(text) == expected


@pytest.mark.parametrize(
    ("key", "right"),
    [
        ("rdmacluster:pools", "rdma-cluster:pools"),
        ("rdma_cluster:pools", "rdma-cluster:pools"),
        ("RDMA-Cluster:pools", "rdma-cluster:pools"),
        ("gcp:projct", "gcp:project"),
        ("rdma-cluster:project", "gcp:project"),
    ],
)
def test_a_misspelt_key_means_the_right_one(key: str, right: str):
    """It is told, and its text counts, so that nothing is missing as well; where the right one is there, that does."""
    seen: list[dict[str, Any]] = []
    name = KEYS.get(right, right.partition(":")[2])
    without = {each: text for each, text in SOUND.items() if each != right}

    assert refused({key: "x", **without}, seen.append) == ([f"{key}: unknown key; did you mean {right}?"], True)
    assert refused({key: "x", **without, right: "y"}, seen.append)[1]
    assert refused({right: "y", **without, key: "x"}, seen.append)[1]
    assert [args[name] for args in seen] == ["x", "y", "y"]
    assert key not in seen[0]


@pytest.mark.parametrize("key", ["other:zone", "aws:region", "pulumi:tags"])
def test_a_key_of_others_is_theirs(key: str):
    """Other programs and providers have keys of their own."""
    assert plan_config({key: "x", **SOUND}, KEYS, dict) == {"project": "p", "zone": "z"}


def test_errors_stand_where_the_user_wrote():
    """Under the key of the file; one without a place has none."""
    assert refused(SOUND, broken("project", rules_follow=False)) == (["gcp:project: wrong"], False)
    assert refused(SOUND, broken("zone", rules_follow=True)) == (["zone: wrong"], True)
    assert refused(SOUND, broken(rules_follow=False)) == (["wrong"], False)


def test_an_error_at_a_deeper_place_is_one_of_those_above():
    """An error list is true where it, or what is below it, has an error; beside it not."""
    errors = ErrorList()
    errors.at("pools", 0, "nodes").add("wrong")

    assert errors and errors.at("pools") and errors.at("pools", 0, "nodes")
    assert not errors.at("pools", 1) and not errors.at("zone") and not errors.at("pools", 0, "nodes", "more")

"""A stack's configuration is planned as its file says, and a misspelt key is told where it stands."""

from typing import Any

import pytest
from pulumi_offline.errors import InputError, Refused
from rdma_cluster.base.config import plan_config, stack_args, value

KEYS = {"gcp:project": "project"}
SOUND = {"gcp:project": "p", "rdma-cluster:cloud": "gke", "rdma-cluster:zone": "z"}


def refused(config: dict[str, str], plan: Any = lambda args: args) -> tuple[list[str], bool]:
    """The errors of a configuration, and whether more may follow."""
    with pytest.raises(Refused) as caught:
        plan_config(config, KEYS, plan)
    return [str(error) for error in caught.value.errors], caught.value.rules_follow


def broken(*path: str, rules_follow: bool) -> Any:
    """A plan that is refused with one error."""

    def plan(args: dict[str, Any]) -> None:
        raise Refused([InputError(path, "wrong")], rules_follow=rules_follow)

    return plan


def test_args_are_the_keys_of_ours_and_of_the_clouds_provider():
    """Keys of other programs are none, nor is the cloud; a secret that is JSON stays a text for Kubernetes."""
    others = {"other:zone": "x", "gcp:region": "x", "aws:region": "x", "pulumi:tags": "x"}

    assert stack_args({**SOUND, **others}, KEYS) == {"project": "p", "zone": "z"}
    assert plan_config({**SOUND, **others}, KEYS, dict) == {"project": "p", "zone": "z"}
    assert stack_args({"rdma-cluster:pullSecret": '{"auths": {}}'}, KEYS) == {"pullSecret": '{"auths": {}}'}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
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
def test_the_engine_hands_over_objects_and_lists_as_json_and_all_else_as_text(text: str, expected: Any):
    assert value(text) == expected


@pytest.mark.parametrize(
    ("key", "right"),
    [
        ("rdmacluster:pools", "rdma-cluster:pools"),
        ("RDMA-Cluster:pools", "rdma-cluster:pools"),
        ("gcp:projct", "gcp:project"),
        ("rdma-cluster:project", "gcp:project"),
    ],
)
def test_a_misspelt_key_counts_as_the_one_that_it_means(key: str, right: str):
    """Nothing is told to be missing as well. Where the right key is there, that one counts."""
    seen: list[dict[str, Any]] = []
    name = KEYS.get(right, right.partition(":")[2])
    without = {each: text for each, text in SOUND.items() if each != right}

    (error,), rules_follow = refused({key: "x", **without}, seen.append)
    assert error.startswith(f"{key}: ") and f"{right}?" in error and rules_follow
    refused({key: "x", **without, right: "y"}, seen.append)
    refused({right: "y", **without, key: "x"}, seen.append)
    assert [args[name] for args in seen] == ["x", "y", "y"] and key not in seen[0]


def test_an_error_stands_under_the_key_of_the_file():
    assert refused(SOUND, broken("project", rules_follow=False)) == (["gcp:project: wrong"], False)
    assert refused(SOUND, broken("zone", rules_follow=True)) == (["zone: wrong"], True)
    assert refused(SOUND, broken(rules_follow=False)) == (["wrong"], False)

"""Names and labels have one form on every cloud."""

import re
from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.common.names import check_ends_as_label, check_labels, check_once, check_own_name, unknown_machine
from rdma_cluster.common.pools import check_pool_names, check_pools
from rdma_cluster.common.tags import TagForm, check_tags


def told(check: Any, *words: Any) -> list[str]:
    """The errors of a check."""
    errors = ErrorList()
    check(*words, errors)
    return [str(each) for each in errors.found()]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("team", "a", ""),
        ("example.com/team", "a.b_c-D", ""),
        ("ours", "a", "set by this library and read by the drivers; remove it"),
        ("node.kubernetes.io/team", "a", ""),
        ("kubelet.kubernetes.io/team", "a", ""),
        ("my.node.kubernetes.io/team", "a", ""),
        (
            "kubernetes.io/team",
            "a",
            "no node may give itself a label of kubernetes.io; take a prefix of your own, e.g. ",
        ),
        ("k8s.io/team", "a", "no node may give itself a label of k8s.io; "),
        ("a.k8s.io/team", "a", "no node may give itself a label of a.k8s.io; "),
        ("mykubernetes.io/team", "a", ""),
        ("a b", "a", "not a label's key; write PREFIX/NAME or NAME: "),
    ],
)
def test_a_node_carries_labels_that_neither_we_nor_kubernetes_keep(key: str, value: str, words: str):
    errors = told(check_labels, {key: value}, ("ours",))

    assert len(errors) == bool(words)
    assert all(each.startswith(f"{key}: {words}") for each in errors)
    assert all(each.endswith("e.g. example.com/team") for each in errors if "no node may" in each)


@pytest.mark.parametrize(("name", "fits"), [("a", True), ("a1", True), ("a-b", True), ("a-", False), ("a_", False)])
def test_a_name_that_is_a_label_too_ends_with_a_letter_or_digit(name: str, fits: bool):
    assert bool(told(check_ends_as_label, name)) is not fits


@pytest.mark.parametrize(("name", "fits"), [("abcd", True), ("abcde", False), ("a1", False), ("", False)])
def test_the_name_of_a_stack_is_as_long_as_names_of_resources_allow(name: str, fits: bool):
    words = f"name: got {name!r}, with which the names of all resources begin; wanted are 1 to 4 letters; "

    assert told(check_own_name, name, re.compile("[a-z]+"), 4, "letters") == (
        [] if fits else [f"{words}give the stack another name"]
    )


@pytest.mark.parametrize(
    ("name", "cloud", "words"),
    [
        ("p5.48xlarge", "gke", "p5.48xlarge is a machine of EKS; nearest on GKE are "),
        ("p5.48xlargf", "eks", "unknown machine 'p5.48xlargf', or another; nearest are p5.48xlarge"),
        ("g5.4xlarge", "eks", "g5.4xlarge has no EFA; nearest with a fabric are "),
    ],
)
def test_a_machine_that_a_cloud_has_not_is_told_with_the_nearest_that_it_has(name: str, cloud: str, words: str):
    said = unknown_machine(name, cloud, ", or another")

    assert said.startswith(words)
    assert "nearest" in said and said.rpartition(" are ")[2]


def test_an_item_that_is_listed_twice_is_told_with_its_first_place():
    """An output is known later."""
    assert told(check_once, ["a", 7, "b", "a", 7, "a"], "admin", "id") == [
        "[3].id: a is admin [0] already; list each once",
        "[5].id: a is admin [0] already; list each once",
    ]


def test_a_pool_has_a_name_of_its_own_and_a_stack_at_least_one_pool():
    a, b = {"name": "a"}, {"name": "b"}
    assert told(check_pools, [a, b]) == []
    assert told(check_pools, [a, b, a]) == ["[2].name: a is the name of pools[0] already; name each pool once"]
    assert told(check_pools, []) == ["empty; list at least one pool with name, machine, nodes and capacity"]
    assert told(check_pool_names, [a, b], {"b": "the system nodes"}) == [
        "[1].name: b is the name of the pool for the system nodes; take another"
    ]


FORM = TagForm(package="p", inputs=("tags",), inside={}, key="[a-z]+", value="[0-9]*", words="w", most=2)


@pytest.mark.parametrize(
    ("tags", "most", "errors"),
    [
        ({"a": "1", "b": ""}, 2, []),
        ({"a": "1", "A": "2"}, 2, ["A: got '2'; w"]),
        ({"a": "x"}, 2, ["a: got 'x'; w"]),
        ({"a": "1", "b": "2", "c": "3"}, 2, ["3 tags, and a resource takes 2 beside our own; remove 1"]),
        ({"a": "1", "b": "2", "c": "3"}, None, []),
    ],
)
def test_tags_have_the_clouds_form_and_number(tags: dict[str, str], most: int | None, errors: list[str]):
    assert told(check_tags, tags, replace(FORM, most=most)) == errors

"""How a path of `--set` is read and what it is laid over: keys, numbers in brackets, and keys in quotes."""

from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.cli.overrides import Step, lay_over, path_of


@pytest.mark.parametrize(
    ("override", "steps", "text"),
    [
        ("gcp:project=p", ["gcp:project"], "p"),
        ("pools[0].nodes=4", ["rdma-cluster:pools", 0, "nodes"], "4"),
        ("labels['a.b/c']=x", ["rdma-cluster:labels", "a.b/c"], "x"),
        (r'labels["a\"b"]=x', ["rdma-cluster:labels", 'a"b'], "x"),
        ("name=a=b", ["rdma-cluster:name"], "a=b"),
        ("a[999999][3].d=1", ["rdma-cluster:a", 999999, 3, "d"], "1"),
        ("a['b[0].c=d']=1", ["rdma-cluster:a", "b[0].c=d"], "1"),
        (r"a['b\\c']=1", ["rdma-cluster:a", r"b\\c"], "1"),
    ],
)
def test_a_path_ends_at_the_first_equals_sign(override: str, steps: list[Step], text: str):
    assert path_of(override) == (steps, text)


@pytest.mark.parametrize(
    "override", ["", "name", "=1", "pools[x]=1", "pools[0=1", "labels['a]=1", ":a=1", "a:=1", "a[1000000]=1",
     "a[-1]=1", "a..b=1", "a[]=1", r'a["\x"]=1', "a b=1", "a.b c=1", "a" + ".b" * 40 + "=1"])  # fmt: skip
def test_a_text_of_another_form_is_no_path(override: str):
    assert path_of(override) is None


def laid_over(config: dict[str, Any], override: str) -> dict[str, Any]:
    """A configuration of our keys with a value laid over it."""
    made = {f"rdma-cluster:{key}": value for key, value in config.items()}
    lay_over(made, override)
    return {key.removeprefix("rdma-cluster:"): value for key, value in made.items()}


@pytest.mark.parametrize(
    ("before", "override", "after"),
    [
        ({"a": 1, "b": 2}, "a=x", {"a": "x", "b": 2}),
        ({"a": {"b": 1, "c": 2}}, "a.b=3", {"a": {"b": 3, "c": 2}}),
        ({}, "a[0].b=1", {"a": [{"b": 1}]}),
        ({"a": [1, 2, 3]}, "a[1]=9", {"a": [1, 9, 3]}),
        ({"a": [1]}, "a[1]=2", {"a": [1, 2]}),
        ({"a": [1, 2, 3]}, "a[1]=null", {"a": [1, 3]}),
        ({"a": {"b": 1, "c": 2}}, "a.b=null", {"a": {"b": None, "c": 2}}),
        ({"a": {"c": 1}}, "a.b.d=null", {"a": {"c": 1, "b": None}}),
        ({"a": {}}, "a.b={c: [1, two]}", {"a": {"b": {"c": [1, "two"]}}}),
    ],
)
def test_a_value_is_laid_over_at_its_place(before: dict[str, Any], override: str, after: dict[str, Any]):
    """What leads to it is made where it is not there; nothing takes the key or the item away."""
    assert laid_over(before, override) == after


@pytest.mark.parametrize(
    ("config", "override", "wrong"),
    [({"a": "text"}, "a.b=1", "'b'"), ({"a": {"b": 1}}, "a[0]=1", "0"), ({"a": [1]}, "a[2]=1", "2")],
)
def test_a_step_that_leads_nowhere_is_named(config: dict[str, Any], override: str, wrong: str):
    with pytest.raises(Refused, match=f"^--set: got '.*'; there is nothing at {wrong} "):
        laid_over(config, override)

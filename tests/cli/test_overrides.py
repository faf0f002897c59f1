"""How a path of `--set` is read: keys, numbers in brackets, and keys in quotes that have dots in them."""

import pytest
from rdma_cluster.cli.overrides import Step, path_of


@pytest.mark.parametrize(
    ("override", "steps", "text"),
    [
        ("dualStack=true", ["rdma-cluster:dualStack"], "true"),
        ("gcp:project=p", ["gcp:project"], "p"),
        ("pools[0].nodes=4", ["rdma-cluster:pools", 0, "nodes"], "4"),
        ("labels['a.b/c']=x", ["rdma-cluster:labels", "a.b/c"], "x"),
        ('labels["a.b/c"]=x', ["rdma-cluster:labels", "a.b/c"], "x"),
        (r'labels["a\"b"]=x', ["rdma-cluster:labels", 'a"b'], "x"),
        ("name=a=b", ["rdma-cluster:name"], "a=b"),
        ("name=", ["rdma-cluster:name"], ""),
    ],
)
def test_steps(override: str, steps: list[Step], text: str):
    """The value is all that stands behind the first equals sign."""
    assert path_of(override) == (steps, text)


@pytest.mark.parametrize("override", ["", "name", "=1", "pools[x]=1", "pools[0=1", "labels['a]=1"])
def test_what_is_no_path(override: str):
    """It is refused by whoever asked."""
    assert path_of(override) is None

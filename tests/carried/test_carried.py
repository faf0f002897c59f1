"""What a user names reaches a resource: optional keys that only carry a value through, each with one of its own.

One graph a cloud holds them all. `tests/changes` asks of each key alone whether it changes anything.
"""

import json
from importlib import import_module
from types import ModuleType

import pytest
from tests.stacks import ROOT, graph_of

pytestmark = pytest.mark.variant

CLOUDS = [import_module(f"tests.{path.parent.name}.carried") for path in sorted((ROOT / "tests").glob("*/carried.py"))]


@pytest.mark.parametrize("cloud", CLOUDS, ids=lambda cloud: cloud.STACK)
def test_every_value_reaches_a_resource(cloud: ModuleType):
    """And not only our components, which show their args again, or the stack's outputs."""
    made = graph_of(cloud.STACK, *cloud.SET).resources
    said = json.dumps([[each.inputs, each.options] for each in made if not each.type.startswith("rdma-cluster:")])

    assert len(cloud.REACHES) >= 10
    assert [value for value in cloud.REACHES if value not in said] == []


@pytest.mark.parametrize("cloud", CLOUDS, ids=lambda cloud: cloud.STACK)
def test_every_value_is_the_users(cloud: ModuleType):
    """It stands in what is set, and in nothing that a stack has without it."""
    plain = json.dumps([[each.inputs, each.options] for each in graph_of(cloud.STACK).resources])

    assert [value for value in cloud.REACHES if not any(value in each for each in cloud.SET) or value in plain] == []

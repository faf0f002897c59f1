"""What takes long has its time where a component is made alone, too: no stack has a file system."""

from importlib import import_module

import pytest
from pulumi_offline import preview
from tests.clouds import CloudTests, clouds
from tests.policies.tree import what_takes_long_has_its_time

STORAGES = [
    (cloud, name, args) for cloud in clouds() for name, args in cloud.components.items() if args.get("lustre", False)
]


@pytest.mark.parametrize(("cloud", "name", "args"), STORAGES, ids=[name for _, name, _ in STORAGES])
def test_file_systems_have_their_time(cloud: CloudTests, name: str, args: dict[str, object]):
    """An hour for each operation, and twice what was seen; an update, too."""
    component = getattr(import_module(f"rdma_cluster.{cloud.name}"), name)
    graph = preview(lambda: component("alone", args))

    assert list(what_takes_long_has_its_time(graph)) == []

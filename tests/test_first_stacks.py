"""The stack that `init` writes for a cloud is the one that this project shows."""

import json
from importlib import import_module
from typing import Any

import pytest
from pulumi_offline.project import read_settings
from tests.clouds import CloudTests, clouds
from tests.stacks import ROOT


@pytest.mark.parametrize("cloud", clouds(), ids=str)
def test_the_stack_that_init_writes_is_the_first_one(cloud: CloudTests):
    """Keys that say nothing are left aside."""
    room = import_module(f"rdma_cluster.{cloud.name}.plan")
    first: dict[str, Any] = {}
    for key, text in read_settings(ROOT, cloud.stacks[0]).config.items():
        try:
            first[room.STACK_KEYS.get(key) or key.partition(":")[2]] = json.loads(text)
        except ValueError:
            first[room.STACK_KEYS.get(key) or key.partition(":")[2]] = text
    assert first.pop("cloud") == cloud.name

    assert {key: of for key, of in first.items() if of and key != "disable-default-providers"} == room.EXAMPLE

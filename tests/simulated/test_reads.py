"""What a cloud returns that was not sent: rows that can be true, and what azure-native makes of such a read."""

from importlib import import_module
from typing import Any

import pytest
from pulumi_offline import sdk
from rdma_rehearsal.inventory import Thing
from rdma_rehearsal.providers import SIMULATED
from rdma_rehearsal.reads import ROWS, followed, returned

CLUSTER, POOL = (f"azure-native:containerservice:{each}" for each in ("ManagedCluster", "AgentPool"))
SYSTEM, GPUS = ({"name": name, "count": count, "vmSize": name} for name, count in (("system", 3), ("h100", 2)))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['types'][0]}: {row['path']}")
def test_a_row_is_of_an_output_and_has_a_source(row: dict[str, Any]):
    for token in row["types"]:
        import_module(SIMULATED[sdk.package(token)].sdk)
        cls = sdk.resource_class(token)
        assert cls and row["path"].partition(".")[0] in sdk.outputs(cls)
    assert row["source"].rpartition("; ")[2].startswith("2026-11-")


def thing(token: str, name: str, **inputs: Any) -> Thing:
    """A resource that is there."""
    return Thing(name, token, name, name, (token, name), (), (), False, True, inputs, inputs)


def test_pools_are_returned_by_name():
    """Also one that somebody has made by hand; one of another cluster is not."""
    cluster = thing(CLUSTER, "aks", agentPoolProfiles=[SYSTEM])
    pools = [thing(POOL, name, agentPoolName=name, resourceName=of) for name, of in (("web", "aks"), ("h100", "aks"))]
    other = thing(POOL, "x", agentPoolName="x", resourceName="other")

    found = returned(cluster, [cluster, *pools, other])["agentPoolProfiles"]
    assert [each["name"] for each in found] == ["h100", "system", "web"]


@pytest.mark.parametrize(
    ("inputs", "before", "after", "right"),
    [
        ([SYSTEM], [SYSTEM], [SYSTEM], [SYSTEM]),
        ([SYSTEM], [SYSTEM], [GPUS, SYSTEM], [GPUS, SYSTEM]),
        ([SYSTEM], [GPUS, SYSTEM], [{**GPUS, "count": 4}, SYSTEM], [{**SYSTEM, "count": 4}, SYSTEM]),
        ([GPUS, SYSTEM], [GPUS, SYSTEM], [SYSTEM], [SYSTEM]),
    ],
    ids=["the same", "a new pool", "a pool that the state has only as an output", "a pool that is gone"],
)
def test_inputs_follow_outputs_by_position(inputs: Any, before: Any, after: Any, right: Any):
    """As azure-native's own applyDiff: what changed of one pool is a change of whatever stands in its place."""
    old, new = ({"agentPoolProfiles": each, "sku": "x"} for each in (before, after))
    assert followed(CLUSTER, {"agentPoolProfiles": inputs}, old, new) == {"agentPoolProfiles": right}

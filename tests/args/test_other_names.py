"""Words of other tools: each leads to a key that is there."""

from rdma_cluster.base.args import hints
from rdma_cluster.base.other_names import _TABLES, suggest
from rdma_cluster.common import CLOUDS, module_of
from rdma_cluster.oke.plan.node_pool import OkeGpuNodePoolArgs, OkePool
from typing_extensions import TypedDict


def test_a_word_means_a_key_of_its_schema_or_comes_with_advice():
    """A key that was renamed would else be shown as advice of one word."""
    for cloud in CLOUDS:
        module_of(cloud, "plan")

    words = [(schema, meant) for schema, table in _TABLES.items() for meant in table.values()]
    assert len({schema for schema, _ in words}) > 15
    assert [each for each in words if each[1].isidentifier() and each[1] not in hints(each[0])] == []


def test_a_word_is_known_below_and_in_schemas_that_inherit():
    class Stack(TypedDict):
        pools: list[OkePool]

    assert suggest(OkeGpuNodePoolArgs, {"nodes": "nodes"}, "sharedNodePoolSize", near=True)[1] == ["nodes"]
    assert suggest(Stack, {"pools": "pools"}, "SHARED-NODE-POOL-SIZE", near=True) == ("did you mean pools[].nodes?", [])

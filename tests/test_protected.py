"""A cluster is protected where somebody asks for it, on every cloud, and nothing else goes by that key."""

import pytest
from tests.clouds import CloudTests, clouds
from tests.stacks import graph_of

_CLUSTERS = (":cluster:Cluster", "/cluster:Cluster", ":ManagedCluster")


@pytest.mark.parametrize("cloud", [cloud for cloud in clouds() if cloud.has_kubernetes], ids=lambda cloud: cloud.name)
def test_only_the_cluster_is_protected_and_only_on_request(cloud: CloudTests):
    """`destroy` then fails at its preview, in the engine's own way."""
    stack = cloud.stacks[0]
    graphs = [graph_of(stack), graph_of(stack, "kubernetes.protected=true")]
    kept = [{each.type for each in graph.resources if each.options.get("protect")} for graph in graphs]

    assert kept[0] == set()
    assert len(kept[1]) == 1 and next(iter(kept[1])).endswith(_CLUSTERS)

"""Nothing is made twice: no namespace that is ours can be the user's, too."""

import pytest
from rdma_cluster.incluster.plan.claim_templates import OF_KUBERNETES, our_namespaces
from tests.clouds import CloudTests, clouds
from tests.stacks import graph_of


@pytest.mark.parametrize("cloud", clouds(), ids=lambda cloud: cloud.name)
def test_each_namespace_of_ours_is_listed(cloud: CloudTests):
    """What a stack makes or fills without being asked for it is refused under ``claims.namespaces``."""
    found = set()
    for stack in cloud.stacks:
        for resource in graph_of(stack).resources:
            metadata = resource.inputs.get("metadata") or {}
            if resource.type == "kubernetes:core/v1:Namespace":
                found.add(metadata["name"])
            elif resource.type.startswith("kubernetes:"):
                found.add(metadata.get("namespace") or resource.inputs.get("namespace") or "default")

    assert found - our_namespaces().keys() <= {*OF_KUBERNETES}

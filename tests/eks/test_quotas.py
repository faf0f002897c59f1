"""What AWS raises when asked is one warning with the count; what we make stays below the quotas that nobody watches."""

from collections import Counter
from typing import Any

import pytest
from rdma_cluster.catalog import quotas
from tests.clouds import CloudTests, each_graph
from tests.eks.plans import BLOCK, stack_plan
from tests.stacks import graph_of


def pools(count: int, nodes: int = 1) -> list[dict[str, Any]]:
    """As many pools of P5."""
    return [{"name": f"p{i}", "machine": "p5.48xlarge", "nodes": nodes, "capacity": BLOCK} for i in range(count)]


def told(of: quotas.Quota, *listed: dict[str, Any]) -> list[str]:
    """The warnings of a stack that speak of a quota."""
    return [each for each in stack_plan(*listed).warnings if of.what in each]


def test_node_groups():
    """The system's group counts, too; the pools of many groups are told of once."""
    assert told(quotas.EKS_NODE_GROUPS, *pools(29)) == []
    assert told(quotas.EKS_NODE_GROUPS, *pools(40)) == [
        "the stack has 41, and an account has 30 managed node groups per cluster unless they were raised: ask the "
        "cloud for more before the first up (docs.aws.amazon.com/eks/latest/userguide/service-quotas.html)"
    ]


@pytest.mark.parametrize(
    ("count", "who"), [(1, "pool p0 has up to 451"), (2, "2 pools (p0, p1) have up to 451")], ids=["one", "two"]
)
def test_nodes_of_a_group(count: int, who: str):
    """Each group that is larger is named in one warning."""
    subnets = [{"subnet": f"subnet-0123456789abcdef{i}", "zone": f"us-east-2{zone}"} for i, zone in enumerate("ab")]
    group = "sg-0123456789abcdef0"
    network = {
        "existing": {"cluster_subnets": subnets, "gpu_subnets": subnets[:1], "security_group": group, "dns": True}
    }
    (warning,) = [
        each for each in stack_plan(*pools(count, 451), network=network).warnings if quotas.EKS_GROUP_NODES.what in each
    ]
    assert warning.startswith(f"{who}, and an account has 450 nodes per managed node group")


@pytest.mark.parametrize(("cloud", "graph"), each_graph("eks"))
def test_what_we_make_stays_below(cloud: CloudTests, graph: str):
    """Rules of a security group, policies of a role."""
    made = graph_of(*cloud.graphs[graph]).resources
    rules = Counter((each.type, each.inputs["securityGroupId"]) for each in made if each.type.startswith("aws:vpc/"))
    policies = Counter(each.inputs["role"] for each in made if each.type.endswith(":RolePolicyAttachment"))

    assert 0 < max(policies.values(), default=1) <= quotas.IAM_ROLE_POLICIES.default // 2
    assert max(rules.values(), default=0) <= quotas.EC2_GROUP_RULES.default // 2

"""What AWS raises when asked is one warning with the count; what we make stays below the quotas that nobody watches."""

from collections import Counter
from typing import Any

import pytest
from rdma_cluster.catalog import quotas
from tests.clouds import CloudTests, each_graph
from tests.eks.plans import EXISTING, P5, stack_plan
from tests.stacks import graph_of


def told(of: quotas.Quota, nodes: list[int], **more: Any) -> list[str]:
    """The warnings of a stack with pools of so many nodes that speak of a quota."""
    pools = [{**P5, "name": f"p{i}", "nodes": count} for i, count in enumerate(nodes)]
    return [each for each in stack_plan(*pools, **more).warnings if of.what in each]


@pytest.mark.parametrize(("count", "more", "groups"), [(29, {}, None), (30, {}, 31), (30, EXISTING, None)])
def test_many_node_groups_are_told_with_the_systems_own(count: int, more: dict[str, Any], groups: int | None):
    """The other groups of a cluster that exists are not seen."""
    found = told(quotas.EKS_NODE_GROUPS, [1] * count, **more)

    assert [f"has {groups}, and an account has 30" in each for each in found] == ([] if groups is None else [True])


@pytest.mark.parametrize(
    ("nodes", "who"),
    [
        ([450], None),
        ([451], "pool p0 has up to 451"),
        ([600, 2, 451], "2 pools (p0, p2) have up to 600"),
        ([500, 451, 451, 451], "4 pools (p0, p1, p2, ...) have up to 500"),
    ],
)
def test_large_node_groups_are_named_in_one_warning(nodes: list[int], who: str | None):
    found = told(quotas.EKS_GROUP_NODES, nodes, network=EXISTING["network"])

    assert [each.partition(", and an account")[0] for each in found] == ([who] if who else [])


@pytest.mark.parametrize(("cloud", "graph"), each_graph("eks"))
def test_rules_of_a_group_and_policies_of_a_role_stay_far_below_their_quotas(cloud: CloudTests, graph: str):
    made = graph_of(*cloud.graphs[graph]).resources
    rules = Counter((each.type, each.inputs["securityGroupId"]) for each in made if each.type.startswith("aws:vpc/"))
    policies = Counter(each.inputs["role"] for each in made if each.type.endswith(":RolePolicyAttachment"))

    assert 0 < max(policies.values(), default=1) <= quotas.IAM_ROLE_POLICIES.default // 2
    assert max(rules.values(), default=0) <= quotas.EC2_GROUP_RULES.default // 2

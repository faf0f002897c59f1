"""What is decided of an EKS cluster: who may enter, what it runs, and what other resources are named by."""

from typing import Any

import pytest
from rdma_cluster.eks.plan.cluster import EksEndpoint
from tests.eks.plans import ADMIN, CLUSTER_SUBNETS, EXISTING, cluster_plan, pool_plan, refused

ADDONS = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent", "coredns", "eks-node-monitoring-agent")


def test_an_existing_cluster_has_its_own_administrators():
    existing = EXISTING["kubernetes"]["existing"]
    made = cluster_plan(existing=existing, admins=None)

    assert (made.existing, made.admins, made.endpoint) == (existing, (), EksEndpoint.PRIVATE)


@pytest.mark.parametrize(
    ("more", "paths"),
    [
        ({"admins": [ADMIN, f"{ADMIN}-2", ADMIN]}, ["admins[2]"]),
        ({"admins": ["arn:aws:iam::111122223333:group/admins"]}, ["admins[0]"]),
        ({"addon_versions": {"kube-proxy": "v1.32.0-eksbuild.1"}}, []),
        ({"addon_versions": {"kube-proxy": "v1.31.0-eksbuild.1"}}, ["addon_versions.kube-proxy"]),
        ({"addon_versions": {"kube-proxy": "v1.36.0-eksbuild.1"}}, ["addon_versions.kube-proxy"]),
        ({"subnets": [*CLUSTER_SUBNETS, CLUSTER_SUBNETS[0]]}, ["subnets[2].subnet"]),
        ({"system_subnets": [{"subnet": "s", "zone": "west"}]}, ["system_subnets[0].zone"]),
        ({"service_cidr": "10.16.0.0/12"}, []),
        ({"service_cidr": "10.32.0.0/11"}, ["service_cidr"]),
    ],
)
def test_a_cluster_is_refused_at_the_key_that_is_wrong(more: dict[str, Any], paths: list[str]):
    """Kube-proxy may be three minors older than the control plane, and none newer."""
    assert refused(cluster_plan, **more) == paths


@pytest.mark.parametrize(
    ("name", "of_cluster", "of_group"),
    [
        ("a" * 63, True, True),
        ("a" * 64, True, False),
        ("a" * 100, True, False),
        ("a" * 101, False, False),
        ("a-", True, False),
        ("-a", False, False),
    ],
)
def test_a_node_groups_name_is_shorter_than_a_clusters(name: str, of_cluster: bool, of_group: bool):
    """It is also the value of a label, which ends with a letter or digit."""
    assert refused(cluster_plan, name) == ([] if of_cluster else ["name"])
    assert bool(refused(pool_plan, name=name)) is not of_group

"""What an OKE stack of many pools tells its cluster, its policies and each pool."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from rdma_cluster.oke.plan.network import OkeFabric

from tests.oke.plans import CLUSTER, COMPARTMENT, IN_CLUSTER, ON_DEMAND, RACKS, TENANCY, whole_plan

HOSTS = "ocid1.computehostgroup.oc1..{}"
FABRIC = OkeFabric(vcn="v", api_subnet="a", worker_subnet="w", load_balancer_subnet="l")
OF_IAM = {"region": "eu-frankfurt-1", "tenancy": TENANCY, "compartment": COMPARTMENT, "cluster": CLUSTER}
JOINED: Any = SimpleNamespace(id=CLUSTER, api_host="10.140.0.2", ca_certificate="eA==")
"""What a pool is told of the cluster that it joins."""


def pool(name: str, mode: str, **more: Any) -> dict[str, Any]:
    """A pool of two H100."""
    return {"name": name, "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND, "mode": mode, **more}


MANY = [
    pool("a", "managed", placement={"host_group": HOSTS.format("d")}),
    {**RACKS, "name": "b"},
    pool("c", "instances", placement={"host_group": HOSTS.format("a")}),
    pool("d", "cluster-network"),
    pool("e", "managed", placement={"host_group": HOSTS.format("c")}),
    pool("f", "managed", placement={"host_group": HOSTS.format("b")}),
    pool("g", "managed", placement={"host_group": HOSTS.format("a")}),
]
"""All modes and four host groups, in no order, and some twice."""


def test_policies_are_for_all_pools():
    """Each mode and host group once and in order: a pool that moves in its list changes nothing."""
    from rdma_cluster.oke.rdma_cluster import _identity_args

    plan = whole_plan(MANY, acceptance={"enabled": False}, identity={"home_region": "us-ashburn-1"})

    assert _identity_args(plan, JOINED) == {
        **OF_IAM,
        "home_region": "us-ashburn-1",
        "modes": ["cluster-network", "gpu-memory-cluster", "instances", "managed"],
        "host_groups": [HOSTS.format(each) for each in "abcd"],
        "dual_stack": False,
    }


@pytest.mark.parametrize(
    ("choices", "more"),
    [
        ({}, {}),
        ({"kubernetes": {"dual_stack": True}}, {"dual_stack": True}),
        ({"storage": {"lustre": {"capacity_gb": 31_200}}}, {"lustre": True}),
    ],
)
def test_policies_follow_choices(choices: dict[str, Any], more: dict[str, Any]):
    """Addresses of the second family, and a file system, take rights of their own."""
    from rdma_cluster.oke.rdma_cluster import _identity_args

    plain = {**OF_IAM, "modes": ["managed"], "host_groups": [], "dual_stack": False}

    assert _identity_args(whole_plan([pool("a", "managed")], **choices), JOINED) == {**plain, **more}


@pytest.mark.parametrize(
    ("fabric", "key", "images", "more"),
    [
        ({}, "", {}, {}),
        ({"worker_groups": ["wg"]}, "", {}, {"groups": ["wg"]}),
        ({"pod_subnet": "p", "pod_groups": ["pg"]}, "", {}, {"pod_subnet": "p", "pod_groups": ["pg"]}),
        ({}, "ssh-ed25519 AAAA me", {}, {"ssh_public_key": "ssh-ed25519 AAAA me"}),
        ({}, "", {"ubuntu-24.04-595": "i", "another": "j"}, {"image_id": "i"}),
        ({}, "", {"another": "j"}, {}),
    ],
)
def test_a_pool_is_told_where_it_joins(fabric: dict[str, Any], key: str, images: dict[str, Any], more: dict[str, Any]):
    """Cluster, network and place, the user's key, and the image that the stack has imported for it."""
    from rdma_cluster.oke.rdma_cluster import _pool_args

    plan = whole_plan([pool("a", "managed")], **({"ssh_public_key": key} if key else {}))
    joins = cast(OkeFabric, {**FABRIC, **fabric})

    assert _pool_args(plan.args["pools"][0], plan.pools[0], plan, JOINED, joins, images) == {
        **IN_CLUSTER,
        **pool("a", "managed"),
        "cluster": CLUSTER,
        "version": "1.36.1",
        "api_host": "10.140.0.2",
        "ca_certificate": "eA==",
        "cni": "vcn-native",
        "dual_stack": False,
        "subnet": "w",
        "groups": [],
        "pod_groups": [],
        **more,
    }


@pytest.mark.parametrize("name", ["", "mine"])
def test_a_cluster_is_told_its_network_and_place(name: str):
    """And its name: the stack's, unless the user has another one."""
    from rdma_cluster.oke.rdma_cluster import _cluster_args

    plan = whole_plan([pool("a", "managed")], **({"kubernetes": {"name": name}} if name else {}))

    assert _cluster_args(plan, FABRIC) == {
        **IN_CLUSTER,
        **FABRIC,
        "name": name or "oke",
        "service_cidr": "10.96.0.0/16",
        "addons": [],
    }

"""The plan of a whole OKE stack: what its parts hand to each other."""

from typing import Any

import pytest
from rdma_cluster.oke.plan import EXAMPLE, plan_rdma_cluster_args
from rdma_cluster.oke.plan.rdma_cluster import OkeRdmaClusterPlan
from tests.oke.plans import EXISTING_NETWORK, IN_CLUSTER, IN_EXISTING, RACKS, STACK_POOL, places, refused, whole_plan

GROUP, OTHER = "ocid1.computehostgroup.oc1..a", "ocid1.computehostgroup.oc1..b"
ADOPTED = {"name": "a", "machine": "BM.GPU.H100.8", "nodes": 2, "names": ["a", "b"], "cuda": "12.8"}
PUBLIC: dict[str, Any] = {"kubernetes": {"endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}}
LUSTRE = {"lustre": {"capacity_gb": 31_200}}
SRIOV, DRANET = {"nic_attachment": "sriov"}, {"nic_attachment": "dranet"}


def statements(plan: OkeRdmaClusterPlan) -> str:
    """What IAM must say."""
    return "\n".join(f"{each.text} {each.host_group}" for each in plan.identity.statements)


def test_only_managed_pools_need_a_policy_for_their_host_group():
    """Self-managed nodes are launched by the user, who may."""
    on = {"placement": {"host_group": GROUP}}
    alone = {"mode": "cluster-network", "placement": {"host_group": OTHER}}
    pools = [{**STACK_POOL, "name": name, **of} for name, of in zip("abcd", (on, {}, alone, on), strict=True)]
    said = statements(whole_plan(pools))

    assert said.count("HOST_GROUP_LAUNCH_INSTANCE") == 1 and said.count(GROUP) == 1 and OTHER not in said


@pytest.mark.parametrize(
    ("choices", "said"),
    [({}, []), ({"kubernetes": {"dual_stack": True}}, ["use ipv6s"]), ({"storage": LUSTRE}, ["service lustrefs"])],
)
def test_policies_are_those_of_the_pools_the_cluster_and_its_storage(choices: dict[str, Any], said: list[str]):
    found = statements(whole_plan([STACK_POOL], **choices))

    assert "COMPUTE_CLUSTER_LAUNCH_INSTANCE" in found
    assert [word for word in ("use ipv6s", "service lustrefs") if word in found] == said


def proof(pool: dict[str, Any] | None = None, **choices: Any) -> str:
    """The digest of a pool's nodes: with another one its fabric is tested again."""
    (found,) = whole_plan([{**STACK_POOL, **(pool or {})}], **choices).in_cluster.pools
    return found.fingerprint


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ({}, {"kubernetes": {"name": "other"}}, False),
        ({}, {"network": {"cidr": "10.8.0.0/16"}}, False),
        ({}, {"network": {"max_nodes": 300}}, False),
        ({}, {"network": {"service_cidr": "10.97.0.0/16"}}, False),
        ({}, {"zone": "2"}, False),
        (IN_EXISTING, {**IN_EXISTING, "zone": "2"}, False),
        (
            {"kubernetes": {"dual_stack": True}},
            {"kubernetes": {"dual_stack": True}, "network": {"ipv6_cidr": "fd00:1::/56"}},
            False,
        ),
        ({}, {"pool": {"placement": {"host_group": GROUP}}}, False),
        ({}, {"kubernetes": {"version": "1.35.2"}}, True),
        ({}, {"ssh_public_key": "ssh-ed25519 AAAA me"}, True),
        ({}, {"pool": {"kubelet_args": ["--v=2"]}}, True),
        ({}, {"pool": {"nodes": 4}}, True),
        ({}, {"network": {"host_ports": [9100]}}, True),
    ],
)
def test_a_fabric_is_tested_again_where_cluster_network_or_nodes_are_replaced(
    before: dict[str, Any], after: dict[str, Any], same: bool
):
    """A new template or version is for nodes that come."""
    assert (proof(**before) == proof(**after)) is same


def test_the_acceptance_test_waits_for_virtual_functions():
    """The operator configures each node, for half an hour at the most."""

    def seconds(**choices: Any) -> int:
        (test,) = whole_plan([STACK_POOL], **choices).in_cluster.acceptance.plan.tests
        return test.seconds

    assert seconds(rdma=SRIOV) - seconds() == 1800


@pytest.mark.parametrize(
    ("choices", "warned"),
    [({}, True), (PUBLIC, False), (IN_EXISTING, False), ({"network": EXISTING_NETWORK}, False)],
    ids=["private", "public", "existing cluster", "existing network"],
)
def test_a_private_api_in_a_new_network_is_warned_of(choices: dict[str, Any], warned: bool):
    """Nobody reaches it yet; in an existing network whoever runs `up` may stand."""
    warnings = whole_plan([STACK_POOL], **choices).warnings

    assert any(each.startswith("the cluster's API is private") for each in warnings) is warned


def test_both_families_of_an_existing_cluster_are_warned_of_where_new_nodes_come():
    there = {**IN_EXISTING, "kubernetes": {**IN_EXISTING["kubernetes"], "dual_stack": True}}

    for pools, adopt, warned in (([], [ADOPTED], False), ([STACK_POOL], [], True)):
        warnings = whole_plan(pools, adopt=adopt, **there).warnings
        assert any("kubernetes.dualStack" in each for each in warnings) is warned


def test_pools_take_the_cluster_s_choices():
    kubernetes = {"version": "1.35.2", "cni": "flannel"}
    (plan,) = whole_plan([STACK_POOL], kubernetes=kubernetes, zone="2").pools
    (both,) = whole_plan([STACK_POOL], kubernetes={"dual_stack": True}).pools

    assert (plan.zone, plan.version, plan.cni.value, plan.dual_stack) == ("2", "1.35.2", "flannel", False)
    assert both.dual_stack


def test_the_example_of_init_can_be_planned():
    plan = plan_rdma_cluster_args(EXAMPLE, "example", camel=True)
    (of_pool,) = plan.pools

    assert {key: plan.args[key] for key in ("region", "tenancy", "compartment", "zone")} == IN_CLUSTER
    assert plan.cluster.endpoint.value == "public" and plan.network is not None
    assert (of_pool.machine.name, of_pool.mode.value) == ("BM.GPU.H100.8", "cluster-network")


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ({"tags": {"a b": "c"}}, []),
        ({"network": {"service_cidr": "8.0.0.0/16"}}, ["network.service_cidr"]),
        ({**IN_EXISTING, "storage": LUSTRE}, ["storage.lustre"]),
        ({**IN_EXISTING, "pools": [], "adopt": [ADOPTED]}, []),
        ({**IN_EXISTING, "pools": []}, ["pools"]),
        ({"pools": [STACK_POOL, STACK_POOL]}, ["pools[1].name"]),
        ({"rdma": SRIOV, "pools": [STACK_POOL, {**RACKS, "name": "r"}]}, ["pools"]),
    ],
)
def test_parts_of_a_stack_are_refused_at_their_own_places(args: dict[str, Any], found: list[str]):
    given = {**IN_CLUSTER, "pools": [STACK_POOL], **args}

    assert places(refused(plan_rdma_cluster_args, given, "oke")) == found

"""Policies: what each mode needs, and nothing more."""

import re

import pytest
from tests.oke.plans import CLUSTER, COMPARTMENT, IN_CLUSTER, TENANCY, built, identity_plan, inputs, names

ARGS = {**{key: IN_CLUSTER[key] for key in ("region", "tenancy", "compartment")}, "cluster": CLUSTER}
GROUP = "ocid1.computehostgroup.oc1..a"


@pytest.mark.parametrize(
    ("modes", "permissions"),
    [
        (["managed"], {"COMPUTE_CLUSTER_LAUNCH_INSTANCE"}),
        (["cluster-network"], {"CLUSTER_JOIN"}),
        (["instances"], {"CLUSTER_JOIN"}),
        (["instances", "cluster-network", "managed"], {"CLUSTER_JOIN", "COMPUTE_CLUSTER_LAUNCH_INSTANCE"}),
        (["gpu-memory-cluster"], {"CLUSTER_JOIN"}),
    ],
)
def test_each_mode_has_its_permission(modes: list[str], permissions: set[str]):
    """And the group of the nodes is made where they join by themselves."""
    plan = identity_plan(*modes)

    assert {found for each in plan.statements for found in re.findall(r"\{([A-Z_]+)\}", each.text)} == permissions
    assert plan.makes_group is ("CLUSTER_JOIN" in permissions)


@pytest.mark.parametrize("modes", [["managed"], ["cluster-network"], ["gpu-memory-cluster", "managed"]])
def test_statements_are_narrow(modes: list[str]):
    """Each names a compartment and a condition; only tag namespaces are the tenancy's."""
    for each in identity_plan(*modes, host_groups=[GROUP]).statements:
        assert " where " in each.text
        assert "all-resources" not in each.text
        assert ("in compartment id $compartment" in each.text) is not each.in_tenancy
        assert not each.in_tenancy or "use tag-namespaces" in each.text


def test_pods_get_ipv6_addresses():
    """The cluster uses them in its compartment, where it has both families and nodes of ours."""
    of = {
        (dual_stack, modes): [each.text for each in identity_plan(*modes, dual_stack=dual_stack).statements]
        for dual_stack in (False, True)
        for modes in ((), ("managed",))
    }

    assert of[True, ("managed",)] == [
        *of[False, ("managed",)],
        "Allow any-user to use ipv6s in compartment id $compartment where request.principal.type = 'cluster'",
    ]
    assert of[True, ()] == of[False, ()] == []


def test_nodes_join_this_cluster_alone():
    """With the cluster's OCID in the statement, not any cluster of the compartment."""
    graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["cluster-network"]})
    (statement,) = inputs(graph, "Policy", "oke-nodes")["statements"]

    assert statement == (
        "Allow dynamic-group oke-nodes to {CLUSTER_JOIN} "
        f"in compartment id {COMPARTMENT} where target.cluster.id = '{CLUSTER}'"
    )
    assert inputs(graph, "DynamicGroup", "oke-nodes")["compartmentId"] == TENANCY


def test_host_group_is_named():
    """And no other can be launched on."""
    graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["managed"], "host_groups": [GROUP]})

    assert inputs(graph, "Policy", "oke-nodes")["statements"] == [
        f"Allow any-user to {{COMPUTE_CLUSTER_LAUNCH_INSTANCE}} in compartment id {COMPARTMENT} "
        "where request.principal.type = 'nodepool'",
        f"Allow any-user to {{HOST_GROUP_LAUNCH_INSTANCE}} in compartment id {COMPARTMENT} "
        f"where all {{request.principal.type = 'nodepool', target.resource.id = '{GROUP}'}}",
    ]
    assert not names(graph, "DynamicGroup")


def test_iam_is_written_in_the_home_region():
    """Elsewhere Oracle refuses it: looked up, or as named."""
    for args, region in (({}, "home-region-1"), ({"home_region": "us-ashburn-1"}, "us-ashburn-1")):
        graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["instances"], **args})
        home = graph.one("pulumi:providers:oci", "oke-home")

        assert home.inputs["region"] == region
        assert {each.provider for each in graph.resources if "identity" in each.type.lower()} >= {home.urn}


def test_in_an_identity_domain():
    """The group is the domain's, and the policy names it with its domain."""
    domain = {"name": "Default", "url": "https://idcs-1.identity.oraclecloud.com:443"}
    graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["instances"], "domain": domain})
    group = inputs(graph, "DomainsDynamicResourceGroup", "oke-nodes")

    assert (group["idcsEndpoint"], group["displayName"]) == (domain["url"], "oke-nodes")
    assert inputs(graph, "Policy", "oke-nodes")["statements"][0].startswith(
        "Allow dynamic-group 'Default'/'oke-nodes' to"
    )


def test_existing_policies_are_told_and_not_made():
    """So that somebody else can write them."""
    graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["instances"], "existing": True})

    assert not names(graph, "Policy") and not names(graph, "Provider")
    (component,) = [each for each in graph.resources if each.type.endswith("OkeIdentityPolicies")]
    assert "{CLUSTER_JOIN}" in component.outputs["statements"][0]


def test_group_of_the_user():
    """By its OCID."""
    group = "ocid1.dynamicgroup.oc1..a"
    graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["instances"], "dynamic_group": group})

    assert not names(graph, "DynamicGroup")
    assert f"dynamic-group id {group} to" in inputs(graph, "Policy", "oke-nodes")["statements"][0]

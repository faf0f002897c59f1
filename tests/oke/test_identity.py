"""Policies: what each mode needs and nothing more, who writes them, and what does not go together."""

import re
from typing import Any

import pytest
from tests.oke.plans import CLUSTER, COMPARTMENT, IN_CLUSTER, TENANCY, built, identity_plan, inputs, names, refused

ARGS = {**{key: IN_CLUSTER[key] for key in ("region", "tenancy", "compartment")}, "cluster": CLUSTER}
HOSTS, OTHER_HOSTS = "ocid1.computehostgroup.oc1..a", "ocid1.computehostgroup.oc1..b"
GROUP = "ocid1.dynamicgroup.oc1..a"
DOMAIN = {"name": "Default", "url": "https://idcs-1.identity.oraclecloud.com:443"}


def statements(*modes: str, **args: Any) -> list[str]:
    """What the policies of these modes say."""
    return [each.text for each in identity_plan(*modes, **args).statements]


@pytest.mark.parametrize(
    ("modes", "permissions"),
    [
        (["managed"], {"COMPUTE_CLUSTER_LAUNCH_INSTANCE"}),
        (["cluster-network"], {"CLUSTER_JOIN"}),
        (["instances", "cluster-network", "managed"], {"CLUSTER_JOIN", "COMPUTE_CLUSTER_LAUNCH_INSTANCE"}),
        (["gpu-memory-cluster"], {"CLUSTER_JOIN"}),
    ],
)
def test_each_mode_has_its_permission_and_a_group_where_nodes_join_by_themselves(
    modes: list[str], permissions: set[str]
):
    said = "".join(statements(*modes))

    assert set(re.findall(r"\{([A-Z_]+)\}", said)) == permissions
    assert identity_plan(*modes).makes_group is ("CLUSTER_JOIN" in permissions)


@pytest.mark.parametrize("modes", [["managed"], ["cluster-network"], ["gpu-memory-cluster", "managed"]])
def test_each_statement_has_a_compartment_and_a_condition(modes: list[str]):
    """Only tag namespaces are the tenancy's."""
    for each in identity_plan(*modes, host_groups=[HOSTS]).statements:
        assert " where " in each.text and "all-resources" not in each.text
        assert ("in compartment id $compartment" in each.text) is not each.in_tenancy
        assert not each.in_tenancy or "use tag-namespaces" in each.text


def test_the_cluster_uses_ipv6_addresses_where_both_families_have_nodes():
    (added,) = set(statements("managed", dual_stack=True)) - set(statements("managed"))

    assert "to use ipv6s in compartment" in added and "request.principal.type = 'cluster'" in added
    assert statements(dual_stack=True) == []


def test_a_gpu_memory_cluster_is_a_principal_that_starts_its_own_hosts():
    _, *said = statements("gpu-memory-cluster")

    assert [re.findall(r"to (\w+ [\w-]+) in (\w+)", each)[0] for each in said] == [
        ("manage instance-family", "compartment"),
        ("use virtual-network-family", "compartment"),
        ("read compute-management-family", "compartment"),
        ("use volume-family", "compartment"),
        ("use tag-namespaces", "tenancy"),
    ]
    assert all(each.endswith("request.principal.type = 'compute-gpu-memory-clusters'") for each in said)


def test_a_file_system_s_statement_is_the_tenancy_s_and_comes_last():
    said = identity_plan("managed", lustre=True, dual_stack=True).statements

    assert "service lustrefs" in said[-1].text
    assert [each.in_tenancy for each in said] == [False, False, True]
    assert identity_plan(lustre=True).make and not identity_plan().make


def test_each_host_group_is_named_once():
    _, *said = identity_plan("managed", host_groups=[OTHER_HOSTS, HOSTS, OTHER_HOSTS]).statements

    assert [each.host_group for each in said] == [OTHER_HOSTS, HOSTS]
    assert all("{HOST_GROUP_LAUNCH_INSTANCE}" in each.text and "'$host_group'" in each.text for each in said)


def test_nodes_join_this_cluster_alone():
    """The cluster's OCID stands in the statement, and the group is of the nodes of the compartment."""
    graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["cluster-network"]})
    (statement,) = inputs(graph, "Policy", "oke-nodes")["statements"]
    group = inputs(graph, "DynamicGroup", "oke-nodes")

    assert statement == (
        f"Allow dynamic-group oke-nodes to {{CLUSTER_JOIN}} in compartment id {COMPARTMENT} "
        f"where target.cluster.id = '{CLUSTER}'"
    )
    assert (group["compartmentId"], COMPARTMENT in group["matchingRule"]) == (TENANCY, True)


def test_statements_of_the_tenancy_are_a_policy_of_the_tenancy():
    graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["gpu-memory-cluster"], "lustre": True})
    of_nodes, of_tenancy = (inputs(graph, "Policy", f"oke-{name}") for name in ("nodes", "tenancy"))

    assert (of_nodes["compartmentId"], of_tenancy["compartmentId"]) == (COMPARTMENT, TENANCY)
    assert all(" in tenancy" in each for each in of_tenancy["statements"]) and len(of_tenancy["statements"]) == 2
    assert not any(" in tenancy" in each for each in of_nodes["statements"])
    component = graph.one("rdma-cluster:index:OkeIdentityPolicies", "oke")
    assert component.outputs["statements"] == [*of_nodes["statements"], *of_tenancy["statements"]]


def test_iam_is_written_in_the_home_region():
    """Elsewhere Oracle refuses it: the region is looked up, or is as named."""
    for args, region in (({}, "home-region-1"), ({"home_region": "us-ashburn-1"}, "us-ashburn-1")):
        graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["instances"], **args})
        home = graph.one("pulumi:providers:oci", "oke-home")

        assert home.inputs["region"] == region
        assert {each.provider for each in graph.resources if "identity" in each.type.lower()} >= {home.urn}


def test_a_policy_names_the_group_of_an_identity_domain_with_its_domain():
    graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["instances"], "domain": DOMAIN})
    group = inputs(graph, "DomainsDynamicResourceGroup", "oke-nodes")

    assert (group["idcsEndpoint"], group["displayName"]) == (DOMAIN["url"], "oke-nodes")
    assert (
        ":OkeIdentityPolicies$" in graph.one("oci:Identity/domainsDynamicResourceGroup:DomainsDynamicResourceGroup").urn
    )
    assert "dynamic-group 'Default'/'oke-nodes' to" in inputs(graph, "Policy", "oke-nodes")["statements"][0]


def test_existing_policies_are_an_output_and_not_made():
    """Somebody else can write them from it."""
    graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["instances"], "existing": True})

    assert not names(graph, "Policy") and not names(graph, "DynamicGroup")
    assert "{CLUSTER_JOIN}" in graph.one("rdma-cluster:index:OkeIdentityPolicies", "oke").outputs["statements"][0]


def test_a_group_of_the_user_s_is_named_by_its_ocid():
    graph = built("OkeIdentityPolicies", {**ARGS, "modes": ["instances"], "dynamic_group": GROUP})

    assert not names(graph, "DynamicGroup")
    assert f"dynamic-group id {GROUP} to" in inputs(graph, "Policy", "oke-nodes")["statements"][0]


@pytest.mark.parametrize(
    ("args", "places"),
    [
        ({"dynamic_group": "ocid1.domaindynamicresourcegroup.oc1..a"}, []),
        ({"home_region": "us-ashburn-1", "existing": True, "dynamic_group": GROUP}, ["dynamic_group", "home_region"]),
        ({"existing": False, "home_region": "us-ashburn-1"}, []),
        ({"existing": True, "domain": DOMAIN}, ["domain"]),
        *(({"domain": {**DOMAIN, "name": name}}, ["domain.name"]) for name in ("a'b", "a\\b", "a\nb")),
        ({"domain": {**DOMAIN, "url": "https://idcs-1.identity.oraclecloud.com/"}}, []),
        ({"domain": {**DOMAIN, "url": "https://idcs-1.identity.oraclecloud.com/ui"}}, ["domain.url"]),
    ],
)
def test_choices_of_new_policies_go_together(args: dict[str, Any], places: list[str]):
    """Existing policies take none of them; a group is in its domain, whose name stands in policies in quotes."""
    assert [each.partition(":")[0] for each in refused(identity_plan, "instances", **args)] == places

"""Outputs that are made up for resources that only a cloud could complete."""

from typing import Any

import pytest
from pulumi_offline.codec import SECRET, SIGNATURE
from pulumi_offline.computed import complete, identify

NETWORK = "gcp:compute/network:Network"


@pytest.fixture(autouse=True)
def sdks() -> None:
    """Import a module of each SDK: a class is known once it is imported."""
    import pulumi_azure_native as azure
    import pulumi_gcp as gcp
    import pulumi_kubernetes as k8s
    import pulumi_oci as oci
    from pulumi_aws import ec2

    assert all((ec2.Vpc, azure.network.PublicIPAddress, gcp.compute.Network, k8s.core.v1.ConfigMap, oci.core.Vcn))


@pytest.mark.parametrize(
    ("token", "key", "text"),
    [
        ("gcp:compute/network:Network", "selfLink", "[selfLink of gcp:compute/network:Network rail]"),
        ("gcp:serviceaccount/account:Account", "email", "rail@rail.account.invalid"),
        ("gcp:serviceaccount/account:Account", "member", "serviceAccount:rail@rail.account.invalid"),
        ("gcp:container/cluster:Cluster", "endpoint", "rail.cluster.invalid"),
        ("aws:eks/cluster:Cluster", "endpoint", "https://rail.cluster.invalid"),
        ("aws:ec2/vpc:Vpc", "ipv6CidrBlock", "fd00::/64"),
        ("aws:ec2/vpc:Vpc", "cidrBlock", "10.0.0.0/16"),
        ("aws:ec2/instance:Instance", "privateIp", "192.0.2.1"),
        ("aws:ec2/instance:Instance", "privateDns", "[privateDns of aws:ec2/instance:Instance rail]"),
        ("oci:Core/vcn:Vcn", "vcnDomainName", "rail.vcn.invalid"),
    ],
)
def test_a_text_has_the_form_that_programs_parse(token: str, key: str, text: str):
    """Addresses are for documentation, hosts never resolve, and other texts say where they come from."""
    assert complete(token, "rail", {})[key] == text


@pytest.mark.parametrize(
    ("inputs", "metadata"),
    [
        ({"kind": "Net"}, {"name": "n", "namespace": "default", "uid": "[uid of kubernetes:a.b/v1:Net n]"}),
        (
            {"kind": "Net", "metadata": {"namespace": "there", "labels": {"a": "b"}}},
            {"name": "n", "namespace": "there", "uid": "[uid of kubernetes:a.b/v1:Net n]", "labels": {"a": "b"}},
        ),
        ({"kind": "Net", "metadata": {SIGNATURE: SECRET, "value": {"name": "own"}}}, None),
        ({"metadata": {"name": "own"}}, None),
    ],
)
def test_metadata_is_what_an_api_server_fills_in(inputs: dict[str, Any], metadata: dict[str, Any] | None):
    """A chart has no kind and gets none, and a secret is not looked into."""
    assert complete("kubernetes:a.b/v1:Net", "n", inputs) == ({} if metadata is None else {"metadata": metadata})
    assert complete("other:a.b/v1:Net", "n", inputs) == {}


def test_a_resource_has_outputs_beyond_its_inputs():
    """What a program gave is not made up, and a setting comes from the provider."""
    given = complete(NETWORK, "n", {"autoCreateSubnetworks": False, "project": "own"}, {"project": "p", "x": "y"})
    bare = complete(NETWORK, "n", {}, {"project": "p"})

    assert given["name"] == "n" and not {"autoCreateSubnetworks", "project", "id", "urn", "x"} & set(given)
    assert bare["project"] == "p" and "description" not in bare
    assert identify(NETWORK, "n") == f"[id of {NETWORK} n]"


def test_identities_that_azure_takes_as_a_list_come_back_by_their_ids():
    identity = {"type": "UserAssigned", "userAssignedIdentities": ["id-a"]}
    made = complete("azure-native:containerservice:ManagedCluster", "c", {"identity": identity})

    assert list(made["identity"]["userAssignedIdentities"]) == ["id-a"]


def test_an_address_of_azure_is_chosen_where_none_is_given():
    token = "azure-native:network:PublicIPAddress"

    assert complete(token, "n", {})["ipAddress"] == f"[ipAddress of {token} n]"
    assert "ipAddress" not in complete(token, "n", {"ipAddress": "192.0.2.9"})

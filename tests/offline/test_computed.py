"""Outputs a cloud would compute: there for every type, telling where they come from, and fit for what programs do."""

import base64
import json
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
import pulumi_oci as oci
from pulumi_offline import preview


def outputs(program, **more) -> dict:
    return preview(program, **more).outputs


def test_label_says_where_a_value_comes_from():
    """So a golden graph shows which resource feeds which."""

    def program() -> None:
        network = gcp.compute.Network("rail-0")
        pulumi.export("link", network.self_link)
        pulumi.export("id", network.id)
        pulumi.export("name", network.name)

    assert outputs(program) == {
        "link": "[selfLink of gcp:compute/network:Network rail-0]",
        "id": "[id of gcp:compute/network:Network rail-0]",
        "name": "rail-0",
    }


def test_kubeconfig_of_every_cloud_can_be_built():
    """Endpoint and certificate of a GKE, EKS and OKE cluster, as programs put them together."""

    def program() -> None:
        gke = gcp.container.Cluster(
            "gke", master_auth={"client_certificate_config": {"issue_client_certificate": False}}
        )
        eks = aws.eks.Cluster("eks", role_arn="arn", vpc_config={"subnet_ids": ["s"]})
        oke = oci.containerengine.Cluster("oke", compartment_id="c", kubernetes_version="v1.34.1", vcn_id="v")
        pulumi.export("gke", [gke.endpoint, gke.master_auth.cluster_ca_certificate])
        pulumi.export("eks", [eks.endpoint, eks.certificate_authority.data, eks.identities[0].oidcs[0].issuer])
        pulumi.export("oke", [oke.endpoints[0].private_endpoint])

    found = outputs(program)

    assert found["gke"][0] == "gke.cluster.invalid"
    assert found["eks"][0] == found["eks"][2] == "https://eks.cluster.invalid"
    assert found["oke"] == ["oke.cluster.invalid"]
    for certificate in (found["gke"][1], found["eks"][1]):
        assert base64.b64decode(certificate, validate=True)


def test_values_inside_given_objects():
    """An issuer URL appears beside the switch that asked for it."""

    def program() -> None:
        aks = azure.containerservice.ManagedCluster(
            "aks", resource_group_name="g", oidc_issuer_profile={"enabled": True}, dns_prefix="p"
        )
        pulumi.export("issuer", aks.oidc_issuer_profile.issuer_url)
        pulumi.export("enabled", aks.oidc_issuer_profile.enabled)
        pulumi.export("fqdn", aks.fqdn)

    assert outputs(program) == {
        "issuer": "https://aks.managedcluster.invalid",
        "enabled": True,
        "fqdn": "aks.managedcluster.invalid",
    }


def test_kubernetes_objects_come_back_with_a_name():
    """The given one, else the logical one; a service has an address once it is there."""

    def program() -> None:
        given = k8s.core.v1.ConfigMap("a", metadata={"name": "given", "namespace": "there"})
        service = k8s.core.v1.Service("svc", spec={"ports": [{"port": 1}]})
        custom: Any = k8s.apiextensions.CustomResource("cr", api_version="a.b/v1", kind="Net")
        pulumi.export("given", [given.metadata.name, given.metadata.namespace])
        pulumi.export("auto", service.metadata.name)
        pulumi.export("custom", custom.metadata["name"])
        pulumi.export("ip", service.status.load_balancer.ingress[0].ip)

    assert outputs(program) == {"given": ["given", "there"], "auto": "svc", "custom": "cr", "ip": "192.0.2.1"}


def test_settings_of_the_provider_are_taken_over():
    """A project that only the provider or the stack names is the resource's project, too."""

    def program() -> None:
        explicit = gcp.Provider("west", project="west-project")
        pulumi.export("default", gcp.compute.Network("a").project)
        pulumi.export("explicit", gcp.compute.Network("b", opts=pulumi.ResourceOptions(provider=explicit)).project)

    assert outputs(program, config={"gcp:project": "p"}) == {"default": "p", "explicit": "west-project"}


def test_texts_that_programs_parse():
    """CIDRs, e-mail addresses and kubeconfigs have their form."""

    def program() -> None:
        account = gcp.serviceaccount.Account("nodes", account_id="nodes")
        cluster = gcp.container.Cluster("c")
        pulumi.export("email", account.email)
        pulumi.export("member", account.member)
        pulumi.export("services", cluster.services_ipv4_cidr)
        pulumi.export("json", pulumi.Output.json_dumps({"email": account.email}))

    found = outputs(program)

    assert found["email"] == "nodes@nodes.account.invalid"
    assert found["member"] == "serviceAccount:nodes@nodes.account.invalid"
    assert found["services"] == "10.0.0.0/16"
    assert json.loads(found["json"]) == {"email": found["email"]}

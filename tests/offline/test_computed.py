"""Outputs a cloud would compute: there for every type, telling where they come from, and fit for what programs do."""

import base64
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


def test_endpoint_and_certificate_of_every_cluster_can_be_read():
    """Programs put kubeconfigs together from the endpoint and the certificate of a GKE, EKS or OKE cluster."""

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


def test_an_object_that_a_program_gives_is_completed():
    """The issuer's URL appears beside the switch that asked for it."""

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


def test_a_kubernetes_object_comes_back_with_a_name():
    """The name is the given one or else the logical one; a service has an address, too."""

    def program() -> None:
        given = k8s.core.v1.ConfigMap("a", metadata={"name": "given", "namespace": "there"})
        service = k8s.core.v1.Service("svc", spec={"ports": [{"port": 1}]})
        custom: Any = k8s.apiextensions.CustomResource("cr", api_version="a.b/v1", kind="Net")
        pulumi.export("given", [given.metadata.name, given.metadata.namespace])
        pulumi.export("auto", service.metadata.name)
        pulumi.export("custom", custom.metadata["name"])
        pulumi.export("ip", service.status.load_balancer.ingress[0].ip)

    assert outputs(program) == {"given": ["given", "there"], "auto": "svc", "custom": "cr", "ip": "192.0.2.1"}


def test_a_resource_takes_over_its_provider_s_settings():
    """A project that only the provider or the stack names is the resource's project, too."""

    def program() -> None:
        explicit = gcp.Provider("west", project="west-project")
        pulumi.export("default", gcp.compute.Network("a").project)
        pulumi.export("explicit", gcp.compute.Network("b", opts=pulumi.ResourceOptions(provider=explicit)).project)

    assert outputs(program, config={"gcp:project": "p"}) == {"default": "p", "explicit": "west-project"}

"""What clouds answer offline to the functions that our components call."""

import json
from base64 import b64decode
from typing import Any

import pytest
from pulumi_offline.invoke_results import KNOWN


def answer(token: str, **args: Any) -> Any:
    """As the engine gets it."""
    known = KNOWN[token]
    return known(args) if callable(known) else known


@pytest.mark.parametrize(
    ("token", "args", "expected"),
    [
        ("azure-native:features:getSubscriptionFeatureRegistration", {}, {"properties": {}}),
        ("gcp:compute/getMachineTypes:getMachineTypes", {}, {}),
        ("gcp:compute/getReservation:getReservation", {}, {}),
        ("gcp:compute/getReservationBlock:getReservationBlock", {}, {}),
        ("gcp:compute/getReservationSubBlock:getReservationSubBlock", {}, {}),
        ("gcp:cloudquota/getSQuotaInfo:getSQuotaInfo", {}, {}),
        ("gcp:compute/getInstanceGuestAttributes:getInstanceGuestAttributes", {}, {"queryValues": []}),
        (
            "gcp:organizations/getProject:getProject",
            {"projectId": "p", "other": 1},
            {"projectId": "p", "other": 1, "number": "[number of p]"},
        ),
        (
            "oci:ContainerEngine/getAddonOptions:getAddonOptions",
            {"addonName": "Gpu"},
            {
                "addonOptions": [
                    {"name": "Gpu", "versions": [{"versionNumber": "v25.10.1"}, {"versionNumber": "v25.10.0"}]}
                ]
            },
        ),
        (
            "oci:ContainerEngine/getCluster:getCluster",
            {},
            {"endpoints": [{"privateEndpoint": "192.0.2.1:6443", "publicEndpoint": "203.0.113.1:6443"}]},
        ),
        (
            "oci:ContainerEngine/getNodePoolOption:getNodePoolOption",
            {"nodePoolK8sVersion": "v1.35.2"},
            {
                "sources": [
                    {
                        "sourceName": "Oracle-Linux-8.10-2026.06.30-0-OKE-1.35.2-1330",
                        "imageId": "[id of Oracle-Linux-8.10-2026.06.30-0-OKE-1.35.2-1330]",
                        "sourceType": "IMAGE",
                    }
                ]
            },
        ),
        (
            "oci:ContainerEngine/getNodePool:getNodePool",
            {},
            {
                "nodes": [
                    {"privateIp": "192.0.2.1", "id": "[id of node 1]"},
                    {"privateIp": "192.0.2.2", "id": "[id of node 2]"},
                ]
            },
        ),
        (
            "oci:Core/getClusterNetworkInstances:getClusterNetworkInstances",
            {},
            {"instances": [{"id": "[id of instance 1]"}, {"id": "[id of instance 2]"}]},
        ),
        ("oci:Core/getInstance:getInstance", {"instanceId": "[id of instance 2]"}, {"privateIp": "192.0.2.2"}),
        ("oci:Core/getInstance:getInstance", {"instanceId": "ocid1..x7"}, {"privateIp": "192.0.2.7"}),
        (
            "oci:Core/getServices:getServices",
            {},
            {
                "services": [
                    {
                        "id": "[id of All REG Services In Oracle Services Network]",
                        "name": "All REG Services In Oracle Services Network",
                        "cidrBlock": "all-reg-services-in-oracle-network",
                    }
                ]
            },
        ),
        (
            "oci:Identity/getAvailabilityDomains:getAvailabilityDomains",
            {},
            {
                "availabilityDomains": [
                    {"name": "Abcd:REGION-1-AD-1", "id": "[id of Abcd:REGION-1-AD-1]"},
                    {"name": "Abcd:REGION-1-AD-2", "id": "[id of Abcd:REGION-1-AD-2]"},
                    {"name": "Abcd:REGION-1-AD-3", "id": "[id of Abcd:REGION-1-AD-3]"},
                ]
            },
        ),
        (
            "oci:Identity/getRegionSubscriptions:getRegionSubscriptions",
            {},
            {"regionSubscriptions": [{"regionName": "home-region-1", "isHomeRegion": True}]},
        ),
    ],
)
def test_an_answer(token: str, args: dict[str, Any], expected: dict[str, Any]):
    """In the shape of the cloud's own, in the addresses that are for documentation (RFC 5737)."""
    assert answer(token, **args) == expected


def test_a_kubeconfig_of_azure():
    """Base64 in a list; the certificate says which cluster it is of."""
    (found,) = answer(
        "azure-native:containerservice:listManagedClusterUserCredentials", resourceName="Train", resourceGroupName="g"
    )["kubeconfigs"]
    config = json.loads(b64decode(found["value"]))

    assert found["name"] == "clusterUser"
    assert config["clusters"][0]["cluster"]["server"] == "https://train.azmk8s.invalid"
    certificate = b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"])
    assert certificate == b"[certificate of Train]"


def test_a_kubeconfig_of_oracle():
    """Text, of which the certificate is read."""
    config = json.loads(
        answer("oci:ContainerEngine/getClusterKubeConfig:getClusterKubeConfig", clusterId="c")["content"]
    )
    (cluster,) = config["clusters"]

    assert cluster["name"] == "cluster"
    assert b64decode(cluster["cluster"]["certificate-authority-data"]) == b"[certificate of c]"

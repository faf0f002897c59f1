"""The answers that clouds give offline to the functions that our components call."""

import json
from base64 import b64decode
from typing import Any

import pytest
from pulumi_offline.invoke_results import KNOWN


def answer(token: str, **args: Any) -> Any:
    """An answer as the engine gets it."""
    known = KNOWN[token]
    return known(args) if callable(known) else known


@pytest.mark.parametrize(
    ("token", "args", "part", "expected"),
    [
        ("gcp:organizations/getProject:getProject", {"projectId": "p"}, "number", "[number of p]"),
        ("oci:Core/getInstance:getInstance", {"instanceId": "[id of instance 2]"}, "privateIp", "192.0.2.2"),
        ("oci:Core/getInstance:getInstance", {"instanceId": "ocid1..x7"}, "privateIp", "192.0.2.7"),
        ("azure-native:features:getSubscriptionFeatureRegistration", {}, "properties", {}),
    ],
)
def test_an_answer_follows_its_arguments(token: str, args: dict[str, Any], part: str, expected: Any):
    assert answer(token, **args)[part] == expected


def test_an_image_is_of_the_version_that_is_asked_for():
    (source,) = answer("oci:ContainerEngine/getNodePoolOption:getNodePoolOption", nodePoolK8sVersion="v1.35.2")[
        "sources"
    ]

    assert "-OKE-1.35.2-" in source["sourceName"] and source["sourceName"] in source["imageId"]


def test_a_kubeconfig_tells_which_cluster_it_is_of():
    """Azure hands it out as base64 in a list, and Oracle as text."""
    (of_azure,) = answer(
        "azure-native:containerservice:listManagedClusterUserCredentials", resourceName="Train", resourceGroupName="g"
    )["kubeconfigs"]
    of_oracle = answer("oci:ContainerEngine/getClusterKubeConfig:getClusterKubeConfig", clusterId="c")["content"]

    for text, certificate in (
        (b64decode(of_azure["value"]), b"[certificate of Train]"),
        (of_oracle, b"[certificate of c]"),
    ):
        (cluster,) = json.loads(text)["clusters"]
        assert b64decode(cluster["cluster"]["certificate-authority-data"]) == certificate

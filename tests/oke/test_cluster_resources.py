"""Each resource of an OKE cluster whole: what Oracle's API and the engine are told, and what it comes after."""

import json
from functools import cache
from typing import Any

import pytest
from pulumi_offline import Graph, preview
from rdma_cluster import oke
from tests.oke.plans import CLUSTER, COMPARTMENT, OF_CLUSTER, ZONE, built, made

HOUR = {"customTimeouts": {"create": "60m", "update": "60m", "delete": "60m"}}
ADDONS = {"addons": ["NvidiaNetworkOperator", "NodeFeatureDiscovery"]}


@cache
def cluster(plain: bool = False) -> Graph:
    """A cluster with all its choices, or with none."""
    more = {"secrets_key": "ocid1.key.oc1..a", "protected": True, "worker_groups": ["wg"], "pod_groups": ["pg"]}
    families = {"dual_stack": True, "endpoint": "public", "public_cidrs": ["203.0.113.7/32"], "api_groups": ["ag"]}
    return built("OkeCluster", {**OF_CLUSTER, **({} if plain else {**ADDONS, **more, **families})})


@pytest.mark.parametrize("plain", [False, True])
def test_cluster(plain: bool):
    """Enhanced; with a key, both families, a public API and groups where these are asked for."""
    inputs, options, after = made(cluster(plain), "Cluster", "oke")
    choices = {"kmsKeyId": "ocid1.key.oc1..a"}
    families = {"ipFamilies": ["IPv4", "IPv6"]}

    assert inputs == {
        "name": "oke",
        "compartmentId": COMPARTMENT,
        "vcnId": "v",
        "kubernetesVersion": "v1.36.1",
        "type": "ENHANCED_CLUSTER",
        "endpointConfig": {"subnetId": "a", "isPublicIpEnabled": not plain, "nsgIds": [] if plain else ["ag"]},
        "clusterPodNetworkOptions": [{"cniType": "OCI_VCN_IP_NATIVE"}],
        "options": {
            "serviceLbSubnetIds": ["ocid1.subnet.oc1..balancers"],
            "kubernetesNetworkConfig": {"servicesCidr": "10.96.0.0/16"},
            **({} if plain else families),
        },
        **({} if plain else choices),
    }
    assert options == {**HOUR, "deleteBeforeReplace": True, **({} if plain else {"protect": True})}
    assert after == set()


@pytest.mark.parametrize("plain", [False, True])
def test_system_nodes(plain: bool):
    """Three small ones of OKE's own image, whose newer ones are the user's choice."""
    inputs, options, after = made(cluster(plain), "NodePool", "oke-system")

    assert inputs == {
        "name": "system",
        "compartmentId": COMPARTMENT,
        "clusterId": "[id of oci:ContainerEngine/cluster:Cluster oke]",
        "kubernetesVersion": "v1.36.1",
        "nodeShape": "VM.Standard.E5.Flex",
        "nodeShapeConfig": {"ocpus": 4, "memoryInGbs": 16},
        "nodeSourceDetails": {
            "sourceType": "IMAGE",
            "imageId": "[id of Oracle-Linux-8.10-2026.06.30-0-OKE-1.36.1-1330]",
            "bootVolumeSizeInGbs": "128",
        },
        "nodeConfigDetails": {
            "size": 3,
            "placementConfigs": [{"availabilityDomain": ZONE, "subnetId": "w"}],
            "nsgIds": [] if plain else ["wg"],
            "nodePoolPodNetworkOptionDetails": {
                "cniType": "OCI_VCN_IP_NATIVE",
                "maxPodsPerNode": 93,
                "podSubnetIds": ["ocid1.subnet.oc1..pods"],
                "podNsgIds": [] if plain else ["pg"],
            },
        },
        "nodeMetadata": {"oke-kubeproxy-proxy-mode": "ipvs", "areLegacyImdsEndpointsDisabled": "true"},
    }
    assert options == {**HOUR, "ignoreChanges": ["nodeSourceDetails.imageId"]}
    assert after == {"Cluster oke"}


@pytest.mark.parametrize(
    ("name", "further", "after"),
    [
        ("NodeFeatureDiscovery", {"configurations": []}, {"Cluster oke", "NodePool oke-system"}),
        (
            "NvidiaNetworkOperator",
            {"version": "v25.10.0", "configurations": [{"key": "sriovNetworkOperator.enabled", "value": "true"}]},
            {"Cluster oke", "Addon oke-NodeFeatureDiscovery"},
        ),
    ],
)
def test_addon(name: str, further: dict[str, Any], after: set[str]):
    """In place of what is there, and gone with all that it made; each waits for the one before."""
    inputs, options, waits = made(cluster(), "Addon", f"oke-{name}")

    assert inputs == {
        "clusterId": "[id of oci:ContainerEngine/cluster:Cluster oke]",
        "addonName": name,
        "overrideExisting": True,
        "removeAddonResourcesOnDelete": True,
        **further,
    }
    assert (options, waits) == ({}, after)


@pytest.mark.parametrize(
    ("endpoint", "server"), [("private", "https://192.0.2.1:6443"), ("public", "https://203.0.113.1:6443")]
)
def test_addresses_of_an_existing_cluster(endpoint: str, server: str):
    """Clients come by the endpoint that is chosen, nodes always by the private one."""
    there = {**OF_CLUSTER, "version": "1.35.2", "existing": {"id": CLUSTER}, "name": "mine", "endpoint": endpoint}
    told: list[str] = []

    def program() -> None:
        oke.OkeCluster("oke", there).kubeconfig.apply(told.append)  # ty: ignore[invalid-argument-type]

    component = preview(program).one("rdma-cluster:index:OkeCluster", "oke")
    said = json.loads(told[0])

    assert (component.outputs["id"], component.outputs["name"]) == (CLUSTER, "mine")
    assert component.outputs["apiHost"] == "192.0.2.1"
    assert said["clusters"][0]["cluster"]["server"] == server
    assert said["users"][0]["user"]["exec"]["args"] == [
        "ce", "cluster", "generate-token", "--cluster-id", CLUSTER, "--region", "eu-frankfurt-1"
    ]  # fmt: skip

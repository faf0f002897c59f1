"""What an OKE cluster makes, and what it asks of one that exists."""

import json
from functools import cache
from typing import Any

import pytest
from pulumi_offline import Graph, preview
from rdma_cluster import oke
from tests.oke.plans import CLUSTER, OF_CLUSTER, built, made

THERE: Any = {**OF_CLUSTER, "version": "1.35.2", "existing": {"id": CLUSTER}, "name": "mine"}
CHOICES: dict[str, Any] = {
    "addons": ["NvidiaNetworkOperator", "NodeFeatureDiscovery"],
    "secrets_key": "ocid1.key.oc1..a",
    "protected": True,
    "worker_groups": ["wg"],
    "pod_groups": ["pg"],
    "api_groups": ["ag"],
    "dual_stack": True,
    "endpoint": "public",
    "public_cidrs": ["203.0.113.7/32"],
}


@cache
def cluster(plain: bool) -> Graph:
    """A cluster with none of its choices, or with all."""
    return built("OkeCluster", {**OF_CLUSTER, **({} if plain else CHOICES)})


def test_a_cluster_has_what_its_choices_say_and_nothing_where_there_are_none():
    plain, options, _ = made(cluster(True), "Cluster", "oke")
    chosen, of_chosen, _ = made(cluster(False), "Cluster", "oke")

    assert (plain["type"], plain["clusterPodNetworkOptions"]) == (
        "ENHANCED_CLUSTER",
        [{"cniType": "OCI_VCN_IP_NATIVE"}],
    )
    assert plain["endpointConfig"] == {"subnetId": "a", "isPublicIpEnabled": False, "nsgIds": []}
    assert plain["options"]["serviceLbSubnetIds"] == ["ocid1.subnet.oc1..balancers"]
    assert "kmsKeyId" not in plain and "ipFamilies" not in plain["options"] and "protect" not in options
    assert chosen["endpointConfig"] == {"subnetId": "a", "isPublicIpEnabled": True, "nsgIds": ["ag"]}
    assert (chosen["kmsKeyId"], chosen["options"]["ipFamilies"]) == ("ocid1.key.oc1..a", ["IPv4", "IPv6"])
    assert of_chosen["protect"] and of_chosen["deleteBeforeReplace"]


def test_system_nodes_are_small_and_of_oke_s_own_image():
    """Newer images are the user's choice."""
    system, options, after = made(cluster(False), "NodePool", "oke-system")
    details = system["nodeConfigDetails"]

    assert (details["nsgIds"], details["placementConfigs"][0]["subnetId"]) == (["wg"], "w")
    assert details["nodePoolPodNetworkOptionDetails"]["podNsgIds"] == ["pg"]
    assert "OKE-1.36.1-" in system["nodeSourceDetails"]["imageId"]
    assert options["ignoreChanges"] == ["nodeSourceDetails.imageId"]
    assert after == {"Cluster oke"}


def test_add_ons_wait_for_a_node_and_for_each_other():
    """Oracle's operators stall while every node has GPUs, and both read what feature discovery says."""
    first, _, after_first = made(cluster(False), "Addon", "oke-NodeFeatureDiscovery")
    second, _, after_second = made(cluster(False), "Addon", "oke-NvidiaNetworkOperator")

    assert "NodePool oke-system" in after_first and "Addon oke-NodeFeatureDiscovery" in after_second
    assert "version" not in first and second["version"].startswith("v")
    assert second["configurations"] == [{"key": "sriovNetworkOperator.enabled", "value": "true"}]
    assert second["overrideExisting"] and second["removeAddonResourcesOnDelete"]


def test_an_add_on_that_oracle_does_not_offer_is_refused_in_the_preview():
    """Its versions follow the cluster's."""
    offered = {"addonOptions": [{"name": "NvidiaNetworkOperator", "versions": [{"versionNumber": "v25.7.0"}]}]}
    token = "oci:ContainerEngine/getAddonOptions:getAddonOptions"

    with pytest.raises(Exception, match=r"add-on NvidiaNetworkOperator: .*, it has v25\.7\.0"):
        built("OkeCluster", {**OF_CLUSTER, "addons": ["NvidiaNetworkOperator"]}, **{token: offered})


@pytest.mark.parametrize(
    ("endpoint", "server"), [("private", "https://192.0.2.1:6443"), ("public", "https://203.0.113.1:6443")]
)
def test_clients_come_by_the_chosen_endpoint_and_nodes_by_the_private_one(endpoint: str, server: str):
    """The kubeconfig holds no token: oci makes one."""
    told: list[str] = []

    def program() -> None:
        made = oke.OkeCluster("oke", {**THERE, "endpoint": endpoint})
        made.kubeconfig.apply(told.append)

    component = preview(program).one("rdma-cluster:index:OkeCluster", "oke")
    said = json.loads(told[0])
    command = said["users"][0]["user"]["exec"]

    assert (component.outputs["id"], component.outputs["name"]) == (CLUSTER, "mine")
    assert component.outputs["apiHost"] == "192.0.2.1"
    assert said["clusters"][0]["cluster"]["server"] == server
    assert (command["command"], command["args"][:3]) == ("oci", ["ce", "cluster", "generate-token"])
    assert command["args"][3:] == ["--cluster-id", CLUSTER, "--region", "eu-frankfurt-1"]

"""What OKE's components ask of Oracle, by which provider, and what they choose of its answers."""

from typing import Any

import pytest
from tests.asked import MINE, Told, told
from tests.oke.plans import CLUSTER, COMPARTMENT, IN_CLUSTER, NETWORK, OF_CLUSTER, POOL

OF_IAM: dict[str, Any] = {**{key: IN_CLUSTER[key] for key in ("region", "tenancy", "compartment")}, "cluster": CLUSTER}
ADOPTED = {"compartment": COMPARTMENT, "name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2}
NODE = "kubernetes:core/v1:Node"
OF_SHAPE = {"metadata": {"labels": {"node.kubernetes.io/instance-type": "BM.GPU.H100.8"}}}


def made(component: str, args: dict[str, Any], **answers: Any) -> Told:
    """One component with the user's provider."""
    return told("oke", "pulumi_oci", component, args, **answers)


@pytest.mark.parametrize(
    ("component", "args", "count"),
    [
        ("OkeCluster", {**OF_CLUSTER, "zone": "2", "addons": ["NvidiaNetworkOperator", "NodeFeatureDiscovery"]}, 4),
        ("OkeCluster", {**OF_CLUSTER, "version": "1.35.2", "existing": {"id": CLUSTER}, "name": "mine"}, 2),
        ("OkeHpcNetwork", NETWORK, 1),
        ("OkeIdentityPolicies", {**OF_IAM, "modes": ["instances"]}, 1),
        ("OkeGpuNodePool", {**POOL, "zone": "2"}, 1),
        ("OkeAdoptedNodes", {**ADOPTED, "cluster_network": "ocid1.clusternetwork.oc1..a"}, 3),
    ],
)
def test_each_component_asks_by_the_user_s_provider_and_once(component: str, args: dict[str, Any], count: int):
    found = made(component, args, **{NODE: OF_SHAPE}).asked

    assert {each.provider for each in found} == {MINE} and len(set(map(str, found))) == len(found) == count


def test_the_home_region_is_found_wherever_it_stands_in_the_list():
    regions = [("eu-frankfurt-1", False), ("us-ashburn-1", True), ("uk-london-1", False)]
    answer = {"regionSubscriptions": [{"regionName": name, "isHomeRegion": home} for name, home in regions]}
    question = "oci:Identity/getRegionSubscriptions:getRegionSubscriptions"
    graph = made("OkeIdentityPolicies", {**OF_IAM, "modes": ["instances"]}, **{question: answer}).graph

    assert graph.one("pulumi:providers:oci", "oke-home").inputs["region"] == "us-ashburn-1"


def test_a_cluster_s_certificate_is_that_of_the_first_in_its_kubeconfig():
    text = "clusters:\n- cluster: {certificate-authority-data: b25l}\n- cluster: {certificate-authority-data: dHdv}\n"
    kubeconfigs = {"oci:ContainerEngine/getClusterKubeConfig:getClusterKubeConfig": {"content": text}}
    graph = made("OkeCluster", OF_CLUSTER, **kubeconfigs).graph

    assert graph.one("rdma-cluster:index:OkeCluster", "oke").outputs["caCertificate"] == "b25l"

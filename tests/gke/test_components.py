"""What the parts of a GKE stack show, what a cluster must bring for the stack, and whose providers make it."""

from typing import Any

import pytest
from pulumi_offline import Graph
from tests.gke.variants import CLUSTER, NETWORKS, VARIANTS
from tests.stacks import graph_of

POOL = {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"reservation": {"name": "my-reservation"}}}
GKE = "gcp:container/cluster:Cluster"


def shown(graph: Graph, component: str, name: str = "gke") -> dict[str, Any]:
    """The inputs of a component, as the engine shows them."""
    (found,) = [each for each in graph.resources if each.type.endswith(f":{component}") and each.name == name]
    return dict(found.inputs)


@pytest.mark.variant
def test_a_part_shows_what_the_user_wrote_of_it():
    """A reader finds the lines of the stack file; what follows from them stands in the resources."""
    graph = graph_of(
        "gke", "network={maxNodes: 16}", "kubernetes={releaseChannel: STABLE}", "storage={objectStore: {}}"
    )

    assert shown(graph, "GkeHpcNetwork") == {"maxNodes": 16}
    assert shown(graph, "GkeCluster") == {"releaseChannel": "STABLE"}
    assert shown(graph, "GkeGpuNodePool", "gke-a4") == POOL
    assert shown(graph, "GkeStorage") == {"objectStore": {}}


@pytest.mark.variant
def test_what_exists():
    """The user's networks and cluster take the place of ours; nodes run as GKE's default account."""
    graph = graph_of("gke", NETWORKS, CLUSTER)

    (pool,) = graph.of_type("gcp:container/nodePool:NodePool")
    assert (pool.inputs["nodeConfig"]["serviceAccount"], pool.inputs["cluster"]) == ("default", "mine")
    assert (pool.inputs["location"], pool.inputs["nodeLocations"]) == ("us-west8", ["us-west8-c"])
    attached = pool.inputs["networkConfig"]["additionalNodeNetworkConfigs"]
    assert attached == [
        {"network": "second", "subnetwork": "second-nodes"},
        *({"network": "roce", "subnetwork": f"lane-{i}"} for i in range(8)),
    ]
    assert graph.outputs["clusterName"] == "mine"


@pytest.mark.variant
def test_one_pool_of_bare_metal_is_enough():
    """The cluster then has no Shielded Nodes, which bare metal could not join."""
    (cluster,) = graph_of(*VARIANTS["all kinds on networks by GKE"]).of_type(GKE)
    (usual,) = graph_of("gke").of_type(GKE)

    assert cluster.inputs["enableShieldedNodes"] is False and "enableShieldedNodes" not in usual.inputs
    assert cluster.inputs["enableMultiNetworking"] is False and usual.inputs["enableMultiNetworking"] is True


@pytest.mark.variant
@pytest.mark.parametrize(
    ("overrides", "endpoint"),
    [
        ((), {"allowExternalTraffic": True}),
        (("queues={enabled: true}",), {"allowExternalTraffic": True}),
        (
            ("queues={enabled: true, worker: {queues: {shared: a4}}}",),
            {"allowExternalTraffic": True, "enableK8sTokensViaDns": True},
        ),
        (
            ("queues={enabled: true, worker: {queues: {shared: a4}}}", "kubernetes.endpoint=private"),
            {"allowExternalTraffic": False},
        ),
    ],
    ids=["alone", "queues of its own", "takes jobs", "takes jobs at an address"],
)
def test_tokens_enter_where_a_manager_sends_jobs(overrides: tuple[str, ...], endpoint: dict[str, bool]):
    """A manager's token is one of Kubernetes' own, which the DNS endpoint refuses unless it is told."""
    (cluster,) = graph_of("gke", *overrides).of_type(GKE)

    assert cluster.inputs["controlPlaneEndpointsConfig"]["dnsEndpointConfig"] == endpoint


@pytest.mark.variant
@pytest.mark.parametrize(("more", "connected"), [((), True), ((NETWORKS,), False)], ids=["ours", "theirs"])
def test_who_connects_a_network_to_lustre(more: tuple[str, ...], connected: bool):
    """A network of ours gets private services access; the user's has its own way to Lustre."""
    graph = graph_of("gke", "storage={lustre: {capacityGib: 18000}}", *more)

    assert bool(graph.of_type("gcp:servicenetworking/connection:Connection")) is connected


def test_providers():
    """Google's is in the stack's project, and the cluster has one, which is replaced with it alone."""
    graph = graph_of("gke")

    assert graph.one("pulumi:providers:gcp").inputs == {"project": "my-project"}
    assert graph.one("pulumi:providers:kubernetes").inputs == {
        "clusterIdentifier": "projects/my-project/locations/us-west8/clusters/gke",
        "kubeconfig": "[secret]",
    }

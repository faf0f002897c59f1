"""What the components of a GKE stack are given, as the engine shows it: each could be made alone from the same."""

from typing import Any

import pytest
from rdma_cluster.offline import Graph

from tests.gke.variants import CLUSTER, NETWORKS, VARIANTS
from tests.stacks import graph_of

PLACE = {"project": "my-project", "zone": "us-west8-c"}
PRIMARY = {"network": "vpc", "subnetwork": "nodes", "podRange": "pods", "serviceRange": "services"}
LANES = [{"network": "roce", "subnetwork": f"lane-{i}"} for i in range(8)]
POOL = {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"reservation": {"name": "my-reservation"}}}


def given(graph: Graph, component: str, name: str = "gke") -> dict[str, Any]:
    """The args of a component; outputs of others are not shown."""
    (found,) = [each for each in graph.resources if each.type.endswith(f":{component}") and each.name == name]
    return dict(found.inputs)


def test_new():
    """The cluster takes its network from the network's component, which knows the machines."""
    graph = graph_of("gke")

    assert given(graph, "GkeHpcNetwork") == {**PLACE, "machines": ["a4-highgpu-8g"]}
    assert given(graph, "GkeCluster") == {
        **PLACE,
        "name": "gke",
        "podRange": "pods",
        "serviceRange": "services",
        "multiNetworking": True,
    }
    assert given(graph, "GkeGpuNodePool", "gke-a4") == {**PLACE, **POOL, "location": "us-west8", "version": "1.35"}


@pytest.mark.variant
def test_what_exists():
    """The user's networks and cluster in the place of ours; nodes run as GKE's default account."""
    graph = graph_of("gke", NETWORKS, CLUSTER)

    assert given(graph, "GkeCluster") == {
        **PLACE,
        **PRIMARY,
        "name": "mine",
        "existing": {"location": "us-west8", "endpoint": "gke.example"},
        "multiNetworking": True,
    }
    second = {"network": "second", "subnetwork": "second-nodes"}
    assert given(graph, "GkeGpuNodePool", "gke-a4") == {
        **PLACE,
        **POOL,
        "location": "us-west8",
        "networks": [second, *LANES],
        "version": "1.35",
    }
    (pool,) = graph.of_type("gcp:container/nodePool:NodePool")
    assert (pool.inputs["nodeConfig"]["serviceAccount"], pool.inputs["cluster"]) == ("default", "mine")
    assert graph.outputs["clusterName"] == "mine"


@pytest.mark.variant
def test_the_mode_goes_to_all():
    """It decides the networks and the pools; where GKE makes them a pool is given none."""
    graph = graph_of(*VARIANTS["all kinds on networks by GKE"])
    machines = ["a4-highgpu-8g", "a4x-highgpu-4g", "a4x-maxgpu-4g-metal"]

    assert given(graph, "GkeHpcNetwork", "gke-a4x") == {
        "project": "my-project",
        "zone": "us-central1-a",
        "machines": machines,
        "mode": "managed-auto",
    }
    assert given(graph, "GkeCluster", "gke-a4x") == {
        "project": "my-project",
        "zone": "us-central1-a",
        "name": "gke-a4x",
        "podRange": "pods",
        "serviceRange": "services",
        "multiNetworking": False,
        # One pool of bare metal is enough.
        "shieldedNodes": False,
    }
    for pool in ("rack-1", "metal", "a4"):
        told = given(graph, "GkeGpuNodePool", f"gke-a4x-{pool}")
        assert (told["mode"], told["networks"], told["location"]) == ("managed-auto", [], "us-central1")


@pytest.mark.variant
@pytest.mark.parametrize(
    ("overrides", "more"),
    [
        (("storage={objectStore: {}}",), {"gcsFuse": True}),
        (("storage={lustre: {capacityGib: 18000}}",), {"lustre": True}),
        (VARIANTS["monitoring"][1:], {"gpuMetrics": False}),
        (("queues={enabled: true, worker: {queues: {shared: a4}}}",), {"kubernetesTokens": True}),
        (
            ("queues={enabled: true, worker: {queues: {shared: a4}}}", "kubernetes.endpoint=private"),
            {"endpoint": "private"},
        ),
    ],
    ids=["bucket", "Lustre", "watched", "takes jobs", "takes jobs at an address"],
)
def test_what_the_cluster_must_bring(overrides: tuple[str, ...], more: dict[str, Any]):
    """The driver of the storage, its own exporter out of the way, and tokens through its name."""
    before = given(graph_of("gke"), "GkeCluster")

    assert given(graph_of("gke", *overrides), "GkeCluster") == {**before, **more}


@pytest.mark.variant
@pytest.mark.parametrize(
    ("overrides", "args"),
    [
        (("storage={objectStore: {}}",), {"objectStore": {}, "connect": True}),
        (("storage={lustre: {capacityGib: 18000}}",), {"lustre": {"capacityGib": 18000}, "connect": True}),
        (("storage={lustre: {capacityGib: 18000}}", NETWORKS), {"lustre": {"capacityGib": 18000}, "connect": False}),
    ],
    ids=["bucket", "Lustre", "Lustre in a network that exists"],
)
def test_storage(overrides: tuple[str, ...], args: dict[str, Any]):
    """It is in the GPUs' zone, for the claims' namespaces; a network that exists has its own way to Lustre."""
    assert given(graph_of("gke", *overrides), "GkeStorage") == {**PLACE, "namespaces": ["default"], **args}


def test_networks_that_pods_name():
    """In NIC order, each as the pod names it."""
    assert given(graph_of("gke-a3-mega"), "GkePodNetworks", "gke-a3-mega") == {
        "networks": [{"name": f"vpc{i}", "rdma": False} for i in range(1, 9)]
    }


@pytest.mark.variant
def test_networks_with_rdma():
    """The second gVNIC has none, the rails have."""
    told = given(graph_of("gke", "network.mode=pod-networks"), "GkePodNetworks")["networks"]

    assert [(each["name"], each["rdma"]) for each in told] == [
        ("gvnic-1", False),
        *((f"rdma-{i}", True) for i in range(8)),
    ]


def test_providers():
    """Google's in the stack's project, and one of the cluster, which is replaced with it alone."""
    graph = graph_of("gke")

    assert graph.one("pulumi:providers:gcp").inputs == {"project": "my-project"}
    assert graph.one("pulumi:providers:kubernetes").inputs == {
        "clusterIdentifier": "projects/my-project/locations/us-west8/clusters/gke",
        "kubeconfig": "[secret]",
    }

"""The cluster of a GKE graph: who reaches it, what a choice changes of it, and the nodes of the system."""

from typing import Any

import pytest
from tests.gke.changes import WATCHED
from tests.gke.variants import CLUSTER, NETWORKS, VARIANTS
from tests.resources import one, options
from tests.stacks import graph_of

KEY = "projects/p/locations/us-west8/keyRings/r/cryptoKeys/k"
TAKES_JOBS = "queues={enabled: true, worker: {queues: {shared: a4}}}"


def cluster(*overrides: str) -> dict[str, Any]:
    """The inputs of the cluster."""
    return dict(graph_of("gke", *overrides).one("gcp:container/cluster:Cluster", "gke").inputs)


def test_a_cluster_lasts_while_its_nodes_come_and_go():
    """Neither minors nor nodes are upgraded under a job; the default pool is removed, and later changes ignored."""
    made = one(graph_of("gke"), "Cluster", "gke")
    (exclusion,) = made.inputs["maintenancePolicy"]["maintenanceExclusions"]

    assert exclusion["exclusionOptions"]["scope"] == "NO_MINOR_OR_NODE_UPGRADES"
    assert (made.inputs["removeDefaultNodePool"], made.inputs["initialNodeCount"]) == (True, 1)
    assert made.inputs["nodeConfig"]["serviceAccount"].startswith("gke-nodes@")
    assert options(made)["ignoreChanges"] == ["initialNodeCount", "nodeConfig"]
    assert options(made)["customTimeouts"] == {"create": "60m", "update": "60m", "delete": "60m"}


@pytest.mark.parametrize(
    ("overrides", "dns", "by_address"),
    [
        ((), {"allowExternalTraffic": True}, False),
        (("kubernetes.endpoint=private",), {"allowExternalTraffic": False}, True),
        # A manager's token is one of Kubernetes' own, which the DNS endpoint refuses unless it is told.
        (("queues={enabled: true}",), {"allowExternalTraffic": True}, False),
        ((TAKES_JOBS,), {"allowExternalTraffic": True, "enableK8sTokensViaDns": True}, False),
        ((TAKES_JOBS, "kubernetes.endpoint=private"), {"allowExternalTraffic": False}, True),
    ],
    ids=["by name", "by address", "queues of its own", "takes jobs", "takes jobs by address"],
)
@pytest.mark.variant
def test_there_is_one_way_to_the_api(overrides: tuple[str, ...], dns: dict[str, bool], by_address: bool):
    """Google's IAM stands before the name; the address is reached from private networks alone."""
    made = cluster(*overrides)
    blocks = made.get("masterAuthorizedNetworksConfig", {}).get("cidrBlocks", [])

    assert made["controlPlaneEndpointsConfig"] == {
        "dnsEndpointConfig": dns,
        "ipEndpointsConfig": {"enabled": by_address},
    }
    assert [each["cidrBlock"] for each in blocks] == (
        ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"] if by_address else []
    )
    assert made["privateClusterConfig"].get("enablePrivateEndpoint", False) is by_address


@pytest.mark.variant
@pytest.mark.parametrize(
    ("override", "changed"),
    [
        ("kubernetes.location=zonal", {"location": "us-west8-c", "nodeLocations": None}),
        (f"kubernetes.secretsKey={KEY}", {"databaseEncryption": {"state": "ENCRYPTED", "keyName": KEY}}),
        ("storage={objectStore: {}}", {"addonsConfig": {"gcsFuseCsiDriverConfig": {"enabled": True}}}),
        (
            "storage={lustre: {capacityGib: 18000}}",
            {"addonsConfig": {"lustreCsiDriverConfig": {"enabled": True, "disableMultiNic": True}}},
        ),
        # Pods name no networks where GKE's own driver hands out the NICs.
        ("network.mode=managed", {"enableMultiNetworking": False}),
        ("kubernetes.releaseChannel=STABLE", {"releaseChannel": {"channel": "STABLE"}}),
    ],
    ids=["zonal", "secrets", "bucket", "Lustre", "managed NICs", "channel"],
)
def test_a_choice_changes_its_own_properties_of_the_cluster(override: str, changed: dict[str, Any]):
    before, after = cluster(), cluster(override)

    assert {key: after.get(key) for key in {*before, *after} if before.get(key) != after.get(key)} == changed


@pytest.mark.variant
def test_one_pool_of_bare_metal_leaves_the_cluster_without_shielded_nodes():
    """Bare metal could not join it."""
    made = one(graph_of(*VARIANTS["all kinds on networks by GKE"]), "Cluster", "gke-a4x").inputs

    assert made["enableShieldedNodes"] is False and "enableShieldedNodes" not in cluster()
    assert made["enableMultiNetworking"] is False and cluster()["enableMultiNetworking"] is True


@pytest.mark.variant
def test_gkes_exporter_of_gpus_makes_room_for_ours():
    """Two on a node ask the GPUs for the same counters."""
    managed = "monitoring={enabled: true, gpuExporter: managed}"
    alone, ours, theirs = (
        set(cluster(*each)["monitoringConfig"]["enableComponents"]) for each in ((), WATCHED, (managed,))
    )

    assert alone - ours == {"DCGM"} and theirs == alone


@pytest.mark.parametrize(
    ("overrides", "version"),
    [
        ((), None),
        pytest.param(("kubernetes.version=1.35.2-gke.1842000",), "1.35.2-gke.1842000", marks=pytest.mark.variant),
    ],
    ids=["minor", "exact"],
)
def test_system_nodes_are_beside_the_gpus_and_boot_securely(overrides: tuple[str, ...], version: str | None):
    """The autoscaler owns their count; they follow an exact version of the control plane."""
    pool = one(graph_of("gke", *overrides), "NodePool", "gke-system")

    assert pool.inputs.get("version") == version
    assert (pool.inputs["name"], pool.inputs["nodeLocations"]) == ("system", ["us-west8-c"])
    assert pool.inputs["autoscaling"]["totalMinNodeCount"] == 2
    assert pool.inputs["nodeConfig"]["shieldedInstanceConfig"]["enableSecureBoot"] is True
    assert options(pool) == {"ignoreChanges": ["initialNodeCount", "nodeCount"], "deleteBeforeReplace": True}


@pytest.mark.variant
def test_existing_networks_and_cluster_take_the_place_of_ours():
    """Nothing is made below the pools; nodes run as GKE's default account."""
    graph = graph_of("gke", NETWORKS, CLUSTER)
    made = {each.type.rpartition(":")[2] for each in graph.resources if each.type.startswith("gcp:")}
    (pool,) = graph.of_type("gcp:container/nodePool:NodePool")

    assert made == {"NodePool"} and graph.outputs["clusterName"] == "mine"
    assert (pool.inputs["nodeConfig"]["serviceAccount"], pool.inputs["cluster"]) == ("default", "mine")
    assert (pool.inputs["location"], pool.inputs["nodeLocations"]) == ("us-west8", ["us-west8-c"])
    assert [each["subnetwork"] for each in pool.inputs["networkConfig"]["additionalNodeNetworkConfigs"]] == [
        "second-nodes",
        *(f"lane-{i}" for i in range(8)),
    ]

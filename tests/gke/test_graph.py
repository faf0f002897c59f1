"""The resources of the GKE stacks: what only the program shows."""

from typing import Any

import pytest
from pulumi_offline import Graph
from tests.gke.variants import CLUSTER, NETWORKS, VARIANTS
from tests.stacks import graph_of

SPOT = "pools[0].capacity={spot: true}"
FLEX = "pools[0].capacity={flexStart: true}"
NODE_CAPACITY = {"spot", "flexStart", "reservationAffinity"}
POOL_CAPACITY = {"nodeCount", "autoscaling", "placementPolicy", "queuedProvisioning"}
ON_DEMAND = "pools[0].capacity={onDemand: true}"


def inputs(graph: Graph, token: str, name: str) -> dict[str, Any]:
    """What one resource is made of; ``token`` is the end of its type."""
    (found,) = [each for each in graph.resources if each.type.endswith(f":{token}") and each.name == name]
    return dict(found.inputs)


def names(graph: Graph, token: str) -> set[str]:
    """Names of all resources of a type."""
    return {each.name for each in graph.resources if each.type.endswith(f":{token}")}


@pytest.mark.parametrize(
    ("overrides", "node", "pool"),
    [
        (
            (),
            {
                "spot": False,
                "reservationAffinity": {
                    "consumeReservationType": "SPECIFIC_RESERVATION",
                    "key": "compute.googleapis.com/reservation-name",
                    "values": ["my-reservation"],
                },
            },
            {"nodeCount": 2},
        ),
        ((SPOT,), {"spot": True}, {"nodeCount": 2}),
        (
            (FLEX,),
            {"spot": False, "flexStart": True, "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}},
            {"autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 2, "locationPolicy": "ANY"}},
        ),
        ((ON_DEMAND,), {"spot": False}, {"nodeCount": 2, "placementPolicy": {"type": "COMPACT"}}),
        (
            VARIANTS["queued, beside a pool of the autoscaler's"][1:],
            {"spot": False, "flexStart": True, "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}},
            {
                "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 2, "locationPolicy": "ANY"},
                "queuedProvisioning": {"enabled": True},
            },
        ),
    ],
    ids=["reservation", "spot", "flex-start", "on demand", "queued"],
)
def test_capacity(overrides: tuple[str, ...], node: dict[str, Any], pool: dict[str, Any]):
    """Each source says its own in the place that GKE reads, and nothing of the others."""
    made = inputs(graph_of("gke", *overrides), "NodePool", "gke-a4")

    assert {key: made["nodeConfig"][key] for key in NODE_CAPACITY & made["nodeConfig"].keys()} == node
    assert {key: made[key] for key in POOL_CAPACITY & made.keys()} == pool


def test_a_pool_of_the_autoscaler_s():
    """It starts full, to be proved, and shrinks then; its policy is the reservation's."""
    pool = graph_of(*VARIANTS["queued, beside a pool of the autoscaler's"]).one(
        "gcp:container/nodePool:NodePool", "gke-a3"
    )

    assert {key: pool.inputs[key] for key in (POOL_CAPACITY | {"initialNodeCount"}) & pool.inputs.keys()} == {
        "autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 4, "locationPolicy": "ANY"},
        "placementPolicy": {"type": "COMPACT", "policyName": "dense"},
        "initialNodeCount": 4,
    }
    assert pool.options["ignoreChanges"] == ["initialNodeCount", "nodeCount"]


def test_a_job_gets_onto_queued_nodes():
    """GKE taints them by itself; what drivers and pods do not tolerate they never run on."""
    graph = graph_of(*VARIANTS["queued, beside a pool of the autoscaler's"])
    (job,) = [each for each in graph.of_type("kubernetes:batch/v1:Job") if each.name.endswith("-a3")]
    keys = {each["key"] for each in job.inputs["spec"]["template"]["spec"]["tolerations"]}

    assert "cloud.google.com/gke-queued" in keys
    assert graph.outputs["workloads"]["a4"]["tolerations"][-1] == {
        "key": "cloud.google.com/gke-queued",
        "operator": "Equal",
        "value": "true",
        "effect": "NoSchedule",
    }


def test_a_flex_start_pool_is_its_autoscaler_s():
    """The count that the autoscaler sets is no change; a fixed count is ours."""
    flex = graph_of("gke", FLEX).one("gcp:container/nodePool:NodePool", "gke-a4")
    fixed = graph_of("gke").one("gcp:container/nodePool:NodePool", "gke-a4")

    assert flex.options["ignoreChanges"] == ["initialNodeCount", "nodeCount"]
    assert "ignoreChanges" not in fixed.options


def test_nodes_of_a4():
    """Eight GPUs, all local disks as one, gVNIC, and the metadata server that keeps the account from pods."""
    node = inputs(graph_of("gke"), "NodePool", "gke-a4")["nodeConfig"]

    (gpus,) = node["guestAccelerators"]
    assert (gpus["type"], gpus["count"]) == ("nvidia-b200", 8)
    assert node["ephemeralStorageLocalSsdConfig"] == {"localSsdCount": 32}
    assert (node["imageType"], node["diskType"], node["gvnic"]) == (
        "COS_CONTAINERD",
        "hyperdisk-balanced",
        {"enabled": True},
    )
    assert node["workloadMetadataConfig"] == {"mode": "GKE_METADATA"}
    assert node["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}]


def test_pools_have_time():
    """An upgrade takes a node away before it brings one, since a reservation has none to spare."""
    pool = graph_of("gke").one("gcp:container/nodePool:NodePool", "gke-a4")

    assert pool.inputs["upgradeSettings"] == {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1}
    assert pool.options["customTimeouts"] == {"create": "61m", "update": "120m", "delete": "60m"}


def test_cluster_takes_its_addresses_from_the_primary_subnet():
    """VPC-native, with Dataplane V2 and several networks a node."""
    cluster = inputs(graph_of("gke"), "Cluster", "gke")

    assert (cluster["networkingMode"], cluster["datapathProvider"]) == ("VPC_NATIVE", "ADVANCED_DATAPATH")
    assert cluster["enableMultiNetworking"] is True
    assert cluster["ipAllocationPolicy"] == {
        "clusterSecondaryRangeName": "pods",
        "servicesSecondaryRangeName": "services",
    }
    assert cluster["subnetwork"] == "gke-primary" and cluster["network"] == "gke-primary"
    assert cluster["workloadIdentityConfig"] == {"workloadPool": "my-project.svc.id.goog"}


def test_nodes_are_not_upgraded_under_a_job():
    """Neither minors nor nodes until support ends."""
    (exclusion,) = inputs(graph_of("gke"), "Cluster", "gke")["maintenancePolicy"]["maintenanceExclusions"]

    assert exclusion["exclusionOptions"] == {
        "scope": "NO_MINOR_OR_NODE_UPGRADES",
        "endTimeBehavior": "UNTIL_END_OF_SUPPORT",
    }


def test_default_pool_is_nobody_s():
    """It is removed, and what GKE says of it later is no change; a zone keeps the system's nodes beside the GPUs."""
    graph = graph_of("gke")
    cluster = graph.one("gcp:container/cluster:Cluster", "gke")
    system = graph.one("gcp:container/nodePool:NodePool", "gke-system")

    assert (cluster.inputs["removeDefaultNodePool"], cluster.inputs["initialNodeCount"]) == (True, 1)
    assert cluster.options["ignoreChanges"] == ["initialNodeCount", "nodeConfig"]
    assert system.options["ignoreChanges"] == ["initialNodeCount", "nodeCount"]
    assert system.inputs["nodeLocations"] == cluster.inputs["nodeLocations"] == ["us-west8-c"]
    assert system.inputs["autoscaling"]["totalMinNodeCount"] == 2


@pytest.mark.parametrize(("endpoint", "by_address"), [("dns", False), ("private", True)])
def test_one_way_to_the_api(endpoint: str, by_address: bool):
    """By name from anywhere with Google's IAM before it, or by address from private networks alone."""
    cluster = inputs(graph_of("gke", f"kubernetes={{endpoint: {endpoint}}}"), "Cluster", "gke")

    assert cluster["controlPlaneEndpointsConfig"] == {
        "dnsEndpointConfig": {"allowExternalTraffic": not by_address},
        "ipEndpointsConfig": {"enabled": by_address},
    }
    blocks = cluster.get("masterAuthorizedNetworksConfig", {}).get("cidrBlocks", [])
    assert [each["cidrBlock"] for each in blocks] == (
        ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"] if by_address else []
    )


def test_nodes_have_an_account_of_their_own():
    """What a node needs, on the project, and no more; every pool runs as it."""
    graph = graph_of("gke")
    granted = {each.inputs["role"]: each.inputs["member"] for each in graph.of_type("gcp:projects/iAMMember:IAMMember")}

    assert set(granted) == {
        "roles/artifactregistry.reader",
        "roles/logging.logWriter",
        "roles/monitoring.metricWriter",
        "roles/monitoring.viewer",
        "roles/stackdriver.resourceMetadata.writer",
    }
    assert all(member.startswith("serviceAccount:gke-nodes") for member in granted.values())
    for pool in ("gke-a4", "gke-system"):
        assert inputs(graph, "NodePool", pool)["nodeConfig"]["serviceAccount"].startswith("gke-nodes@")


def test_system_nodes_boot_securely():
    """They load no driver of ours; GPU nodes do."""
    graph = graph_of("gke")

    shielded = inputs(graph, "NodePool", "gke-system")["nodeConfig"]["shieldedInstanceConfig"]
    assert shielded == {"enableSecureBoot": True, "enableIntegrityMonitoring": True}
    assert "shieldedInstanceConfig" not in inputs(graph, "NodePool", "gke-a4")["nodeConfig"]


def test_rails_are_of_the_roce_profile():
    """One network with the zone's profile and its MTU, eight subnets in it; no firewall, which the profile refuses."""
    graph = graph_of("gke")
    rails = inputs(graph, "Network", "gke-rails")
    subnets = [each for each in graph.of_type("gcp:compute/subnetwork:Subnetwork") if "-rail-" in each.name]

    assert rails["networkProfile"] == "projects/my-project/global/networkProfiles/us-west8-c-vpc-roce"
    assert (rails["mtu"], rails["autoCreateSubnetworks"]) == (8896, False)
    assert {each.inputs["network"] for each in subnets} == {"[id of gcp:compute/network:Network gke-rails]"}
    assert names(graph, "Firewall") == {"gke-primary", "gke-gvnic"}


def test_nodes_reach_one_another_and_the_outside():
    """The firewall lets in the network's own blocks, NAT lets out all subnets, and Google's APIs need no NAT."""
    graph = graph_of("gke")
    primary = inputs(graph, "Subnetwork", "gke-primary")
    pods, services = primary["secondaryIpRanges"]

    assert (pods["rangeName"], services["rangeName"]) == ("pods", "services")
    assert inputs(graph, "Firewall", "gke-primary")["sourceRanges"] == [primary["ipCidrRange"], pods["ipCidrRange"]]
    assert inputs(graph, "Firewall", "gke-gvnic")["sourceRanges"] == [
        inputs(graph, "Subnetwork", "gke-gvnic")["ipCidrRange"]
    ]
    assert inputs(graph, "RouterNat", "gke-nat")["sourceSubnetworkIpRangesToNat"] == "ALL_SUBNETWORKS_ALL_IP_RANGES"
    assert primary["privateIpGoogleAccess"] is True


def test_existing_networks_and_cluster():
    """Brown field: pools and what runs on them, attached to what there is, and nothing below them."""
    graph = graph_of("gke", NETWORKS, CLUSTER)

    assert not names(graph, "Network") and not names(graph, "Cluster") and names(graph, "NodePool") == {"gke-a4"}
    pool = inputs(graph, "NodePool", "gke-a4")
    assert (pool["cluster"], pool["location"]) == ("mine", "us-west8")
    attached = pool["networkConfig"]["additionalNodeNetworkConfigs"]
    assert [each["subnetwork"] for each in attached] == ["second-nodes", *(f"lane-{i}" for i in range(8))]


def test_fabric_is_proved_before_up_ends():
    """By an Indexed Job, after drivers, plugin and pool; the stack says what came of it."""
    graph = graph_of("gke")
    (job,) = graph.of_type("kubernetes:batch/v1:Job")
    waited = {urn.rpartition("::")[2] for urn in job.dependencies}

    assert {"gke-gpu", "gke-nic", "gke-gib", "gke-kernel", "gke-a4"} <= waited
    assert graph.outputs["proofs"]["a4"]["collective"] == "all_gather"


@pytest.mark.parametrize("mode", ["managed", "managed-auto"])
def test_gke_drives_the_nics_where_the_mode_says_so(mode: str):
    """Nothing of DraNet's is installed beside Google's own driver, and what else is said of drivers stays."""
    graph = graph_of("gke", f"network.mode={mode}", "drivers={gpu: existing}")

    assert names(graph, "Release") == names(graph, "DeviceClass") == set()
    assert names(graph, "DaemonSet") == {"gke-gib", "gke-kernel"}


def test_critical_pods_of_the_driver_have_room():
    """GKE admits them by quota alone, and has one for two a node and the controller; EKS needs none."""
    quotas = {stack: graph_of(stack).of_type("kubernetes:core/v1:ResourceQuota") for stack in ("gke", "eks")}

    assert [each.inputs["spec"]["hard"] for each in quotas["gke"]] == [{"pods": str(2 + 2 + 1)}]
    (driver,) = (
        each for each in graph_of("gke").of_type("kubernetes:helm.sh/v3:Release") if "gpu" in each.inputs["chart"]
    )
    assert [each.inputs["metadata"]["namespace"] for each in quotas["gke"]] == [driver.inputs["namespace"]]
    assert quotas["eks"] == []

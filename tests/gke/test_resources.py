"""Cluster, nodes and accounts of a GKE graph in whole: what is missing, misspelt or one too many is another cluster."""

from typing import Any

import pytest
from tests.resources import one, options
from tests.stacks import graph_of

HOUR = {"create": "60m", "update": "60m", "delete": "60m"}
ACCOUNT = "gke-nodes@gke-nodes.account.invalid"
SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
LUSTRE = "storage={lustre: {capacityGib: 18000}}"


def test_cluster():
    """Private and VPC-native, reached by DNS; nodes and minors wait for their owner, and Google watches its own."""
    cluster = one(graph_of("gke"), "Cluster", "gke")

    assert cluster.inputs == {
        "project": "my-project",
        "name": "gke",
        "location": "us-west8",
        "nodeLocations": ["us-west8-c"],
        "minMasterVersion": "1.35",
        "releaseChannel": {"channel": "REGULAR"},
        "maintenancePolicy": {
            "dailyMaintenanceWindow": {"startTime": "09:00"},
            "maintenanceExclusions": [
                {
                    "exclusionName": "no-minor-or-node-upgrades",
                    "startTime": "2025-12-01T00:00:00Z",
                    "exclusionOptions": {
                        "scope": "NO_MINOR_OR_NODE_UPGRADES",
                        "endTimeBehavior": "UNTIL_END_OF_SUPPORT",
                    },
                }
            ],
        },
        "network": "gke-primary",
        "subnetwork": "gke-primary",
        "networkingMode": "VPC_NATIVE",
        "ipAllocationPolicy": {"clusterSecondaryRangeName": "pods", "servicesSecondaryRangeName": "services"},
        "datapathProvider": "ADVANCED_DATAPATH",
        "enableMultiNetworking": True,
        "privateClusterConfig": {"enablePrivateNodes": True},
        "controlPlaneEndpointsConfig": {
            "dnsEndpointConfig": {"allowExternalTraffic": True},
            "ipEndpointsConfig": {"enabled": False},
        },
        "workloadIdentityConfig": {"workloadPool": "my-project.svc.id.goog"},
        "loggingConfig": {"enableComponents": ["SYSTEM_COMPONENTS", "WORKLOADS"]},
        "monitoringConfig": {
            "enableComponents": [
                *("SYSTEM_COMPONENTS", "POD", "DAEMONSET", "DEPLOYMENT", "STATEFULSET", "STORAGE", "HPA", "JOBSET"),
                "DCGM",
            ],
            "managedPrometheus": {"enabled": True},
        },
        "removeDefaultNodePool": True,
        "initialNodeCount": 1,
        "nodeConfig": {"serviceAccount": ACCOUNT},
        "deletionProtection": False,
    }
    assert options(cluster) == {
        "customTimeouts": HOUR,
        "ignoreChanges": ["initialNodeCount", "nodeConfig"],
        "deleteBeforeReplace": True,
    }


@pytest.mark.variant
@pytest.mark.parametrize(
    ("overrides", "changed"),
    [
        (
            ("kubernetes={location: zonal, endpoint: private}",),
            {
                "location": "us-west8-c",
                "nodeLocations": None,
                "privateClusterConfig": {"enablePrivateNodes": True, "enablePrivateEndpoint": True},
                "controlPlaneEndpointsConfig": {
                    "dnsEndpointConfig": {"allowExternalTraffic": False},
                    "ipEndpointsConfig": {"enabled": True},
                },
                "masterAuthorizedNetworksConfig": {
                    "cidrBlocks": [
                        {"cidrBlock": f"{each}"} for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
                    ]
                },
            },
        ),
        (
            ("kubernetes.secretsKey=projects/p/locations/us-west8/keyRings/r/cryptoKeys/k",),
            {
                "databaseEncryption": {
                    "state": "ENCRYPTED",
                    "keyName": "projects/p/locations/us-west8/keyRings/r/cryptoKeys/k",
                }
            },
        ),
        (("storage={objectStore: {}}",), {"addonsConfig": {"gcsFuseCsiDriverConfig": {"enabled": True}}}),
        ((LUSTRE,), {"addonsConfig": {"lustreCsiDriverConfig": {"enabled": True, "disableMultiNic": True}}}),
        # Pods name no networks where GKE's own driver hands out the NICs.
        (("network.mode=managed",), {"enableMultiNetworking": False}),
        (("kubernetes.releaseChannel=STABLE",), {"releaseChannel": {"channel": "STABLE"}}),
    ],
    ids=["private", "secrets", "bucket", "Lustre", "managed", "channel"],
)
def test_what_a_choice_changes_of_the_cluster(overrides: tuple[str, ...], changed: dict[str, Any]):
    """Its own properties, and no other."""
    before, after = (one(graph_of("gke", *each), "Cluster", "gke").inputs for each in ((), overrides))

    assert {key: after.get(key) for key in {*before, *after} if before.get(key) != after.get(key)} == changed


@pytest.mark.variant
def test_a_cluster_may_be_protected():
    """Where the user says so."""
    before, after = (
        options(one(graph_of("gke", *each), "Cluster", "gke")) for each in ((), ("kubernetes.protected=true",))
    )

    assert after == {**before, "protect": True}


@pytest.mark.parametrize(
    ("overrides", "version"),
    [
        ((), None),
        pytest.param(("kubernetes.version=1.35.2-gke.1842000",), "1.35.2-gke.1842000", marks=pytest.mark.variant),
    ],
)
def test_system_nodes(overrides: tuple[str, ...], version: str | None):
    """Two to ten in the GPUs' zone, which boot securely; they follow an exact version of the control plane."""
    pool = one(graph_of("gke", *overrides), "NodePool", "gke-system")

    assert pool.inputs == {
        "project": "my-project",
        "name": "system",
        "cluster": "gke",
        "location": "us-west8",
        "nodeLocations": ["us-west8-c"],
        "autoscaling": {"totalMinNodeCount": 2, "totalMaxNodeCount": 10, "locationPolicy": "ANY"},
        **({"version": version} if version else {}),
        "management": {"autoRepair": True, "autoUpgrade": True},
        "networkConfig": {"enablePrivateNodes": True},
        "nodeConfig": {
            "machineType": "e2-standard-16",
            "imageType": "COS_CONTAINERD",
            "serviceAccount": ACCOUNT,
            "oauthScopes": SCOPES,
            "workloadMetadataConfig": {"mode": "GKE_METADATA"},
            "gvnic": {"enabled": True},
            "shieldedInstanceConfig": {"enableSecureBoot": True, "enableIntegrityMonitoring": True},
        },
    }
    assert options(pool) == {"ignoreChanges": ["initialNodeCount", "nodeCount"], "deleteBeforeReplace": True}


def test_gpu_nodes():
    """Eight GPUs of a reservation that claims hand out, all local disks as one, and a NIC on every network."""
    pool = one(graph_of("gke"), "NodePool", "gke-a4")
    rails = [{"network": "gke-rails", "subnetwork": f"gke-rail-{i}"} for i in range(8)]

    assert pool.inputs == {
        "project": "my-project",
        "name": "a4",
        "cluster": "gke",
        "location": "us-west8",
        "nodeLocations": ["us-west8-c"],
        "nodeCount": 2,
        "management": {"autoRepair": True, "autoUpgrade": True},
        "upgradeSettings": {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1},
        "networkConfig": {
            "enablePrivateNodes": True,
            "additionalNodeNetworkConfigs": [{"network": "gke-gvnic", "subnetwork": "gke-gvnic"}, *rails],
        },
        "nodeConfig": {
            "machineType": "a4-highgpu-8g",
            "imageType": "COS_CONTAINERD",
            "guestAccelerators": [
                {
                    "type": "nvidia-b200",
                    "count": 8,
                    "gpuDriverInstallationConfig": {"gpuDriverVersion": "INSTALLATION_DISABLED"},
                }
            ],
            "spot": False,
            "reservationAffinity": {
                "consumeReservationType": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": ["my-reservation"],
            },
            "ephemeralStorageLocalSsdConfig": {"localSsdCount": 32},
            "diskType": "hyperdisk-balanced",
            "diskSizeGb": 100,
            "gvnic": {"enabled": True},
            "labels": {
                "gke-no-default-nvidia-gpu-device-plugin": "true",
                "nvidia.com/gpu.present": "true",
                "cloud.google.com/gke-nvidia-gpu-dra-driver": "true",
            },
            "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}],
            "serviceAccount": ACCOUNT,
            "oauthScopes": SCOPES,
            "workloadMetadataConfig": {"mode": "GKE_METADATA"},
        },
    }
    assert options(pool) == {
        "customTimeouts": {"create": "61m", "update": "120m", "delete": "60m"},
        "deleteBeforeReplace": True,
    }


@pytest.mark.variant
@pytest.mark.parametrize(
    ("overrides", "changed"),
    [
        (("pools[0].nodes=3",), {"nodeCount": 3}),
        (("pools[0].capacity.reservation.active=false",), {"nodeCount": 0}),
        (("pools[0].autoRepair=false",), {"management": {"autoRepair": False, "autoUpgrade": True}}),
        (("pools[0].nodeVersion=1.35.2-gke.1842000",), {"version": "1.35.2-gke.1842000"}),
        (("pools[0].placementPolicy=dense",), {"placementPolicy": {"type": "COMPACT", "policyName": "dense"}}),
        (
            ("pools[0].minNodes=1",),
            {
                "nodeCount": None,
                "initialNodeCount": 2,
                "autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 2, "locationPolicy": "ANY"},
            },
        ),
        (
            ("network.mode=managed-auto",),
            {"networkConfig": {"enablePrivateNodes": True, "acceleratorNetworkProfile": "auto"}},
        ),
    ],
    ids=["nodes", "not begun", "repair", "version", "policy", "scaled", "networks by GKE"],
)
def test_what_a_choice_changes_of_a_pool(overrides: tuple[str, ...], changed: dict[str, Any]):
    """Its own properties, and no other."""
    before, after = (one(graph_of("gke", *each), "NodePool", "gke-a4").inputs for each in ((), overrides))
    keys = {key for key in {*before, *after} if before.get(key) != after.get(key)} - {"nodeConfig"}

    assert {key: after.get(key) for key in keys} == changed


@pytest.mark.variant
@pytest.mark.parametrize(
    ("overrides", "changed"),
    [
        (("pools[0].capacity={flexStart: true, maxRunHours: 24}",), {"maxRunDuration": "86400s"}),
        (("pools[0].capacity={flexStart: true}",), {}),
    ],
)
def test_flex_start_ends_when_it_is_told(overrides: tuple[str, ...], changed: dict[str, Any]):
    """Google's own end is a week."""
    node = one(graph_of("gke", *overrides), "NodePool", "gke-a4").inputs["nodeConfig"]

    assert {key: node[key] for key in node if key == "maxRunDuration"} == changed
    assert (node["flexStart"], node["reservationAffinity"]) == (True, {"consumeReservationType": "NO_RESERVATION"})


def test_a_rack():
    """Each pool's own policy makes it one NVLink domain; bare metal sets huge pages aside."""
    graph = graph_of("gke-a4x")

    for pool in ("rack-1", "rack-2"):
        policy = one(graph, "ResourcePolicy", f"gke-a4x-{pool}")
        assert policy.inputs == {
            "project": "my-project",
            "region": "us-central1",
            "workloadPolicy": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "1x72"},
        }
        node_pool = one(graph, "NodePool", f"gke-a4x-{pool}")
        assert node_pool.inputs["placementPolicy"] == {"type": "COMPACT", "policyName": f"gke-a4x-{pool}"}
        assert "linuxNodeConfig" not in node_pool.inputs["nodeConfig"]
        assert options(node_pool)["customTimeouts"] == {"create": "69m", "update": "1080m", "delete": "60m"}


def test_accounts_and_rights():
    """The account of the nodes, named after the cluster, and each of its rights in the project."""
    graph = graph_of("gke")

    assert one(graph, "Account", "gke-nodes").inputs == {
        "project": "my-project",
        "accountId": "gke-nodes",
        "displayName": "Nodes of GKE cluster gke",
    }
    for role in ("artifactregistry.reader", "monitoring.viewer", "stackdriver.resourceMetadata.writer"):
        assert one(graph, "IAMMember", f"gke-nodes-{role}").inputs == {
            "project": "my-project",
            "role": f"roles/{role}",
            "member": f"serviceAccount:{ACCOUNT}",
        }

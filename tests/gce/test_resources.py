"""Each resource of a graph of plain machines in whole: a property that is missing or misspelt is another machine."""

from typing import Any

import pytest
from pulumi_offline import Graph
from tests.gce.variants import NETWORKS, VARIANTS
from tests.resources import one, options
from tests.stacks import graph_of

ACCOUNT = "gce-vms@gce-vms.account.invalid"
NAMES = ("primary", "rail-0", "rail-1", "rail-2", "rail-3")
PLUGIN = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.12"
DAEMON = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.15"
SPOT = "pools[0].capacity={spot: true}"
UNPROVED = VARIANTS["existing networks, nothing proved"]


def machine_of(graph: Graph, index: int = 0) -> dict[str, Any]:
    """What a machine of the pool is made of, without its metadata."""
    inputs = one(graph, "Instance", f"gce-a3-{index}").inputs
    return {key: of for key, of in inputs.items() if key != "metadata"}


@pytest.mark.parametrize("index", [0, 1])
def test_machine(index: int):
    """A3 High of a reservation, with COS on a disk of its own and a gVNIC on each network, none with an address."""
    graph = graph_of("gce")

    assert machine_of(graph, index) == {
        "project": "my-project",
        "zone": "us-central1-a",
        "name": f"gce-a3-{index}",
        "machineType": "a3-highgpu-8g",
        "bootDisk": {
            "initializeParams": {
                "image": "projects/cos-cloud/global/images/family/cos-125-lts",
                "size": 200,
                "type": "pd-ssd",
            }
        },
        "networkInterfaces": [
            {"network": f"gce-{name}", "subnetwork": f"gce-{name}", "nicType": "GVNIC"} for name in NAMES
        ],
        "scheduling": {"onHostMaintenance": "TERMINATE", "automaticRestart": True, "provisioningModel": "STANDARD"},
        "desiredStatus": "RUNNING",
        "reservationAffinity": {
            "type": "SPECIFIC_RESERVATION",
            "specificReservation": {"key": "compute.googleapis.com/reservation-name", "values": ["my-reservation"]},
        },
        "serviceAccount": {"email": ACCOUNT, "scopes": ["https://www.googleapis.com/auth/cloud-platform"]},
    }
    made = options(one(graph, "Instance", f"gce-a3-{index}"))
    (trigger,) = made.pop("replacementTrigger")
    assert len(trigger) == 12 and made == {
        "deleteBeforeReplace": True,
        "replaceOnChanges": ["machineType", "networkInterfaces", "resourcePolicies", "scheduling", "serviceAccount"],
        "ignoreChanges": ["scratchDisks"],
        "customTimeouts": {"create": "61m", "update": "61m", "delete": "61m"},
    }


def test_what_machines_wait_for():
    """NAT and the rights of their account: without them they can fetch no image."""
    waited = {urn.rpartition("::")[2] for urn in one(graph_of("gce"), "Instance", "gce-a3-0").dependencies}

    roles = {f"gce-vms-{role}" for role in ("artifactregistry.reader", "logging.logWriter", "monitoring.metricWriter")}
    assert {"gce-nat", *roles} <= waited


@pytest.mark.variant
def test_spot_machine():
    """It is stopped, not restarted by itself, and uses no reservation."""
    before, after = machine_of(graph_of("gce")), machine_of(graph_of("gce", SPOT))
    changed = {key: after.get(key) for key in before if before[key] != after.get(key)}

    assert changed == {
        "scheduling": {
            "onHostMaintenance": "TERMINATE",
            "automaticRestart": False,
            "provisioningModel": "SPOT",
            "instanceTerminationAction": "STOP",
        },
        "reservationAffinity": None,
    }


@pytest.mark.variant
def test_machines_on_demand_are_close():
    """By one policy of the pool's; nobody logs in where the user says so."""
    graph = graph_of(*VARIANTS["on demand, four machines, no SSH"])

    assert one(graph, "ResourcePolicy", "gce-a3").inputs == {
        "project": "my-project",
        "region": "us-central1",
        "groupPlacementPolicy": {"collocation": "COLLOCATED"},
    }
    policies = [machine_of(graph, i)["resourcePolicies"] for i in range(4)]
    assert policies == ["[id of gcp:compute/resourcePolicy:ResourcePolicy gce-a3]"] * 4
    assert not [each for each in graph.resources if each.name == "gce-iap-ssh"]


def metadata(graph: Graph, index: int) -> dict[str, Any]:
    """What a machine is told."""
    return dict(one(graph, "Instance", f"gce-a3-{index}").inputs["metadata"])


def test_metadata():
    """COS stays as it is, attributes and logs go to Google, and each machine follows the order of its place."""
    lead, member = (metadata(graph_of("gce"), index) for index in (0, 1))
    own = {key: of for key, of in lead.items() if not key.startswith(("nccl-acceptance", "user-data"))}
    judge = lead["nccl-acceptance"].partition(" ")[2]

    assert own == {
        "enable-guest-attributes": "TRUE",
        "enable-oslogin": "TRUE",
        "google-logging-enabled": "true",
        "cos-update-strategy": "update_disabled",
        "VmDnsSetting": "ZonalPreferred",
        # The plugin's image is the test's, too; each is listed once.
        "container-images": f"{PLUGIN} {DAEMON} {judge}",
    }
    assert {key for key in lead if lead[key] != member[key]} == {"nccl-acceptance-files"}
    assert "judge.sh" in lead["nccl-acceptance-files"] and "judge.sh" not in member["nccl-acceptance-files"]
    assert lead["user-data"].startswith("#cloud-config\n")
    assert lead["nccl-acceptance-script"].startswith("# Follows an order to test")


@pytest.mark.variant
def test_metadata_without_an_order():
    """Nothing is said of a test, and the images are those of the fabric alone."""
    told = metadata(graph_of(*UNPROVED), 0)

    assert not [key for key in told if key.startswith("nccl-acceptance")]
    assert told["container-images"] == f"{PLUGIN} {DAEMON}"


@pytest.mark.variant
def test_networks_that_exist():
    """The machines are on them, and nothing is made."""
    graph = graph_of("gce", NETWORKS, "acceptance.enabled=false")

    assert machine_of(graph)["networkInterfaces"] == [
        {"network": f"n{i}", "subnetwork": f"s{i}", "nicType": "GVNIC"} for i in range(5)
    ]
    assert not [each for each in graph.resources if each.type.startswith("gcp:compute/network")]


def test_account():
    """An account of the machines' own, with what they need and no more."""
    graph = graph_of("gce")

    assert one(graph, "Account", "gce-vms").inputs == {
        "project": "my-project",
        "accountId": "gce-vms",
        "displayName": "Machines of gce",
    }
    granted = [each.inputs for each in graph.of_type("gcp:projects/iAMMember:IAMMember")]
    assert sorted(granted, key=lambda each: each["role"]) == [
        {"project": "my-project", "role": f"roles/{role}", "member": f"serviceAccount:{ACCOUNT}"}
        for role in ("artifactregistry.reader", "logging.logWriter", "monitoring.metricWriter")
    ]


def test_networks():
    """A VPC with one subnet for each NIC, where machines reach each other; SSH by Google's proxy alone; a way out."""
    graph = graph_of("gce")
    project, region = {"project": "my-project"}, {"region": "us-central1"}
    everything = [{"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"}]

    for i, name in enumerate(NAMES):
        network = {"network": f"[id of gcp:compute/network:Network gce-{name}]"}
        block = f"10.0.{i}.0/24"
        made = one(graph, "Network", f"gce-{name}")
        assert made.inputs == {**project, "autoCreateSubnetworks": False, "routingMode": "REGIONAL", "mtu": 8244}
        assert options(made) == {"replacementTrigger": [block]}
        assert one(graph, "Subnetwork", f"gce-{name}").inputs == {
            **project,
            **region,
            **network,
            "ipCidrRange": block,
            "privateIpGoogleAccess": True,
        }
        assert one(graph, "Firewall", f"gce-{name}").inputs == {
            **project,
            **network,
            "allows": everything,
            "sourceRanges": [block],
        }
    primary = {"network": "[id of gcp:compute/network:Network gce-primary]"}
    assert one(graph, "Firewall", "gce-iap-ssh").inputs == {
        **project,
        **primary,
        "allows": [{"protocol": "tcp", "ports": ["22"]}],
        "sourceRanges": ["35.235.240.0/20"],
    }
    assert one(graph, "Router", "gce-nat").inputs == {**project, **region, **primary}
    assert one(graph, "RouterNat", "gce-nat").inputs == {
        **project,
        **region,
        "router": "gce-nat",
        "natIpAllocateOption": "AUTO_ONLY",
        "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
    }


def test_outputs():
    """Names and addresses of the machines in their order, the words of `docker run`, and the proof to come."""
    outputs = graph_of("gce").outputs

    assert [each["name"] for each in outputs["machines"]["a3"]] == ["gce-a3-0", "gce-a3-1"]
    assert all(each["address"] for each in outputs["machines"]["a3"])
    assert outputs["workloads"]["a3"]["image"] == PLUGIN
    assert outputs["workloads"]["a3"]["docker"][0] == "--network=host"
    assert outputs["proofs"]["a3"]["status"] == "not proven"


@pytest.mark.variant
def test_a_part_shows_what_the_user_wrote_of_it():
    """A reader finds the lines of the stack file; what follows from them stands in the resources."""
    graph = graph_of("gce", "network={maxNodes: 16}")

    assert one(graph, "GceHpcNetwork", "gce").inputs == {"maxNodes": 16}
    assert one(graph, "GceGpuVms", "gce-a3").inputs == {
        "name": "a3",
        "machine": "a3-highgpu-8g",
        "nodes": 2,
        "capacity": {"reservation": {"name": "my-reservation"}},
    }
    assert graph.one("pulumi:providers:gcp").inputs == {"project": "my-project"}


@pytest.mark.variant
def test_two_machines():
    """Each pool has its own machines and its own test."""
    graph = graph_of(*VARIANTS["A3 High and Edge"])

    assert {pool: len(machines) for pool, machines in graph.outputs["machines"].items()} == {"a3-high": 2, "edge": 2}
    assert set(graph.outputs["proofs"]) == set(graph.outputs["workloads"]) == {"a3-high", "edge"}

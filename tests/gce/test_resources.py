"""A stack of plain machines, built: what its machines are on, what they are told, and what they wait for."""

from typing import Any

import pytest
from pulumi_offline import Graph
from tests.gce.variants import VARIANTS
from tests.resources import one, options
from tests.stacks import graph_of

NAMES = ["primary", "rail-0", "rail-1", "rail-2", "rail-3"]
UNPROVED = VARIANTS["existing networks, nothing proved"]


def machine(graph: Graph, index: int = 0) -> dict[str, Any]:
    """What a machine of the pool is made of."""
    return dict(one(graph, "Instance", f"gce-a3-{index}").inputs)


def test_machines_of_a_reservation_have_a_gvnic_on_each_network_and_are_replaced_where_they_cannot_change():
    graph = graph_of("gce")
    made, of = machine(graph, 1), options(one(graph, "Instance", "gce-a3-1"))

    assert (made["name"], made["machineType"]) == ("gce-a3-1", "a3-highgpu-8g")
    assert [(nic["subnetwork"], nic["nicType"]) for nic in made["networkInterfaces"]] == [
        (f"gce-{name}", "GVNIC") for name in NAMES
    ]
    assert made["reservationAffinity"]["specificReservation"]["values"] == ["my-reservation"]
    assert (made["scheduling"]["onHostMaintenance"], made["scheduling"]["automaticRestart"]) == ("TERMINATE", True)
    assert made["desiredStatus"] == "RUNNING"
    assert made["metadata"]["cos-update-strategy"] == "update_disabled"
    images = made["metadata"]["container-images"].split()
    assert len(images) == len(set(images)) == 3 and made["metadata"]["nccl-acceptance"].split()[1] in images
    assert of["deleteBeforeReplace"] and of["ignoreChanges"] == ["scratchDisks"]
    assert {"machineType", "networkInterfaces", "resourcePolicies", "scheduling"} <= set(of["replaceOnChanges"])
    assert of["customTimeouts"]["create"] == "61m" and len(of["replacementTrigger"][0]) == 12


def test_machines_wait_for_nat_and_for_the_rights_of_their_account():
    """Without them they can fetch no image; the account has no more."""
    graph = graph_of("gce")
    waited = {urn.rpartition("::")[2] for urn in one(graph, "Instance", "gce-a3-0").dependencies}
    roles = {f"gce-vms-{role}" for role in ("artifactregistry.reader", "logging.logWriter", "monitoring.metricWriter")}

    assert {"gce-nat", *roles} <= waited
    assert {each.name for each in graph.of_type("gcp:projects/iAMMember:IAMMember")} == roles
    assert machine(graph)["serviceAccount"]["email"].startswith("gce-vms@")


@pytest.mark.variant
def test_machines_on_demand_are_close_by_one_policy_of_their_pool():
    """Nobody logs in where the user says so."""
    graph = graph_of(*VARIANTS["on demand, four machines, no SSH"])
    policy = one(graph, "ResourcePolicy", "gce-a3").inputs

    assert policy["groupPlacementPolicy"] == {"collocation": "COLLOCATED"}
    assert {machine(graph, i)["resourcePolicies"] for i in range(4)} == {
        "[id of gcp:compute/resourcePolicy:ResourcePolicy gce-a3]"
    }
    assert not [each for each in graph.resources if each.name == "gce-iap-ssh"]


@pytest.mark.variant
def test_machines_of_flex_start_are_asked_for_as_google_shows_it():
    """docs.cloud.google.com/ai-hypercomputer/docs/create/create-vm, tab Flex-start."""
    made = machine(graph_of(*VARIANTS["flex-start"]))

    assert made["reservationAffinity"] == {"type": "NO_RESERVATION"}
    assert made["scheduling"] == {
        "provisioningModel": "FLEX_START",
        "maxRunDuration": {"seconds": 36_000},
        "instanceTerminationAction": "DELETE",
        "onHostMaintenance": "TERMINATE",
        "automaticRestart": False,
    }


@pytest.mark.variant
def test_machines_on_existing_networks_make_none_and_hear_of_no_test_where_it_is_off():
    graph = graph_of(*UNPROVED)
    made = machine(graph)

    assert [nic["subnetwork"] for nic in made["networkInterfaces"]] == [f"s{i}" for i in range(5)]
    assert not [each for each in graph.resources if each.type.startswith("gcp:compute/network")]
    assert not [key for key in made["metadata"] if key.startswith("nccl-acceptance")]
    assert len(made["metadata"]["container-images"].split()) == 2


def test_each_network_is_another_where_its_block_is_and_lets_its_own_machines_in():
    graph = graph_of("gce")

    for i, name in enumerate(NAMES):
        block, network = f"10.0.{i}.0/24", one(graph, "Network", f"gce-{name}")
        subnet, rule = (one(graph, kind, f"gce-{name}").inputs for kind in ("Subnetwork", "Firewall"))
        assert (network.inputs["mtu"], options(network)) == (8244, {"replacementTrigger": [block]})
        assert (subnet["ipCidrRange"], rule["sourceRanges"]) == (block, [block])
        assert {each["protocol"] for each in rule["allows"]} == {"tcp", "udp", "icmp"}
        assert subnet["network"] == rule["network"] == f"[id of gcp:compute/network:Network gce-{name}]"
    assert one(graph, "RouterNat", "gce-nat").inputs["router"] == "gce-nat"


def test_outputs_name_the_machines_in_their_order_and_the_proof_to_come():
    outputs = graph_of("gce").outputs

    assert [each["name"] for each in outputs["machines"]["a3"]] == ["gce-a3-0", "gce-a3-1"]
    assert outputs["workloads"].keys() == outputs["proofs"].keys() == {"a3"}
    assert all(each["address"] for each in outputs["machines"]["a3"])
    assert outputs["workloads"]["a3"]["docker"][0] == "--network=host"
    assert outputs["proofs"]["a3"]["status"] == "not proven"

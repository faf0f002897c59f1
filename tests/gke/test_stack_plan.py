"""A GKE stack as a whole: what its parts decide for each other, and what a person is warned of."""

from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.common.fingerprint import fingerprint
from rdma_cluster.fabrics import PodNetwork
from rdma_cluster.gke.plan import plan_rdma_cluster_args
from rdma_cluster.gke.plan.cluster import GkeEndpoint
from rdma_cluster.gke.plan.rdma_cluster import GkeRdmaClusterPlan

A4: dict[str, Any] = {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"reservation": {"name": "r"}}}
EXISTING = {
    "kubernetes": {"name": "mine", "existing": {"location": "us-west8", "endpoint": "gke.example"}},
    "network": {
        "existing": {
            **dict.fromkeys(("network", "subnetwork", "pod_range", "service_range"), "vpc"),
            "gvnic": {"network": "second", "subnetwork": "n"},
            "rails": [{"network": "roce", "subnetwork": f"lane-{i}"} for i in range(8)],
        }
    },
}
WATCHED = {"monitoring": {"enabled": True}}


def plan(*pools: dict[str, Any], **more: Any) -> GkeRdmaClusterPlan:
    """The plan of a stack in us-west8-c; of A4 unless other pools are given."""
    return plan_rdma_cluster_args(
        {"project": "my-project", "zone": "us-west8-c", "pools": list(pools) or [A4], **more}, "gke"
    )


def prints(made: GkeRdmaClusterPlan) -> list[str]:
    """What makes the test of each pool run again."""
    return [pool.fingerprint for pool in made.in_cluster.pools]


def test_default():
    """Everything new, one question to Google for the machine and one for the reservation, and nothing to warn of."""
    made = plan()

    assert (made.storage, made.pod_networks, dict(made.skypilot), made.warnings) == (None, (), {}, ())
    assert made.network is not None and not made.cluster.existing and made.cluster.endpoint is GkeEndpoint.DNS
    assert [each.function.rpartition(":")[2] for each in made.look_ups] == ["getMachineTypes", "getReservation"]
    assert plan(look_ups=False).look_ups == ()
    assert plan(look_ups=True).look_ups == made.look_ups


def test_the_proof_runs_again_in_another_place():
    """Another cluster, zone or network has other nodes; what changes no node runs nothing."""
    first = prints(plan())
    others = [
        prints(plan(kubernetes={"name": "other"})),
        prints(plan(network={"cidr": "172.16.0.0/12"})),
        prints(plan(network={"max_nodes": 2})),
        prints(plan(zone="us-west8-b")),
    ]

    assert all(each != first for each in others) and len({str(each) for each in others}) == len(others)
    assert prints(plan(tags={"team": "a"}, look_ups=False)) == first


def test_no_release_proves_again_for_nothing():
    """What a fingerprint is made of is fixed: the pool, its zone, its cluster and its network, by these names."""
    made = plan()
    where = {
        "zone": "us-west8-c",
        "cluster": "projects/my-project/locations/us-west8/clusters/gke",
        "network": made.network,
    }

    assert prints(made) == [fingerprint(made.pools[0], where)]


@pytest.mark.parametrize(
    ("more", "on_gke"),
    [({}, True), (WATCHED, False), ({"monitoring": {"enabled": True, "gpu_exporter": "managed"}}, True)],
)
def test_gkes_own_exporter(more: dict[str, Any], on_gke: bool):
    """It runs unless ours does: two ask the GPUs for the same counters."""
    assert plan(**more).cluster.features.get("gpu_metrics") is on_gke


@pytest.mark.parametrize(
    ("pool", "more", "words"), [(A4, {}, []), (A4, WATCHED, ["monitoring: GKE runs a DCGM exporter of its own"])]
)
def test_an_existing_cluster_is_warned_of(pool: dict[str, Any], more: dict[str, Any], words: list[str]):
    """What it must have only the user can check; of a new one there is nothing to tell."""
    told = [each for each in plan(pool, **EXISTING, **more).warnings if "exporters, alerts" not in each]

    assert [each.startswith(word) for each, word in zip(told, words, strict=True)] == [True] * len(words)
    assert not [each for each in plan(pool, **more).warnings if "GKE runs a DCGM exporter" in each]


def test_namespaces_of_an_existing_cluster_are_there():
    """On a new cluster nobody else makes them."""
    made = [plan(claims={"namespaces": ["team-a"]}, **more).in_cluster.claims for more in ({}, EXISTING)]

    assert [each and each.plan.new_namespaces for each in made] == [("team-a",), ()]


@pytest.mark.parametrize(
    ("pools", "networks"),
    [
        ([A4], [PodNetwork("gvnic-1", "eth1"), *(PodNetwork(f"rdma-{i}", f"eth{2 + i}", True) for i in range(8))]),
        ([{**A4, "machine": "a3-megagpu-8g"}], [PodNetwork(f"vpc{i}", f"eth{i}") for i in range(1, 9)]),
    ],
)
def test_networks_that_pods_name(pools: list[dict[str, Any]], networks: list[PodNetwork]):
    """One for each further NIC, whether or not it has RDMA."""
    assert list(plan(*pools, network={"mode": "pod-networks"}).pod_networks) == networks


def test_skypilot():
    """Networks by name, unless it is told otherwise that there is none; and what it must be told."""
    flex = {**A4, "machine": "a3-ultragpu-8g", "capacity": {"flex_start": True}}
    asked, not_asked = plan(flex, skypilot=True), plan(flex, network={"mode": "pod-networks"})

    assert asked.pod_networks == not_asked.pod_networks != ()
    assert dict(asked.skypilot) == {
        "context": {"autoscaler": "gke"},
        "tasks": {"a4": {"kubernetes": {"dws": {"enabled": True}}}},
    }
    assert dict(not_asked.skypilot) == {} == dict(plan(flex, skypilot=False).skypilot)
    assert sum("SkyPilot" in each for each in asked.warnings) == 1
    assert not any("SkyPilot" in each for each in not_asked.warnings)


def test_a_newer_minor_than_any_that_was_seen():
    """It may work: nothing here was compared with it."""
    (told,) = plan(kubernetes={"version": "1.37"}).warnings

    assert told.startswith("kubernetes.version: 1.37 is newer than 1.36, the newest that GKE was seen to offer")


@pytest.mark.parametrize(
    ("name", "more", "refused"),
    [
        ("g" * 40, {}, []),
        ("g" * 41, {}, [f"name: got {'g' * 41!r}, with which the names of all resources begin"]),
        ("G", {}, ["name: got 'G', with which the names of all resources begin"]),
        ("gke", {"tags": {"Team": "y"}}, ["tags.Team: "]),
        ("gke", {"zone": "west"}, ["zone: got 'west', which has no zone's form"]),
        ("gke", {"project": "P"}, ["project: got 'P'"]),
        ("gke", {"pools": [A4, A4]}, ["pools[1].name: a4 is the name of pools[0] already"]),
        ("gke", {"pools": []}, ["pools: empty"]),
        (
            "gke",
            {"pools": [{**A4, "name": "system"}]},
            ["pools[0].name: system is the name of the pool for the system"],
        ),
        ("gke", {"pools": [{**A4, "capacity": {"calendar": {"name": "c"}}, "nodes": 81}]}, ["pools[0].nodes: got 81"]),
        ("gke", {"pools": [{**A4, "nodes": 251}]}, ["pools: 251 nodes in all, and the subnets are cut for 250"]),
        ("gke", {"pools": [{**A4, "nodes": 250}]}, []),
        ("gke", {"kubernetes": EXISTING["kubernetes"]}, ["network.existing: missing"]),
        ("gke", {"drivers": {"nic": "managed"}}, ["drivers.nic: got managed"]),
        ("gke", {"storage": {}}, ["storage: empty"]),
        ("gke", {"storage": {"lustre": {"capacity_gib": 9_000}}}, []),
        (
            "gke",
            {"storage": {"lustre": {"capacity_gib": 9_000}}, "kubernetes": {"version": "1.33.2-gke.4779999"}},
            ["kubernetes.version: got 1.33.2-gke.4779999; claims", "kubernetes.version: got 1.33.2-gke.4779999; Mana"],
        ),
        (
            "gke",
            {"kubernetes": {"version": "1.34.1"}},
            ["kubernetes.version: got 1.34.1; claims for GPUs need GKE 1.34.2"],
        ),
        ("gke", {"network": {"cidr": "10.0.0.0/30"}}, ["network.cidr: 10.0.0.0/30 holds 4 addresses"]),
        ("gke", {"skypilot": True, "network": {"mode": "managed"}}, ["network.mode: got managed"]),
    ],
)
def test_every_rule_is_asked_once(name: str, more: dict[str, Any], refused: list[str]):
    """Of a stack whose other parts are right."""
    found: list[str] = []
    try:
        plan_rdma_cluster_args({"project": "my-project", "zone": "us-west8-c", "pools": [A4], **more}, name)
    except Refused as why:
        found = why.lines

    assert [line.startswith(words) for line, words in zip(found, refused, strict=True)] == [True] * len(refused)

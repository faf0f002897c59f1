"""The rules of pools are PromQL of this form."""

import json
from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.incluster.addons.monitoring.alert_rules import Alike, rule_groups
from tests.incluster.pools import GIB, NAMED, NICS, PLUGGED, GpuPool, pool


def rules(*pools: GpuPool, errors: bool = True, claims: bool = False, renew: int | None = None) -> list[dict[str, Any]]:
    """All rules of some pools."""
    return [rule for group in rule_groups(pools, errors, claims, renew) for rule in group["rules"]]


def alerts(*pools: GpuPool, **more: Any) -> dict[str, Any]:
    """The alerts by their names, without their words for people."""
    return {
        rule["alert"]: {key: value for key, value in rule.items() if key not in ("alert", "annotations")}
        for rule in rules(*pools, **more)
        if "alert" in rule
    }


WAITS: dict[str | None, set[str]] = {
    None: {"GpuXid", "GpuRowRemapFailed", "NicLinkFlapping", "NodeFault", "NodeDegraded", "NodeFailedProof"}
    | {"NodeSuspect", "ProofTooOld"},
    "2m": {"NicLinkDown"},
    "10m": {"GpusMissing", "NicsMissing", "PodPendingOnClaim"},
    "15m": {"FabricUnwatched", "FaultsUnwatched", "ProverGone"},
    "1h": {"NodeHeld"},
}
"""The alerts by how long they wait for what mends itself."""


def test_two_pools_of_one_machine_share_each_alert():
    """An alert that is about no machine bears none."""
    made = alerts(GIB, NICS, claims=True, renew=3600)

    assert {name: each.get("for") for name, each in made.items()} == {
        name: wait for wait, names in WAITS.items() for name in names
    }
    of_machine = {"GpusMissing", "NicsMissing", "NicLinkDown", "NicLinkFlapping"}
    assert {name for name, each in made.items() if each["labels"].get("machine") == "a4-highgpu-8g"} == of_machine
    assert all('pool=~"gib|nics"' in made[name]["expr"] for name in (*of_machine, "GpuXid", "FabricUnwatched"))
    for name, ends in (("NicLinkDown", "!= 4"), ("ProofTooOld", "> 7200"), ("ProverGone", "< 300)")):
        assert ends in made[name]["expr"]


@pytest.mark.parametrize(
    ("some", "more", "absent"),
    [
        # Of AMD's GPUs NVIDIA's exporter says nothing.
        (
            pool("amd", "Standard_ND96isr_MI300X_v5", "infiniband", PLUGGED.allocation),
            {},
            {"GpuXid", "GpuRowRemapFailed", "GpusMissing"},
        ),
        (GIB, {"errors": False}, {"GpuXid", "GpuRowRemapFailed"}),
        # What pods hold the host does not see.
        (NAMED, {}, {"NicsMissing", "NicLinkDown", "NicLinkFlapping"}),
    ],
)
def test_an_alert_that_would_never_fire_is_left_out(some: GpuPool, more: dict[str, Any], absent: set[str]):
    every = {"GpuXid", "GpuRowRemapFailed", "GpusMissing", "NicsMissing", "NicLinkDown", "NicLinkFlapping"}

    assert every - alerts(some, **more).keys() == absent


def records(some: GpuPool) -> list[tuple[str, str, str | None]]:
    """Name, query and rail of each record, all of which bear the machine."""
    found = [rule for rule in rules(some) if "record" in rule]
    assert all(rule["labels"]["machine"] == some.machine.name for rule in found)
    return [(rule["record"].rpartition(":rail_")[2], rule["expr"], rule["labels"].get("rail")) for rule in found]


def test_the_kernels_counters_are_recorded_for_each_rail():
    found = records(GIB)
    rail = '{pool="gib",device="mlx5_1"}'

    assert len(found) == 24
    assert found[3:6] == [
        (
            "transmitted_bytes:rate2m",
            f"sum by (pool, node) (rate(node_infiniband_port_data_transmitted_bytes_total{rail}[2m]))",
            "1",
        ),
        (
            "received_bytes:rate2m",
            f"sum by (pool, node) (rate(node_infiniband_port_data_received_bytes_total{rail}[2m]))",
            "1",
        ),
        ("active", f"sum by (pool, node) ((node_infiniband_state_id{rail} == bool 4))", "1"),
    ]


def test_nics_in_pods_are_recorded_by_their_interfaces():
    """Nothing tells of their links."""
    found = records(NAMED)
    on = '* on (node) group_left (pool) (0 * max by (pool, node) (up{job="rdma-cluster-gpus",pool="named"}) + 1)'

    assert len(found) == 16
    assert found[2:4] == [
        (
            "transmitted_bytes:rate2m",
            f'sum by (node) (rate(container_network_transmit_bytes_total{{interface="eth2"}}[2m])) {on}',
            "1",
        ),
        (
            "received_bytes:rate2m",
            f'sum by (node) (rate(container_network_receive_bytes_total{{interface="eth2"}}[2m])) {on}',
            "1",
        ),
    ]


def test_pools_are_matched_literally():
    """A dot is any character to PromQL, so it is quoted; a name is given once."""
    one = Alike(GIB.machine, GIB.fabric, ("a.b",))
    two = Alike(GIB.machine, GIB.fabric, ("a.b", "c", "a.b"))

    assert one.pools == 'pool="a.b"'
    assert two.pools == f"pool=~{json.dumps('a[.]b|c')}"
    assert Alike(replace(GIB.machine, rdma_names=None), GIB.fabric, ("a",)).rails == 'pool="a"'


@pytest.mark.parametrize(
    ("change", "countable"),
    [
        ({}, True),
        ({"rdma_front_end": True}, True),
        ({"rdma_names": None}, True),
        ({"rdma_names": None, "rdma_front_end": True}, False),
    ],
)
def test_rails_are_counted_by_name_or_where_no_other_nic_is_an_rdma_device(change: dict[str, Any], countable: bool):
    """NICs that pods hold are never counted."""
    assert Alike(replace(GIB.machine, **change), GIB.fabric, ("a",)).countable == countable
    assert not Alike(replace(GIB.machine, **change), NAMED.fabric, ("a",)).countable

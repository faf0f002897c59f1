"""Networks that exist already: how many rails, which NICs have a VPC of their own, and what stands beside them."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.common.google.names import Place
from rdma_cluster.gke.plan.existing import plan_networks
from rdma_cluster.gke.plan.fabric import GkeNetworkMode

PLACE = Place("my-project", "us-west8-c", "us-west8")
PRIMARY = {"network": "vpc", "subnetwork": "nodes", "pod_range": "pods", "service_range": "services"}
SECOND = {"network": "second", "subnetwork": "second-nodes"}


def roce(count: int) -> list[dict[str, str]]:
    """Subnets of one RoCE VPC."""
    return [{"network": "roce", "subnetwork": f"lane-{i}"} for i in range(count)]


def plain(count: int) -> list[dict[str, str]]:
    """A VPC a rail."""
    return [{"network": f"plain-{i}", "subnetwork": f"lane-{i}"} for i in range(count)]


def told(machines: list[str], mode: GkeNetworkMode | None = None, nodes: int = 2, **existing: Any) -> list[str]:
    """What is wrong with networks for pools of these machines, by path and first words."""
    errors = ErrorList()
    pools: Any = [{"name": f"p{i}", "machine": name, "nodes": nodes, "capacity": {}} for i, name in enumerate(machines)]
    networks: Any = {"existing": {**PRIMARY, **existing}}
    assert plan_networks(networks, pools, mode, PLACE, errors) is None
    return [str(each).removeprefix("network.existing.").partition(";")[0] for each in errors.found()]


A4, A4X, METAL, MEGA = "a4-highgpu-8g", "a4x-highgpu-4g", "a4x-maxgpu-4g-metal", "a3-megagpu-8g"
MANAGED, AUTO = GkeNetworkMode.MANAGED, GkeNetworkMode.MANAGED_AUTO


@pytest.mark.parametrize(
    ("machines", "mode", "existing"),
    [
        ([A4], None, {"gvnic": SECOND, "rails": roce(8)}),
        ([A4X], None, {"gvnic": SECOND, "rails": roce(4)}),
        # The widest machine counts, wherever it stands.
        ([A4X, A4], MANAGED, {"gvnic": SECOND, "rails": roce(8)}),
        ([A4, A4X], MANAGED, {"gvnic": SECOND, "rails": roce(8)}),
        ([METAL], None, {"gvnic": SECOND, "rails": roce(1)}),
        ([MEGA], None, {"rails": plain(8)}),
        ([A4], AUTO, {"rails": []}),
        # What a machine that is not known needs nobody can say, and its name is an error already.
        ([A4, "no-machine"], None, {"rails": roce(1)}),
        # A list without pools is an error of its own.
        ([], None, {"gvnic": SECOND, "rails": roce(8)}),
    ],
)
def test_networks_that_fit(machines: list[str], mode: GkeNetworkMode | None, existing: dict[str, Any]):
    """One subnet a rail and the second NIC's where there is one; bare metal's rails share one."""
    assert told(machines, mode, **existing) == []


@pytest.mark.parametrize(
    ("machines", "mode", "existing", "wrong"),
    [
        ([A4], None, {"gvnic": SECOND, "rails": roce(7)}, ["rails: got 7"]),
        ([A4], None, {"gvnic": SECOND, "rails": roce(9)}, ["rails: got 9"]),
        ([A4X, A4], MANAGED, {"gvnic": SECOND, "rails": roce(4)}, ["rails: got 4"]),
        ([METAL], None, {"gvnic": SECOND, "rails": roce(8)}, ["rails: got 8"]),
        ([METAL], None, {"gvnic": SECOND, "rails": []}, ["rails: got 0"]),
        (
            [A4],
            None,
            {"gvnic": SECOND, "rails": [*roce(7), roce(1)[0]]},
            ["rails[7].subnetwork: lane-0 is the subnet of rail [0] already"],
        ),
        ([A4], None, {"rails": roce(8)}, ["gvnic: missing"]),
        ([METAL], None, {"rails": roce(1)}, ["gvnic: missing"]),
        ([MEGA], None, {"gvnic": SECOND, "rails": plain(8)}, ["gvnic: not allowed with a3-megagpu-8g"]),
        (
            [A4],
            None,
            {"gvnic": {**SECOND, "network": "vpc"}, "rails": roce(8)},
            ["gvnic.network: vpc is that of network already"],
        ),
        (
            [MEGA],
            None,
            {"rails": [*plain(7), {**plain(8)[7], "network": "plain-2"}]},
            ["rails[7].network: plain-2 is that of rails[2].network already"],
        ),
        (
            [MEGA],
            None,
            {"rails": [*plain(7), {**plain(8)[7], "network": "vpc"}]},
            ["rails[7].network: vpc is that of network already"],
        ),
        ([A4], AUTO, {"gvnic": SECOND, "rails": []}, ["gvnic: not allowed with network.mode: managed-auto, in which"]),
        ([A4], AUTO, {"rails": roce(8)}, ["rails: not allowed with network.mode: managed-auto, in which"]),
        ([A4], None, {"gvnic": {**SECOND, "network": "S"}, "rails": roce(8)}, ["gvnic.network: got 'S'"]),
        (
            [A4],
            None,
            {"gvnic": SECOND, "rails": [*roce(7), {"network": "roce", "subnetwork": "L"}]},
            ["rails[7].subnetwork: got 'L'"],
        ),
        ([A4], None, {"gvnic": SECOND, "rails": roce(8), "pod_range": "P"}, ["pod_range: got 'P'"]),
        ([A4], None, {"gvnic": SECOND, "rails": roce(8), "service_range": "S"}, ["service_range: got 'S'"]),
    ],
)
def test_networks_that_do_not_fit(
    machines: list[str], mode: GkeNetworkMode | None, existing: dict[str, Any], wrong: list[str]
):
    """Each at the key that is wrong, and nothing else."""
    found = told(machines, mode, **existing)

    assert [line.startswith(words) for line, words in zip(found, wrong, strict=True)] == [True] * len(wrong)


def test_more_nodes_than_a_cluster_has():
    """What subnets that exist hold cannot be known; what GKE holds can."""
    rails: dict[str, Any] = {"gvnic": SECOND, "rails": roce(8)}

    assert told([A4, A4], nodes=7_500, **rails) == []
    assert told([A4, A4], nodes=7_501, **rails) == ["pools: 15,002 nodes in all"]

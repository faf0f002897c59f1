"""What the machine, the capacity and the device management decide for a node pool."""

from typing import Any

import pytest
from pulumi_offline import preview
from pulumi_offline.errors import Refused
from rdma_cluster.catalog.eks import EksMachine
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.fabrics import GpuAllocation
from tests.eks.plans import BLOCK, BUILDABLE, RESERVATION, pool_plan

GROUP = {"reservation": {"group": "arn:aws:resource-groups:us-east-2:111122223333:group/gpus"}}


def test_default():
    """P5 on demand: a placement group of its own, the machine's image, GPUs by claims."""
    made = pool_plan()

    assert (made.capacity, made.reservation, made.makes_group) == (Capacity.ON_DEMAND, None, True)
    assert (made.ami_type, made.gpu_allocation, made.auto_repair) == ("AL2023_x86_64_NVIDIA", GpuAllocation.DRA, True)
    assert (made.max_pods, made.boot_disk_gb, made.warnings) == (51, 100, ())
    assert made.labels == {"vpc.amazonaws.com/efa.present": "true"}


@pytest.mark.parametrize(
    ("args", "makes_group"),
    [
        ({"capacity": {"on_demand": True}}, True),
        ({"capacity": {"on_demand": True}, "placement": "none"}, False),
        ({"capacity": {"on_demand": True}, "placement_group": "mine"}, False),
        ({"capacity": RESERVATION}, False),
        ({"capacity": RESERVATION, "placement_group": "its own"}, False),
        ({"capacity": GROUP}, False),
        ({"capacity": BLOCK}, False),
        ({"capacity": BLOCK, "placement": "none"}, False),
        ({"capacity": {"spot": True}}, False),
        ({"capacity": {"spot": True}, "placement": "cluster"}, True),
    ],
)
def test_placement_follows_the_capacity(args: dict[str, Any], makes_group: bool):
    """A group of our own is only made where nothing else has placed the nodes."""
    assert pool_plan(**args).makes_group is makes_group


def test_reserved():
    """By id, or by the ARN of a group of reservations."""
    assert pool_plan(capacity=RESERVATION).reservation == "cr-0123456789abcdef1"
    assert pool_plan(capacity=BLOCK).reservation == "cr-0123456789abcdef0"
    assert pool_plan(capacity=GROUP).reservation == GROUP["reservation"]["group"]
    assert [pool_plan(capacity=each).auto_repair for each in (RESERVATION, BLOCK, GROUP)] == [False, False, False]


@pytest.mark.parametrize(
    ("capacity", "repaired"),
    [({"on_demand": True}, True), ({"spot": True}, True), (RESERVATION, False), (BLOCK, False)],
)
def test_a_node_is_given_back_only_where_there_may_be_another(capacity: dict[str, Any], repaired: bool):
    """Places that are counted are kept, broken node or not; who wants it otherwise is told."""
    made, asked = pool_plan(capacity=capacity), pool_plan(capacity=capacity, auto_repair=True)

    assert made.auto_repair is repaired and asked.auto_repair
    assert any("autoRepair" in warning for warning in asked.warnings) is not repaired


@pytest.mark.parametrize("machine", BUILDABLE, ids=lambda machine: machine.name)
def test_image_fits_the_machine(machine: EksMachine):
    """Grace boots arm64, and everything else does not."""
    capacity = BLOCK if Capacity.ON_DEMAND not in machine.capacity else {"on_demand": True}
    made = pool_plan(machine=machine.name, capacity=capacity, nodes=9)

    assert ("ARM" in made.ami_type) == (machine.architecture == "arm64")
    assert made.ami_type.endswith("_NVIDIA")
    assert made.boot_disk_gb == (100 if machine.nvme_gb else 300)
    assert made.warnings == ()


def test_spot_is_warned_of():
    """It may work."""
    assert pool_plan(capacity={"spot": True}).warnings == (
        "pool p5: one preempted spot node stops every job that spans it",
        "pool p5: EFA keeps spot nodes in one zone and of one type, so that EC2 tends to take all at once",
    )


def test_capacity_that_is_not_sold():
    """As on GKE."""
    assert pool_plan(machine="p6e-gb200.36xlarge", nodes=9).warnings == (
        "pool p5: p6e-gb200.36xlarge is published as sold by capacity-block; on-demand may find no capacity",
    )


def test_part_of_an_ultraserver():
    """Sold by nine or eighteen."""
    (warning,) = pool_plan(machine="p6e-gb200.36xlarge", nodes=4, capacity=BLOCK).warnings

    assert warning == (
        "pool p5: p6e-gb200.36xlarge is sold in UltraServers of 9 or 18 nodes; 4 nodes leave one in parts"
    )


def test_release_of_the_image():
    """A release that reads what the node is told."""
    assert pool_plan(release_version="1.35.0-20260724").ami_type == "AL2023_x86_64_NVIDIA"


def test_time_grows_with_the_nodes():
    """As on GKE: half a minute a node above an hour, two hours at the most."""
    assert [pool_plan(nodes=nodes).create_minutes for nodes in (2, 60, 500)] == [61, 90, 120]


@pytest.mark.parametrize(("cluster", "told"), [("shared", True), (None, False)])
def test_a_second_network_beside_a_cluster_that_exists_is_told(
    cluster: str | None, told: bool, caplog: pytest.LogCaptureFixture
):
    """`EksHpcNetwork` makes a VPC, and nodes in it cannot join a cluster in another one."""
    import pulumi
    from rdma_cluster.eks import EksGpuNodePool, EksHpcNetwork
    from tests.eks.components import COMPONENTS

    of_network: Any = COMPONENTS["EksHpcNetwork"]
    of_pool: Any = COMPONENTS["EksGpuNodePool"]

    def program() -> None:
        network = EksHpcNetwork("net", of_network)
        name = cluster or pulumi.Output.from_input("made-here")
        joined: Any = {**of_pool, "cluster": name, "subnets": network.gpu_subnets}
        EksGpuNodePool("p5", joined)

    with caplog.at_level("WARNING", "pulumi"):
        preview(program)

    assert ("EksHpcNetwork makes another VPC" in caplog.text) is told


class Later:
    """What another resource brings."""

    def apply(self, read: Any) -> Any:
        """As outputs have it."""
        return self


SUBNET = {"subnet": "s", "zone": "us-east-2a"}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"version": "1.35"}, None),
        ({"version": "1.35.1"}, "version: got '1.35.1'"),
        ({"version": "1.34", "release_version": "1.35.0-20260724"}, "release_version: got a node image of 1.35"),
        ({"region": "us-west-2"}, "zone: got us-east-2a, which is not in us-west-2"),
        ({"zone": "us-east-2b"}, "subnets[0].zone: got us-east-2a, the GPUs are in us-east-2b"),
        ({"subnets": []}, "subnets: empty; name a private subnet in us-east-2a"),
        ({"subnets": [SUBNET, {**SUBNET, "subnet": "t"}]}, None),
        ({"subnets": [SUBNET, SUBNET]}, "subnets[1].subnet: s is subnet [0] already"),
        ({"subnets": [{"subnet": Later(), "zone": Later()}]}, None),
        ({"subnets": Later()}, None),
        ({"name": "p.5"}, "name: got 'p.5'; EKS wants"),
        ({"nodes": 0}, "nodes: got 0"),
        ({"nodes": 5_000}, None),
        ({"nodes": 5_001}, "nodes: got 5001"),
        ({"ami_type": "AL2023_x86_64_NVIDIA"}, None),
        ({"ami_type": "AL2023_ARM_64_NVIDIA"}, "ami_type: got AL2023_ARM_64_NVIDIA; p5.48xlarge is amd64 and boots AL"),
    ],
)
def test_what_a_pool_on_its_own_refuses(more: dict[str, Any], told: str | None):
    """At the key that is wrong, and nothing else; what is known only later is trusted."""
    found: list[str] = []
    try:
        pool_plan(**more)
    except Refused as refused:
        found = refused.lines

    assert [line.startswith(told or "") for line in found] == [True] * (told is not None)


@pytest.mark.parametrize(
    ("cluster", "subnets", "told"),
    [
        ("shared", [SUBNET], False),
        ("shared", [{**SUBNET, "subnet": Later()}], True),
        ("shared", [SUBNET, {**SUBNET, "subnet": Later()}], True),
        ("shared", Later(), True),
        (Later(), Later(), False),
    ],
)
def test_subnets_of_this_program_beside_a_cluster_of_another(cluster: Any, subnets: Any, told: bool):
    """A cluster that is named as text exists already; subnets that come later may be of another VPC."""
    warnings = pool_plan(cluster=cluster, subnets=subnets).warnings

    assert [each.startswith("pool p5: cluster shared is named as text") for each in warnings] == [True] * told

"""What the machine, the capacity and the links decide for an EKS node pool."""

from typing import Any

import pytest
from pulumi_offline import preview
from rdma_cluster.catalog.eks import EksMachine
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.fabrics import GpuAllocation
from tests.eks.components import COMPONENTS
from tests.eks.plans import BLOCK, BUILDABLE, RESERVATION, pool_plan, refused


def test_p5_nodes_on_demand_have_the_machines_image_and_gpus_by_claims():
    made = pool_plan()

    assert (made.capacity, made.gpu_allocation) == (Capacity.ON_DEMAND, GpuAllocation.DRA)
    assert (made.ami_type, made.max_pods, made.warnings) == ("AL2023_x86_64_NVIDIA", 51, ())
    assert made.labels == {"vpc.amazonaws.com/efa.present": "true"}
    assert (made.node_version, pool_plan(release_version="1.34.2-20260101").node_version) == (None, "1.34")


@pytest.mark.parametrize(
    ("capacity", "repaired"),
    [({"on_demand": True}, True), ({"spot": True}, True), (RESERVATION, False), (BLOCK, False)],
    ids=["on demand", "spot", "reservation", "block"],
)
def test_a_node_is_given_back_only_where_there_may_be_another(capacity: dict[str, Any], repaired: bool):
    """Places that are counted are kept, broken node or not; a user who wants it otherwise is told."""
    made, asked = pool_plan(capacity=capacity), pool_plan(capacity=capacity, auto_repair=True)

    assert made.auto_repair is repaired and asked.auto_repair
    assert any("autoRepair" in warning for warning in asked.warnings) is not repaired


@pytest.mark.parametrize("machine", BUILDABLE, ids=lambda machine: machine.name)
def test_the_image_and_the_disk_fit_the_machine(machine: EksMachine):
    """Grace boots arm64; images and pods are on local disks where a node has some."""
    capacity = BLOCK if Capacity.ON_DEMAND not in machine.capacity else {"on_demand": True}
    made = pool_plan(machine=machine.name, capacity=capacity, nodes=9)

    assert ("ARM" in made.ami_type) == (machine.architecture == "arm64") and made.ami_type.endswith("_NVIDIA")
    assert made.boot_disk_gb == (100 if machine.nvme_gb else 300)
    assert made.warnings == ()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"capacity": {"spot": True}}, ["preempted", "one zone and of one type"]),
        ({"machine": "p6e-gb200.36xlarge", "nodes": 9}, ["sold by capacity-block"]),
        ({"machine": "p6e-gb200.36xlarge", "nodes": 6, "capacity": BLOCK}, ["6 nodes leave one in parts"]),
        ({"machine": "p6e-gb200.36xlarge", "nodes": 18, "capacity": BLOCK}, []),
    ],
    ids=["spot", "not sold", "part of an UltraServer", "UltraServer"],
)
def test_what_may_not_work_is_told_with_the_name_of_the_pool(more: dict[str, Any], words: list[str]):
    warnings = pool_plan(**more).warnings

    assert all(each.startswith("pool p5: ") for each in warnings)
    assert [word in each for word, each in zip(words, warnings, strict=True)] == [True] * len(words)


class Later:
    """A value that another resource brings."""

    def apply(self, read: Any) -> Any:
        """As outputs have it."""
        return self


SUBNET = {"subnet": "s", "zone": "us-east-2a"}


@pytest.mark.parametrize(
    ("more", "paths"),
    [
        ({"zone": "us-east-2b"}, ["subnets[0].zone"]),
        ({"subnets": []}, ["subnets"]),
        ({"subnets": [SUBNET, SUBNET]}, ["subnets[1].subnet"]),
        ({"subnets": [{"subnet": Later(), "zone": Later()}]}, []),
        ({"subnets": Later()}, []),
    ],
)
def test_subnets_are_of_the_gpus_zone(more: dict[str, Any], paths: list[str]):
    """What is known only later is trusted."""
    assert refused(pool_plan, **more) == paths


@pytest.mark.parametrize(
    ("cluster", "subnets", "told"),
    [
        ("shared", [SUBNET], False),
        ("shared", [SUBNET, {**SUBNET, "subnet": Later()}], True),
        ("shared", Later(), True),
        (Later(), Later(), False),
    ],
)
def test_subnets_of_this_program_beside_a_cluster_of_another_are_told(cluster: Any, subnets: Any, told: bool):
    """A cluster that is named as text exists already; subnets that come later may be of another VPC."""
    warnings = pool_plan(cluster=cluster, subnets=subnets).warnings

    assert ["named as text" in each for each in warnings] == [True] * told


def test_a_component_hears_its_own_warnings(caplog: pytest.LogCaptureFixture):
    from rdma_cluster.eks import EksGpuNodePool

    given: Any = {**COMPONENTS["EksGpuNodePool"], "capacity": {"spot": True}}
    with caplog.at_level("WARNING", "pulumi"):
        preview(lambda: EksGpuNodePool("p5", given))

    assert "preempted" in caplog.text

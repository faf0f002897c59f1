"""What the machine, the capacity and the GPU allocation decide for a node pool."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdma_cluster.args import planned
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.gke.plan.node_pool import GkeGpuNodePoolArgs, NodePoolPlan, decide_node_pool

NETWORKS = [{"network": "n", "subnetwork": f"s{i}"} for i in range(9)]
RESERVATION = {"reservation": {"name": "r"}}


def plan(**args: Any) -> NodePoolPlan:
    """The plan of an A4 pool."""
    base = {
        "name": "a4",
        "machine": "a4-highgpu-8g",
        "nodes": 2,
        "capacity": RESERVATION,
        "project": "my-project",
        "zone": "us-west8-c",
        "cluster": "c",
        "location": "us-west8",
        "networks": NETWORKS,
    }
    return planned(GkeGpuNodePoolArgs, decide_node_pool, {**base, **args})


def test_default():
    """Two A4 nodes of a reservation, GPUs by claims."""
    made = plan()

    assert made.accelerator == "nvidia-b200"
    assert made.local_ssds == 32
    assert (made.capacity, made.reservation, made.compact) == (Capacity.RESERVATION, "r", False)
    assert (made.gpu_driver, made.auto_repair, made.warnings) == ("INSTALLATION_DISABLED", True, ())
    assert made.labels == {
        "gke-no-default-nvidia-gpu-device-plugin": "true",
        "nvidia.com/gpu.present": "true",
        "cloud.google.com/gke-nvidia-gpu-dra-driver": "true",
    }


def test_device_plugin():
    """GKE brings driver and device plugin, so none of the labels that hand the GPUs to DRA."""
    made = plan(gpu_allocation="device-plugin")

    assert (made.gpu_driver, made.labels) == ("DEFAULT", {})


def test_managed_nics():
    """One label more."""
    added = plan(mode="managed").labels.items() - plan().labels.items()

    assert added == {("cloud.google.com/gke-networking-dra-driver", "true")}


def test_labels_of_the_user():
    """They come on top."""
    assert plan(labels={"team": "a"}).labels == {**plan().labels, "team": "a"}


@pytest.mark.parametrize(
    ("reservation", "path"),
    [
        ({}, "r"),
        ({"project": "my-project"}, "projects/my-project/reservations/r"),
        ({"block": "b"}, "r/reservationBlocks/b"),
        ({"block": "b", "sub_block": "s"}, "r/reservationBlocks/b/reservationSubBlocks/s"),
        (
            {"project": "my-project", "block": "b", "sub_block": "s"},
            "projects/my-project/reservations/r/reservationBlocks/b/reservationSubBlocks/s",
        ),
    ],
)
def test_reservation_path(reservation: dict[str, str], path: str):
    """The form that GKE's affinity reads."""
    assert plan(capacity={"reservation": {"name": "r", **reservation}}).reservation == path


@pytest.mark.parametrize(
    ("capacity", "compact", "repair", "warned"),
    [
        (RESERVATION, False, True, 0),
        ({**RESERVATION, "spot": False}, False, True, 0),
        ({"spot": True}, False, True, 1),
        ({"flex_start": True}, False, False, 1),
        ({"on_demand": True}, True, True, 1),
    ],
)
def test_capacity(capacity: dict[str, Any], compact: bool, repair: bool, warned: int):
    """Only on-demand nodes are asked to be close; flex-start is not repaired; capacity that may lack is a warning."""
    made = plan(capacity=capacity)

    assert (made.compact, made.auto_repair, len(made.warnings)) == (compact, repair, warned)


@given(st.integers(1, 15_000))
def test_timeout_follows_from_the_nodes(nodes: int):
    """An hour at least, two at the most."""
    assert 60 <= plan(nodes=nodes).create_minutes <= 120

"""What the machine, the capacity and the GPU allocation decide for a node pool."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.common.fingerprint import fingerprint
from rdma_cluster.gke.plan.node_pool import OWN_LABEL, GkeGpuNodePoolArgs, GkeNodePoolPlan, plan_node_pool

NETWORKS = [{"network": "n", "subnetwork": f"s{i}"} for i in range(9)]
RESERVATION = {"reservation": {"name": "r"}}


def plan(**args: Any) -> GkeNodePoolPlan:
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
    return plan_from(GkeGpuNodePoolArgs, plan_node_pool, {**base, **args})


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

    assert (made.gpu_driver, made.labels) == ("DEFAULT", {OWN_LABEL: made.name})


def test_what_a_user_adds_can_be_taken_away():
    """A label of ours stays: the provider leaves a pool's last one where it is."""
    assert plan(gpu_allocation="device-plugin", labels={"team": "a"}).labels == {OWN_LABEL: "a4", "team": "a"}


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
        ({"queued": True}, False, False, 1),
        ({"calendar": {"name": "r"}}, False, True, 0),
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


def test_calendar_is_its_reservation():
    """What calendar mode delivers is consumed by the name of the reservation that it makes."""
    made = plan(capacity={"calendar": {"name": "may", "project": "my-project"}})

    assert (made.capacity, made.reservation) == (Capacity.CALENDAR, "projects/my-project/reservations/may")


def test_future_reservation():
    """A pool without nodes, which changes nothing of what its nodes will be."""
    future = plan(capacity={"reservation": {"name": "r", "active": False}})

    assert (future.begun, future.nodes, plan().begun) == (False, 2, True)
    assert fingerprint(future, {}) == fingerprint(plan(), {})


def test_queued():
    """GKE sets the taint, and we the label, by which a job finds the pool."""
    made = plan(capacity={"queued": True})

    assert (made.min_nodes, made.labels["cloud.google.com/gke-queued"]) == (0, "true")
    assert "cloud.google.com/gke-queued" not in plan(capacity={"flex_start": True}).labels


def test_run_time_of_flex_start():
    """Google takes seconds, and seven days by itself."""
    hours = [plan(capacity={"flex_start": True, "max_run_hours": hours}).run_seconds for hours in (1, 168)]

    assert hours == [3_600, 604_800]
    assert plan(capacity={"flex_start": True}).run_seconds is None


@pytest.mark.parametrize("machine", ["a3-ultragpu-8g", "a4-highgpu-8g"])
def test_flex_start_side_by_side(machine: str):
    """On these two machines it may be asked for."""
    assert plan(machine=machine, capacity={"flex_start": True}, placement="compact").compact


@pytest.mark.parametrize(
    ("args", "compact", "policy"),
    [
        ({"capacity": {"on_demand": True}, "placement": "none"}, False, None),
        ({"capacity": {"spot": True}, "placement": "compact"}, True, None),
        ({"placement": "none"}, False, None),
        ({"placement_policy": "dense"}, True, "dense"),
        ({"placement_policy": "dense", "placement": "compact"}, True, "dense"),
    ],
)
def test_placement(args: dict[str, Any], compact: bool, policy: str | None):
    """A reservation's nodes go by the policy that it was made with, all others by one of the pool's own."""
    made = plan(**args)

    assert (made.compact, made.placement_policy) == (compact, policy)


def test_autoscaler_bounds():
    """Down to a number that the user gives, and up to the pool's nodes, on the same nodes."""
    scaled = plan(min_nodes=1)

    assert (scaled.min_nodes, scaled.nodes, plan().min_nodes) == (1, 2, None)
    assert fingerprint(scaled, {}) == fingerprint(plan(), {})

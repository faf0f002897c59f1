"""The GPU pools of a GKE graph: where nodes come from, what they are, and what runs on them first."""

from typing import Any

import pytest
from tests.gke.variants import VARIANTS
from tests.resources import one, options
from tests.stacks import graph_of

QUEUED = VARIANTS["queued, beside a pool of the autoscaler's"]
SIZES = {"nodeCount", "initialNodeCount", "autoscaling", "placementPolicy", "queuedProvisioning"}
NODES = {"spot", "flexStart", "maxRunDuration", "reservationAffinity"}
NO_RESERVATION = {"consumeReservationType": "NO_RESERVATION"}
FROM_0 = {"totalMinNodeCount": 0, "totalMaxNodeCount": 2, "locationPolicy": "ANY"}
AUTOSCALED = ["initialNodeCount", "nodeCount"]


@pytest.mark.parametrize(
    ("stack", "pool", "node", "size", "ignored"),
    [
        (
            ("gke",),
            "gke-a4",
            {
                "spot": False,
                "reservationAffinity": {
                    "consumeReservationType": "SPECIFIC_RESERVATION",
                    "key": "compute.googleapis.com/reservation-name",
                    "values": ["my-reservation"],
                },
            },
            {"nodeCount": 2},
            None,
        ),
        (("gke", "pools[0].capacity={spot: true}"), "gke-a4", {"spot": True}, {"nodeCount": 2}, None),
        (
            ("gke", "pools[0].capacity={onDemand: true}"),
            "gke-a4",
            {"spot": False},
            {"nodeCount": 2, "placementPolicy": {"type": "COMPACT"}},
            None,
        ),
        (
            ("gke", "pools[0].capacity={flexStart: true, maxRunHours: 24}"),
            "gke-a4",
            {"spot": False, "flexStart": True, "maxRunDuration": "86400s", "reservationAffinity": NO_RESERVATION},
            {"autoscaling": FROM_0},
            AUTOSCALED,
        ),
        (
            QUEUED,
            "gke-a4",
            {"spot": False, "flexStart": True, "reservationAffinity": NO_RESERVATION},
            {"autoscaling": FROM_0, "queuedProvisioning": {"enabled": True}},
            AUTOSCALED,
        ),
        (("gke", "pools[0].capacity.reservation.active=false"), "gke-a4", None, {"nodeCount": 0}, None),
        # A pool of the autoscaler's starts full, to be proved.
        (
            QUEUED,
            "gke-a3",
            None,
            {
                "initialNodeCount": 4,
                "autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 4, "locationPolicy": "ANY"},
                "placementPolicy": {"type": "COMPACT", "policyName": "dense"},
            },
            AUTOSCALED,
        ),
    ],
    ids=["reservation", "spot", "on demand", "flex-start", "queued", "not begun", "autoscaler's"],
)
def test_each_source_says_its_own_and_nothing_of_the_others(
    stack: tuple[str, ...], pool: str, node: dict[str, Any] | None, size: dict[str, Any], ignored: list[str] | None
):
    """The count that the autoscaler sets is no change; a fixed count is ours."""
    made = one(graph_of(*stack), "NodePool", pool)
    config = made.inputs["nodeConfig"]

    assert {key: made.inputs[key] for key in SIZES & made.inputs.keys()} == size
    assert node is None or {key: config[key] for key in NODES & config.keys()} == node
    assert options(made).get("ignoreChanges") == ignored


def test_reserved_nodes_do_not_surge():
    """An upgrade takes a node away before it brings one, and has the time for it."""
    pool = one(graph_of("gke"), "NodePool", "gke-a4")

    assert pool.inputs["upgradeSettings"] == {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1}
    assert options(pool) == {
        "customTimeouts": {"create": "61m", "update": "120m", "delete": "60m"},
        "deleteBeforeReplace": True,
    }


def test_each_rack_has_time_and_a_policy_of_its_own():
    """The policy makes its nodes one NVLink domain."""
    graph = graph_of("gke-a4x")

    for name in ("gke-a4x-rack-1", "gke-a4x-rack-2"):
        pool = one(graph, "NodePool", name)
        assert one(graph, "ResourcePolicy", name).inputs["region"] == "us-central1"
        assert pool.inputs["placementPolicy"] == {"type": "COMPACT", "policyName": name}
        assert options(pool)["customTimeouts"] == {"create": "69m", "update": "1080m", "delete": "60m"}


def test_a_job_gets_onto_queued_nodes():
    """GKE taints them by itself; what drivers and pods do not tolerate they never run on."""
    graph = graph_of(*QUEUED)
    (job,) = [each for each in graph.of_type("kubernetes:batch/v1:Job") if each.name.endswith("-a3-test")]

    assert "cloud.google.com/gke-queued" in str(job.inputs["spec"]["template"]["spec"]["tolerations"])
    assert graph.outputs["workloads"]["a4"]["tolerations"][-1]["key"] == "cloud.google.com/gke-queued"


@pytest.mark.parametrize("mode", ["managed", "managed-auto"])
def test_gke_drives_the_nics_where_the_mode_says_so(mode: str):
    """Nothing of DraNet's is installed beside Google's driver, and what else is said of drivers stays."""
    graph = graph_of("gke", f"network.mode={mode}", "drivers={gpu: existing}")
    daemons = {each.name for each in graph.of_type("kubernetes:apps/v1:DaemonSet")}

    assert not graph.of_type("kubernetes:helm.sh/v3:Release") and daemons == {"gke-gib", "gke-kernel"}


def test_critical_pods_of_the_driver_have_room():
    """GKE admits them by a quota, which holds two a node and the controller; EKS needs none."""
    (quota,) = graph_of("gke").of_type("kubernetes:core/v1:ResourceQuota")
    driver = one(graph_of("gke"), "Release", "gke-gpu")

    assert quota.inputs["spec"]["hard"] == {"pods": str(2 + 2 + 1)}
    assert quota.inputs["metadata"]["namespace"] == driver.inputs["namespace"]
    assert not graph_of("eks").of_type("kubernetes:core/v1:ResourceQuota")

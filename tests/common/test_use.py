"""The users of a pool learn how to ask for its devices."""

from types import SimpleNamespace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.common.skypilot import check_one_machine, check_plugged, labelled, pools_for_skypilot
from rdma_cluster.common.use import use_of
from rdma_cluster.fabrics import FABRICS, GpuAllocation
from rdma_cluster.incluster.plan.workload import Workload
from tests.aks.plans import row

H100, GB300 = row("Standard_ND96isr_H100_v5"), row("Standard_ND128isr_GB300_v6")
DRA, PLUGIN = GpuAllocation.DRA, GpuAllocation.DEVICE_PLUGIN


def offer(*windows: tuple[str, ...]) -> Any:
    """A shape with these templates in its windows, each of a GPU and a NIC."""
    requests = [SimpleNamespace(device_class=name) for name in ("gpu.nvidia.com", "dranet", "other", "gpu.nvidia.com")]
    return SimpleNamespace(
        windows=[tuple(SimpleNamespace(name=name, requests=requests) for name in window) for window in windows]
    )


@pytest.mark.parametrize(
    ("fabric", "allocation", "gpu", "nic"),
    [
        ("infiniband", DRA, "DeviceClass gpu.nvidia.com, DeviceClass other", "DeviceClass dranet"),
        ("infiniband-rdma-ib", PLUGIN, "resource nvidia.com/gpu", "resource rdma/ib"),
        ("roce-host", PLUGIN, "resource nvidia.com/gpu", "hostNetwork of the pod"),
        ("tcpxo", PLUGIN, "resource nvidia.com/gpu", "annotations of the pod"),
        (
            "roce-host",
            DRA,
            "DeviceClass gpu.nvidia.com, DeviceClass dranet, DeviceClass other",
            "hostNetwork of the pod",
        ),
    ],
)
def test_a_pod_names_device_classes_or_a_resource_or_the_hosts_network(
    fabric: str, allocation: GpuAllocation, gpu: str, nic: str
):
    workload = Workload(FABRICS[fabric], allocation=allocation)
    use = use_of("p", H100, 3, (2, 1), workload=workload, offers=[offer(("a",))])

    assert (use.gpu_by, use.nic_by) == (gpu, nic)
    assert (use.pool, use.machine, use.nodes, use.racks, use.fabric) == ("p", H100, 3, (2, 1), FABRICS[fabric])
    assert (use.form, use.workload) == ("pod patch", workload.pod_patch())
    assert use.how.startswith("nodeSelector, tolerations, volumes, initContainers and hostNetwork go into the pod's")


MACHINES = {"h100": H100, "gb300": GB300}


def test_skypilots_label_is_added_where_the_user_gives_none():
    """Pools stay in their order."""
    pools = [
        {"machine": "h100"},
        {"machine": "h100", "labels": {"a": "b"}},
        {"machine": "gb300", "labels": {"skypilot.co/accelerator": "mine"}},
        {"machine": "unknown"},
    ]

    assert labelled(pools, MACHINES) == [
        {"machine": "h100", "labels": {"skypilot.co/accelerator": "h100"}},
        {"machine": "h100", "labels": {"skypilot.co/accelerator": "h100", "a": "b"}},
        {"machine": "gb300", "labels": {"skypilot.co/accelerator": "mine"}},
        {"machine": "unknown"},
    ]


def test_skypilot_needs_device_plugins_and_no_rack():
    """Each pool that stays claimed is told."""
    errors = ErrorList()
    pools = [
        {"machine": "h100"},
        {"machine": "h100", "gpu_allocation": DRA},
        {"machine": "h100", "gpu_allocation": PLUGIN},
        {"machine": "gb300"},
    ]
    used = pools_for_skypilot(pools, MACHINES, errors)

    assert [pool.get("gpu_allocation") for pool in used] == [PLUGIN, DRA, PLUGIN, None]
    assert [error.path for error in errors.found()] == [(1, "gpu_allocation"), (3, "gpu_allocation"), (3, "machine")]


def test_a_pool_that_differs_from_the_others_is_told_at_its_place():
    plugged, alike = ErrorList(), ErrorList()
    check_plugged([PLUGIN, DRA, PLUGIN], plugged)
    check_one_machine([({"machine": name}, alike.at(i)) for i, name in enumerate(("a", "b", "a"))])

    assert [str(error).partition(";")[0] for error in plugged.found()] == ["[1].gpu_allocation: is dra"]
    assert [str(error).partition(";")[0] for error in alike.found()] == ["[1]: got b beside a"]

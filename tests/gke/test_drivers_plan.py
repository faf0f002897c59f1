"""Who hands out GPUs and NICs on GKE, and which version of the cluster that needs."""

from typing import Any

import pytest
from rdma_cluster.fabrics import GpuAllocation
from tests.gke.plans import A4, MEGA, METAL, RACK, refused, stack_plan

DRA, PLUGIN = GpuAllocation.DRA, GpuAllocation.DEVICE_PLUGIN
A4_BY_PLUGIN = {**A4, "gpu_allocation": PLUGIN}
RACK_BY_CLAIMS = {**RACK, "gpu_allocation": DRA}
METAL_BY_CLAIMS = {**METAL, "gpu_allocation": DRA}
UNKNOWN = {**A4, "machine": "no-machine"}


def of(*pools: dict[str, Any]) -> list[dict[str, Any]]:
    """The pools with names that are their own."""
    return [{**each, "name": f"p{i}"} for i, each in enumerate(pools)]


def test_a_driver_of_nics_may_exist_where_it_would_be_ours():
    """The usual mode of the machine counts where nobody chooses one."""
    existing = {"drivers": {"nic": "existing"}}

    assert refused(stack_plan, A4, **existing) == []
    assert refused(stack_plan, A4, network={"mode": "managed"}, **existing) == ["drivers.nic"]
    assert refused(stack_plan, MEGA, **existing) == refused(stack_plan, RACK, **existing) == ["drivers.nic"]


@pytest.mark.parametrize(
    ("pools", "mode", "least", "below"),
    [
        ([A4], None, "1.34.2", "1.34.1"),
        ([A4_BY_PLUGIN, A4], None, "1.34.2", "1.34.1"),
        ([A4_BY_PLUGIN], None, "1.34", "1.33.9"),
        ([RACK], "managed", "1.34.2", "1.33.9"),
        ([RACK], "pod-networks", "1.34", "1.33.9"),
        ([A4_BY_PLUGIN, RACK], "pod-networks", "1.34", "1.33.9"),
    ],
)
def test_claims_need_a_version(pools: list[Any], mode: str | None, least: str, below: str):
    """Claims for GPUs are the youngest; networks by name need none, and the IMEX channels of a rack do."""
    network = {"mode": mode} if mode else {}

    assert refused(stack_plan, *of(*pools), network=network, kubernetes={"version": least}) == []
    assert "kubernetes.version" in refused(stack_plan, *of(*pools), network=network, kubernetes={"version": below})


def test_networks_by_name_need_no_version_of_claims():
    """Claims are expected of a machine that is not known."""
    older = {"kubernetes": {"version": "1.32"}}

    assert "kubernetes.version" not in refused(stack_plan, MEGA, **older)
    assert "kubernetes.version" in refused(stack_plan, *of(MEGA, UNKNOWN), **older)


@pytest.mark.parametrize(
    ("pools", "paths"),
    [
        ([RACK, A4], ["pools[0].gpu_allocation"]),
        ([A4, RACK, RACK], ["pools[1].gpu_allocation", "pools[2].gpu_allocation"]),
        ([A4, A4], []),
        ([RACK, A4_BY_PLUGIN], []),
        ([RACK_BY_CLAIMS, A4], []),
        ([RACK_BY_CLAIMS, RACK], ["pools[1].gpu_allocation"]),
        # Bare metal that asks for claims has that error alone, and an unknown machine that of its name.
        ([METAL_BY_CLAIMS], ["pools[0].gpu_allocation"]),
        ([UNKNOWN, RACK], ["pools[0].machine"]),
    ],
)
def test_all_racks_and_pools_hand_out_gpus_alike(pools: list[dict[str, Any]], paths: list[str]):
    """NVIDIA's driver hands out a rack's channels beside device plugins or beside claims, once for a cluster."""
    listed = [{**each, "nodes": 2, "capacity": {"reservation": {"name": "r"}}} for each in pools]

    assert refused(stack_plan, *of(*listed), network={"mode": "managed"}) == paths

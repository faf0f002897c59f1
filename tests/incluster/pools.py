"""Pools of many kinds, as they could be in one cluster, and a cluster of the tests."""

from dataclasses import replace
from typing import Any

from rdma_cluster.fabrics import FABRICS, GpuAllocation
from rdma_cluster.incluster.addons import AddOnArgs
from rdma_cluster.incluster.plan.context import ClusterContext, InClusterOptions
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.machines import known_machine

DRA, PLUGIN = GpuAllocation.DRA, GpuAllocation.DEVICE_PLUGIN
CONTEXT = ClusterContext("cos", "1.35", "pool", ("gpu", "present"), makes_namespaces=True)
CHOICE = InClusterOptions({}, {}, {})
BARE = ClusterContext("cos", "1.35", "pool", ("", ""), makes_namespaces=False)
"""Of a component that is told nothing but its pools."""
RACK = "a4x-highgpu-4g"
HELD = "startup-taint.cluster-autoscaler.kubernetes.io/rdma-fabric"


def choose(**choice: Any) -> InClusterOptions:
    """A user's choice; add-ons by their keys, ``None`` for those that are not named."""
    addons: Any = {key: choice.pop(key) for key in AddOnArgs.__annotations__ if key in choice}
    named: Any = {key: options for key, options in addons.items() if options is not None}
    return replace(CHOICE, addons=named, **choice)


def pool(name: str, machine: str, fabric: str, allocation: GpuAllocation, nodes: int = 2) -> GpuPool:
    """A pool of a machine of the catalogue."""
    row = known_machine(machine)
    return GpuPool(name, row, nodes, FABRICS[fabric], allocation)


GIB = pool("gib", "a4-highgpu-8g", "gib", DRA)
NICS = pool("nics", "a4-highgpu-8g", "gib", PLUGIN, nodes=3)
MANAGED = pool("managed", "a4-highgpu-8g", "gib-managed", DRA)
NAMED = pool("named", "a3-megagpu-8g", "tcpxo", PLUGIN)
RACKS = pool("racks", RACK, "gib-arm64-managed", PLUGIN)
CLAIMED_RACKS = replace(RACKS, name="claimed-racks", allocation=DRA)
EFA = pool("efa", "p5.48xlarge", "efa", DRA)
WITH_FILES = pool("ib", "Standard_ND96isr_H100_v5", "infiniband-rdma-ib", PLUGIN)
"""Its pods read a file of NCCL's."""
PLUGGED = pool("plugged", "p5.48xlarge", "efa-device-plugin", PLUGIN)


def nodes(*pools: GpuPool) -> dict[str, Any]:
    """All nodes of some pools, by the cluster's label."""
    return {"label": "pool", "values": [each.name for each in pools], "nodes": sum(each.nodes for each in pools)}

"""What Kueue counts of a pool, and by which words of its claims."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.fabrics import ExtendedResource
from rdma_cluster.incluster.addons.queues.charts import device_class_mappings
from rdma_cluster.incluster.addons.queues.objects import countable, full_node_cpu, quotas_of
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.pools import CLAIMED_RACKS, DRA, EFA, GIB, MANAGED, NAMED, PLUGGED, PLUGIN, RACKS, WITH_FILES, pool


@pytest.mark.parametrize(
    ("some", "quotas"),
    [
        (GIB, {"pods": 220, "nvidia.com/gpu": 16, "rdma-cluster/nic": 16}),
        (EFA, {"pods": 220, "nvidia.com/gpu": 16, "rdma-cluster/nic": 64}),
        (NAMED, {"pods": 220, "nvidia.com/gpu": 16}),
        (PLUGGED, {"pods": 220, "nvidia.com/gpu": 16, "vpc.amazonaws.com/efa": 64}),
        (WITH_FILES, {"pods": 220, "nvidia.com/gpu": 16, "rdma/ib": 16}),
        (RACKS, {"pods": 220, "nvidia.com/gpu": 8, "rdma-cluster/nic": 8, "rdma-cluster/imex-channel": 8}),
        (replace(GIB, nodes=0), {"pods": 0, "nvidia.com/gpu": 0, "rdma-cluster/nic": 0}),
    ],
)
def test_what_is_counted_of_a_pool(some: GpuPool, quotas: dict[str, int]):
    """Of two nodes: 110 pods, GPUs, NICs by what pods ask for, and channels of racks."""
    assert quotas_of(some) == quotas


def test_all_nics_of_a_node_are_one():
    """Where pods share them one unit is counted a node."""
    shared = pool("shared", "Standard_ND96isr_H100_v5", "infiniband-rdma-shared-ib", PLUGIN)
    assert isinstance(shared.fabric.nic_attachment, ExtendedResource)

    assert quotas_of(shared)["rdma/shared_ib"] == 2


@pytest.mark.parametrize(
    ("vcpus", "allocation", "cpu"),
    [(224, DRA, "113"), (225, DRA, "113"), (None, DRA, ""), (224, PLUGIN, ""), (None, PLUGIN, "")],
)
def test_more_than_half_of_a_nodes_cpus(vcpus: int | None, allocation: Any, cpu: str):
    """Two pods that ask for it do not fit; where plugins count the GPUs nobody need ask."""
    machine = replace(GIB.machine, vcpus=vcpus)

    assert full_node_cpu(machine, allocation) == cpu
    some = replace(GIB, machine=machine, allocation=allocation)
    assert countable(some) == (bool(cpu) or allocation is PLUGIN)


@pytest.mark.parametrize(
    ("some", "mapped"),
    [
        ((GIB,), {"nvidia.com/gpu": ["gpu.nvidia.com"], "rdma-cluster/nic": ["dranet"]}),
        (
            (MANAGED, EFA, GIB, NAMED),
            {
                "nvidia.com/gpu": ["gpu.nvidia.com"],
                "rdma-cluster/nic": ["dranet", "efa.networking.k8s.aws", "mrdma.google.com"],
            },
        ),
        ((NAMED,), {"nvidia.com/gpu": ["gpu.nvidia.com"]}),
        (
            (NAMED, CLAIMED_RACKS),
            {
                "nvidia.com/gpu": ["gpu.nvidia.com"],
                "rdma-cluster/nic": ["mrdma.google.com"],
                "rdma-cluster/imex-channel": ["compute-domain-default-channel.nvidia.com"],
            },
        ),
    ],
)
def test_classes_that_claims_name(some: tuple[GpuPool, ...], mapped: dict[str, list[str]]):
    """Each under what it is counted as, in the order of the alphabet; none for what nobody claims."""
    assert {each["name"]: each["deviceClassNames"] for each in device_class_mappings(some)} == mapped

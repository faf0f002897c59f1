"""A pool as its queue must know it: what of it is counted, and how Kueue can tell that a node is full."""

from dataclasses import dataclass

from ....catalog.machine import Machine
from ....catalog.vcpus import vcpus_of
from ....fabrics import Claims, ExtendedResource, Fabric, GpuAllocation
from ...plan.workload import Workload

GPU, NIC, CHANNEL = "nvidia.com/gpu", "rdma-cluster/nic", "rdma-cluster/imex-channel"
"""What quotas count. GPUs have one name whoever hands them out, so that a queue has one number of them."""
_PODS_A_NODE = 110
"""The kubelet's default. A job's every pod must use something that is counted, or it gets no node of its pool; this
much of it no job of GPUs reaches."""


@dataclass(frozen=True)
class QueuedPool:
    """A pool, as its queue must know it."""

    name: str
    machine: Machine
    nodes: int
    fabric: Fabric
    allocation: GpuAllocation
    levels: tuple[str, ...] = ()
    """Labels of its nodes that tell where in the network they are, the widest first."""
    comes_when_asked: bool = False
    """Whether it has no nodes until a pod asks for them."""


def quotas_of(pool: QueuedPool) -> dict[str, int]:
    """What the whole pool has of everything that is counted."""
    machine, exposure = pool.machine, pool.fabric.exposure
    each = {"pods": _PODS_A_NODE, GPU: machine.gpus}
    match exposure:
        case Claims():
            each[NIC] = machine.nics
        case ExtendedResource():
            whole = Workload(pool.fabric, machine=machine, allocation=pool.allocation).fragment()["resources"]["limits"]
            each[exposure.resource] = int(whole[exposure.resource])
    if machine.is_rack:
        each[CHANNEL] = machine.gpus
    return {name: count * pool.nodes for name, count in each.items()}


def whole_node_cpu(machine: Machine, allocation: GpuAllocation) -> str:
    """CPUs that a pod with a whole node asks for, so that Kueue counts one such pod a node; empty where GPUs do that.

    Kueue places pods by what they ask of their nodes, and sees no claim there (kueue#10548): two pods that each ask for
    more than half of the CPUs do not fit on one.
    """
    vcpus = vcpus_of(machine)
    return str(vcpus // 2 + 1) if vcpus is not None and allocation == GpuAllocation.DRA else ""


def countable(pool: QueuedPool) -> bool:
    """Whether Kueue can tell how many pods of whole nodes a node holds."""
    return pool.allocation == GpuAllocation.DEVICE_PLUGIN or bool(whole_node_cpu(pool.machine, pool.allocation))

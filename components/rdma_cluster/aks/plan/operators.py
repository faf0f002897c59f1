"""NVIDIA's two operators on AKS. Their values fit each other, so that each thing has one owner."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ...base.args import Choice, args_schema
from ...catalog import charts, images
from ...catalog.aks import AksMachine
from ...catalog.artifact import mirrored
from ...fabrics import GpuAllocation
from ...fabrics.rollout import one_by_one_seconds, tolerations
from ...incluster.plan.charts import Settings
from ...incluster.plan.node_sets import from_pools, node_set
from ...incluster.plan.pool import FromNodePools, GpuPool, NodeSet
from .drivers import AksDriverOptions, AksDrivers, AksMemoryLock, plan_drivers
from .machines import machine_for
from .node_pool import SPOT_TAINT
from .operator_values import gpu_operator_values, network_operator_values, nic_policy

GPU_NAMESPACE = "gpu-operator"
NETWORK_NAMESPACE = "network-operator"
PRIVILEGED = {"pod-security.kubernetes.io/enforce": "privileged"}
"""Labels of the operators' namespaces, whose pods write to the host."""
DRIVER_SECONDS = 2700
"""Time-out for the InfiniBand driver to be compiled and loaded, all nodes at once. No figure is published."""


@args_schema
class AksOperatorsArgs(AksDriverOptions, FromNodePools):
    """NVIDIA's operators for the nodes of some pools."""

    machines: NotRequired[list[str]]
    """Sizes of the nodes. Default: as ``pools`` have it."""
    nodes: NotRequired[NodeSet]
    """Exactly the nodes that they serve. Default: as ``pools`` have it."""
    gpu_allocation: NotRequired[Choice[GpuAllocation]]
    """Who hands out GPUs and NICs. Default: as ``pools`` have it, else ``dra``."""
    spot: NotRequired[bool]
    """Whether some of the nodes are spot nodes, which have a taint of their own. Default: false."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold what is fetched, by prefix of its reference. Default: nowhere."""


@frozen
class MemoryLock:
    """A DaemonSet that lifts the limit of locked memory."""

    installer: str
    """Image of the container that lifts the limit."""
    pause: str
    """Image of the container that keeps the pod running."""
    nodes: NodeSet
    """Nodes whose limit is lifted."""


@frozen
class OperatorsPlan:
    """What ``AksOperators`` installs; ``None`` where a part has no work."""

    gpu: Settings | None
    """The GPU Operator."""
    network: Settings | None
    """The Network Operator."""
    policy: dict[str, Any]
    """Spec of the Network Operator's NicClusterPolicy."""
    memory_lock: MemoryLock | None
    driver_seconds: int
    """How much longer than a pull of images a new node takes until its GPUs are there."""

    def __bool__(self) -> bool:
        """Whether anything is installed."""
        return bool(self.gpu or self.network or self.memory_lock)


def plan_operators(args: AksOperatorsArgs, errors: ErrorList) -> OperatorsPlan | None:
    """Make all choices of ``AksOperators``. Returns ``None`` when an error was added."""
    if (read := from_pools(args, ("machines", "nodes"), _of_pools, errors)) is None:
        return None
    args = read
    machines = [machine_for(name, errors.at("machines", i)) for i, name in enumerate(args["machines"])]
    drivers = plan_drivers(args, [args.get("gpu_allocation", GpuAllocation.DRA)], errors)
    if not args["nodes"]["values"]:
        errors.at("nodes", "values").add("empty; name the pools that need the drivers, e.g. h100")
    if errors:
        return None
    known = [machine for machine in machines if machine is not None]
    other_taints = SPOT_TAINT if args.get("spot") else {}
    return plan_operators_from_drivers(drivers, known, args["nodes"], other_taints, args.get("registries", {}))


def _of_pools(pools: Sequence[GpuPool], label: str) -> dict[str, Any]:
    machines = list(dict.fromkeys(pool.machine.name for pool in pools))
    return {"machines": machines, "nodes": node_set(label, pools), "gpu_allocation": pools[0].allocation}


def plan_operators_from_drivers(
    drivers: AksDrivers,
    machines: Sequence[AksMachine],
    nodes: NodeSet,
    other_taints: Mapping[str, str],
    registries: Mapping[str, str],
) -> OperatorsPlan:
    """Plan the operators for the drivers of a stack; some nodes have ``other_taints`` beside the GPU taint."""
    tolerated = tolerations(other_taints)
    # What they install on GPU nodes comes after, and is waited for by itself; NFD is theirs, and rolls node by node.
    seconds = one_by_one_seconds(nodes["nodes"])
    gpu = Settings(charts.GPU_OPERATOR, GPU_NAMESPACE, gpu_operator_values(drivers, tolerated, registries), seconds)
    network_values = network_operator_values(tolerated, registries)
    network = Settings(charts.NETWORK_OPERATOR, NETWORK_NAMESPACE, network_values, seconds)
    installer, pause = (mirrored(each.image, registries) for each in (images.JUDGE_PYTHON, images.PAUSE))
    lock = MemoryLock(installer, pause, nodes) if drivers.memory_lock == AksMemoryLock.NODE else None
    return OperatorsPlan(
        gpu=gpu.mirrored(registries) if drivers.gpu_operator else None,
        network=network.mirrored(registries) if drivers.network_operator else None,
        policy=nic_policy(drivers, machines, nodes, tolerated, registries) if drivers.network_operator else {},
        memory_lock=lock,
        driver_seconds=drivers.seconds,
    )

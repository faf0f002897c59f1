"""A served model as its component plans it, and the command lines that its containers end up with."""

from typing import Any

from pulumi_offline.errors import Refused, spell
from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.addons.inference.args import DistributedInferenceArgs
from rdma_cluster.incluster.addons.inference.plan import InferencePlan, plan_inference

LLAMA = "meta-llama/Llama-3.1-405B-Instruct"
POOLS: dict[str, dict[str, Any]] = {
    "oke": {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2, "fabric": "roce-host"},
    "a3-ultra": {"name": "a3-ultra", "machine": "a3-ultragpu-8g", "nodes": 2, "fabric": "gib"},
    "a4": {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "fabric": "gib"},
    "p5": {"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "fabric": "efa"},
    "aks": {"name": "h100", "machine": "Standard_ND96isr_H100_v5", "nodes": 2, "fabric": "infiniband"},
}
"""The pools from which Llama 405B can be served."""
PLUGGED = {"roce-host": "device-plugin"}


def args(on: str = "oke", **said: Any) -> dict[str, Any]:
    """The args of the component on one of the pools."""
    chosen = POOLS[on]
    return {
        "model": LLAMA,
        "pools": [{**chosen, "gpu_allocation": PLUGGED.get(chosen["fabric"], "dra")}],
        "pool_label": "pool",
        "taint": {"key": "nvidia.com/gpu", "value": "present"},
        **said,
    }


def plan(on: str = "oke", **said: Any) -> InferencePlan:
    """The plan of the component."""
    return plan_from(DistributedInferenceArgs, plan_inference, args(on, **said))


def pod(made: InferencePlan, role: str) -> dict[str, Any]:
    """Spec of the ``leader`` or of a ``worker``."""
    group = made.objects.leader_worker_set["spec"]["leaderWorkerTemplate"]
    return group[f"{role}Template"]["spec"]


def container(made: InferencePlan, role: str) -> dict[str, Any]:
    """The container of a role that runs vLLM."""
    (one,) = pod(made, role)["containers"]
    return one


def refused(**said: Any) -> list[str]:
    """The places at which args are refused."""
    try:
        plan(**said)
    except Refused as refusal:
        return [spell(error.path) for error in refusal.errors]
    return []


def reasons(**said: Any) -> str:
    """The reasons for which args are refused, as lines."""
    try:
        plan(**said)
    except Refused as refusal:
        return "\n".join(error.reason for error in refusal.errors)
    return ""


def h100(nodes: int = 2, **more: Any) -> dict[str, Any]:
    """A pool of eight H100 a node, whose GPUs a plugin hands out."""
    return {**POOLS["oke"], "nodes": nodes, "gpu_allocation": "device-plugin", **more}

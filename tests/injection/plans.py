"""Clusters whose pods are given their fabric, and pods that ask for it."""

from typing import Any

from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.addons.injection.args import FabricInjectionArgs
from rdma_cluster.incluster.addons.injection.plan import InjectionPlan, plan_injection
from rdma_cluster.incluster.plan.pool import InClusterPool
from rdma_cluster.injection import SWITCH, inject
from rdma_cluster.injection.device_requests import GPU

POOL_LABEL = "example.com/pool"
EFA = "vpc.amazonaws.com/efa"
P5, P5_CLAIMED = ("p5.48xlarge", "efa-device-plugin"), ("p5.48xlarge", "efa")
P4D = ("p4d.24xlarge", "efa-device-plugin")
H100 = "Standard_ND96isr_H100_v5"
ON_HOST = ("BM.GPU.H100.8", "roce-host")


def plan(*pools: tuple[str, str], **more: Any) -> InjectionPlan:
    """The plan of a cluster with a pool, ``p0`` and so on, for each machine and fabric."""
    named = [InClusterPool(name=f"p{i}", machine=machine, fabric=fabric) for i, (machine, fabric) in enumerate(pools)]
    args: Any = {"pools": named, "pool_label": POOL_LABEL, "version": "1.36", **more}
    errors = ErrorList()
    found = plan_injection(FabricInjectionArgs(**args), errors)
    assert found is not None, errors.found()
    return found


def pod(gpus: int | str = 8, **spec: Any) -> dict[str, Any]:
    """A pod that asks for GPUs and the fabric."""
    container = {"name": "main", "image": "x", "resources": {"limits": {GPU: gpus}}}
    return {"metadata": {"name": "pod", "annotations": {SWITCH: "true"}}, "spec": {"containers": [container], **spec}}


def served(found: InjectionPlan, asked: dict[str, Any]) -> dict[str, Any]:
    """A pod as injection leaves it, which must not refuse it."""
    done = inject(asked, found.patterns, found.scope)
    assert done.refusals == ()
    return done.pod


def main_of(found: InjectionPlan, asked: dict[str, Any]) -> dict[str, Any]:
    """The first container of a pod that is served."""
    return served(found, asked)["spec"]["containers"][0]


def refused(found: InjectionPlan, asked: dict[str, Any]) -> str:
    """The reasons for which a pod is refused; it is left as it was."""
    done = inject(asked, found.patterns, found.scope)
    assert done.pod == asked
    return "; ".join(done.refusals)

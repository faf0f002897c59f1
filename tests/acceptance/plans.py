"""Plans of the acceptance test, for tests that look into them."""

from typing import Any

from pulumi_offline.errors import ErrorList
from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.plan.acceptance import (
    AcceptancePlan,
    NcclAcceptanceArgs,
    PoolTest,
    plan_acceptance,
    plan_acceptance_on,
)
from rdma_cluster.incluster.plan.context import context_of
from rdma_cluster.incluster.plan.pool import GpuPool, InClusterPool

MACHINE = "a3-ultragpu-8g"


def args(*pools: InClusterPool, **more: Any) -> dict[str, Any]:
    """Args for two nodes of a gIB machine, where no pools are given."""
    given: dict[str, Any] = {
        "pools": list(pools) or [pool()],
        "pool_label": "pool",
        "taint": {"key": "nvidia.com/gpu", "value": "present"},
    }
    return given | more


def pool(name: str = "a", nodes: int = 2, machine: str = MACHINE, fabric: str = "gib", **more: Any) -> InClusterPool:
    """A pool to be proved."""
    return InClusterPool(name=name, machine=machine, nodes=nodes, fabric=fabric, **more)


def efa(*pools: InClusterPool, **more: Any) -> dict[str, Any]:
    """Args for two p5 nodes as a stack on EKS has them."""
    return args(*(pools or [pool("p5", machine="p5.48xlarge", fabric="efa")]), **more)


def plan(given: dict[str, Any]) -> AcceptancePlan:
    """The plan of these args, which must be possible."""
    return plan_from(NcclAcceptanceArgs, plan_acceptance, given)


def handed(*pools: GpuPool, **more: Any) -> AcceptancePlan:
    """The plan of pools that a stack has resolved."""
    given: Any = args(**more)
    made = plan_acceptance_on(given, pools, context_of(given), ErrorList(), more.get("fingerprints"))
    assert made is not None
    return made


def refused(given: Any) -> list[str]:
    """The errors of args, for which there is no plan."""
    errors = ErrorList()
    assert plan_acceptance(given, errors) is None
    return [str(error) for error in errors.found()]


def only(given: dict[str, Any]) -> PoolTest:
    """The one test of a plan."""
    (test,) = plan(given).tests
    return test


def containers(test: PoolTest) -> dict[str, Any]:
    """The containers of the pod that leads, by name."""
    spec = test.test["spec"]
    lead = spec["mpiReplicaSpecs"]["Launcher"] if "mpiReplicaSpecs" in spec else spec
    return {each["name"]: each for each in lead["template"]["spec"]["containers"]}

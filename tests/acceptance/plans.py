"""Plans of the acceptance test, for tests that look into them."""

from typing import Any

from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.plan.acceptance import AcceptancePlan, NcclAcceptanceArgs, PoolTest, plan_acceptance
from rdma_cluster.incluster.plan.pool import InClusterPool

MACHINE = "a3-ultragpu-8g"


def args(*pools: InClusterPool, **more: Any) -> dict[str, Any]:
    """Two nodes of a gIB machine unless told otherwise."""
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
    """Two p5 nodes as a stack on EKS has them."""
    return args(*(pools or [pool("p5", machine="p5.48xlarge", fabric="efa")]), **more)


def plan(given: dict[str, Any]) -> AcceptancePlan:
    """The plan of these args, which must be possible."""
    return plan_from(NcclAcceptanceArgs, plan_acceptance, given)


def only(given: dict[str, Any]) -> PoolTest:
    """Its one test."""
    (test,) = plan(given).tests
    return test


def containers(test: PoolTest) -> dict[str, Any]:
    """The containers of the pod that leads, by name."""
    job = test.mpi_job["spec"]["mpiReplicaSpecs"]["Launcher"] if test.mpi_job else test.job["spec"]
    return {each["name"]: each for each in job["template"]["spec"]["containers"]}

"""Plans of monitoring for pools of any machines."""

from typing import Any

from pulumi_offline.errors import ErrorList
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog import machines
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.incluster.addons.monitoring.args import MonitoringArgs
from rdma_cluster.incluster.addons.monitoring.plan import MonitoringPlan, plan_monitoring, plan_monitoring_on
from rdma_cluster.incluster.plan.context import context_of
from rdma_cluster.incluster.plan.pool import GpuPool

LABEL = "cloud.google.com/gke-nodepool"
ARGS = MonitoringArgs(pools=[], pool_label="cloud.example/gpu-pool", host="cos")
BROUGHT: Any = {"namespace": "gpu-operator", "labels": {"app": "dcgm"}}
"""An exporter of GPUs that somebody else installs."""


def plan_of(*machines: str, **args: Any) -> MonitoringPlan:
    """A plan with one pool for each machine, named after it."""
    pools = [{"name": machine, "machine": machine, "nodes": 2} for machine in machines]
    asked = {"pools": pools, "pool_label": LABEL, "host": "cos", **args}
    return plan_from(MonitoringArgs, plan_monitoring, asked)


def every_rule() -> list[tuple[str, dict[str, Any]]]:
    """Each rule of each machine that a fabric is built for, with the machine's name."""
    built = [each.name for each in machines() if any(fabric.is_for(each) for fabric in FABRICS.values())]
    return [(name, rule) for name in built for group in plan_of(name).rules for rule in group["rules"]]


def planned(*pools: GpuPool, **args: Any) -> MonitoringPlan:
    """The plan of these pools, handed over as a stack does."""
    given: Any = {**ARGS, **args}
    errors = ErrorList()
    made = plan_monitoring_on(given, pools, context_of(given), errors, given.get("renew_seconds"))
    assert made is not None, errors.found()
    return made

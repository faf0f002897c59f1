"""Plans of monitoring, of any machines."""

from typing import Any

from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog import machines
from rdma_cluster.fabrics import FABRICS
from rdma_cluster.incluster.addons.monitoring.args import MonitoringArgs
from rdma_cluster.incluster.addons.monitoring.plan import MonitoringPlan, plan_monitoring

LABEL = "cloud.google.com/gke-nodepool"


def plan_of(*machines: str, **args: Any) -> MonitoringPlan:
    """A plan of one pool a machine, each named after it."""
    pools = [{"name": machine, "machine": machine, "nodes": 2} for machine in machines]
    asked = {"pools": pools, "pool_label": LABEL, "host": "cos", **args}
    return plan_from(MonitoringArgs, plan_monitoring, asked)


def every_rule() -> list[tuple[str, dict[str, Any]]]:
    """Each rule of each machine that a fabric is built for, with the machine's name."""
    built = [each.name for each in machines() if any(fabric.is_for(each) for fabric in FABRICS.values())]
    return [(name, rule) for name in built for group in plan_of(name).rules for rule in group["rules"]]

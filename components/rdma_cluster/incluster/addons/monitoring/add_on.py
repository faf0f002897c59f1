"""Monitoring, as a stack plans it."""

from typing import TYPE_CHECKING

from pulumi_offline.errors import ErrorList
from ..add_on import AddOn, After, Stack
from .args import MonitoringOptions

if TYPE_CHECKING:
    from .plan import MonitoringPlan


def _plan(stack: Stack, options: MonitoringOptions, errors: ErrorList) -> "MonitoringPlan | None":
    """Exporters, alerts and a dashboard, and proofs where the stack proves nodes."""
    from .plan import plan_monitoring_on

    readiness = stack.addons.readiness
    renew = readiness.plan.renew_seconds if readiness is not None and readiness.plan.prover is not None else None
    return plan_monitoring_on(options, stack.pools, stack.context, errors.at("monitoring"), renew)


ADD_ON = AddOn("monitoring", MonitoringOptions, _plan, After.DRIVERS, namespaces={"rdma-monitoring": "monitoring"})

"""How components install charts, and the namespaces of these."""

import pulumi
import pulumi_kubernetes as k8s

from ..component import waiting_for
from .plan.charts import Settings


def make_namespace(name: str, namespace: str, opts: pulumi.ResourceOptions) -> k8s.core.v1.Namespace:
    """A namespace of our own."""
    return k8s.core.v1.Namespace(name, metadata={"name": namespace}, opts=opts)


def install(
    name: str, settings: Settings, after: list[pulumi.Resource], opts: pulumi.ResourceOptions
) -> k8s.helm.v3.Release:
    """A release of a pinned chart. Never atomic: a roll-back at the last node of a rollout would undo all others."""
    chart = settings.chart
    return k8s.helm.v3.Release(
        name,
        name=chart.name,
        chart=chart.chart,
        repository_opts={"repo": chart.repo} if chart.repo else None,
        version=chart.version,
        namespace=settings.namespace,
        values=settings.values,
        timeout=settings.timeout_seconds,
        opts=waiting_for(opts, after),
    )

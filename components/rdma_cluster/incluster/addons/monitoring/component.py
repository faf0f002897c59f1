"""Exporters of GPUs and NICs, the alerts that read them, and a dashboard of the fabric."""

from typing import cast

import pulumi
import pulumi_kubernetes as k8s
from ....base.key_docs import with_keys
from ....component.frame import Opts, PlannedComponent, Shown, inputs, outputs, plan_args, waiting_for
from ...account import cluster_binding
from ...objects import claim_template, critical_pods, custom_resource, install as install_chart
from ...on_cluster import Links, make_part, on_cluster
from ...plan.context import Part
from ...plan.statements import statements
from ...site import Outputs, Site
from .args import MonitoringArgs, MonitoringOptions
from .exporters import GPU_ACCOUNT, GPU_CLAIM
from .plan import GROUP, MonitoringPlan, plan_monitoring


@with_keys
class Monitoring(PlannedComponent[MonitoringPlan, Links]):
    """What a Prometheus needs to watch a cluster's GPUs and rails; it brings no Prometheus."""

    namespace: pulumi.Output[str]
    """Where exporters, alerts and the dashboard are."""

    def __init__(self, name: str, args: MonitoringArgs, opts: Opts = None):
        args, plan = plan_args(MonitoringArgs, plan_monitoring, args, warn=self)
        self._make(name, plan, Links(statements(args)), inputs(MonitoringArgs, args), opts)

    def _make(self, name: str, plan: MonitoringPlan, links: Links, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:Monitoring", name, shown, opts)
        child = on_cluster(self, links.statements)
        # Claims of administrators are allowed only in namespaces with this label.
        admits = {"resource.kubernetes.io/admin-access": "true"} if plan.claim is not None else None
        namespace = k8s.core.v1.Namespace(name, metadata={"name": plan.namespace, "labels": admits}, opts=child)
        inside = waiting_for(child, [namespace])
        _exporters(name, plan, inside)
        for file, text in plan.dashboards.items():
            k8s.core.v1.ConfigMap(
                f"{name}-{file.partition('.')[0]}",
                # Where Grafana's chart looks for dashboards by default.
                metadata={
                    "name": file.partition(".")[0],
                    "namespace": plan.namespace,
                    "labels": {"grafana_dashboard": "1"},
                },
                data={file: text},
                opts=inside,
            )
        if plan.definitions is not None:
            kinds = install_chart(f"{name}-definitions", plan.definitions, [namespace], child)
            inside = waiting_for(inside, [kinds])
        for called, spec in plan.monitors.items():
            _prometheus(f"{name}-{called}", "PodMonitor", called, spec, plan, inside)
        _prometheus(f"{name}-alerts", "PrometheusRule", "rdma-cluster", {"groups": plan.rules}, plan, inside)
        self.namespace = namespace.metadata["name"]
        self.register_outputs(outputs(self))


def install(name: str, part: Part[MonitoringOptions, MonitoringPlan], site: Site) -> Outputs:
    """Install the monitoring of a stack. Its pods hold claims, which drivers must be there to end."""
    make_part(Monitoring, MonitoringOptions, name, part, waiting_for(site.on_cluster, site.after))
    return {}


def _exporters(name: str, plan: MonitoringPlan, inside: pulumi.ResourceOptions) -> None:
    needs: list[pulumi.Resource] = []
    if plan.critical_pods:
        needs.append(critical_pods(name, plan.namespace, plan.critical_pods, ["system-node-critical"], inside))
    if plan.exports_gpus:
        needs.append(
            k8s.core.v1.ServiceAccount(name, metadata={"name": GPU_ACCOUNT, "namespace": plan.namespace}, opts=inside)
        )
    if plan.claim is not None:
        needs += _claims(name, plan, inside)
    for each in plan.exporters:
        k8s.apps.v1.DaemonSet(
            f"{name}-{each.name}",
            # Who only watches keeps no `up` waiting: on a node whose driver is still to come none is ready.
            metadata={"name": each.name, "namespace": plan.namespace, "annotations": {"pulumi.com/skipAwait": "true"}},
            spec=cast("k8s.apps.v1.DaemonSetSpecArgsDict", each.spec),
            opts=waiting_for(inside, needs),
        )


def _claims(name: str, plan: MonitoringPlan, inside: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """The template of the exporter's claims, and the right to read slices: by them it tells which pod has a GPU."""
    template = claim_template(name, GPU_CLAIM, plan.namespace, plan.claim or {}, inside)
    reader = f"rdma-cluster-{GPU_ACCOUNT}"
    role = k8s.rbac.v1.ClusterRole(
        name,
        metadata={"name": reader},
        rules=[{"api_groups": ["resource.k8s.io"], "resources": ["resourceslices"], "verbs": ["get", "list", "watch"]}],
        opts=inside,
    )
    return [template, cluster_binding(name, reader, GPU_ACCOUNT, plan.namespace, waiting_for(inside, [role]))]


def _prometheus(
    name: str, kind: str, called: str, spec: object, plan: MonitoringPlan, opts: pulumi.ResourceOptions
) -> None:
    # An API server drops an empty map, and each preview would want it back.
    labels = {"labels": dict(plan.labels)} if plan.labels else {}
    metadata = {"name": called, "namespace": plan.namespace, **labels}
    custom_resource(name, {"apiVersion": GROUP, "kind": kind, "metadata": metadata, "spec": spec}, opts)

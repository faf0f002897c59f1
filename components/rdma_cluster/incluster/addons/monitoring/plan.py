"""Exporters, monitors, alerts and a dashboard for the GPUs and NICs of a cluster."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_agent import names
from ....base.args import Link
from ....base.kubernetes_names import check_key, check_value
from ....catalog import charts as catalog
from ....catalog.clouds import HOSTS
from ....catalog.metrics import KUBE_STATE_METRICS
from ....fabrics import Claims
from ....fabrics.rollout import WAVES_SECONDS
from ...plan.charts import Settings
from ...plan.context import ClusterContext, context_of
from ...plan.dra_drivers import InstalledBy
from ...plan.pool import GpuPool
from ...plan.resolve import check_cluster, resolve_all
from .alert_rules import GPUS, NICS, rule_groups
from .args import ExporterBy, ExporterPods, MonitoringArgs, MonitoringSettings
from .dashboard import FILE, dashboard
from .exporters import NAME_LABEL, NAMESPACE, Exporter, gpu_exporters, nic_exporters
from .proof_alerts import PROOFS

GROUP = "monitoring.coreos.com/v1"
_EVERY = "30s"


@frozen
class MonitoringPlan:
    """What ``Monitoring`` makes."""

    namespace: str
    definitions: Settings | None
    """Chart of the kinds below; ``None`` where the cluster has them."""
    exporters: tuple[Exporter, ...]
    claim: Mapping[str, Any] | None
    """Spec of the claim template by which the GPU exporter sees all GPUs; ``None`` where no GPU is claimed."""
    critical_pods: int
    """Critical pods that the namespace may hold; 0 where none count."""
    monitors: Mapping[str, Mapping[str, Any]]
    """Specs of ``PodMonitor`` by name."""
    rules: Sequence[Mapping[str, Any]]
    """Groups of the ``PrometheusRule``."""
    dashboards: Mapping[str, str]
    """Grafana's dashboards by file name."""
    labels: Mapping[str, Link]
    """What monitors and rules are labelled with besides."""
    exports_gpus: bool
    """Whether the GPUs' exporter is ours."""
    warnings: tuple[str, ...] = ()


def plan_monitoring(args: MonitoringArgs, errors: ErrorList) -> MonitoringPlan | None:
    """Plan ``Monitoring`` used alone. Returns ``None`` when an error was added."""
    pools = resolve_all(args["pools"], errors.at("pools"))
    check_cluster(args, errors)
    return plan_monitoring_on(args, pools, context_of(args), errors, args.get("renew_seconds"))


def plan_monitoring_on(
    options: MonitoringSettings,
    pools: Sequence[GpuPool],
    context: ClusterContext,
    errors: ErrorList,
    renew_seconds: int | None,
) -> MonitoringPlan | None:
    """Plan exporters, alerts and a dashboard for ``pools``. Returns ``None`` when an error was added.

    ``renew_seconds`` is the age at which proofs of idle nodes are renewed; ``None`` where no proofs are watched.
    """
    brought = context.gpu_exporter
    exporter = options.get("gpu_exporter", ExporterBy.MANAGED if _is_complete(brought) else ExporterBy.INSTALLED)
    _check_exporter(exporter, brought, errors.at("gpu_exporter"))
    at = errors.at("labels")
    for key, value in options.get("labels", {}).items():
        check_key(key, at.at(key))
        if isinstance(value, str):
            check_value(value, at.at(key))
    if errors:
        return None
    host, label, registries = HOSTS[context.host], context.pool_label, context.registries
    managed = brought if exporter == ExporterBy.MANAGED else None
    of_gpus = () if managed else gpu_exporters(pools, label, host, registries)
    of_nics = nic_exporters(pools, label, registries)
    claims = any(isinstance(pool.fabric.nic_attachment, Claims) for pool in pools)
    publishes = managed is None or managed.get("errors", True)
    proofs = renew_seconds is not None
    groups = rule_groups(pools, publishes, claims, renew_seconds)
    alerts = [each["alert"] for group in groups for each in group["rules"] if "alert" in each]
    installs = options.get("definitions", InstalledBy.INSTALLED) == InstalledBy.INSTALLED
    return MonitoringPlan(
        namespace=NAMESPACE,
        definitions=_definitions().mirrored(registries) if installs else None,
        exporters=(*of_gpus, *of_nics),
        claim=_EVERY_GPU if any("resourceClaims" in each.spec["template"]["spec"] for each in of_gpus) else None,
        critical_pods=2 * sum(pool.nodes for pool in pools) if host.critical_pods_need_quota else 0,
        monitors=_monitors(of_gpus, of_nics, managed, label) | ({PROOFS: _OF_PROVER} if proofs else {}),
        rules=groups,
        dashboards={FILE: dashboard(pools, alerts, proofs=proofs)},
        labels=dict(options.get("labels", {})),
        exports_gpus=bool(of_gpus),
        warnings=_warnings(claims, publishes),
    )


def _check_exporter(managed_by: ExporterBy, brought: ExporterPods | None, errors: ErrorList) -> None:
    if managed_by == ExporterBy.MANAGED and brought is None:
        errors.add("got managed; neither the cloud nor this stack brings a DCGM exporter here; leave it out")
    elif managed_by == ExporterBy.INSTALLED and _is_complete(brought):
        errors.add("got installed; the GPU Operator of this stack brings a DCGM exporter, and never both; leave it out")


def _is_complete(brought: ExporterPods | None) -> bool:
    """Whether the other exporter publishes all that ours does."""
    return brought is not None and brought.get("errors", True)


# Beside those who use them: an administrator's claim takes nothing away.
_ALL_GPUS = {"deviceClassName": names.GPU_DRIVER, "allocationMode": "All", "adminAccess": True}
_EVERY_GPU = {"spec": {"devices": {"requests": [{"name": "gpus", "exactly": _ALL_GPUS}]}}}


def _definitions() -> Settings:
    """Only the two kinds that are used; a later installation of the operator brings the others.

    They stay when the chart goes, for with a kind go all objects of it, the user's own included.
    """
    others = ("alertmanagerconfigs", "alertmanagers", "probes", "prometheusagents", "prometheuses", "scrapeconfigs")
    off = {each: {"enabled": False} for each in (*others, "servicemonitors", "thanosrulers")}
    keep = {"annotations": {"helm.sh/resource-policy": "keep"}}
    return Settings(catalog.PROMETHEUS_KINDS, NAMESPACE, {"crds": {**keep, **off}}, WAVES_SECONDS)


def _monitors(
    of_gpus: Sequence[Exporter], of_nics: Sequence[Exporter], managed: ExporterPods | None, label: str
) -> dict[str, dict[str, Any]]:
    monitors = {}
    if managed is not None:
        monitors[GPUS] = _monitor(GPUS, managed["namespace"], {"matchLabels": dict(managed["labels"])}, label)
    for job, exporters in ((GPUS, of_gpus), (NICS, of_nics)):
        if exporters:
            named = {"key": NAME_LABEL, "operator": "In", "values": [each.name for each in exporters]}
            monitors[job] = _monitor(job, NAMESPACE, {"matchExpressions": [named]}, label)
    return monitors


def _monitor(job: str, namespace: str, selector: Mapping[str, Any], label: str) -> dict[str, Any]:
    """Reads an exporter's pods; each series gets its node, and the pool of the node's label."""
    pool = re.sub(r"[^a-zA-Z0-9_]", "_", label)
    relabelings = [
        {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"},
        {"sourceLabels": [f"__meta_kubernetes_node_label_{pool}"], "targetLabel": "pool"},
        {"targetLabel": "job", "replacement": job},
    ]
    return {
        "namespaceSelector": {"matchNames": [namespace]},
        "selector": selector,
        "attachMetadata": {"node": True},
        "podMetricsEndpoints": [{"port": "metrics", "interval": _EVERY, "relabelings": relabelings}],
    }


# Its series say themselves which node and pool they are about.
_OF_PROVER = {
    "namespaceSelector": {"matchNames": [names.PROVER_NAMESPACE]},
    "selector": {"matchLabels": {NAME_LABEL: names.PROVER}},
    "podMetricsEndpoints": [
        {"port": "metrics", "interval": _EVERY, "relabelings": [{"targetLabel": "job", "replacement": PROOFS}]}
    ],
}


def _warnings(claims: bool, publishes: bool) -> tuple[str, ...]:
    needs = f", and kube-state-metrics {KUBE_STATE_METRICS} or later for pods that wait for claims" if claims else ""
    no_prometheus = (
        "monitoring: exporters, alerts and a dashboard are installed and no Prometheus; who reads them needs the "
        f"Prometheus Operator{needs}"
    )
    no_faults = (
        "monitoring.gpuExporter is managed: the cloud's exporter publishes no XIDs and no failed rows, so that no "
        "alert tells of them; take installed for these"
    )
    return (no_prometheus,) if publishes else (no_prometheus, no_faults)

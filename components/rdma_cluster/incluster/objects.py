"""Objects that several components make: namespaces, charts, claim templates, priorities, and kinds that no SDK has."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s
from ..component.frame import waiting_for, with_more
from ..fabrics import ConfigFile
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


def custom_resource(
    name: str, resource: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> k8s.apiextensions.CustomResource:
    """A resource in the API's own form, of a kind that no SDK has."""
    kind, metadata, spec = resource["kind"], resource["metadata"], resource["spec"]
    return k8s.apiextensions.CustomResource(
        name, api_version=resource["apiVersion"], kind=kind, metadata=metadata, spec=spec, opts=opts
    )


_AUTONAMED = 46
"""Most characters of a logical name that the provider makes a Job's name of: 63 less ``-watcher`` and its own nine."""


def autonamed(name: str) -> str:
    """A logical name that leaves room for what the provider adds; one that is longer is cut and gets a digest."""
    return name if len(name) <= _AUTONAMED else f"{name[: _AUTONAMED - 9]}-{sha256(name.encode()).hexdigest()[:8]}"


def replaced(opts: pulumi.ResourceOptions, key: str) -> pulumi.ResourceOptions:
    """The same options for what is known by its name and cannot change ``key``: it is replaced under that name."""
    return with_more(opts, replace_on_changes=[key], delete_before_replace=True)


def claim_template(
    name: str, called: str, namespace: str, spec: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> k8s.resource.v1.ResourceClaimTemplate:
    """A claim template in the API's own form: what `claims` proves is what is applied, with no second spelling."""
    metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": called, "namespace": namespace}
    return k8s.resource.v1.ResourceClaimTemplate(name, metadata=metadata, spec=cast("Any", spec), opts=opts)


def config_map(name: str, file: ConfigFile, namespace: str, opts: pulumi.ResourceOptions) -> k8s.core.v1.ConfigMap:
    """A file that pods read."""
    metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": file.config_map, "namespace": namespace}
    return k8s.core.v1.ConfigMap(name, metadata=metadata, data={file.name: file.text}, opts=opts)


def priority_class(name: str, called: str, value: int, opts: pulumi.ResourceOptions) -> k8s.scheduling.v1.PriorityClass:
    """A priority for which no pod is stopped by the scheduler. Its value is immutable."""
    return k8s.scheduling.v1.PriorityClass(
        name, metadata={"name": called}, value=value, preemption_policy="Never", opts=replaced(opts, "value")
    )


def critical_pods(
    name: str, namespace: str, pods: int, priorities: Sequence[str], opts: pulumi.ResourceOptions
) -> k8s.core.v1.ResourceQuota:
    """GKE admits pods of the critical priorities outside kube-system only where a quota names them."""
    scope: k8s.core.v1.ScopedResourceSelectorRequirementArgsDict = {
        "scope_name": "PriorityClass",
        "operator": "In",
        "values": list(priorities),
    }
    return k8s.core.v1.ResourceQuota(
        name,
        metadata={"name": "critical-pods", "namespace": namespace},
        spec={"hard": {"pods": str(pods)}, "scope_selector": {"match_expressions": [scope]}},
        opts=opts,
    )

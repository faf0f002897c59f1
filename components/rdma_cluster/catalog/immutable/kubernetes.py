"""Kubernetes: what an API server refuses to change."""

from ..machine import Source
from .record import Fixed

_DATE = "2026-11-21"
_NAMES = ("metadata.name", "metadata.namespace")
_VALIDATION = "github.com/kubernetes/kubernetes v1.36 pkg/apis"


def _fixed(file: str, *inputs: str) -> Fixed:
    return Fixed((*_NAMES, *inputs), Source(f"{_VALIDATION}/{file}", _DATE))


ANY = Fixed(_NAMES, Source(f"{_VALIDATION}/core/validation: ValidateObjectMetaUpdate", _DATE))
"""Of every object."""

FIXED = {
    # It is another cluster; what ran on the old one cannot run on.
    "pulumi:providers:kubernetes": Fixed(
        ("clusterIdentifier",), Source("github.com/pulumi/pulumi-kubernetes v4.32.0 provider.go: DiffConfig", _DATE)
    ),
    "kubernetes:helm.sh/v3:Release": Fixed(
        ("name", "namespace"), Source("github.com/pulumi/pulumi-kubernetes v4.32.0 helm_release.go: Diff", _DATE)
    ),
    "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate": _fixed("resource/validation", "spec"),
    "kubernetes:apps/v1:DaemonSet": _fixed("apps/validation", "spec.selector"),
    "kubernetes:apps/v1:Deployment": _fixed("apps/validation", "spec.selector"),
    "kubernetes:batch/v1:Job": _fixed(
        "batch/validation", "spec.template", "spec.completions", "spec.completionMode", "spec.selector"
    ),
    # Nobody refuses a new spec, and no operator runs a job anew for it.
    "kubernetes:kubeflow.org/v2beta1:MPIJob": _fixed("none; kubeflow/mpi-operator@v0.8.2 runs a job once", "spec"),
    "kubernetes:core/v1:Service": _fixed("core/validation", "spec.clusterIP", "spec.clusterIPs"),
    "kubernetes:core/v1:ResourceQuota": _fixed("core/validation", "spec.scopeSelector", "spec.scopes"),
    "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding": _fixed("rbac/validation", "roleRef"),
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding": _fixed("rbac/validation", "roleRef"),
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition": Fixed(
        (*_NAMES, "spec.group", "spec.scope", "spec.names.plural"),
        Source("github.com/kubernetes/apiextensions-apiserver v0.36 pkg/apis/apiextensions/validation", _DATE),
    ),
}

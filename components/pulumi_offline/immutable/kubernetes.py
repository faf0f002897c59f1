"""Kubernetes: what an API server refuses to change."""

from ..source import Source
from .record import Fixed

_DATE = "2026-11-21"
_NAMES = ("metadata.name", "metadata.namespace")
_VALIDATION = "github.com/kubernetes/kubernetes v1.36 pkg/apis"
_IMMUTABLE = "field is immutable"
_PROVIDER = "github.com/pulumi/pulumi-kubernetes@cafe8c4 provider/pkg/provider/diff.go"


def _fixed(*inputs: str, role: str = "") -> Fixed:
    """The provider makes another object for these inputs."""
    return Fixed((*_NAMES, *inputs), Source(_PROVIDER, _DATE), role=role)


def _refused(file: str, *inputs: str, words: str = _IMMUTABLE) -> Fixed:
    """The provider asks to change these inputs, and the API server refuses."""
    return Fixed(_NAMES, Source(f"{_VALIDATION}/{file}", _DATE), refused=dict.fromkeys(inputs, words))


ANY = _fixed()
"""The row of every object without one of its own."""

# fmt: off
FIXED = {
    # It is another cluster; what ran on the old one cannot run on.
    "pulumi:providers:kubernetes": Fixed(
        ("clusterIdentifier",), Source("github.com/pulumi/pulumi-kubernetes v4.32.0 provider.go: DiffConfig", _DATE)),
    "kubernetes:helm.sh/v3:Release": Fixed(
        ("name", "namespace"), Source("github.com/pulumi/pulumi-kubernetes v4.32.0 helm_release.go: Diff", _DATE)),
    "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate": _refused("resource/validation", "spec"),
    "kubernetes:apps/v1:DaemonSet": _fixed("spec.selector"),
    "kubernetes:apps/v1:Deployment": _fixed("spec.selector"),
    "kubernetes:batch/v1:Job": Fixed(
        (*_NAMES, "spec.completions", "spec.parallelism", "spec.selector", "spec.template"),
        Source(f"{_PROVIDER}; {_VALIDATION}/batch/validation", _DATE), refused={"spec.completionMode": _IMMUTABLE}),
    # Nobody refuses a new spec, and no operator runs a job anew for it.
    "kubernetes:kubeflow.org/v2beta1:MPIJob": _refused(
        "none; kubeflow/mpi-operator@v0.8.2", "spec", words="nothing: the operator runs a job once"),
    # Unless a provider is told that they may change.
    "kubernetes:core/v1:ConfigMap": _fixed("data", "binaryData"),
    "kubernetes:core/v1:Service": Fixed((*_NAMES, "spec.clusterIP"),
        Source(f"{_PROVIDER}; {_VALIDATION}/core/validation", _DATE),
        refused={"spec.clusterIPs": "may not change once set"}),
    "kubernetes:core/v1:PersistentVolume": _fixed("spec.csi"),
    "kubernetes:core/v1:PersistentVolumeClaim": _fixed("spec", role="volume claim"),
    "kubernetes:core/v1:ResourceQuota": _fixed("spec.scopes"),
    "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding": _fixed("roleRef"),
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding": _fixed("roleRef"),
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition": Fixed(_NAMES,
        Source("github.com/kubernetes/apiextensions-apiserver v0.36 pkg/apis/apiextensions/validation", _DATE),
        refused=dict.fromkeys(("spec.group", "spec.scope", "spec.names.plural"), _IMMUTABLE)),
}
# fmt: on

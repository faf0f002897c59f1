"""What the API server refuses of every object, and of those that hold no pods."""

from typing import Any

from ..source import Source
from ..unknowns import known
from .kubernetes_pods import CONSTRAINTS as POD_CONSTRAINTS, apis
from .predicates import at_most, each, form, get, has, holds, length, matches, once, unique, values
from .record import Constraint, Inputs

_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_VALUE = "([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"
# What is named by a path segment alone, as `system:node`, may have more in it.
_ROLES = "kubernetes:rbac.authorization.k8s.io/"
_RELEASE = "kubernetes:helm.sh/v3:Release"
_ANNOTATION_BYTES = 256 * 1024
_DATA_BYTES = 1024 * 1024
_DEVICES = "spec.spec.devices"
BUILT_IN_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")


def _library(file: str) -> Source:
    return Source(f"github.com/kubernetes/apimachinery v0.36.3 pkg/{file}", "2026-11-21")


def _helm(file: str) -> Source:
    return Source(f"github.com/helm/helm v3.21.1 pkg/{file}", "2026-11-21")


_CONTENT = _library("util/validation/validation.go")
_DRA = apis("resource/validation/validation.go")


def _named(name: str) -> Inputs:
    return {"metadata": {"name": name}}


def _annotations_fit(inputs: Inputs) -> bool:
    annotations = get(inputs, "metadata.annotations", {})
    return sum(len(key) + len(str(value).encode()) for key, value in annotations.items()) <= _ANNOTATION_BYTES


def _data_fits(inputs: Inputs) -> bool:
    data = {**get(inputs, "data", {}), **get(inputs, "binaryData", {})}
    return sum(len(str(value).encode()) for value in data.values()) <= _DATA_BYTES


def _has_ports(inputs: Inputs) -> bool:
    headless = get(inputs, "spec.clusterIP") == "None" or get(inputs, "spec.type") == "ExternalName"
    return headless or has(inputs, "spec.ports")


def _names_requests(inputs: Inputs) -> bool:
    names = values(inputs, f"{_DEVICES}.requests.name")
    references = [name for key in ("constraints", "config") for name in values(inputs, f"{_DEVICES}.{key}.requests")]
    return all(name.partition("/")[0] in names for name in references)


def every(token: str) -> tuple[Constraint, ...]:
    """The constraints of every object."""
    if token == _RELEASE:
        return ()
    free = unique(token, "metadata.name", "metadata.namespace")
    exists = Constraint('KIND "NAME" already exists', _library("api/errors/errors.go"), free)
    return (*_COMMON, *(() if token.startswith(_ROLES) else (_NAME,)), exists)


# fmt: off
_NAME = Constraint("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'",
    _CONTENT, form("metadata.name", f"(?=.{{1,253}}$){_SUBDOMAIN}", _named("gpu-nodes"), _named("GPU")))
_COMMON = (
    Constraint("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'",
        _library("api/validate/content/kube.go"),
        holds("metadata.labels",
            lambda obj: all(matches(_VALUE, text) for text in get(obj, "metadata.labels", {}).values() if known(text)),
            {"metadata": {"labels": {"team": "a-1"}}},
            {"metadata": {"labels": {"team": "a b"}}})),
    Constraint("Too long: may not be more than 262144 bytes", _library("api/validation/objectmeta.go"),
        holds("metadata.annotations", _annotations_fit, {"metadata": {"annotations": {"a": "b"}}},
            {"metadata": {"annotations": {"a": "b" * _ANNOTATION_BYTES}}})),
)
# fmt: on


def _list_of_32(path: str) -> Constraint:
    return Constraint("Too many: must have at most 32 items", _DRA, at_most(path, 32, {}))


def _claim(*requests: Inputs, **devices: Any) -> Inputs:
    return {"spec": {"spec": {"devices": {"requests": list(requests), **devices}}}}


def _selected(expression: str) -> Inputs:
    return _claim({"exactly": {"selectors": [{"cel": {"expression": expression}}]}})


# fmt: off
CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    **POD_CONSTRAINTS,
    "kubernetes:core/v1:Namespace": (
        Constraint("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'", _CONTENT,
            form("metadata.name", _LABEL, _named("team-a"), _named("team.a"))),
        Constraint('namespaces "default" already exists', apis("core: the namespaces that every API server makes"),
            each("metadata.name", lambda name: name not in BUILT_IN_NAMESPACES, _named("team-a"), _named("default"))),
    ),
    "kubernetes:core/v1:ConfigMap": (
        Constraint("Too long: may not be more than 1048576 bytes", apis("core/validation/validation.go"),
            holds("data", _data_fits, {"data": {"a": "b"}}, {"data": {"a": "b" * (_DATA_BYTES + 1)}})),
        Constraint("a valid config key must consist of alphanumeric characters, '-', '_' or '.'", _CONTENT,
            holds("data", lambda obj: all(matches("[-._a-zA-Z0-9]{1,253}", key) for key in get(obj, "data", {})),
                {"data": {"run.sh": ""}}, {"data": {"bin/run": ""}})),
    ),
    "kubernetes:core/v1:Service": (
        Constraint("spec.ports: Required value", apis("core/validation/validation.go"),
            holds("spec.ports", _has_ports, {"spec": {"clusterIP": "None"}}, {"spec": {"selector": {"a": "b"}}})),
        Constraint(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic",
            _CONTENT, form("metadata.name", "[a-z]([-a-z0-9]{0,61}[a-z0-9])?", _named("nccl"), _named("1-nccl"))),
    ),
    "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate": (
        *(_list_of_32(f"{_DEVICES}.{key}") for key in ("requests", "constraints", "config")),
        Constraint("Duplicate value", _DRA,
            once(f"{_DEVICES}.requests", "name", [{"name": "gpu-0"}, {"name": "gpu-1"}])),
        Constraint("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'", _CONTENT,
            form(f"{_DEVICES}.requests.name", _LABEL, _claim({"name": "gpu-0"}), _claim({"name": "gpu.0"}))),
        Constraint("must be greater than zero", _DRA,
            each(f"{_DEVICES}.requests.exactly.count", lambda count: count > 0,
                _claim({"exactly": {"count": 1}}), _claim({"exactly": {"count": 0}}))),
        Constraint(
            "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
            _DRA,
            holds(f"{_DEVICES}.constraints", _names_requests,
                _claim({"name": "a"}, constraints=[{"requests": ["a"]}]),
                _claim({"name": "a"}, constraints=[{"requests": ["b"]}]))),
        Constraint("Too long: may not be more than 10240 bytes", _DRA,
            length(f"{_DEVICES}.requests.exactly.selectors.cel.expression", 1, 10 * 1024,
                _selected("true"), _selected(""))),
    ),
    "kubernetes:resource.k8s.io/v1:DeviceClass": (_list_of_32("spec.selectors"),),
    _RELEASE: (
        Constraint("invalid release name, must match regex REGEX and the length must not be longer than 53",
            _helm("chartutil/validate_name.go"),
            form("name", f"(?=.{{1,53}}$){_SUBDOMAIN}", "gpu-operator", "gpu_operator")),
        Constraint("cannot re-use a name that is still in use", _helm("action/install.go"),
            unique(_RELEASE, "name", "namespace")),
    ),
}

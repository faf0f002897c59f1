"""What the API server refuses of every object, and of those that hold no pods."""

from ...catalog.machine import Source
from ...offline.later import known
from .forms import at, at_most, distinct, each, form, get, has, holds, length, matches, unique
from .kubernetes_pods import RULES as POD_RULES
from .kubernetes_pods import apis
from .record import Inputs, Rule
from .there import Made

_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_VALUE = "([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?"
# What is named by a path segment alone, as `system:node`, may have more in it.
_ROLES = "kubernetes:rbac.authorization.k8s.io/"
_RELEASE = "kubernetes:helm.sh/v3:Release"
_ANNOTATION_BYTES = 256 * 1024
_DATA_BYTES = 1024 * 1024
_DEVICES = "spec.spec.devices"
THERE_ALREADY = ("default", "kube-system", "kube-public", "kube-node-lease")


def _library(file: str) -> Source:
    return Source(f"github.com/kubernetes/apimachinery v0.36.3 pkg/{file}", "2026-11-21")


def _helm(file: str) -> Source:
    return Source(f"github.com/helm/helm v3.21.1 pkg/{file}", "2026-11-21")


_CONTENT = _library("util/validation/validation.go")
_DRA = apis("resource/validation/validation.go")


def _named(name: str) -> Inputs:
    return {"metadata": {"name": name}}


def _labels_fit(inputs: Inputs) -> bool:
    return all(matches(_VALUE, value) for value in get(inputs, "metadata.labels", {}).values() if known(value))


def _annotations_fit(inputs: Inputs) -> bool:
    annotations = get(inputs, "metadata.annotations", {})
    return sum(len(key) + len(str(value).encode()) for key, value in annotations.items()) <= _ANNOTATION_BYTES


def _data_fits(inputs: Inputs) -> bool:
    data = {**get(inputs, "data", {}), **get(inputs, "binaryData", {})}
    return sum(len(str(value).encode()) for value in data.values()) <= _DATA_BYTES


def _keys_have_a_form(inputs: Inputs) -> bool:
    return all(matches("[-._a-zA-Z0-9]{1,253}", key) for key in get(inputs, "data", {}))


def _has_ports(inputs: Inputs) -> bool:
    headless = get(inputs, "spec.clusterIP") == "None" or get(inputs, "spec.type") == "ExternalName"
    return headless or has(inputs, "spec.ports")


def _request_names(inputs: Inputs) -> list[str]:
    return [name for _, name in at(inputs, f"{_DEVICES}.requests.name")]


def _names_requests(inputs: Inputs) -> bool:
    names = set(_request_names(inputs))
    named = [name for key in ("constraints", "config") for _, name in at(inputs, f"{_DEVICES}.{key}.requests")]
    return all(name.partition("/")[0] in names for name in named)


def every(token: str) -> tuple[Rule, ...]:
    """The rules of every object."""
    if token == _RELEASE:
        return ()
    return (*_COMMON, *(() if token.startswith(_ROLES) else (_NAME,)), _free(token))


_NAME = Rule(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'",
    _CONTENT,
    form("metadata.name", f"(?=.{{1,253}}$){_SUBDOMAIN}"),
    _named("gpu-nodes"),
    _named("GPU"),
)
_COMMON = (
    Rule(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'",
        _library("api/validate/content/kube.go"),
        holds("metadata.labels", _labels_fit),
        {"metadata": {"labels": {"team": "a-1"}}},
        {"metadata": {"labels": {"team": "a b"}}},
    ),
    Rule(
        "Too long: may not be more than 262144 bytes",
        _library("api/validation/objectmeta.go"),
        holds("metadata.annotations", _annotations_fit),
        {"metadata": {"annotations": {"a": "b"}}},
        {"metadata": {"annotations": {"a": "b" * _ANNOTATION_BYTES}}},
    ),
)


def _free(token: str) -> Rule:
    return Rule(
        'KIND "NAME" already exists',
        _library("api/errors/errors.go"),
        unique(token, "metadata.name", "metadata.namespace"),
        _named("b"),
        _named("a"),
        (Made(token, _named("a")),),
    )


def _templates(limit: int, key: str, what: Inputs) -> Rule:
    """How many entries a list of a claim has at the most."""
    return Rule(
        f"Too many: must have at most {limit} items",
        _DRA,
        at_most(f"{_DEVICES}.{key}", limit),
        {"spec": {"spec": {"devices": {key: [what] * limit}}}},
        {"spec": {"spec": {"devices": {key: [what] * (limit + 1)}}}},
    )


def _claim(*names: str) -> Inputs:
    return {"spec": {"spec": {"devices": {"requests": [{"name": name} for name in names]}}}}


RULES: dict[str, tuple[Rule, ...]] = {
    **POD_RULES,
    "kubernetes:core/v1:Namespace": (
        Rule(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'",
            _CONTENT,
            form("metadata.name", _LABEL),
            _named("team-a"),
            _named("team.a"),
        ),
        Rule(
            'namespaces "default" already exists',
            apis("core: the namespaces that every API server makes"),
            each("metadata.name", lambda name: name not in THERE_ALREADY),
            _named("team-a"),
            _named("default"),
        ),
    ),
    "kubernetes:core/v1:ConfigMap": (
        Rule(
            "Too long: may not be more than 1048576 bytes",
            apis("core/validation/validation.go"),
            holds("data", _data_fits),
            {"data": {"a": "b"}},
            {"data": {"a": "b" * (_DATA_BYTES + 1)}},
        ),
        Rule(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            _CONTENT,
            holds("data", _keys_have_a_form),
            {"data": {"run.sh": ""}},
            {"data": {"bin/run": ""}},
        ),
    ),
    "kubernetes:core/v1:Service": (
        Rule(
            "spec.ports: Required value",
            apis("core/validation/validation.go"),
            holds("spec.ports", _has_ports),
            {"spec": {"clusterIP": "None"}},
            {"spec": {"selector": {"a": "b"}}},
        ),
        Rule(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic",
            _CONTENT,
            form("metadata.name", "[a-z]([-a-z0-9]{0,61}[a-z0-9])?"),
            _named("nccl"),
            _named("1-nccl"),
        ),
    ),
    "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate": (
        _templates(32, "requests", {}),
        _templates(32, "constraints", {}),
        _templates(32, "config", {}),
        Rule(
            "Duplicate value",
            _DRA,
            holds(f"{_DEVICES}.requests", lambda inputs: distinct(_request_names(inputs))),
            _claim("gpu-0", "gpu-1"),
            _claim("gpu-0", "gpu-0"),
        ),
        Rule(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'",
            _CONTENT,
            form(f"{_DEVICES}.requests.name", _LABEL),
            _claim("gpu-0"),
            _claim("gpu.0"),
        ),
        Rule(
            "must be greater than zero",
            _DRA,
            each(f"{_DEVICES}.requests.exactly.count", lambda count: count > 0),
            {"spec": {"spec": {"devices": {"requests": [{"exactly": {"count": 1}}]}}}},
            {"spec": {"spec": {"devices": {"requests": [{"exactly": {"count": 0}}]}}}},
        ),
        Rule(
            "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
            _DRA,
            holds(f"{_DEVICES}.constraints", _names_requests),
            {"spec": {"spec": {"devices": {"requests": [{"name": "a"}], "constraints": [{"requests": ["a"]}]}}}},
            {"spec": {"spec": {"devices": {"requests": [{"name": "a"}], "constraints": [{"requests": ["b"]}]}}}},
        ),
        Rule(
            "Too long: may not be more than 10240 bytes",
            _DRA,
            length(f"{_DEVICES}.requests.exactly.selectors.cel.expression", 1, 10 * 1024),
            {
                "spec": {
                    "spec": {"devices": {"requests": [{"exactly": {"selectors": [{"cel": {"expression": "true"}}]}}]}}
                }
            },
            {"spec": {"spec": {"devices": {"requests": [{"exactly": {"selectors": [{"cel": {"expression": ""}}]}}]}}}},
        ),
    ),
    "kubernetes:resource.k8s.io/v1:DeviceClass": (
        Rule(
            "Too many: must have at most 32 items",
            _DRA,
            at_most("spec.selectors", 32),
            {"spec": {"selectors": [{}] * 32}},
            {"spec": {"selectors": [{}] * 33}},
        ),
    ),
    _RELEASE: (
        Rule(
            "invalid release name, must match regex REGEX and the length must not be longer than 53",
            _helm("chartutil/validate_name.go"),
            form("name", f"(?=.{{1,53}}$){_SUBDOMAIN}"),
            {"name": "gpu-operator"},
            {"name": "gpu_operator"},
        ),
        Rule(
            "cannot re-use a name that is still in use",
            _helm("action/install.go"),
            unique(_RELEASE, "name", "namespace"),
            {"name": "b", "namespace": "n"},
            {"name": "a", "namespace": "n"},
            (Made(_RELEASE, {"name": "a", "namespace": "n"}),),
        ),
    ),
}

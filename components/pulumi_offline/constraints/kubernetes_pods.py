"""What the API server refuses of objects that hold a pod."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from ..source import Source
from ..unknowns import known
from .predicates import at, distinct, get, has, holds
from .record import Constraint, ExistingResources, Inputs, Limit

_POD = "spec.template.spec"
_UNITS = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def apis(file: str) -> Source:
    """A file of the API server's own types."""
    return Source(f"github.com/kubernetes/kubernetes v1.36.3 pkg/apis/{file}", "2026-11-21")


_SOURCE = apis("core/validation/validation.go")


def _pod(**spec: Any) -> Inputs:
    return {"spec": {"template": {"spec": spec}}}


def _containers(inputs: Inputs) -> Iterator[tuple[str, Any]]:
    for kind in ("initContainers", "containers"):
        yield from at(inputs, f"{_POD}.{kind}")


def _among(path: str, listed: str) -> Callable[[Inputs, ExistingResources], Iterator[str]]:
    """Every name at a path of a container stands in a list of the pod."""

    def check(inputs: Inputs, _: ExistingResources) -> Iterator[str]:
        names = {name for _, name in at(inputs, f"{_POD}.{listed}.name")}
        for where, container in _containers(inputs):
            yield from (f"{where}.{below}" for below, name in at(container, path) if name not in names)

    return check


def _amount(quantity: Any) -> float | None:
    """A quantity as a number; ``None`` where its unit is another."""
    parts = re.fullmatch(r"(\d+(?:\.\d+)?)(m|[kMGT]|[KMGT]i)?", str(quantity))
    return float(parts[1]) * _UNITS[parts[2] or ""] if parts else None


def _requests_within_limits(inputs: Inputs, _: ExistingResources) -> Iterator[str]:
    """No request is above its limit; of extended resources both are alike."""
    for where, container in _containers(inputs):
        limits = get(container, "resources.limits", {})
        for name, quantity in get(container, "resources.requests", {}).items():
            request, limit = _amount(quantity), _amount(limits.get(name))
            extended = "/" in name
            if (extended and name not in limits) or (
                request is not None and limit is not None and (request != limit if extended else request > limit)
            ):
                yield f"{where}.resources.requests.{name}"


def _ports(inputs: Inputs, _: ExistingResources) -> Iterator[str]:
    """A port is 1 to 65535, or the name of one of the container's."""
    for where, container in _containers(inputs):
        own = {port.get("name") for port in container.get("ports", [])}
        asked = [(path, port) for path, port in at(container, "ports.containerPort")]
        for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
            for way in ("httpGet", "tcpSocket", "grpc"):
                asked += [(path, port) for path, port in at(container, f"{kind}.{way}.port")]
        for path, port in asked:
            if known(port) and not (port in own if isinstance(port, str) else 1 <= port <= 65535):
                yield f"{where}.{path}"


def _selected(inputs: Inputs) -> bool:
    labels = get(inputs, "spec.template.metadata.labels", {})
    selector = get(inputs, "spec.selector.matchLabels", {})
    return all(labels.get(key) == value for key, value in selector.items() if known(value))


def _restarts(*policies: str) -> Callable[[Inputs], bool]:
    """The pod's restart policy, which is Always unless it is set."""
    return lambda inputs: not has(inputs, _POD) or get(inputs, f"{_POD}.restartPolicy", "Always") in policies


def _indexed(inputs: Inputs) -> bool:
    return get(inputs, "spec.completionMode") == "Indexed"


def _index_fits(inputs: Inputs) -> bool:
    name, completions = get(inputs, "metadata.name"), get(inputs, "spec.completions", 0)
    return not (_indexed(inputs) and name and completions) or len(f"{name}-{completions - 1}") <= 63


def _one(**container: Any) -> Inputs:
    return _pod(containers=[{"name": "a", **container}])


# fmt: off
_COMMON = (
    Constraint("Duplicate value", _SOURCE,
        holds(f"{_POD}.containers", lambda obj: distinct(each.get("name") for _, each in _containers(obj)),
            _pod(containers=[{"name": "a"}, {"name": "b"}]), _pod(containers=[{"name": "a"}, {"name": "a"}]))),
    Constraint("Not found", _SOURCE,
        Limit(_among("volumeMounts.name", "volumes"),
            _pod(containers=[{"name": "a", "volumeMounts": [{"name": "v"}]}], volumes=[{"name": "v"}]),
            _one(volumeMounts=[{"name": "v"}]))),
    Constraint("must be one of the names in pod.spec.resourceClaims", _SOURCE,
        Limit(_among("resources.claims.name", "resourceClaims"),
            _pod(containers=[{"name": "a", "resources": {"claims": [{"name": "c"}]}}], resourceClaims=[{"name": "c"}]),
            _one(resources={"claims": [{"name": "c"}]}))),
    Constraint("must be between 1 and 65535, inclusive", _SOURCE,
        Limit(_ports,
            _one(ports=[{"name": "metrics", "containerPort": 65535}], readinessProbe={"httpGet": {"port": "metrics"}},
                livenessProbe={"tcpSocket": {"port": 1}}),
            _one(livenessProbe={"httpGet": {"port": -1}}))),
    Constraint("must be less than or equal to RESOURCE limit of LIMIT", _SOURCE,
        Limit(_requests_within_limits,
            _one(resources={"requests": {"cpu": "100m", "example.com/gpu": "8"}, "limits": {"example.com/gpu": "8"}}),
            _one(resources={"requests": {"memory": "2Gi"}, "limits": {"memory": "1024Mi"}}))),
)
_LABELS = {"metadata": {"labels": {"app": "a"}}}
_SELECTOR = Constraint("`selector` does not match template `labels`", apis("apps/validation/validation.go"),
    holds("spec.selector", _selected,
        {"spec": {"selector": {"matchLabels": {"app": "a"}}, "template": _LABELS}},
        {"spec": {"selector": {"matchLabels": {"app": "b"}}, "template": _LABELS}}))
_ALWAYS = Constraint('Unsupported value: supported values: "Always"', apis("apps/validation/validation.go"),
    holds(f"{_POD}.restartPolicy", _restarts("Always"), _pod(restartPolicy="Always"), _pod(restartPolicy="Never")))

CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    **dict.fromkeys(("kubernetes:apps/v1:DaemonSet", "kubernetes:apps/v1:Deployment"), (*_COMMON, _SELECTOR, _ALWAYS)),
    "kubernetes:batch/v1:Job": (
        *_COMMON,
        Constraint('valid values: "OnFailure", "Never"', apis("batch/validation/validation.go"),
            holds(f"{_POD}.restartPolicy", _restarts("OnFailure", "Never"), _pod(restartPolicy="Never"), _one())),
        Constraint("Required value: when completion mode is Indexed", apis("batch/validation/validation.go"),
            holds("spec.completions", lambda job: not _indexed(job) or has(job, "spec.completions"),
                {"spec": {"completionMode": "Indexed", "completions": 2}}, {"spec": {"completionMode": "Indexed"}})),
        Constraint("will not able to create pod with invalid DNS label", apis("batch/validation/validation.go"),
            holds("metadata.name", _index_fits,
                {"metadata": {"name": "nccl"}, "spec": {"completionMode": "Indexed", "completions": 2}},
                {"metadata": {"name": "n" * 62}, "spec": {"completionMode": "Indexed", "completions": 2}})),
    ),
}

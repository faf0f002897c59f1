"""What the policies do to a pod, in Python: for people who want to see it, and for tests that compare."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .expressions import ONE_CLAIM, RAILS
from .pattern import VERSION_LABEL, Pattern, shape_name
from .policies import NOT_GIVEN, Scope, templates_of, unknown
from .shapes import GPU

Pod = dict[str, Any]
"""A Pod, or the template of pods in a Job and the like: ``metadata`` and ``spec``."""


@dataclass(frozen=True)
class Injected:
    """What becomes of a pod."""

    pod: Pod
    """As it is where it did not ask, or is refused."""
    refusals: tuple[str, ...] = ()


def pods_in(document: Any) -> Iterator[Pod]:
    """The pods in an object of any kind: itself, or the templates that it holds, however deep."""
    if isinstance(document, Mapping):
        spec = document.get("spec")
        if isinstance(spec, Mapping) and isinstance(spec.get("containers"), list):
            yield document
            return
        for part in document.values():
            yield from pods_in(part)
    elif isinstance(document, list):
        for part in document:
            yield from pods_in(part)


def inject(pod: Mapping[str, Any], patterns: Sequence[Pattern], scope: Scope) -> Injected:
    """The pod with its fabric, or the reasons why it cannot have one."""
    made = _copy(pod)
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    if not any(annotations.get(name) == "true" for name in scope.switches):
        return Injected(made)
    spec = made["spec"]
    claimed = {each.get("resourceClaimTemplateName") for each in spec.get("resourceClaims") or []}
    if not _gpus(spec) and not claimed & set(templates_of(patterns)):
        return Injected(made)
    found = [pattern for pattern in patterns if _names(spec, pattern)]
    if not found:
        return Injected(made, (unknown(patterns),))
    (given,) = found
    using = _using(spec, given)
    if not using:
        return Injected(made)
    labelled = (made["metadata"].get("labels") or {}).get(VERSION_LABEL) == given["labels"][VERSION_LABEL]
    if labelled and _has_devices(spec, given) and not (given["noHostNetwork"] and spec.get("hostNetwork")):
        return Injected(made)
    rails = annotations.get(RAILS, "")
    shapes = {name: shape_name(gpus, rails) for name, gpus in _gpus(spec).items()}
    devices = {name: given["shapes"][shape] for name, shape in shapes.items() if shape in given["shapes"]}
    refusals = tuple(_refusals(spec, given, devices, rails)) or ((NOT_GIVEN,) if labelled else ())
    if refusals:
        return Injected(made, refusals)
    _change_pod(made, given, devices, using)
    return Injected(made)


def _copy(value: Any) -> Any:
    """Of its own in every part: YAML's anchors make one part of two, and a change of one a change of the other."""
    if isinstance(value, Mapping):
        return {key: _copy(of) for key, of in value.items()}
    return [_copy(each) for each in value] if isinstance(value, list) else value


def _containers(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [*spec["containers"], *(spec.get("initContainers") or [])]


def _gpus(spec: Mapping[str, Any]) -> dict[str, str]:
    """GPUs by name of the container that asks for them."""
    asked = {c["name"]: str(((c.get("resources") or {}).get("limits") or {}).get(GPU, 0)) for c in _containers(spec)}
    return {name: gpus for name, gpus in asked.items() if gpus != "0"}


def _terms(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    return (affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms") or []


def _says(spec: Mapping[str, Any], key: str) -> bool:
    """Whether the pod says anything of a node label."""
    return key in (spec.get("nodeSelector") or {}) or any(
        x["key"] == key for term in _terms(spec) for x in term.get("matchExpressions") or []
    )


def _fits(spec: Mapping[str, Any], key: str, values: Sequence[str]) -> bool:
    """Whether the pod names one of a label's values, and no other."""
    if key in (spec.get("nodeSelector") or {}):
        return spec["nodeSelector"][key] in values
    terms = _terms(spec)
    return bool(terms) and all(
        any(
            x["key"] == key and x["operator"] == "In" and set(x.get("values") or []) <= set(values)
            for x in term.get("matchExpressions") or []
        )
        for term in terms
    )


def _names(spec: Mapping[str, Any], given: Pattern) -> bool:
    if any(_fits(spec, each["key"], each["values"]) for each in given["names"]):
        return True
    return given["only"] and not any(_says(spec, each["key"]) for each in given["names"])


def _refusals(
    spec: Mapping[str, Any], given: Pattern, devices: Mapping[str, Mapping[str, Any]], rails: str
) -> Iterator[str]:
    gpus = _gpus(spec)
    if spec.get("hostNetwork") and given["noHostNetwork"]:
        yield given["noHostNetwork"]
    for name in gpus:
        if name not in devices:
            on = f" on {rails}" if rails else ""
            yield f"container {name} asks for {gpus[name]} GPUs{on}, but {given['serves']}"
    mains = [c["name"] for c in spec["containers"] if c["name"] in devices]
    for key, most in ((each["resource"], each["most"]) for each in given["capacity"]):
        total = sum(int(devices[c]["limits"].get(key, gpus[c] if key == GPU else 0)) for c in mains)
        if total > int(most):
            yield f"its containers ask for {total} {key} together, but a node has {most}"
    by_claim = any(GPU not in each["limits"] for each in devices.values())
    if by_claim and (len(mains) > 1 or len(set(gpus.values())) > 1):
        yield ONE_CLAIM


def _has_devices(spec: Mapping[str, Any], given: Pattern) -> bool:
    """Whether each container that asks for GPUs has what these become."""
    limits = [set(each["limits"]) for each in given["shapes"].values()]
    asking = [container for container in _containers(spec) if container["name"] in _gpus(spec)]
    if not all(GPU in each for each in limits):
        return not asking
    return all(set.intersection(*limits) <= container["resources"]["limits"].keys() for container in asking)


def _using(spec: Mapping[str, Any], given: Pattern) -> set[str]:
    """Names of the containers that use GPUs: by a limit, or by a claim from one of the pool's templates."""
    templates = {each["resourceClaimTemplateName"] for each in given["resourceClaims"]}
    claims = spec.get("resourceClaims") or []
    claimed = {each["name"] for each in claims if each.get("resourceClaimTemplateName") in templates}
    own = {c["name"]: {k["name"] for k in (c.get("resources") or {}).get("claims") or []} for c in _containers(spec)}
    return set(_gpus(spec)) | {name for name, names in own.items() if names & claimed}


def _change_pod(pod: Pod, given: Pattern, devices: Mapping[str, Mapping[str, Any]], using: set[str]) -> None:
    spec, metadata = pod["spec"], pod["metadata"]
    there = {each["name"] for each in spec.get("initContainers") or []}
    sidecars = [each for each in given["sidecars"] if each["name"] not in there]
    users = [container for container in _containers(spec) if container["name"] in using]
    mounted = {mount["name"] for each in sidecars for mount in each["volumeMounts"]}
    mounted |= {name for container in users for name in _lacking_mounts(container, given["container"])}
    asked = {claim["name"] for each in devices.values() for claim in each["claims"]}
    for container in users:
        _change_container(container, given["container"], devices.get(container["name"]))

    metadata["labels"] = {**(metadata.get("labels") or {}), **given["labels"]}
    metadata["annotations"] = {**given["annotations"], **metadata["annotations"]}
    _put(spec, "initContainers", [*_copy(sidecars), *(spec.get("initContainers") or [])])
    _append(spec, "volumes", [each for each in given["volumes"] if each["name"] in mounted], "name")
    _append(spec, "resourceClaims", [each for each in given["resourceClaims"] if each["name"] in asked], "name")
    tolerations = spec.get("tolerations") or []
    missing = [each for each in given["tolerations"] if not any(_tolerates(t, each) for t in tolerations)]
    _put(spec, "tolerations", [*tolerations, *missing])
    if not any(_says(spec, each["key"]) for each in given["names"]):
        _put(spec, "nodeSelector", {**given["nodeSelector"], **(spec.get("nodeSelector") or {})})
    if given["hostNetwork"]:
        spec["hostNetwork"] = True
        if (spec.get("dnsPolicy") or "ClusterFirst") == "ClusterFirst":
            spec["dnsPolicy"] = "ClusterFirstWithHostNet"


def _put(where: dict[str, Any], key: str, value: Any) -> None:
    """Nothing is written that says nothing."""
    if value or key in where:
        where[key] = value


def _append(where: dict[str, Any], key: str, more: Sequence[Mapping[str, Any]], by: str) -> None:
    """Behind what is there, what is not."""
    there = where.get(key) or []
    known = {each.get(by) for each in there}
    _put(where, key, [*there, *(_copy(each) for each in more if each[by] not in known)])


def _lacking_mounts(container: Mapping[str, Any], adds: Mapping[str, Any]) -> set[str]:
    """Volumes that a container is going to mount."""
    there = {each["mountPath"] for each in container.get("volumeMounts") or []}
    return {each["name"] for each in adds["volumeMounts"] if each["mountPath"] not in there}


def _tolerates(own: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    if not own.get("key"):
        return True
    same = own.get("operator", "Equal") == "Exists" or own.get("value", "") == wanted.get("value", "")
    return own["key"] == wanted.get("key") and same


def _change_container(container: Pod, adds: Mapping[str, Any], devices: Mapping[str, Any] | None) -> None:
    _append(container, "env", adds["env"], "name")
    _append(container, "volumeMounts", adds["volumeMounts"], "mountPath")
    if context := adds["securityContext"]:
        own = container["securityContext"] = container.get("securityContext") or {}
        capabilities = own["capabilities"] = own.get("capabilities") or {}
        there = capabilities.get("add") or []
        more = context.get("capabilities", {}).get("add", [])
        capabilities["add"] = [*there, *(each for each in more if each not in there and "ALL" not in there)]
        if "privileged" in context:
            own.setdefault("privileged", context["privileged"])
    if devices is None:
        return
    resources, limits = container["resources"], devices["limits"]
    for key in ("limits", "requests"):
        if key in resources:
            resources[key] = {name: of for name, of in resources[key].items() if name != GPU or GPU in limits}
    resources["limits"] = {**limits, **resources["limits"]}
    _append(resources, "claims", devices["claims"], "name")

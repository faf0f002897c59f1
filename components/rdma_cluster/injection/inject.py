"""What the policies do to a pod, in Python: for people who want to see it, and for tests that compare.

It is written twice on purpose. ``cel-expr-python`` 0.1.3 does not compile 9 of the 22 expressions (it has no
``transformMapEntry``, ``sum`` or ``JSONPatch``). With functions of our own in their place it refused and changed 600
pods alike. But maps come back in hash order, so that a diff shows whole containers as changed; the API's reading
(quantities as texts, no nulls) has to be imitated and undone; it starts 50 ms later and takes nine times as long; and
the tests against an API server would lose the second opinion.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..frozen import frozen
from .device_requests import GPU
from .expressions import ONE_CLAIM, RAILS
from .pattern import VERSION_LABEL, Pattern, device_request_name
from .policies import NOT_GIVEN, Scope, templates_of, unknown

Pod = dict[str, Any]
"""A Pod, or the template of pods in a Job and the like: ``metadata`` and ``spec``."""


@frozen
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
    unchanged = Injected(_copy(pod))
    annotations, spec = _at(pod, "metadata", "annotations") or {}, pod["spec"]
    if not any(annotations.get(name) == "true" for name in scope.switches):
        return unchanged
    claimed = {each.get("resourceClaimTemplateName") for each in spec.get("resourceClaims") or []}
    if not _gpus(spec) and not claimed & set(templates_of(patterns)):
        return unchanged
    matching = [pattern for pattern in patterns if _names(spec, pattern)]
    if not matching:
        return Injected(unchanged.pod, (unknown(patterns),))
    (pattern,) = matching
    using = _using(spec, pattern)
    if not using or _is_done(pod, pattern):
        return unchanged
    rails = annotations.get(RAILS, "")
    device_requests = {name: device_request_name(gpus, rails) for name, gpus in _gpus(spec).items()}
    devices = {
        name: pattern["shapes"][device_request]
        for name, device_request in device_requests.items()
        if device_request in pattern["shapes"]
    }
    refusals = tuple(_refusals(spec, pattern, devices, rails)) or ((NOT_GIVEN,) if _is_labelled(pod, pattern) else ())
    if refusals:
        return Injected(unchanged.pod, refusals)
    changed = _copy(pod)
    _change_pod(changed, pattern, devices, using)
    return Injected(changed)


def _is_labelled(pod: Mapping[str, Any], pattern: Pattern) -> bool:
    return _at(pod, "metadata", "labels", VERSION_LABEL) == pattern["labels"][VERSION_LABEL]


def _is_done(pod: Mapping[str, Any], pattern: Pattern) -> bool:
    """Whether the pod has what the pattern gives; its label alone does not prove that."""
    in_host_network = pattern["noHostNetwork"] and pod["spec"].get("hostNetwork")
    return _is_labelled(pod, pattern) and _has_devices(pod["spec"], pattern) and not in_host_network


def _at(part: Any, *keys: str) -> Any:
    """The value below some keys; ``None`` if one of them is missing or null."""
    for key in keys:
        part = part.get(key) if part else None
    return part


def _copy(value: Any) -> Any:
    """A copy that shares no part with the original or within itself, as two aliases of YAML do."""
    if isinstance(value, Mapping):
        return {key: _copy(of) for key, of in value.items()}
    return [_copy(each) for each in value] if isinstance(value, list) else value


def _containers(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [*spec["containers"], *(spec.get("initContainers") or [])]


def _gpus(spec: Mapping[str, Any]) -> dict[str, str]:
    """GPUs by name of the container that asks for them."""
    gpus = {each["name"]: str((_at(each, "resources", "limits") or {}).get(GPU, 0)) for each in _containers(spec)}
    return {name: number for name, number in gpus.items() if number != "0"}


def _requirements(spec: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """The expressions of each term of the pod's node affinity."""
    required = _at(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    return [term.get("matchExpressions") or [] for term in _at(required, "nodeSelectorTerms") or []]


def _mentions(spec: Mapping[str, Any], key: str) -> bool:
    """Whether the pod selects nodes by a label."""
    return key in (spec.get("nodeSelector") or {}) or any(x["key"] == key for term in _requirements(spec) for x in term)


def _fits(spec: Mapping[str, Any], key: str, values: Sequence[str]) -> bool:
    """Whether the pod names one of a label's values, and no other."""
    if key in (spec.get("nodeSelector") or {}):
        return spec["nodeSelector"][key] in values
    terms = _requirements(spec)
    return bool(terms) and all(
        any(x["key"] == key and x["operator"] == "In" and set(x.get("values") or []) <= set(values) for x in term)
        for term in terms
    )


def _names(spec: Mapping[str, Any], pattern: Pattern) -> bool:
    """Whether the pod names the pattern's machine, or no machine where there is only one."""
    if any(_fits(spec, each["key"], each["values"]) for each in pattern["names"]):
        return True
    return pattern["only"] and not any(_mentions(spec, each["key"]) for each in pattern["names"])


def _refusals(
    spec: Mapping[str, Any], pattern: Pattern, devices: Mapping[str, Mapping[str, Any]], rails: str
) -> Iterator[str]:
    """Why the pod cannot be served, each in words."""
    gpus = _gpus(spec)
    if spec.get("hostNetwork") and pattern["noHostNetwork"]:
        yield pattern["noHostNetwork"]
    for name in gpus:
        if name not in devices:
            on = f" on {rails}" if rails else ""
            yield f"container {name} asks for {gpus[name]} GPUs{on}, but {pattern['serves']}"
    mains = [c["name"] for c in spec["containers"] if c["name"] in devices]
    for key, most in ((each["resource"], each["most"]) for each in pattern["capacity"]):
        total = sum(int(devices[c]["limits"].get(key, gpus[c] if key == GPU else 0)) for c in mains)
        if total > int(most):
            yield f"its containers ask for {total} {key} together, but a node has {most}"
    by_claim = any(GPU not in each["limits"] for each in devices.values())
    if by_claim and (len(mains) > 1 or len(set(gpus.values())) > 1):
        yield ONE_CLAIM


def _has_devices(spec: Mapping[str, Any], pattern: Pattern) -> bool:
    """Whether each container that asks for GPUs has what these become."""
    limits = [set(each["limits"]) for each in pattern["shapes"].values()]
    asking = [container for container in _containers(spec) if container["name"] in _gpus(spec)]
    if not all(GPU in each for each in limits):
        return not asking
    return all(set.intersection(*limits) <= container["resources"]["limits"].keys() for container in asking)


def _using(spec: Mapping[str, Any], pattern: Pattern) -> set[str]:
    """Names of the containers that use GPUs: by a limit, or by a claim from one of the pool's templates."""
    templates = {each["resourceClaimTemplateName"] for each in pattern["resourceClaims"]}
    claims = spec.get("resourceClaims") or []
    of_pool = {each["name"] for each in claims if each.get("resourceClaimTemplateName") in templates}
    return set(_gpus(spec)) | {
        container["name"]
        for container in _containers(spec)
        if any(claim["name"] in of_pool for claim in _at(container, "resources", "claims") or [])
    }


def _change_pod(pod: Pod, pattern: Pattern, devices: Mapping[str, Mapping[str, Any]], using: set[str]) -> None:
    spec, metadata = pod["spec"], pod["metadata"]
    init_containers = spec.get("initContainers") or []
    own_names = {each["name"] for each in init_containers}
    sidecars = [each for each in pattern["sidecars"] if each["name"] not in own_names]
    users = [container for container in _containers(spec) if container["name"] in using]
    mounted = {mount["name"] for each in sidecars for mount in each["volumeMounts"]}
    mounted.update(name for container in users for name in _lacking_mounts(container, pattern["container"]))
    claims = {claim["name"] for each in devices.values() for claim in each["claims"]}
    for container in users:
        _change_container(container, pattern["container"], devices.get(container["name"]))

    metadata["labels"] = {**(metadata.get("labels") or {}), **pattern["labels"]}
    metadata["annotations"] = {**pattern["annotations"], **metadata["annotations"]}
    _put(spec, "initContainers", [*_copy(sidecars), *init_containers])
    _append(spec, "volumes", [each for each in pattern["volumes"] if each["name"] in mounted], _same_name)
    _append(spec, "resourceClaims", [each for each in pattern["resourceClaims"] if each["name"] in claims], _same_name)
    _append(spec, "tolerations", pattern["tolerations"], _tolerates)
    _place(spec, pattern)


def _place(spec: dict[str, Any], pattern: Pattern) -> None:
    """The nodes and the network of the pod; its own names of the machine are enough."""
    if not any(_mentions(spec, each["key"]) for each in pattern["names"]):
        _put(spec, "nodeSelector", {**pattern["nodeSelector"], **(spec.get("nodeSelector") or {})})
    if pattern["hostNetwork"]:
        spec["hostNetwork"] = True
        if (spec.get("dnsPolicy") or "ClusterFirst") == "ClusterFirst":
            spec["dnsPolicy"] = "ClusterFirstWithHostNet"


def _put(part: dict[str, Any], key: str, value: Any) -> None:
    """An empty value is written only over another."""
    if value or key in part:
        part[key] = value


def _append(part: dict[str, Any], key: str, more: Sequence[Any], same: Callable[[Any, Any], bool]) -> None:
    """Put behind a list the items that it lacks."""
    own = part.get(key) or []
    _put(part, key, [*own, *(_copy(item) for item in more if not any(same(each, item) for each in own))])


def _same_name(own: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return own.get("name") == wanted["name"]


def _tolerates(own: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    if not own.get("key"):
        return True
    same = own.get("operator", "Equal") == "Exists" or own.get("value", "") == wanted.get("value", "")
    return own["key"] == wanted.get("key") and same


def _lacking_mounts(container: Mapping[str, Any], additions: Mapping[str, Any]) -> set[str]:
    """Volumes that a container is going to mount."""
    own_paths = {each["mountPath"] for each in container.get("volumeMounts") or []}
    return {each["name"] for each in additions["volumeMounts"] if each["mountPath"] not in own_paths}


def _change_container(container: Pod, additions: Mapping[str, Any], devices: Mapping[str, Any] | None) -> None:
    _append(container, "env", additions["env"], _same_name)
    mounts = additions["volumeMounts"]
    _append(container, "volumeMounts", mounts, lambda own, wanted: own["mountPath"] == wanted["mountPath"])
    if additions["securityContext"]:
        _change_context(container, additions["securityContext"])
    if devices is None:
        return
    resources, limits = container["resources"], devices["limits"]
    for key in ("limits", "requests"):
        if key in resources:
            resources[key] = {name: of for name, of in resources[key].items() if name != GPU or GPU in limits}
    resources["limits"] = {**limits, **resources["limits"]}
    _append(resources, "claims", devices["claims"], _same_name)


def _change_context(container: Pod, additions: Mapping[str, Any]) -> None:
    context = container["securityContext"] = container.get("securityContext") or {}
    capabilities = context["capabilities"] = context.get("capabilities") or {}
    capabilities["add"] = capabilities.get("add") or []
    more = _at(additions, "capabilities", "add") or []
    _append(capabilities, "add", more, lambda own, wanted: own in (wanted, "ALL"))
    if "privileged" in additions:
        context.setdefault("privileged", additions["privileged"])

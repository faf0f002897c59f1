"""What the policies do to a pod, in Python: for people who want to see it, and for tests that compare.

It is written twice on purpose. ``cel-expr-python`` 0.1.3 does not compile 9 of the 22 expressions (it has no
``transformMapEntry``, ``sum`` or ``JSONPatch``). With functions of our own in their place it refused and changed 600
pods alike. But maps come back in hash order, so that a diff shows whole containers as changed; the API's reading
(quantities as texts, no nulls) has to be imitated and undone; it starts 50 ms later and takes nine times as long; and
the tests against an API server would lose the second opinion.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pulumi_offline.frozen import frozen
from .device_requests import GPU
from .expressions import RAILS
from .pattern import VERSION_LABEL, Pattern, device_request_name
from .pod import at, containers_of, copy, gpus_of, mentions, names, using_gpus
from .policies import NOT_GIVEN, Scope, templates_of, unknown
from .refusal_expressions import REPLACE
from .refusals import is_of_others, refusals_of

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
    unchanged = Injected(copy(pod))
    annotations, spec = at(pod, "metadata", "annotations") or {}, pod["spec"]
    if not _asks(annotations, scope):
        return unchanged
    claimed = {each.get("resourceClaimTemplateName") for each in spec.get("resourceClaims") or []}
    if not gpus_of(spec) and not claimed & set(templates_of(patterns)):
        return unchanged
    matching = [pattern for pattern in patterns if names(spec, pattern)]
    if not matching:
        return Injected(unchanged.pod, (unknown(patterns), *scope.way_out))
    (pattern,) = matching
    using = using_gpus(spec, pattern)
    if not using or _is_done(pod, pattern):
        return unchanged
    rails = annotations.get(RAILS, "")
    device_requests = {name: device_request_name(gpus, rails) for name, gpus in gpus_of(spec).items()}
    devices = {
        name: pattern["shapes"][device_request]
        for name, device_request in device_requests.items()
        if device_request in pattern["shapes"]
    }
    replaces = REPLACE in [annotations.get(name) for name in scope.switches]
    if refusals := tuple(refusals_of(pod, pattern, devices, rails, replaces)):
        return Injected(unchanged.pod, (*refusals, *scope.way_out))
    if _is_labelled(pod, pattern):
        return Injected(unchanged.pod, (NOT_GIVEN,))
    changed = copy(pod)
    if replaces:
        _take_away(changed, pattern)
    _change_pod(changed, pattern, devices, using)
    return Injected(changed)


def _asks(annotations: Mapping[str, str], scope: Scope) -> bool:
    said = [annotations.get(name, "") for name in scope.switches]
    return "false" not in said if scope.every_pod else bool({"true", REPLACE} & set(said))


def _is_labelled(pod: Mapping[str, Any], pattern: Pattern) -> bool:
    return at(pod, "metadata", "labels", VERSION_LABEL) == pattern["labels"][VERSION_LABEL]


def _is_done(pod: Mapping[str, Any], pattern: Pattern) -> bool:
    """Whether the pod has what the pattern gives; its label alone does not prove that."""
    in_host_network = pattern["noHostNetwork"] and pod["spec"].get("hostNetwork")
    return _is_labelled(pod, pattern) and _has_devices(pod["spec"], pattern) and not in_host_network


def _has_devices(spec: Mapping[str, Any], pattern: Pattern) -> bool:
    """Whether each container that asks for GPUs has what these become."""
    limits = [set(each["limits"]) for each in pattern["shapes"].values()]
    asking = [container for container in containers_of(spec) if container["name"] in gpus_of(spec)]
    if not all(GPU in each for each in limits):
        return not asking
    return all(set.intersection(*limits) <= container["resources"]["limits"].keys() for container in asking)


def _change_pod(pod: Pod, pattern: Pattern, devices: Mapping[str, Mapping[str, Any]], using: set[str]) -> None:
    spec = pod["spec"]
    metadata = pod["metadata"] = pod.get("metadata") or {}
    init_containers = spec.get("initContainers") or []
    own_names = {each["name"] for each in init_containers}
    sidecars = [each for each in pattern["sidecars"] if each["name"] not in own_names]
    users = [container for container in containers_of(spec) if container["name"] in using]
    mounted = {mount["name"] for each in sidecars for mount in each["volumeMounts"]}
    mounted.update(name for container in users for name in _lacking_mounts(container, pattern["container"]))
    claims = {claim["name"] for each in devices.values() for claim in each["claims"]}
    for container in users:
        _change_container(container, pattern, devices.get(container["name"]))

    metadata["labels"] = {**(metadata.get("labels") or {}), **pattern["labels"]}
    metadata["annotations"] = {**pattern["annotations"], **(metadata.get("annotations") or {})}
    _put(spec, "initContainers", [*copy(sidecars), *init_containers])
    _append(spec, "volumes", [each for each in pattern["volumes"] if each["name"] in mounted], _same_name)
    _append(spec, "resourceClaims", [each for each in pattern["resourceClaims"] if each["name"] in claims], _same_name)
    _append(spec, "tolerations", pattern["tolerations"], _tolerates)
    _place(spec, pattern)


def _take_away(pod: Pod, pattern: Pattern) -> None:
    """Remove requests for NICs in the words of other fabrics, from the containers that ask for GPUs."""
    annotations, gpus = pod["metadata"]["annotations"], gpus_of(pod["spec"])
    for each in pattern["otherNics"]["networks"]:
        if each["name"] in annotations.get(each["annotation"], ""):
            del annotations[each["annotation"]]
    for container in (each for each in containers_of(pod["spec"]) if each["name"] in gpus):
        for key, asked in container["resources"].items():
            if key in ("limits", "requests") and asked:
                container["resources"][key] = {
                    name: of for name, of in asked.items() if not is_of_others(name, pattern)
                }


def _place(spec: dict[str, Any], pattern: Pattern) -> None:
    """The nodes and the network of the pod; its own names of the machine are enough."""
    if not any(mentions(spec, each["key"]) for each in pattern["names"]):
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
    _put(part, key, [*own, *(copy(item) for item in more if not any(same(each, item) for each in own))])


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


def _change_container(container: Pod, pattern: Pattern, devices: Mapping[str, Any] | None) -> None:
    additions, folders = pattern["container"], pattern["folders"]
    for own in container.get("env") or []:
        ours = folders.get(own["name"])
        if ours and "value" in own and ours not in own["value"]:
            own["value"] = f"{ours}:{own['value']}" if own["value"] else ours
    _append(container, "env", additions["env"], _same_name)
    mounts = additions["volumeMounts"]
    _append(container, "volumeMounts", mounts, lambda own, wanted: own["mountPath"] == wanted["mountPath"])
    if additions["securityContext"]:
        _change_context(container, additions["securityContext"])
    if devices is None:
        return
    resources, limits = container["resources"], devices["limits"]
    for key in ("limits", "requests"):
        if resources.get(key):
            resources[key] = {name: of for name, of in resources[key].items() if name != GPU or GPU in limits}
    resources["limits"] = {**limits, **resources["limits"]}
    _append(resources, "claims", devices["claims"], _same_name)


def _change_context(container: Pod, additions: Mapping[str, Any]) -> None:
    context = container["securityContext"] = container.get("securityContext") or {}
    capabilities = context["capabilities"] = context.get("capabilities") or {}
    capabilities["add"] = capabilities.get("add") or []
    more = at(additions, "capabilities", "add") or []
    _append(capabilities, "add", more, lambda own, wanted: own in (wanted, "ALL"))
    if "privileged" in additions:
        context.setdefault("privileged", additions["privileged"])

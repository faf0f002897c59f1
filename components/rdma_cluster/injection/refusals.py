"""Why a pod cannot be served, in Python; ``refusal_expressions.py`` is the same in CEL."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .device_requests import GPU
from .pattern import PLUGIN_VARIABLE, Pattern
from .pod import at, containers_of, gpus_of, using_gpus
from .refusal_expressions import ONE_CLAIM, OR_REPLACE, UNPRIVILEGED


def refusals_of(
    pod: Mapping[str, Any], pattern: Pattern, devices: Mapping[str, Mapping[str, Any]], rails: str, replaces: bool
) -> Iterator[str]:
    """Why the pod cannot be served, each in words."""
    spec = pod["spec"]
    gpus = gpus_of(spec)
    yield from _other_nics(pod, pattern, replaces)
    if spec.get("hostNetwork") and pattern["noHostNetwork"]:
        yield pattern["noHostNetwork"]
    for name in gpus:
        if name not in devices:
            on = f" on {rails}" if rails else ""
            yield f"container {name} asks for {gpus[name]} GPU{'s' * (gpus[name] != '1')}{on}, but {pattern['serves']}"
    mains = [c["name"] for c in spec["containers"] if c["name"] in devices]
    for key, most in ((each["resource"], each["most"]) for each in pattern["capacity"]):
        total = sum(int(devices[c]["limits"].get(key, gpus[c])) for c in mains)  # claims have no limits
        if total > int(most):
            yield f"its containers ask for {total} {key} together, but a node has {most}"
    using = using_gpus(spec, pattern)
    users = [container for container in containers_of(spec) if container["name"] in using]
    for container in users:
        if says := _unfit(container, pattern):
            yield f"container {container['name']} runs {container['image']}, {says}"
    if pattern["container"]["securityContext"].get("privileged"):
        forbidding = (each for each in users if False in _privileges(each))
        yield from (f"container {each['name']}{UNPRIVILEGED}" for each in forbidding)
    by_claim = any(GPU not in each["limits"] for each in devices.values())
    if by_claim and (len(mains) > 1 or len(set(gpus.values())) > 1):
        yield ONE_CLAIM


def is_of_others(resource: str, pattern: Pattern) -> bool:
    """Whether other fabrics hand out NICs by a resource."""
    other = pattern["otherNics"]
    return resource.startswith(tuple(other["resources"])) and resource not in other["own"]


def _other_nics(pod: Mapping[str, Any], pattern: Pattern, replaces: bool) -> Iterator[str]:
    """Requests for NICs that no node serves."""
    spec, other = pod["spec"], pattern["otherNics"]
    come, gpus = other["come"] + OR_REPLACE, gpus_of(spec)
    for each in containers_of(spec):
        asked = [key for key in at(each, "resources", "limits") or {} if is_of_others(key, pattern)]
        if asked and not (replaces and each["name"] in gpus):
            yield f"container {each['name']} asks for {', '.join(asked)}{come}"
    annotations = at(pod, "metadata", "annotations") or {}
    for each in other["networks"]:
        if not replaces and each["name"] in (annotations.get(each["annotation"]) or ""):
            yield f"annotation {each['annotation']} names the network {each['name']}{come}"
    for volume in spec.get("volumes") or [] if other["hostPath"] else []:
        path = at(volume, "hostPath", "path") or ""
        if path.startswith(other["hostPath"]):
            yield f"volume {volume['name']} is {path} of the host{other['come']}"


def _unfit(container: Mapping[str, Any], pattern: Pattern) -> str:
    """Why the container's image cannot use the NICs; empty where that is not known."""
    if any(each["name"] == PLUGIN_VARIABLE for each in container.get("env") or []):
        return ""
    return why_unfit(container.get("image") or "", pattern["unfit"])


def why_unfit(reference: str, rows: Iterable[Mapping[str, str]]) -> str:
    """Why an image cannot use the NICs, by the rows of a pattern; empty where that is not known."""
    image = f"{reference}:".replace("@", ":")
    lacks = (
        each["says"] for each in rows if image.startswith(each["start"]) and not (each["but"] and each["but"] in image)
    )
    return next(lacks, "")


def _privileges(container: Mapping[str, Any]) -> list[Any]:
    return [at(container, "securityContext", key) for key in ("privileged", "allowPrivilegeEscalation")]

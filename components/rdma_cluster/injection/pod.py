"""What a pod says, as the API would read it."""

from collections.abc import Mapping, Sequence
from typing import Any

from .device_requests import GPU
from .pattern import Pattern


def at(part: Any, *keys: str) -> Any:
    """The value below some keys; ``None`` if one of them is missing or null."""
    for key in keys:
        part = part.get(key) if part else None
    return part


def copy(value: Any) -> Any:
    """A copy that shares no part with the original or within itself, as two aliases of YAML do."""
    if isinstance(value, Mapping):
        return {key: copy(of) for key, of in value.items()}
    return [copy(each) for each in value] if isinstance(value, list) else value


def containers_of(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [*spec["containers"], *(spec.get("initContainers") or [])]


def gpus_of(spec: Mapping[str, Any]) -> dict[str, str]:
    """GPUs by name of the container that asks for them."""
    gpus = {each["name"]: str((at(each, "resources", "limits") or {}).get(GPU, 0)) for each in containers_of(spec)}
    return {name: number for name, number in gpus.items() if number != "0"}


def _requirements(spec: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """The expressions of each term of the pod's node affinity."""
    required = at(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    return [term.get("matchExpressions") or [] for term in at(required, "nodeSelectorTerms") or []]


def mentions(spec: Mapping[str, Any], key: str) -> bool:
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


def names(spec: Mapping[str, Any], pattern: Pattern) -> bool:
    """Whether the pod names the pattern's machine, or no machine where there is only one."""
    if any(_fits(spec, each["key"], each["values"]) for each in pattern["names"]):
        return True
    return pattern["only"] and not any(mentions(spec, each["key"]) for each in pattern["names"])


def using_gpus(spec: Mapping[str, Any], pattern: Pattern) -> set[str]:
    """Names of the containers that use GPUs: by a limit, or by a claim from one of the pool's templates."""
    templates = {each["resourceClaimTemplateName"] for each in pattern["resourceClaims"]}
    claims = spec.get("resourceClaims") or []
    of_pool = {each["name"] for each in claims if each.get("resourceClaimTemplateName") in templates}
    return set(gpus_of(spec)) | {
        container["name"]
        for container in containers_of(spec)
        if any(claim["name"] in of_pool for claim in at(container, "resources", "claims") or [])
    }

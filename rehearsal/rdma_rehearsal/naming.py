"""Names: those that a provider makes up, and the path by which a cloud knows a resource."""

from collections.abc import Mapping
from secrets import token_hex
from typing import Any

from pulumi_offline import sdk
from pulumi_offline.constraints.kubernetes import BUILT_IN_NAMESPACES
from .cloud import Cloud, Inputs, Path


def named(cloud: Cloud, token: str, name: str, inputs: Inputs, before: Inputs) -> dict[str, Any]:
    """Inputs with the name that the provider gives where the program gives none; once given it stays."""
    if cloud.package == "kubernetes":
        return _named_object(token, name, inputs, before)
    key = _name_key(cloud, token)
    if key is None or inputs.get(key) is not None:
        return dict(inputs)
    return {**inputs, key: before.get(key) or f"{name}-{token_hex(4)[:7]}"}


def _named_object(token: str, name: str, inputs: Inputs, before: Inputs) -> dict[str, Any]:
    if token.endswith("helm.sh/v3:Release"):
        return {**inputs, "name": inputs.get("name") or before.get("name") or f"{name}-{token_hex(4)}"}
    metadata = inputs.get("metadata") or {}
    if not isinstance(metadata, Mapping) or metadata.get("name") or metadata.get("generateName"):
        return dict(inputs)
    made_up = (before.get("metadata") or {}).get("name") or f"{name}-{token_hex(4)}"
    return {**inputs, "metadata": {**metadata, "name": made_up}}


def _name_key(cloud: Cloud, token: str) -> str | None:
    if token in cloud.name_key:
        return cloud.name_key[token]
    cls = sdk.resource_class(token) if cloud.any_name else None
    args = sdk.args_class(cls) if cls else None
    return "name" if args is not None and "name" in sdk.properties(args) else None


def label(cloud: Cloud, token: str, name: str, inputs: Inputs) -> str:
    """A name that only this resource has: the one that the provider made up, or one that nobody else sees."""
    key = _name_key(cloud, token)
    current = str(inputs.get(key, "")) if key else ""
    made_up = current.startswith(f"{name}-") and len(current) == len(name) + 8
    return current if made_up else f"{name}-{token_hex(4)[:7]}"


def paths(cloud: Cloud, token: str, inputs: Inputs, home: Path) -> tuple[Path, Path]:
    """The paths of a resource and of what contains it, or empty; ``home`` is the provider's region or cluster."""
    if cloud.package == "kubernetes":
        return _object_paths(token, inputs, home)
    if (how := cloud.named.get(token)) is None:
        return (), ()
    values = tuple(str(inputs.get(key, "")) for key in how.keys)
    own = (cloud.package, token, *home, *values)
    if not how.within:
        return own, ()
    return own, (cloud.package, how.within, *home, *values[:-1])


def _object_paths(token: str, inputs: Inputs, cluster: Path) -> tuple[Path, Path]:
    kind = token.rpartition(":")[2]
    if kind.endswith("Patch"):
        return (), cluster
    metadata = inputs.get("metadata") or {}
    source = inputs if token.endswith("helm.sh/v3:Release") else metadata
    name, namespace = str(source.get("name", "")), str(source.get("namespace") or "")
    if kind == "Namespace":
        return (*cluster, "Namespace", name), cluster
    group = token.split(":")[1].partition("/")[0]
    within = cluster if namespace in BUILT_IN else (*cluster, "Namespace", namespace)
    return (*cluster, f"{group}:{kind}", namespace, name), within


BUILT_IN = frozenset({"", *BUILT_IN_NAMESPACES})
"""Namespaces that a cluster has from the beginning, and none."""

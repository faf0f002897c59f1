"""What a pool's nodes are, as a digest: the acceptance test of a pool is a test of its nodes."""

import json
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import TYPE_CHECKING, Any

from ..base.args import is_output
from ..catalog import Machine
from ..fabrics import Fabric
from .pools import PoolPlan

if TYPE_CHECKING:
    from ..incluster.plan.pool import InClusterPool

RELEASED_AS = "released as"
"""The metadata of a field that was renamed after a release: ``field(metadata={RELEASED_AS: "nodes"})``."""
NOT_DIGESTED = {"not digested": True}
"""The metadata of a field that holds no part of a node, or holds what the digest never had in a release."""
_ON_THE_SAME_NODES = {
    "nodes",
    "min_nodes",
    "begun",
    "labels",
    "auto_repair",
    "create_minutes",
    "warnings",
    "held",
    "max_unavailable",
}
"""Fields that a cloud changes without replacing a pool's nodes; another number of nodes keeps those there are."""


def fingerprint(plan: PoolPlan, place: Mapping[str, object]) -> str:
    """A digest of all that gives a pool other nodes when it changes: its plan, and its place such as zone and subnets.

    It is made of values by their names, and of no name of a class or a module, since a proof outlives the code that
    asked for it. A field that has its default is left out, so that a further one tests no pool anew. A cloud empties
    those fields of a place that no node is in.
    """
    nodes = {key: value for key, value in _fields(plan).items() if key not in _ON_THE_SAME_NODES}
    return sha256(json.dumps([nodes, _named(place)], sort_keys=True).encode()).hexdigest()[:16]


def listed(plan: PoolPlan, digest: str, skip_reason: str = "") -> "InClusterPool":
    """The pool as components inside its cluster list it, where a program composes them by hand."""
    pool: InClusterPool = {
        "name": plan.name,
        "machine": plan.machine.name,
        "nodes": plan.nodes,
        "fabric": plan.fabric.name,
        "gpu_allocation": plan.gpu_allocation,
        "fingerprint": digest,
    }
    if skip_reason:
        pool["skip_reason"] = skip_reason
    return pool


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a record that a digest has, where they have another value than their default."""
    return {
        each.metadata.get(RELEASED_AS, each.name): _named(value)
        for each in fields(record)
        if not NOT_DIGESTED.keys() & each.metadata.keys() and (value := getattr(record, each.name)) != each.default
    }


def _named(value: Any) -> Any:
    """A value as JSON. Raises ``TypeError`` for one that JSON cannot tell."""
    match value:
        case Enum():
            return value.value
        case Machine() | Fabric():
            return value.name
        case Mapping():
            return {str(key): _named(of) for key, of in value.items()}
        case list() | tuple():
            return [_named(each) for each in value]
        case Set():
            return sorted(_named(each) for each in value)
        case IPv4Address() | IPv4Network() | IPv6Address() | IPv6Network():
            return str(value)
        case None | str() | int() | float():
            return value
    if is_dataclass(value):
        return _fields(value)
    if is_output(value):
        return "known later"
    raise TypeError(f"{type(value).__name__} has no form that stays; a fingerprint is made of named values")

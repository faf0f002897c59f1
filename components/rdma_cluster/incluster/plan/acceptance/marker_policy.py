"""Marks on suspected nodes: who sets them, by which credentials, and what an admission policy holds that account to."""

from collections.abc import Mapping, Sequence
from typing import Any

from rdma_agent.names import ATTEMPTS, FABRIC_LABEL, MEASURED, PROOF, STARTUP_TAINT, TESTS_NAMESPACE
from ..rights import denying, holding, requests, rule

NAME = "rdma-acceptance-marker"
MARKER = "nccl-marker"
"""Service account, ClusterRole and its binding."""
MARKER_RULES = [rule("", "nodes", "get", "patch")]
"""They name no node: which ones are suspected is known only when the test has run. ``spec`` narrows them."""
TOLERATION = {"key": FABRIC_LABEL, "operator": "Exists", "effect": "NoSchedule"}
"""Toleration of the test's own pods: a marked node is tested again, and cleared when it passes."""
STARTUP_TOLERATION = {"key": STARTUP_TAINT, "operator": "Exists", "effect": "NoSchedule"}
"""Toleration of whatever makes a node ready, and of what tests it."""
CREDENTIALS = "/var/run/secrets/kubernetes.io/serviceaccount"
_SOURCES = [
    {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}},
    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
]
CREDENTIALS_VOLUME: dict[str, Any] = {"name": "credentials", "projected": {"sources": _SOURCES}}
"""A token, mounted into the container that judges alone: what runs the test has none."""


def unchanged(of: str, fields: Mapping[str, str]) -> str:
    """Whether a change leaves these fields of a part as they are; each has the value that stands for none."""
    return " && ".join(
        f"object.{of}.?{field}.orValue({empty}) == oldObject.{of}.?{field}.orValue({empty})"
        for field, empty in fields.items()
    )


_STATUS = {
    **dict.fromkeys(("capacity", "allocatable", "daemonEndpoints", "nodeInfo", "config", "features"), "{}"),
    **dict.fromkeys(("addresses", "images", "volumesInUse", "volumesAttached", "runtimeHandlers"), "[]"),
    "declaredFeatures": "[]",
    "phase": "''",
}
"""Fields of a node's status but its conditions (k8s.io/api v0.36.3 core/v1 types.go, NodeStatus), with their empty
values."""
SAME_STATUS = unchanged("status", _STATUS)
"""Whether a change of a node's status is one of its conditions alone."""


def _one_of(name: str, keys: Sequence[str]) -> str:
    return " || ".join(f"{name} == '{key}'" for key in keys)


def _none_of(name: str, keys: Sequence[str]) -> str:
    return " && ".join(f"{name} != '{key}'" for key in keys)


def _others(of: str, keys: Sequence[str]) -> str:
    return f"{of}.spec.?taints.orValue([]).filter(t, {_none_of('t.key', keys)})"


def _kept(one: str, other: str, field: str, keys: Sequence[str]) -> str:
    """Whether ``other`` has every label or annotation of ``one`` but ours, with its value."""
    there = f"{other}.metadata.?{field}.orValue({{}})"
    had = f"{one}.metadata.?{field}.orValue({{}})"
    return f"{had}.all(k, {_one_of('k', keys)} || (k in {there} && {there}[k] == {had}[k]))"


def _both(field: str, keys: Sequence[str]) -> str:
    return f"{_kept('object', 'oldObject', field, keys)} && {_kept('oldObject', 'object', field, keys)}"


def spec(namespace: str = TESTS_NAMESPACE, account: str = MARKER, *, holds: bool = False) -> dict[str, Any]:
    """Spec of the policy. ``holds``: nodes are held until they are proven, and the account writes proofs, too.

    The API itself changes no address or provider of a node.
    """
    taints = (FABRIC_LABEL, STARTUP_TAINT) if holds else (FABRIC_LABEL,)
    effects = _none_of("t.key", taints)
    annotations = (
        _both("annotations", (PROOF, MEASURED, ATTEMPTS)) if holds else unchanged("metadata", {"annotations": "{}"})
    )
    rules = {
        "no other taint": f"{_others('object', taints)} == {_others('oldObject', taints)}",
        "no pod evicted": "object.spec.?taints.orValue([]).all(t, "
        + (f"({effects})" if holds else effects)
        + " || t.effect == 'NoSchedule')",
        "no other label": _both("labels", (FABRIC_LABEL,)),
        "nothing else": " && ".join(
            (
                unchanged("spec", {"unschedulable": "false"}),
                annotations,
                unchanged("metadata", {"finalizers": "[]"}),
                "has(object.metadata.ownerReferences) == has(oldObject.metadata.ownerReferences)",
            )
        ),
    }
    words = f"{account} sets and clears {FABRIC_LABEL} alone"
    return holding((account, namespace), [requests("", "nodes", "UPDATE")], words, rules)


def spec_of_status(namespace: str, account: str, condition: str) -> dict[str, Any]:
    """Spec of a policy that lets an account write one condition of a node's status."""
    others = [
        f"{of}.status.?conditions.orValue([]).filter(c, c.type != '{condition}')" for of in ("object", "oldObject")
    ]
    words = f"{account} writes the condition {condition} alone"
    rules = {"no other condition": " == ".join(others), "nothing else": SAME_STATUS}
    return holding((account, namespace), [requests("", "nodes/status", "UPDATE")], words, rules)


BINDING = denying(NAME)

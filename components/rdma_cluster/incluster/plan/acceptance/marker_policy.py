"""What the account that marks nodes may change of them: a role knows no fields, an admission policy does."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....fabrics.rollout import STARTUP_KEY
from .node_taints import KEY, MARKER
from .pod import NAMESPACE

NAME = "rdma-acceptance-marker"
ANNOTATIONS = ("rdma-cluster/proof", "rdma-cluster/prover")
"""As in ``in_pod/proof.py``."""


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


def spec(namespace: str = NAMESPACE, account: str = MARKER, *, holds: bool = False) -> dict[str, Any]:
    """Of a ValidatingAdmissionPolicy, v1 since Kubernetes 1.30. ``holds``: nodes are held until they are proven, and
    the account writes proofs, too. The API itself changes no address or provider of a node."""
    taints = (KEY, STARTUP_KEY) if holds else (KEY,)
    effects = _none_of("t.key", taints)
    annotations = _both("annotations", ANNOTATIONS) if holds else unchanged("metadata", {"annotations": "{}"})
    rules = {
        "no other taint": f"{_others('object', taints)} == {_others('oldObject', taints)}",
        "no pod evicted": "object.spec.?taints.orValue([]).all(t, "
        + (f"({effects})" if holds else effects)
        + " || t.effect == 'NoSchedule')",
        "no other label": _both("labels", (KEY,)),
        "nothing else": " && ".join(
            (
                unchanged("spec", {"unschedulable": "false"}),
                annotations,
                unchanged("metadata", {"finalizers": "[]"}),
                "has(object.metadata.ownerReferences) == has(oldObject.metadata.ownerReferences)",
            )
        ),
    }
    words = f"{account} sets and clears {KEY} alone"
    return _policy("nodes", namespace, account, {f"{words}: {what}": rule for what, rule in rules.items()})


def spec_of_status(namespace: str, account: str, condition: str) -> dict[str, Any]:
    """The same for what an account may write of a node's status: one condition."""
    others = [
        f"{of}.status.?conditions.orValue([]).filter(c, c.type != '{condition}')" for of in ("object", "oldObject")
    ]
    words = f"{account} writes the condition {condition} alone"
    rules = {f"{words}: no other condition": " == ".join(others), f"{words}: nothing else": SAME_STATUS}
    return _policy("nodes/status", namespace, account, rules)


def _policy(resource: str, namespace: str, account: str, rules: Mapping[str, str]) -> dict[str, Any]:
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": [resource]}
            ]
        },
        "matchConditions": [
            {
                "name": account,
                "expression": f"request.userInfo.username == 'system:serviceaccount:{namespace}:{account}'",
            }
        ],
        "validations": [{"expression": rule, "message": message} for message, rule in rules.items()],
    }


BINDING: dict[str, Any] = {"policyName": NAME, "validationActions": ["Deny"]}

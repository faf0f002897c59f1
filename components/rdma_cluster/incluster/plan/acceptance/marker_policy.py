"""What the account that marks nodes may change of them: a role knows no fields, an admission policy does."""

from typing import Any

from .node_taints import KEY, MARKER
from .pod import NAMESPACE

NAME = "rdma-acceptance-marker"


def _unchanged(field: str, default: str) -> str:
    return f"object.{field}.orValue({default}) == oldObject.{field}.orValue({default})"


def _others(of: str) -> str:
    return f"{of}.spec.?taints.orValue([]).filter(t, t.key != '{KEY}')"


def _kept(one: str, other: str) -> str:
    """Whether ``other`` has every label of ``one`` but ours, with its value."""
    labels = f"{other}.metadata.?labels.orValue({{}})"
    had = f"{one}.metadata.?labels.orValue({{}})"
    return f"{had}.all(k, k == '{KEY}' || (k in {labels} && {labels}[k] == {had}[k]))"


_RULES = {
    "no other taint": f"{_others('object')} == {_others('oldObject')}",
    "no pod evicted": f"object.spec.?taints.orValue([]).all(t, t.key != '{KEY}' || t.effect == 'NoSchedule')",
    "no other label": f"{_kept('object', 'oldObject')} && {_kept('oldObject', 'object')}",
    "nothing else": " && ".join(
        (
            _unchanged("spec.?unschedulable", "false"),
            _unchanged("metadata.?annotations", "{}"),
            _unchanged("metadata.?finalizers", "[]"),
            "has(object.metadata.ownerReferences) == has(oldObject.metadata.ownerReferences)",
        )
    ),
}

SPEC: dict[str, Any] = {
    "failurePolicy": "Fail",
    "matchConstraints": {
        "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["nodes"]}]
    },
    "matchConditions": [
        {"name": MARKER, "expression": f"request.userInfo.username == 'system:serviceaccount:{NAMESPACE}:{MARKER}'"}
    ],
    "validations": [
        {"expression": rule, "message": f"{MARKER} sets and clears {KEY} alone: {what}"}
        for what, rule in _RULES.items()
    ],
}
"""Of a ValidatingAdmissionPolicy, v1 since Kubernetes 1.30. The API itself changes no address or provider of a node."""
BINDING: dict[str, Any] = {"policyName": NAME, "validationActions": ["Deny"]}

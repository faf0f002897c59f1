"""What accounts may do: rules of their roles, and admission policies, which know the fields that a role knows not."""

from collections.abc import Mapping, Sequence
from typing import Any


def rule(group: str, resources: str, *verbs: str) -> dict[str, Any]:
    """A rule of a Role or a ClusterRole; ``resources`` are words."""
    return {"apiGroups": [group], "resources": resources.split(), "verbs": list(verbs)}


def requests(group: str, resources: str, *operations: str, version: str = "v1") -> dict[str, Any]:
    """The requests that a policy looks at; ``resources`` are words."""
    matched = {"apiGroups": [group], "apiVersions": [version], "operations": list(operations)}
    return {**matched, "resources": resources.split()}


def holding(
    account: tuple[str, str], looks_at: Sequence[Mapping[str, Any]], words: str, checks: Mapping[str, str]
) -> dict[str, Any]:
    """Spec of a ValidatingAdmissionPolicy, v1 since Kubernetes 1.30, on what an account, by name and namespace, asks.

    ``checks`` are expressions by what a message says after ``words``.
    """
    name, namespace = account
    user = f"request.userInfo.username == 'system:serviceaccount:{namespace}:{name}'"
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {"resourceRules": list(looks_at)},
        "matchConditions": [{"name": name, "expression": user}],
        "validations": [{"expression": check, "message": f"{words}: {what}"} for what, check in checks.items()],
    }


def denying(policy: str, **limits: Any) -> dict[str, Any]:
    """Spec of the binding that puts a policy in force; ``limits`` say where."""
    return {"policyName": policy, "validationActions": ["Deny"], **limits}

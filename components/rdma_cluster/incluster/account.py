"""Accounts of pods that look after others, with the few rights that they take."""

from collections.abc import Sequence
from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s

from ..component import waiting_for

_RBAC = "rbac.authorization.k8s.io"


def account_with(
    name: str, called: str, namespace: str, rules: Sequence[dict[str, Any]], inside: pulumi.ResourceOptions
) -> k8s.rbac.v1.RoleBinding:
    """An account that may do what ``rules`` say in its own namespace; pods that run as it come after the result.

    Account, Role and RoleBinding are all ``called`` the same.
    """
    metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": called, "namespace": namespace}
    account = k8s.core.v1.ServiceAccount(name, metadata=metadata, opts=inside)
    role = k8s.rbac.v1.Role(name, metadata=metadata, rules=policy_rules(rules), opts=inside)
    return role_binding(name, metadata, "Role", called, (called, namespace), waiting_for(inside, [account, role]))


def role_binding(
    name: str,
    metadata: "k8s.meta.v1.ObjectMetaArgsDict",
    kind: str,
    role: str,
    account: tuple[str, str],
    opts: pulumi.ResourceOptions,
) -> k8s.rbac.v1.RoleBinding:
    """Gives an account, by name and namespace, a Role or ClusterRole in the namespace of ``metadata``."""
    return k8s.rbac.v1.RoleBinding(
        name,
        metadata=metadata,
        role_ref={"api_group": _RBAC, "kind": kind, "name": role},
        subjects=[{"kind": "ServiceAccount", "name": account[0], "namespace": account[1]}],
        opts=opts,
    )


def cluster_binding(
    name: str, role: str, account: str, namespace: str, opts: pulumi.ResourceOptions
) -> k8s.rbac.v1.ClusterRoleBinding:
    """Gives an account of some namespace a ClusterRole everywhere. The binding is called as the role is."""
    return k8s.rbac.v1.ClusterRoleBinding(
        name,
        metadata={"name": role},
        role_ref={"api_group": _RBAC, "kind": "ClusterRole", "name": role},
        subjects=[{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
        opts=opts,
    )


def policy_rules(rules: Sequence[dict[str, Any]]) -> "list[k8s.rbac.v1.PolicyRuleArgsDict]":
    """Rules of a plan, as the SDK types them."""
    return cast("list[k8s.rbac.v1.PolicyRuleArgsDict]", list(rules))

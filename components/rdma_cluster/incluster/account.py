"""The account of pods that look after others, with the few rights it takes."""

from collections.abc import Sequence
from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s

from ..component import waiting_for

_RBAC = "rbac.authorization.k8s.io"


def account_with(
    name: str, called: str, namespace: str, rules: Sequence[dict[str, Any]], inside: pulumi.ResourceOptions
) -> k8s.rbac.v1.RoleBinding:
    """An account that may do what ``rules`` say in its own namespace; whoever runs as it comes after what is returned.

    Account, Role and RoleBinding are all ``called`` the same.
    """
    metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": called, "namespace": namespace}
    account = k8s.core.v1.ServiceAccount(name, metadata=metadata, opts=inside)
    role = k8s.rbac.v1.Role(
        name, metadata=metadata, rules=cast("list[k8s.rbac.v1.PolicyRuleArgsDict]", list(rules)), opts=inside
    )
    return k8s.rbac.v1.RoleBinding(
        name,
        metadata=metadata,
        role_ref={"api_group": _RBAC, "kind": "Role", "name": called},
        subjects=[{"kind": "ServiceAccount", "name": called, "namespace": namespace}],
        opts=waiting_for(inside, [account, role]),
    )

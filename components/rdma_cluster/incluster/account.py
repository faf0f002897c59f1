"""Accounts of pods that look after others, with the few rights that they take."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s
from pulumi_offline.frozen import frozen
from ..component.frame import waiting_for
from .plan.rights import denying

_RBAC = "rbac.authorization.k8s.io"


@frozen
class Admission:
    """A ValidatingAdmissionPolicy with its binding, in the API's own form."""

    name: str
    suffix: str
    """What follows the component's name in the logical name of both."""
    spec: Mapping[str, Any]
    binding: Mapping[str, Any] | None = None
    """Spec of its binding; ``None`` where it holds everywhere."""


@frozen
class Confined:
    """An account with few rights, and what holds it to them."""

    account: pulumi.Resource
    bound: list[pulumi.Resource]
    """Bindings of its policies."""
    rights: pulumi.Resource
    """Gives it its rights; pods that run as the account come after it."""


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


def confined_account(
    name: str,
    account: tuple[str, str],
    rules: Sequence[dict[str, Any]],
    policies: Sequence[Admission],
    inside: pulumi.ResourceOptions,
    after: Sequence[pulumi.Resource] | None = None,
) -> Confined:
    """An account, by name and namespace, that may do what ``rules`` say everywhere, as far as ``policies`` let it.

    Where there is an ``after``, that and the account come before its policies and its rights.
    """
    called, namespace = account
    made = k8s.core.v1.ServiceAccount(name, metadata={"name": called, "namespace": namespace}, opts=inside)
    late = inside if after is None else waiting_for(inside, [made, *after])
    role = k8s.rbac.v1.ClusterRole(name, metadata={"name": called}, rules=policy_rules(rules), opts=late)
    bound = [admission_policy(name, policy, late) for policy in policies]
    # It has the right only while the policies hold it.
    rights = cluster_binding(name, called, called, namespace, waiting_for(late, [made, role, *bound]))
    return Confined(made, bound, rights)


def admission_policy(name: str, policy: Admission, opts: pulumi.ResourceOptions) -> pulumi.Resource:
    """A ValidatingAdmissionPolicy and its binding, which is returned: the policy holds once that is there."""
    admission = k8s.admissionregistration.v1
    logical = f"{name}{policy.suffix}"
    metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": policy.name}
    spec, binding = cast("Any", policy.spec), cast("Any", policy.binding or denying(policy.name))
    made = admission.ValidatingAdmissionPolicy(logical, metadata=metadata, spec=spec, opts=opts)
    bound = waiting_for(opts, [made])
    return admission.ValidatingAdmissionPolicyBinding(logical, metadata=metadata, spec=binding, opts=bound)


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

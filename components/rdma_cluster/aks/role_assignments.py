"""The roles that Azure grants to the identities and to the administrators of an AKS cluster."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import pulumi
from pulumi_azure_native import authorization, containerservice
from ..component.frame import Opts
from .plan.access import AksPrincipalType
from .plan.cluster import AksClusterPlan
from .plan.zones import resource_group_of

T = TypeVar("T")

# Azure's built-in roles by their fixed ids: github.com/MicrosoftDocs/azure-docs built-in-roles/, 2026-11-21.
NETWORK_CONTRIBUTOR = "4d97b98b-1d4f-4787-a291-c67834d212e7"
CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
MANAGED_IDENTITY_OPERATOR = "f1a07417-d97a-45cb-824c-7a7467783830"
ACR_PULL = "7f951dda-4ed3-4680-a7ca-43fe172d538d"
STORAGE_BLOB_DATA_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
KEY_VAULT_CRYPTO_USER = "12338af0-0e69-4776-bea7-57ae8d297424"
AKS_RBAC_CLUSTER_ADMIN = "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b"


def role_definition(subscription: str, role: str) -> str:
    """The full id of a role, as the API hands it back: a shorter one would differ for ever."""
    return f"/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/{role}"


# More than six parameters: those of the resource.
def grant(  # noqa: PLR0913
    name: str,
    subscription: str,
    role: str,
    principal: pulumi.Input[str],
    scope: pulumi.Input[str],
    child: Opts,
    kind: AksPrincipalType = AksPrincipalType.SERVICE_PRINCIPAL,
) -> pulumi.Resource:
    """Grant a role to a principal. With its ``kind`` Azure looks up no brand-new identity, which it cannot find yet."""
    return authorization.RoleAssignment(
        name,
        principal_id=principal,
        principal_type=kind.value,
        role_definition_id=role_definition(subscription, role),
        scope=scope,
        opts=child,
    )


def grants_of_pools(
    name: str, plan: AksClusterPlan, control: pulumi.Input[str], kubelet: pulumi.Input[str], child: Opts
) -> list[pulumi.Resource]:
    """Grant what pools need beyond the cluster: reservations that they consume, registries that they pull from.

    ``control`` and ``kubelet`` are the principals of the control plane and of the nodes.
    """
    granted, subscription = [], plan.subscription
    for place, reservation in _by_name(plan.reservations, _group_name).items():
        # AKS asks for this role on the group's resource group, not on the group: it associates its scale sets.
        # azure-aks-docs@fb060ab use-capacity-reservation-groups.md
        scope = pulumi.Output.from_input(reservation).apply(resource_group_of)
        granted.append(grant(f"{name}-reservation-{place}", subscription, CONTRIBUTOR, control, scope, child))
    for each, registry in _by_name(plan.container_registries, _last_name).items():
        granted.append(grant(f"{name}-registry-{each}", subscription, ACR_PULL, kubelet, registry, child))
    return granted


def admins(
    name: str, plan: AksClusterPlan, cluster: containerservice.ManagedCluster, child: Opts
) -> list[pulumi.Resource]:
    """The role assignments of the cluster's administrators."""
    return [
        grant(
            f"{name}-admin-{who}",
            plan.subscription,
            AKS_RBAC_CLUSTER_ADMIN,
            admin["id"],
            cluster.id,
            child,
            AksPrincipalType(admin.get("type", AksPrincipalType.GROUP)),
        )
        for who, admin in _by_name(plan.admins, lambda admin: admin["id"]).items()
    ]


def _by_name(items: Sequence[T], name_of: Callable[[T], object]) -> dict[str, T]:
    """Items by name, so that one that comes or goes renames no other, and each stands there once.

    An item that is known only later goes by its place.
    """
    named = [(name_of(item), item) for item in items]
    return {name if isinstance(name, str) else str(i): item for i, (name, item) in enumerate(named)}


def _last_name(resource: object) -> object:
    """The name at the end of a resource id, in lower case, since Azure compares names without regard to case."""
    return resource.rpartition("/")[2].lower() if isinstance(resource, str) else None


def _group_name(resource: object) -> object:
    """The resource group in a resource id, with the begin of its subscription, which may hold another of that name."""
    if not isinstance(resource, str):
        return None
    _, _, subscription, _, group, *_ = resource.split("/")
    return f"{subscription[:8]}-{group}".lower()

"""Who enters an AKS cluster, from where, and by which login."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, NotRequired

from typing_extensions import TypedDict

from ...args import Link, args_schema
from ...common import addresses
from ...common.names import check_once
from ...errors import ErrorList
from .zones import check_uuid


class AksEndpoint(str, Enum):
    """How the Kubernetes API is reached."""

    PRIVATE = "private"
    """By its address in the virtual network, or from what is connected with it."""
    PUBLIC = "public"
    """From ``public_cidrs``; Entra ID decides who enters."""


class AksPrincipalType(str, Enum):
    """Kinds of Entra ID principals."""

    GROUP = "Group"
    """A group."""
    USER = "User"
    """A person."""
    SERVICE_PRINCIPAL = "ServicePrincipal"
    """An application or a managed identity."""


class AksLogin(str, Enum):
    """How ``kubelogin`` gets a token where ``pulumi up`` runs."""

    AZURE_CLI = "azurecli"
    """As the user of `az login`."""
    SERVICE_PRINCIPAL = "spn"
    """As the service principal in AZURE_CLIENT_ID and its fellows."""
    MANAGED_IDENTITY = "msi"
    """As the machine's managed identity."""
    WORKLOAD_IDENTITY = "workloadidentity"
    """By a federated token."""


_MOST_CALLERS = 200
"""Authorised ranges: azure-aks-docs@fb060ab api-server-authorized-ip-ranges.md, 2026-08-21."""


@args_schema
class AksAdmin(TypedDict):
    """Who administers the cluster."""

    id: Link
    """Object id of the principal in Entra ID."""
    type: NotRequired[AksPrincipalType]
    """Default: ``Group``."""


def check_entry(args: Mapping[str, Any], errors: ErrorList) -> None:
    """Checks the admins and the public blocks of a new cluster."""
    admins: list[AksAdmin] = args.get("admins", [])
    at = errors.at("admins")
    if not admins:
        at.add(
            "missing; list the Entra ID groups, users or service principals that administer the cluster, whoever runs "
            "pulumi up among them, e.g. {id: 00000000-0000-0000-0000-000000000000, type: Group}"
        )
    check_once([admin["id"] for admin in admins], "admin", "id", at)
    for i, admin in enumerate(admins):
        check_uuid(admin["id"], "the principal's object id", at.at(i, "id"))
    public = args.get("endpoint", AksEndpoint.PRIVATE) == AksEndpoint.PUBLIC
    cidrs = args.get("public_cidrs", [])
    addresses.check_callers(public, cidrs, errors.at("public_cidrs"), ": AKS opens it to everybody", _MOST_CALLERS)

"""Who enters an AKS cluster, from where, and by which login."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from typing_extensions import TypedDict
from ...base.args import Choice, Link, args_schema
from ...common import addresses
from ...common.names import check_once
from .network import AksOutbound
from .zones import check_uuid

# azure-aks-docs@fb060ab api-server-authorized-ip-ranges.md, limitations, 2026-08-03
_MOST_RANGES = 200


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


@args_schema
class AksAdmin(TypedDict):
    """Who administers the cluster."""

    id: Link
    """Object id of the principal in Entra ID."""
    type: NotRequired[Choice[AksPrincipalType]]
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
    cidrs = args.get("public_cidrs", [])
    addresses.check_callers(is_public(args), cidrs, errors.at("public_cidrs"), ": AKS opens it to everybody")


def check_egress(args: Mapping[str, Any], outbound: AksOutbound, egress: Sequence[Link], errors: ErrorList) -> None:
    """Checks the blocks by which the nodes of a new cluster leave: they reach a public endpoint from the outside.

    AKS lets in by itself what leaves by its load balancer, and nothing else: nodes behind a NAT gateway or a firewall
    that is not named never join. azure-aks-docs@fb060ab api-server-authorized-ip-ranges.md, 2026-08-03.
    """
    public, added = is_public(args), outbound == AksOutbound.LOAD_BALANCER
    if egress and not public:
        errors.add("not allowed with a private endpoint, which nodes reach from inside; remove it")
    elif egress and added:
        errors.add("not allowed with load-balancer, whose address AKS lets in by itself; remove it")
    elif public and not added and not egress:
        errors.add(
            "missing; name the public blocks by which nodes leave, those of the NAT gateway or the firewall, e.g. "
            "198.51.100.4/32: a public endpoint lets in nobody else, and nodes that do not reach it never join"
        )
    for i, block in enumerate(egress):
        addresses.check_outside(block, errors.at(i))


def check_ranges(args: Mapping[str, Any], egress: int, errors: ErrorList) -> None:
    """Checks that AKS takes the public blocks with the ``egress`` further ones by which nodes leave."""
    blocks = len(args.get("public_cidrs", []))
    if is_public(args) and blocks + egress > _MOST_RANGES:
        errors.add(
            f"got {blocks} blocks, and nodes leave by {egress}; AKS lets in {_MOST_RANGES} in all: name fewer, larger "
            "blocks, or take a private endpoint"
        )


def is_public(args: Mapping[str, Any]) -> bool:
    """Whether a new cluster's API is reached from the outside."""
    return args.get("endpoint", AksEndpoint.PRIVATE) == AksEndpoint.PUBLIC

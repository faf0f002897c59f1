"""Choices for an AKS cluster: which version, how its API is reached, who may enter, what it may touch."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NotRequired

from typing_extensions import TypedDict

from ... import versions
from ...args import Link, shape
from ...catalog.aks_releases import FLOORS
from ...clouds import addresses
from ...clouds.existing import check_existing_cluster
from ...clouds.floors import VersionFloor, check_floors
from ...faults import Faults
from .network import (
    AksOutbound,
    AksOverlay,
    OverlayPlan,
    decide_max_nodes,
    decide_overlay,
    known_blocks,
)
from .zones import check_location, check_resource, check_uuid, check_zone

DEFAULT_SYSTEM_MACHINE = "Standard_D8s_v5"


class AksEndpoint(str, Enum):
    """How the Kubernetes API is reached."""

    PRIVATE = "private"
    """By its address in the virtual network, or from what is connected with it."""
    PUBLIC = "public"
    """From ``public_cidrs``; Entra ID decides who enters."""


class AksPrincipalType(str, Enum):
    """Kinds of Entra ID principals."""

    GROUP = "Group"
    USER = "User"
    SERVICE_PRINCIPAL = "ServicePrincipal"
    """An application or a managed identity."""


class AksNodeOsUpgrades(str, Enum):
    """What AKS does with the images of running nodes."""

    NONE = "None"
    """Nothing: nodes keep their image until somebody upgrades them."""
    NODE_IMAGE = "NodeImage"
    """A new image each week. A new kernel drains nodes, and builds InfiniBand and GPU drivers anew."""
    SECURITY_PATCH = "SecurityPatch"
    """Security patches; drains nodes only where one asks for it."""


class AksLogin(str, Enum):
    """How ``kubelogin`` gets a token where ``pulumi up`` runs."""

    AZURE_CLI = "azurecli"
    """As whoever ran `az login`."""
    SERVICE_PRINCIPAL = "spn"
    """As the service principal in AZURE_CLIENT_ID and its fellows."""
    MANAGED_IDENTITY = "msi"
    """As the machine's managed identity."""
    WORKLOAD_IDENTITY = "workloadidentity"
    """By a federated token."""


@shape
class AksAdmin(TypedDict):
    """Who administers the cluster."""

    id: Link
    """Object id of the principal in Entra ID."""
    type: NotRequired[AksPrincipalType]
    """Default: ``Group``."""


@shape
class AksExistingCluster(TypedDict):
    """A cluster that exists already, in place of the one we would make."""

    server: Link
    """URL of the Kubernetes API. Example: ``https://NAME.hcp.southcentralus.azmk8s.io:443``."""
    ca_certificate: Link
    """Base64 CA certificate."""


@shape
class AksKubernetes(TypedDict):
    """The choices a stack makes for its cluster."""

    name: NotRequired[str]
    """Cluster name. Default: the component's name."""
    version: NotRequired[str]
    """Kubernetes minor or patch. Default: ``1.35``; GPU claims need 1.34.2."""
    admins: NotRequired[list[AksAdmin]]
    """Who administers the cluster, whoever runs ``pulumi up`` among them. Needed: local accounts are off, and nobody
    enters by having made the cluster."""
    endpoint: NotRequired[AksEndpoint]
    """Default: ``private``."""
    public_cidrs: NotRequired[list[str]]
    """Blocks that reach a public endpoint. Example: ``["203.0.113.7/32"]``."""
    login: NotRequired[AksLogin]
    """How kubeconfigs get a token. Default: ``azurecli``."""
    node_os_upgrades: NotRequired[AksNodeOsUpgrades]
    """Default: ``None``."""
    metrics: NotRequired[bool]
    """Managed Prometheus, and AKS's network observability with InfiniBand counters; both cost. Default: false."""
    system_machine: NotRequired[str]
    """Size of the system nodes, amd64 with 4 vCPUs or more. Default: ``Standard_D8s_v5``."""
    registries: NotRequired[list[Link]]
    """Ids of container registries that nodes pull from."""
    existing: NotRequired[AksExistingCluster]
    """Use this cluster and make none."""


@shape
class AksClusterArgs(AksKubernetes, AksOverlay):
    """A cluster on one subnet."""

    subscription: str
    """Id of the subscription."""
    location: str
    """Location."""
    resource_group: Link
    """Name of the resource group that holds it."""
    subnet: Link
    """Id of the subnet for nodes."""
    cidrs: NotRequired[list[str]]
    """Blocks of its virtual network, for checks. Default: none."""
    outbound: NotRequired[AksOutbound]
    """How the subnet reaches the outside. Default: ``nat-gateway``."""
    zone: NotRequired[str]
    """Zone of the GPU nodes; the system nodes are spread over all. Default: no zones."""
    max_nodes: NotRequired[int]
    """GPU nodes that the pods' block must hold. Default: 250."""
    reservations: NotRequired[list[Link]]
    """Ids of capacity reservation groups that pools of this cluster consume."""


@dataclass(frozen=True)
class ClusterPlan:
    """What ``AksCluster`` builds."""

    name: str
    subscription: str
    location: str
    zone: str | None
    version: str
    dns_prefix: str
    endpoint: AksEndpoint
    public_cidrs: tuple[str, ...]
    login: AksLogin
    node_os_upgrades: AksNodeOsUpgrades
    metrics: bool
    system_machine: str
    overlay: OverlayPlan | None
    """``None`` for an existing cluster, which has its own."""
    existing: bool


_OF_NEW = (
    "admins",
    "endpoint",
    "public_cidrs",
    "node_os_upgrades",
    "metrics",
    "system_machine",
    "registries",
)
_NAME = re.compile(r"[0-9A-Za-z]([-_0-9A-Za-z]{0,61}[0-9A-Za-z])?")
_DNS_PREFIX = 54
_SYSTEM_MACHINE = re.compile(r"Standard_\w+")


def decide_cluster(args: AksClusterArgs, name: str, faults: Faults) -> ClusterPlan | None:
    """All choices of ``AksCluster(name, args)``. Returns ``None`` when a fault was added."""
    check_uuid(args["subscription"], "the subscription's id", faults.at("subscription"))
    check_location(args["location"], faults.at("location"))
    if (zone := args.get("zone")) is not None:
        check_zone(zone, faults.at("zone"))
    check_resource(args["subnet"], "Microsoft.Network/virtualNetworks/subnets", faults.at("subnet"))
    for i, group in enumerate(args.get("reservations", [])):
        check_resource(group, "Microsoft.Compute/capacityReservationGroups", faults.at("reservations", i))
    max_nodes = decide_max_nodes({"max_nodes": args["max_nodes"]} if "max_nodes" in args else {}, faults)
    networks = known_blocks(args.get("cidrs", []), faults.at("cidrs"))
    overlay = None
    if "existing" not in args and max_nodes is not None:
        overlay = decide_overlay(args, networks, max_nodes, faults)
    return decide_kubernetes(
        args,
        subscription=args["subscription"],
        location=args["location"],
        zone=zone,
        overlay=overlay,
        name=name,
        floors=(),
        faults=faults,
    )


def decide_kubernetes(
    args: AksKubernetes,
    *,
    subscription: str,
    location: str,
    zone: str | None,
    overlay: OverlayPlan | None,
    name: str,
    floors: Sequence[VersionFloor],
    faults: Faults,
) -> ClusterPlan | None:
    """The same from a stack's choices; ``floors`` are what its pools need."""
    name = args.get("name", name)
    if not _NAME.fullmatch(name):
        faults.at("name").add(
            f"got {name!r}; AKS wants 1 to 63 letters, digits, hyphens and underscores, a letter or digit at both ends"
        )
    version = args.get("version", FLOORS.default)
    numbers = versions.parse(version)
    if numbers is None or len(numbers) > 3:
        faults.at("version").add(f"got {version!r}; write 1.35 or 1.35.2")
    else:
        supported = VersionFloor("a cluster of the Standard tier needs", FLOORS.supported, "raise it")
        check_floors(version, (supported, *floors), "AKS", faults.at("version"))
    check_existing_cluster(args, _OF_NEW, faults)
    if existing := args.get("existing"):
        if isinstance(existing["server"], str) and not existing["server"].startswith("https://"):
            faults.at("existing", "server").add(
                f"got {existing['server']!r}; write its URL, https://NAME.hcp.{location}.azmk8s.io:443"
            )
    else:
        _check_entry(args, faults)
    machine = args.get("system_machine", DEFAULT_SYSTEM_MACHINE)
    if not _SYSTEM_MACHINE.fullmatch(machine):
        faults.at("system_machine").add(f"got {machine!r}; write a size's name, e.g. {DEFAULT_SYSTEM_MACHINE}")
    for i, registry in enumerate(args.get("registries", [])):
        check_resource(registry, "Microsoft.ContainerRegistry/registries", faults.at("registries", i))
    if faults or (overlay is None and existing is None):
        return None
    return ClusterPlan(
        name=name,
        subscription=subscription,
        location=location,
        zone=zone,
        version=version,
        dns_prefix=name.replace("_", "-")[:_DNS_PREFIX].rstrip("-"),
        endpoint=args.get("endpoint", AksEndpoint.PRIVATE),
        public_cidrs=tuple(args.get("public_cidrs", ())),
        login=args.get("login", AksLogin.AZURE_CLI),
        node_os_upgrades=args.get("node_os_upgrades", AksNodeOsUpgrades.NONE),
        metrics=args.get("metrics", False),
        system_machine=machine,
        overlay=overlay,
        existing=existing is not None,
    )


def _check_entry(args: AksKubernetes, faults: Faults) -> None:
    """Who enters, and from where."""
    admins = args.get("admins", [])
    if not admins:
        faults.at("admins").add(
            "missing; list the Entra ID groups, users or service principals that administer the cluster, whoever runs "
            "pulumi up among them, e.g. {id: 00000000-0000-0000-0000-000000000000, type: Group}"
        )
    ids = [admin["id"] for admin in admins]
    for i, principal in enumerate(ids):
        if isinstance(principal, str):
            check_uuid(principal, "the principal's object id", faults.at("admins", i, "id"))
            if principal in ids[:i]:
                faults.at("admins", i, "id").add(f"{principal} is listed twice; list each once")
    cidrs = args.get("public_cidrs")
    public = args.get("endpoint", AksEndpoint.PRIVATE) is AksEndpoint.PUBLIC
    if public and not cidrs:
        faults.at("public_cidrs").add(
            "missing; name the blocks that may reach a public endpoint, e.g. 203.0.113.7/32: AKS opens it to everybody"
        )
    if cidrs and not public:
        faults.at("public_cidrs").add("not allowed with a private endpoint; remove it, or set endpoint: public")
    for i, cidr in enumerate(cidrs or ()):
        addresses.check_outside(cidr, faults.at("public_cidrs", i))

"""Choices for an AKS cluster: which version, how it is kept, what it may touch."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NotRequired

from typing_extensions import TypedDict

from ... import versions
from ...args import Link, shape
from ...catalog.aks_releases import FLOORS
from ...clouds.existing import check_certificate, check_existing_cluster
from ...clouds.floors import VersionFloor, check_floors, check_offered
from ...clouds.pools import DEFAULT_MAX_NODES
from ...faults import Faults
from .entry import AksAdmin, AksEndpoint, AksLogin, check_entry
from .network import AksOutbound, AksOverlay, OverlayPlan, decide_max_nodes, decide_overlay, known_blocks
from .zones import AksPlace, check_place, check_resource

DEFAULT_SYSTEM_MACHINE = "Standard_D8s_v5"


class AksNodeOsUpgrades(str, Enum):
    """What AKS does with the images of running nodes."""

    NONE = "None"
    """Nothing: nodes keep their image until somebody upgrades them."""
    NODE_IMAGE = "NodeImage"
    """A new image each week. A new kernel drains nodes, and builds InfiniBand and GPU drivers anew."""
    SECURITY_PATCH = "SecurityPatch"
    """Security patches; drains nodes only where one asks for it."""


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
    """Size of the system nodes: without GPUs, with 4 vCPUs or more. Default: ``Standard_D8s_v5``."""
    container_registries: NotRequired[list[Link]]
    """Ids of Azure's container registries that nodes may pull from."""
    existing: NotRequired[AksExistingCluster]
    """Use this cluster and make none."""


@shape
class AksClusterArgs(AksKubernetes, AksOverlay, AksPlace):
    """A cluster on one subnet; its system nodes are spread over all zones where the location has them."""

    resource_group: Link
    """Name of the resource group that holds it."""
    subnet: Link
    """Id of the subnet for nodes."""
    cidrs: NotRequired[list[str]]
    """Blocks of its virtual network, for checks. Default: none."""
    outbound: NotRequired[AksOutbound]
    """How the subnet reaches the outside. Default: ``nat-gateway``."""
    max_nodes: NotRequired[int]
    """GPU nodes that the pods' block must hold. Default: 250."""
    blobs: NotRequired[bool]
    """Let AKS run its driver of Blob Storage as files. Default: false."""
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
    identifier: str
    """Stable name for the Kubernetes provider: only a change of it replaces what runs on the cluster."""
    existing: bool


_OF_NEW = (
    "admins",
    "endpoint",
    "public_cidrs",
    "node_os_upgrades",
    "metrics",
    "system_machine",
    "container_registries",
)
NAME = re.compile(r"[0-9A-Za-z]([-_0-9A-Za-z]{0,61}[0-9A-Za-z])?", re.ASCII)
NAME_WORDS = "letters, digits, hyphens and underscores, a letter or digit at both ends"
_DNS_PREFIX = 54
# Family, vCPUs, features: https://learn.microsoft.com/azure/virtual-machines/vm-naming-conventions
_SYSTEM_MACHINE = re.compile(r"Standard_(?P<family>[A-Z]+)(?P<vcpus>\d+)[-\w]*", re.ASCII)
_LEAST_VCPUS = 4


def check_name(name: str, faults: Faults) -> None:
    """AKS's rule for names of clusters."""
    if not NAME.fullmatch(name):
        faults.add(f"got {name!r}; AKS wants 1 to 63 {NAME_WORDS}")


def decide_cluster(args: AksClusterArgs, name: str, faults: Faults) -> ClusterPlan | None:
    """All choices of ``AksCluster(name, args)``. Returns ``None`` when a fault was added."""
    check_place(args, faults)
    check_resource(args["subnet"], "Microsoft.Network/virtualNetworks/subnets", faults.at("subnet"))
    for i, group in enumerate(args.get("reservations", [])):
        check_resource(group, "Microsoft.Compute/capacityReservationGroups", faults.at("reservations", i))
    max_nodes = decide_max_nodes(args.get("max_nodes", DEFAULT_MAX_NODES), faults.at("max_nodes"))
    networks = known_blocks(args.get("cidrs", []), faults.at("cidrs"))
    overlay = None
    if "existing" not in args:
        overlay = decide_overlay(args, networks=networks, max_nodes=max_nodes, faults=faults)
    if "name" not in args:
        check_name(name, faults.at("name"))
    return decide_kubernetes(args, name, place=args, overlay=overlay, floors=(), faults=faults)


def decide_kubernetes(
    args: AksKubernetes,
    name: str,
    *,
    place: AksPlace,
    overlay: OverlayPlan | None,
    floors: Sequence[VersionFloor],
    faults: Faults,
) -> ClusterPlan | None:
    """The same from a stack's choices; ``floors`` are the versions that its pools need."""
    if "name" in args:
        check_name(args["name"], faults.at("name"))
    name = args.get("name", name)
    version = args.get("version", FLOORS.default)
    check_version(version, floors, faults.at("version"))
    check_existing_cluster(args, _OF_NEW, faults)
    if "existing" in args:
        existing = args["existing"]
        server = existing["server"]
        if isinstance(server, str) and not server.startswith("https://"):
            faults.at("existing", "server").add(
                f"got {server!r}; write its URL, https://NAME.hcp.LOCATION.azmk8s.io:443"
            )
        check_certificate(existing["ca_certificate"], faults.at("existing", "ca_certificate"))
    else:
        check_entry(args, faults)
    machine = args.get("system_machine", DEFAULT_SYSTEM_MACHINE)
    _check_system_machine(machine, faults.at("system_machine"))
    for i, registry in enumerate(args.get("container_registries", [])):
        check_resource(registry, "Microsoft.ContainerRegistry/registries", faults.at("container_registries", i))
    if faults or (overlay is None and "existing" not in args):
        return None
    return ClusterPlan(
        name=name,
        subscription=place["subscription"],
        location=place["location"],
        zone=place.get("zone"),
        version=version,
        dns_prefix=name.replace("_", "-")[:_DNS_PREFIX].rstrip("-"),
        endpoint=args.get("endpoint", AksEndpoint.PRIVATE),
        public_cidrs=tuple(args.get("public_cidrs", ())),
        login=args.get("login", AksLogin.AZURE_CLI),
        node_os_upgrades=args.get("node_os_upgrades", AksNodeOsUpgrades.NONE),
        metrics=args.get("metrics", False),
        system_machine=machine,
        overlay=overlay,
        identifier=f"aks/{place['subscription']}/{place['location']}/{name}",
        existing="existing" in args,
    )


def check_version(version: str, floors: Sequence[VersionFloor], faults: Faults) -> None:
    """AKS's form of a version, one that it offers, and what the pools need."""
    numbers = versions.parse(version)
    if numbers is None or len(numbers) > 3:
        faults.add(f"got {version!r}; write 1.35 or 1.35.2")
    else:
        check_offered(version, FLOORS.minors, "AKS", faults)
        check_floors(version, floors, "AKS", faults)


def _check_system_machine(machine: str, faults: Faults) -> None:
    match = _SYSTEM_MACHINE.fullmatch(machine)
    if match is None:
        faults.add(f"got {machine!r}; write a size's name, e.g. {DEFAULT_SYSTEM_MACHINE}")
    elif match["family"].startswith("N"):
        faults.add(f"got {machine}, which has GPUs that no system pod uses; take e.g. {DEFAULT_SYSTEM_MACHINE}")
    elif int(match["vcpus"]) < _LEAST_VCPUS:
        faults.add(
            f"got {machine}, of {match['vcpus']} vCPUs; the cluster's own pods and the operators' take "
            f"{_LEAST_VCPUS} or more, e.g. {DEFAULT_SYSTEM_MACHINE}"
        )

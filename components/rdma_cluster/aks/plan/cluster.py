"""Choices for an AKS cluster: which version, how it is kept, what it may touch."""

import re
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base import versions
from ...base.args import Choice, Link, args_schema
from ...catalog.aks_releases import FLOORS
from ...common.existing import check_certificate, check_existing_cluster, check_server
from ...common.minimum_versions import MinimumVersion, check_minimum_versions, check_offered
from ...common.pools import DEFAULT_MAX_NODES
from .access import AksAdmin, AksEndpoint, AksLogin, check_egress, check_entry, check_ranges
from .network import AksOutbound, AksOverlay, OverlayPlan, known_blocks, plan_max_nodes, plan_overlay
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


@args_schema
class AksExistingCluster(TypedDict):
    """A cluster that exists already, in place of the one we would make."""

    server: Link
    """URL of the Kubernetes API. Example: ``https://NAME.hcp.southcentralus.azmk8s.io:443``."""
    ca_certificate: Link
    """Base64 CA certificate."""


@args_schema
class AksKubernetes(TypedDict):
    """The choices a stack makes for its cluster."""

    name: NotRequired[str]
    """Cluster name. Default: the component's name."""
    version: NotRequired[str]
    """Kubernetes minor or patch. Default: ``1.36``; GPU claims need 1.34.2."""
    admins: NotRequired[list[AksAdmin]]
    """Who administers the cluster, including the one who runs ``pulumi up``. Needed: local accounts are off, and nobody
    enters by having made the cluster."""
    endpoint: NotRequired[Choice[AksEndpoint]]
    """Default: ``private``."""
    public_cidrs: NotRequired[list[Link]]
    """Blocks that reach a public endpoint. Example: ``["203.0.113.7/32"]``."""
    login: NotRequired[Choice[AksLogin]]
    """How kubeconfigs get a token. Default: as the keys `azure-native:*` sign in, else ``azurecli``."""
    node_os_upgrades: NotRequired[Choice[AksNodeOsUpgrades]]
    """Default: ``None``."""
    metrics: NotRequired[bool]
    """Managed Prometheus, and AKS's network observability with InfiniBand counters; both cost. Default: false."""
    system_machine: NotRequired[str]
    """Size of the system nodes: without GPUs, with 4 vCPUs or more. Default: ``Standard_D8s_v5``."""
    container_registries: NotRequired[list[Link]]
    """Ids of Azure's container registries that nodes may pull from."""
    secrets_key: NotRequired[Link]
    """Key of a vault that encrypts secrets, with its version; needs ``secretsVault``. Default: AKS's own encryption.
    Example: ``https://my-vault.vault.azure.net/keys/aks/0123456789abcdef0123456789abcdef``."""
    secrets_vault: NotRequired[Link]
    """Id of the vault of ``secretsKey``, by Azure's roles and reached over its public network: the cluster's identity
    is made a Key Vault Crypto User of it."""
    protected: NotRequired[bool]
    """Let the preview of a ``destroy``, or of a change that makes the cluster anew, fail. Default: false."""
    existing: NotRequired[AksExistingCluster]
    """Use this cluster and make none."""


@args_schema
class AksClusterLinks(TypedDict):
    """What other resources bring to a cluster."""

    resource_group: Link
    """Name of the resource group that holds it."""
    subnet: Link
    """Id of the subnet for nodes."""
    egress_cidrs: NotRequired[list[Link]]
    """Public blocks by which nodes leave, as the network's ``egress_cidr``. A public endpoint needs them: it lets in
    nobody else but AKS's own load balancer."""


@args_schema
class AksClusterArgs(AksKubernetes, AksOverlay, AksPlace, AksClusterLinks):
    """A cluster on one subnet; its system nodes are spread over all zones where the location has them."""

    cidrs: NotRequired[list[str]]
    """Blocks of its virtual network, for checks. Default: none."""
    outbound: NotRequired[Choice[AksOutbound]]
    """How the subnet reaches the outside. Default: ``nat-gateway``."""
    max_nodes: NotRequired[int]
    """GPU nodes that the pods' block must hold. Default: 250."""
    blobs: NotRequired[bool]
    """Let AKS run its driver of Blob Storage as files. Default: false."""
    reservations: NotRequired[list[Link]]
    """Ids of capacity reservation groups that pools of this cluster consume."""


@frozen
class AksClusterPlan:
    """What ``AksCluster`` builds."""

    name: str
    subscription: str
    location: str
    zone: str | None
    version: str
    dns_prefix: str
    endpoint: AksEndpoint
    public_cidrs: tuple[Link, ...]
    login: AksLogin | None
    """``None`` follows how the provider signs in."""
    node_os_upgrades: AksNodeOsUpgrades
    metrics: bool
    system_machine: str
    overlay: OverlayPlan | None
    """Blocks of pods and services; ``None`` for an existing cluster, which has its own."""
    identifier: str
    """Stable name for the Kubernetes provider: only a change of it replaces what runs on the cluster."""
    existing: AksExistingCluster | None
    """The user's cluster; ``None`` where it is made."""
    admins: tuple[AksAdmin, ...] = ()
    container_registries: tuple[Link, ...] = ()
    secrets_key: Link | None = None
    secrets_vault: Link | None = None
    protected: bool | None = None
    """Whether the cluster is protected; ``None`` leaves that to the component's own options."""
    outbound: AksOutbound = AksOutbound.NAT_GATEWAY
    blobs: bool = False
    reservations: tuple[Link, ...] = ()
    """Ids of the capacity reservation groups that pools consume."""


_OF_NEW = (
    "admins",
    "endpoint",
    "public_cidrs",
    "egress_cidrs",
    "node_os_upgrades",
    "metrics",
    "system_machine",
    "container_registries",
    "secrets_key",
    "secrets_vault",
    "protected",
)
NAME = re.compile(r"[0-9A-Za-z]([-_0-9A-Za-z]{0,61}[0-9A-Za-z])?", re.ASCII)
NAME_WORDS = "letters, digits, hyphens and underscores, a letter or digit at both ends"
_DNS_PREFIX = 54
# Family, vCPUs, features: https://learn.microsoft.com/azure/virtual-machines/vm-naming-conventions
_SYSTEM_MACHINE = re.compile(r"Standard_(?P<family>[A-Z]+)(?P<vcpus>\d+)[-\w]*", re.ASCII)
_LEAST_VCPUS = 4


def check_name(name: str, errors: ErrorList) -> None:
    """Check the name of a cluster by AKS's rule."""
    if not NAME.fullmatch(name):
        errors.add(f"got {name!r}; AKS wants 1 to 63 {NAME_WORDS}")


def plan_cluster(args: AksClusterArgs, name: str, errors: ErrorList) -> AksClusterPlan | None:
    """Make all choices of ``AksCluster(name, args)``. Returns ``None`` when an error was added."""
    check_place(args, errors)
    check_resource(args["subnet"], "Microsoft.Network/virtualNetworks/subnets", errors.at("subnet"))
    for i, group in enumerate(args.get("reservations", [])):
        check_resource(group, "Microsoft.Compute/capacityReservationGroups", errors.at("reservations", i))
    max_nodes = plan_max_nodes(args.get("max_nodes", DEFAULT_MAX_NODES), errors.at("max_nodes"))
    networks = known_blocks(args.get("cidrs", []), errors.at("cidrs"))
    overlay = None
    if "existing" not in args:
        overlay = plan_overlay(args, networks=networks, max_nodes=max_nodes, errors=errors)
        outbound, egress = args.get("outbound", AksOutbound.NAT_GATEWAY), args.get("egress_cidrs", [])
        check_egress(args, outbound, egress, errors.at("egress_cidrs"))
        check_ranges(args, len(egress), errors.at("public_cidrs"))
    if "name" not in args:
        check_name(name, errors.at("name"))
    plan = plan_kubernetes(args, name, place=args, overlay=overlay, minimum_versions=(), errors=errors)
    reservations, blobs = tuple(args.get("reservations", ())), args.get("blobs", False)
    outbound = args.get("outbound", AksOutbound.NAT_GATEWAY)
    return plan and replace(plan, outbound=outbound, blobs=blobs, reservations=reservations)


_KEY = re.compile(
    r"https://[-a-zA-Z0-9]{3,24}\.vault\.(azure\.net|usgovcloudapi\.net|azure\.cn)/keys/[-a-zA-Z0-9]{1,127}/[0-9a-f]{32}"
)


def _check_secrets(args: AksKubernetes, errors: ErrorList) -> None:
    """Check that key and vault come together: the cluster's identity gets a role on the vault."""
    key, vault, at = args.get("secrets_key"), args.get("secrets_vault"), errors.at("secrets_key")
    form = "https://VAULT.vault.azure.net/keys/NAME/VERSION"
    if key is not None and vault is None:
        errors.at("secrets_vault").add("missing; name the vault of secretsKey by its resource id")
    if vault is not None and key is None:
        at.add(f"missing; name a key of secretsVault, {form}")
    if isinstance(key, str) and not _KEY.fullmatch(key):
        at.add(f"got {key!r}; write the key's identifier with its version, {form}")
    check_resource(vault, "Microsoft.KeyVault/vaults", errors.at("secrets_vault"))


def plan_kubernetes(
    args: AksKubernetes,
    name: str,
    *,
    place: AksPlace,
    overlay: OverlayPlan | None,
    minimum_versions: Sequence[MinimumVersion],
    errors: ErrorList,
) -> AksClusterPlan | None:
    """Plan the cluster of a stack; adds every broken rule to ``errors``. Its pools need ``minimum_versions``."""
    if "name" in args:
        check_name(args["name"], errors.at("name"))
    name = args.get("name", name)
    version = args.get("version", FLOORS.default)
    check_version(version, minimum_versions, errors.at("version"))
    check_existing_cluster(args, _OF_NEW, errors)
    if "existing" in args:
        existing, at = args["existing"], errors.at("existing")
        check_server(existing["server"], "https://NAME.hcp.LOCATION.azmk8s.io:443", at.at("server"))
        check_certificate(existing["ca_certificate"], at.at("ca_certificate"))
    else:
        check_entry(args, errors)
    _check_secrets(args, errors)
    machine = args.get("system_machine", DEFAULT_SYSTEM_MACHINE)
    _check_system_machine(machine, errors.at("system_machine"))
    for i, registry in enumerate(args.get("container_registries", [])):
        check_resource(registry, "Microsoft.ContainerRegistry/registries", errors.at("container_registries", i))
    if errors or (overlay is None and "existing" not in args):
        return None
    return AksClusterPlan(
        name=name,
        subscription=place["subscription"],
        location=place["location"],
        zone=place.get("zone"),
        version=version,
        dns_prefix=name.replace("_", "-")[:_DNS_PREFIX].rstrip("-"),
        endpoint=args.get("endpoint", AksEndpoint.PRIVATE),
        public_cidrs=tuple(args.get("public_cidrs", ())),
        login=args.get("login"),
        node_os_upgrades=args.get("node_os_upgrades", AksNodeOsUpgrades.NONE),
        metrics=args.get("metrics", False),
        system_machine=machine,
        overlay=overlay,
        identifier=f"aks/{place['subscription']}/{place['location']}/{name}",
        existing=args.get("existing"),
        admins=tuple(args.get("admins", ())),
        container_registries=tuple(args.get("container_registries", ())),
        secrets_key=args.get("secrets_key"),
        secrets_vault=args.get("secrets_vault"),
        protected=args.get("protected"),
    )


def check_version(version: str, minimum_versions: Sequence[MinimumVersion], errors: ErrorList) -> None:
    """Check that a version has AKS's form, is offered by AKS and is enough for the pools."""
    numbers = versions.parse(version)
    if numbers is None or len(numbers) > 3:
        errors.add(f"got {version!r}; AKS writes 1.35 or 1.35.2")
    else:
        check_offered(version, FLOORS.minors, "AKS", errors)
        check_minimum_versions(version, minimum_versions, "AKS", errors)


def _check_system_machine(machine: str, errors: ErrorList) -> None:
    match = _SYSTEM_MACHINE.fullmatch(machine)
    if match is None:
        errors.add(f"got {machine!r}; write a size's name, e.g. {DEFAULT_SYSTEM_MACHINE}")
    elif match["family"].startswith("N"):
        errors.add(f"got {machine}, which has GPUs that no system pod uses; take e.g. {DEFAULT_SYSTEM_MACHINE}")
    elif int(match["vcpus"]) < _LEAST_VCPUS:
        errors.add(
            f"got {machine}, of {match['vcpus']} vCPUs; the cluster's own pods and the operators' take "
            f"{_LEAST_VCPUS} or more, e.g. {DEFAULT_SYSTEM_MACHINE}"
        )

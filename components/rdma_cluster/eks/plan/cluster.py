"""Choices for an EKS cluster: which version, how it is reached, who may enter, which add-ons it has."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base import versions
from ...base.args import Choice, Input, Link, args_schema, at_hand, is_output, within
from ...catalog import releases
from ...common import addresses
from ...common.existing import check_certificate, check_existing_cluster, check_server
from ...common.minimum_versions import MinimumVersion, check_minimum_versions, check_offered, check_skew
from ...common.names import check_once
from .network import EksSubnet, parse_services
from .zones import check_arn, check_arn_place, check_id, check_name, check_region, check_zone, partition_of


class EksEndpoint(str, Enum):
    """How the Kubernetes API is reached."""

    PRIVATE = "private"
    """From the VPC or what is connected with it."""
    PUBLIC = "public"
    """From ``public_cidrs``, too; IAM decides who enters."""


@args_schema
class EksExistingCluster(TypedDict):
    """A cluster that exists already, in place of the one we would make."""

    endpoint: Link
    """URL of the Kubernetes API."""
    ca_certificate: Link
    """Base64 CA certificate."""
    security_group: Link
    """Id of the cluster security group, which EKS made."""
    node_role: Link
    """ARN of the role that GPU nodes run as."""


@args_schema
class EksKubernetes(TypedDict):
    """The choices a stack makes for its cluster."""

    name: NotRequired[str]
    """Cluster name. Default: the component's name."""
    version: NotRequired[str]
    """Kubernetes minor. Default: ``1.35``; GPU claims need 1.34, device plugins 1.33."""
    admins: NotRequired[list[str]]
    """ARNs of the IAM roles or users that administer the cluster, the one that runs ``pulumi up`` among them. Needed:
    nobody enters by having made the cluster, so that the entry does not depend on who ran the first ``up``."""
    endpoint: NotRequired[Choice[EksEndpoint]]
    """Default: ``private``."""
    public_cidrs: NotRequired[list[Link]]
    """Blocks that reach a public endpoint. Example: ``["203.0.113.7/32"]``."""
    addon_versions: NotRequired[dict[str, str]]
    """Versions of add-ons by name. Default: EKS's own default for the cluster's version, at the add-on's creation."""
    secrets_key: NotRequired[Link]
    """ARN of a KMS key that encrypts secrets. Default: EKS's own key."""
    protected: NotRequired[bool]
    """Let the preview of a ``destroy``, or of a change that makes the cluster anew, fail. Default: false."""
    existing: NotRequired[EksExistingCluster]
    """Use this cluster and make none."""


@args_schema
class EksClusterLinks(TypedDict):
    """What other resources bring to a cluster."""

    subnets: Input[list[EksSubnet]]
    """Private subnets in two zones or more, for the control plane and the system nodes."""
    system_subnets: NotRequired[Input[list[EksSubnet]]]
    """Subnets of the system nodes. Default: ``subnets``."""
    vpc_block: NotRequired[str]
    """Block of the subnets' VPC. Another one is another VPC, which a cluster cannot follow: it is made anew."""


@args_schema
class EksClusterArgs(EksKubernetes, EksClusterLinks):
    """A cluster in two zones or more."""

    region: str
    """Region."""
    service_cidr: NotRequired[str]
    """Block for services, outside of the VPC's. Default: ``172.20.0.0/16``."""


@frozen
class EksAddonPlan:
    """An add-on of EKS."""

    name: str
    version: str | None
    """``None`` leaves it to EKS, which takes its default for the cluster's version and then stays there."""
    pod_identity: tuple[str, str] | None = None
    """Service account and AWS managed policy of the role it runs as."""
    settings: str | None = None
    """Its configuration values, JSON; ``None`` is EKS's own."""


@frozen
class EksClusterPlan:
    """What ``EksCluster`` builds."""

    name: str
    region: str
    partition: str
    version: str
    endpoint: EksEndpoint
    public_cidrs: tuple[Link, ...]
    service_cidr: str
    admins: tuple[str, ...]
    addons_before_nodes: tuple[EksAddonPlan, ...]
    """Add-ons that a node needs to become ready."""
    addons_on_nodes: tuple[EksAddonPlan, ...]
    """Add-ons that need nodes to become ready."""
    identifier: str
    """Stable name for the Kubernetes provider: only a change of it replaces what runs on the cluster."""
    existing: EksExistingCluster | None
    """The user's cluster; ``None`` where it is made."""
    secrets_key: Link | None = None
    protected: bool | None = None
    """Whether the cluster is protected; ``None`` leaves that to the component's own options."""
    vpc_block: str | None = None
    """Block of the VPC, where it is known: another one replaces the cluster."""


# The network of pods, its permissions, services: each node waits for them. The rest waits for nodes.
_BEFORE_NODES = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")
# Names, and the faults of GPUs and EFA devices that node repair acts on.
_ON_NODES = ("coredns", "eks-node-monitoring-agent")
# The CNI's permissions belong to its pods, not to every pod that reaches a node's role.
_IDENTITIES = {"vpc-cni": ("aws-node", "AmazonEKS_CNI_Policy")}
# docs.aws.amazon.com/eks/latest/userguide/service-quotas.html, "adjustable: no" (2026-11-23)
_MOST_CALLERS = 40
# Left to itself the CNI enforces no NetworkPolicy, and takes each without a word (aws/amazon-vpc-cni-k8s@b521883
# charts/aws-vpc-cni/values.yaml enableNetworkPolicy, a text, 2026-08-20). It has known how since 1.14.0.
_SETTINGS = {"vpc-cni": '{"enableNetworkPolicy": "true"}'}
_CNI_WITH_EFA_ONLY = "1.18.5"

_ROLE = re.compile(r"arn:aws[-a-z]*:iam::\d{12}:role/[\w+=,.@/-]+", re.ASCII)
_ADMIN = re.compile(r"arn:aws[-a-z]*:iam::\d{12}:(role|user)/[\w+=,.@/-]+", re.ASCII)
_KEY = re.compile(r"arn:aws[-a-z]*:kms:[-a-z0-9]+:\d{12}:(key|alias)/[-/\w]+", re.ASCII)
_EXAMPLE_KEY = "arn:aws:kms:us-east-2:111122223333:key/ID"
_ASSUMED = re.compile(r"arn:aws[-a-z]*:sts::(\d{12}):assumed-role/([^/]+)/.+", re.ASCII)
_ADDON_VERSION = re.compile(r"v(\d+\.\d+\.\d+)-eksbuild\.\d+", re.ASCII)


def plan_cluster(args: EksClusterArgs, name: str, errors: ErrorList) -> EksClusterPlan | None:
    """Make all choices of ``EksCluster(name, args)``. Returns ``None`` when an error was added."""
    check_region(args["region"], errors.at("region"))
    check_two_zones(args["subnets"], errors.at("subnets"))
    for key in ("subnets", "system_subnets"):
        check_zones(args.get(key, []), args["region"], errors.at(key))
    if "name" not in args:
        check_name(name, 100, errors.at("name"))
    cidr, at = args.get("service_cidr"), errors.at("service_cidr")
    plan = plan_kubernetes(
        args, region=args["region"], service_cidr=cidr, name=name, minimum_versions=(), errors=errors, services_at=at
    )
    return plan and replace(plan, vpc_block=args.get("vpc_block"))


def check_two_zones(subnets: Input[list[EksSubnet]], errors: ErrorList) -> None:
    """Check that subnets are in two zones, as EKS wants; those that are known only later are trusted."""
    if (listed := at_hand(subnets)) is None:
        return
    check_once([within(each, "subnet") for each in listed], "subnet", "subnet", errors)
    zones = [within(each, "zone") for each in listed]
    if not any(map(is_output, zones)) and len(set(zones)) < 2:
        errors.add("in one zone or none; EKS wants its control plane in two zones or more, list a subnet of each")


def check_zones(subnets: Input[list[EksSubnet]], region: str, errors: ErrorList) -> None:
    """Check that subnets are in zones of the region; a zone that is known only later is trusted."""
    for i, subnet in enumerate(at_hand(subnets) or []):
        if isinstance(zone := within(subnet, "zone"), str):
            check_zone(zone, region=region, errors=errors.at(i, "zone"))


# Two callers, whose args hold the same in two places.
def plan_kubernetes(  # noqa: PLR0913
    args: EksKubernetes,
    *,
    region: str,
    service_cidr: str | None,
    name: str,
    minimum_versions: Sequence[MinimumVersion],
    errors: ErrorList,
    services_at: ErrorList,
) -> EksClusterPlan | None:
    """Plan the cluster of a stack; adds every broken rule to ``errors``. Its pools need ``minimum_versions``."""
    if "name" in args:
        check_name(args["name"], 100, errors.at("name"))
    name = args.get("name", name)
    version = args.get("version", releases.EKS.default)
    check_version(version, minimum_versions, errors.at("version"))
    services = parse_services(service_cidr, services_at)
    of_ours = ("admins", "endpoint", "public_cidrs", "addon_versions", "secrets_key", "protected")
    check_existing_cluster(args, of_ours, errors)
    if "existing" in args:
        _check_existing(args["existing"], region, errors.at("existing"))
    else:
        _check_admins(args.get("admins", []), errors.at("admins"), region=region)
        public, cidrs = args.get("endpoint") == EksEndpoint.PUBLIC, args.get("public_cidrs", [])
        addresses.check_callers(public, cidrs, errors.at("public_cidrs"), ": EKS opens it to everybody", _MOST_CALLERS)
        check_arn(args.get("secrets_key"), _KEY, _EXAMPLE_KEY, region, errors.at("secrets_key"))
    pinned = args.get("addon_versions", {})
    _check_addons(pinned, version, errors.at("addon_versions"))
    if errors or services is None:
        return None
    return EksClusterPlan(
        name=name,
        region=region,
        partition=partition_of(region),
        version=version,
        endpoint=args.get("endpoint", EksEndpoint.PRIVATE),
        public_cidrs=tuple(args.get("public_cidrs", ())),
        service_cidr=str(services),
        admins=tuple(args.get("admins", ())),
        addons_before_nodes=tuple(
            EksAddonPlan(each, pinned.get(each), _IDENTITIES.get(each), _SETTINGS.get(each)) for each in _BEFORE_NODES
        ),
        addons_on_nodes=tuple(EksAddonPlan(each, pinned.get(each)) for each in _ON_NODES),
        identifier=f"eks/{region}/{name}",
        existing=args.get("existing"),
        secrets_key=args.get("secrets_key"),
        protected=args.get("protected"),
    )


def _check_existing(existing: EksExistingCluster, region: str, errors: ErrorList) -> None:
    """Check what only the user knows of a cluster; a value that is known only later is trusted."""
    check_server(existing["endpoint"], "e.g. https://ID.gr7.us-east-2.eks.amazonaws.com", errors.at("endpoint"))
    check_certificate(existing["ca_certificate"], errors.at("ca_certificate"))
    check_id(existing["security_group"], "sg", errors.at("security_group"))
    check_arn(existing["node_role"], _ROLE, "arn:aws:iam::111122223333:role/nodes", region, errors.at("node_role"))


def check_version(version: str, minimum_versions: Sequence[MinimumVersion], errors: ErrorList) -> None:
    """Check that EKS offers the minor, and that the pools can use it."""
    if len(versions.parse(version) or ()) != 2:
        errors.add(f"got {version!r}; EKS names minors alone, write 1.35")
        return
    check_offered(version, releases.EKS.minors, "EKS", errors)
    check_minimum_versions(version, minimum_versions, "EKS", errors)


def _check_admins(admins: list[str], errors: ErrorList, *, region: str) -> None:
    """Check that administrators are roles or users, each listed once."""
    if not admins:
        errors.add(
            "missing; list the ARNs of the IAM roles that administer the cluster, the one that runs pulumi up among "
            "them, e.g. arn:aws:iam::111122223333:role/admin"
        )
    for i, arn in enumerate(admins):
        at = errors.at(i)
        if match := _ASSUMED.fullmatch(arn):
            role = f"arn:aws:iam::{match[1]}:role/{match[2]}"
            at.add(f"got {arn!r}, a session; name its role, {role}, with the path it has")
        elif not _ADMIN.fullmatch(arn):
            at.add(f"got {arn!r}; write arn:aws:iam::111122223333:role/admin")
        else:
            check_arn_place(arn, region, at)
        if arn in admins[:i]:
            at.add(f"{arn} is listed twice; list each once")


def _check_addons(pinned: Mapping[str, str], kubernetes: str, errors: ErrorList) -> None:
    known = (*_BEFORE_NODES, *_ON_NODES)
    for addon, version in pinned.items():
        at = errors.at(addon)
        if addon not in known:
            at.add(f"unknown add-on; this cluster has {', '.join(known)}")
        elif (match := _ADDON_VERSION.fullmatch(version)) is None:
            at.add(f"got {version!r}; write it as EKS does, e.g. v1.2.3-eksbuild.1")
        elif addon == "vpc-cni" and not versions.at_least(match[1], _CNI_WITH_EFA_ONLY):
            at.add(f"got {version}; efa-only interfaces need {_CNI_WITH_EFA_ONLY} or later")
        elif addon == "kube-proxy":
            check_skew("kube-proxy", match[1].rpartition(".")[0], kubernetes, at)

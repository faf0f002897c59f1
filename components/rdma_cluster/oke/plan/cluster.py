"""Choices for an OKE cluster: version, endpoint, where pods get their addresses, add-ons."""

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base import versions
from ...base.args import Choice, Link, args_schema
from ...catalog import oke_releases
from ...common import addresses
from ...common.existing import check_existing_cluster
from ...common.names import check_ends_as_label
from ...fabrics import Fabric
from .cni import OkeCniType, check_dual_stack, plan_services
from .network import OkeClusterNetwork
from .zones import OkePlace, Place, check_ocid, check_region, check_tenancy, check_zone, once_known, place_of


class OkeEndpoint(str, Enum):
    """How the Kubernetes API is reached."""

    PRIVATE = "private"
    """From the VCN or what is connected with it."""
    PUBLIC = "public"
    """From ``public_cidrs``, too; IAM decides who enters."""


@args_schema
class OkeExistingCluster(TypedDict):
    """A cluster that exists already, in place of the one we would make."""

    id: str
    """OCID of the cluster, an enhanced one."""


@args_schema
class OkeKubernetes(TypedDict):
    """The choices a stack makes for its cluster."""

    name: NotRequired[str]
    """Cluster name. Default: the component's name."""
    version: NotRequired[str]
    """Kubernetes version with its patch. Default: ``1.36.1``."""
    endpoint: NotRequired[Choice[OkeEndpoint]]
    """Default: ``private``; of an existing cluster, the one that is used."""
    public_cidrs: NotRequired[list[str]]
    """Blocks that reach a public endpoint. Example: ``["203.0.113.7/32"]``."""
    cni: NotRequired[Choice[OkeCniType]]
    """Default: ``vcn-native``. Cannot change later."""
    dual_stack: NotRequired[bool]
    """IPv6 beside IPv4, for pods, services and nodes: OKE's ``ipFamilies``. Default: false. Cannot change later; with
    VCN-native pods only. An existing network must have an IPv6 prefix on each subnet."""
    secrets_key: NotRequired[Link]
    """OCID of a key that encrypts secrets. Default: a key of Oracle's."""
    protected: NotRequired[bool]
    """Let the preview of a ``destroy``, or of a change that makes the cluster anew, fail. Default: false."""
    existing: NotRequired[OkeExistingCluster]
    """Use this cluster and make none."""


@args_schema
class OkeClusterArgs(OkeKubernetes, OkeClusterNetwork, OkePlace):
    """A cluster in one VCN, with its system nodes in one availability domain."""

    service_cidr: NotRequired[str]
    """Block for services. Default: ``10.96.0.0/16``."""
    pod_cidr: NotRequired[str]
    """Block for pods with flannel. Default: ``10.240.0.0/12``."""
    addons: NotRequired[list[str]]
    """Add-ons beside OKE's own, in order: ``NodeFeatureDiscovery``, ``NvidiaGpuOperator``, ``NvidiaNetworkOperator``.
    Default: none."""


@frozen
class ClusterSettings:
    """What all pools of a cluster have in common."""

    place: Place
    version: str
    """Kubernetes version without the ``v``."""
    cni: OkeCniType
    dual_stack: bool
    fabric: Fabric
    ssh_public_key: Link | None
    own_gpu_plugin: bool
    """Whether something else than OKE's own plugin hands out the GPUs."""


@frozen
class OkeClusterPlan:
    """What ``OkeCluster`` builds."""

    name: str
    place: Place
    version: str
    """Kubernetes version without the ``v``."""
    endpoint: OkeEndpoint
    cni: OkeCniType
    dual_stack: bool
    service_cidr: str
    pod_cidr: str | None
    """``None`` with VCN-native pods."""
    addons: tuple[oke_releases.OkeAddon, ...]
    secrets_key: Link | None
    """OCID of the key that encrypts secrets; ``None`` is a key of Oracle's."""
    protected: bool | None
    """Whether a ``destroy`` fails; ``None`` is as the component's own options say."""
    identifier: Link
    """Stable name for the Kubernetes provider: only a change of it replaces what runs on the cluster."""
    existing: str | None
    """OCID of an existing cluster."""


NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
NAME_WORDS = "letters, digits, hyphens and underscores, a letter first"


def check_name(name: str, longest: int, errors: ErrorList) -> None:
    """A name that OKE, display names and logical names all allow."""
    if not NAME.fullmatch(name) or len(name) > longest:
        errors.add(f"got {name!r}; write 1 to {longest} {NAME_WORDS}")


def check_pool_name(name: str, errors: ErrorList) -> None:
    """A pool's name, which is also the value of a label of its nodes."""
    check_name(name, 32, errors)
    check_ends_as_label(name, errors)


def plan_cluster(args: OkeClusterArgs, name: str, errors: ErrorList) -> OkeClusterPlan | None:
    """All choices of ``OkeCluster(name, args)``. Returns ``None`` when an error was added."""
    check_region(args["region"], errors.at("region"))
    check_tenancy(args["tenancy"], args["compartment"], errors)
    check_zone(args["zone"], region=args["region"], errors=errors.at("zone"))
    services = plan_services(args, args.get("cni", OkeCniType.VCN_NATIVE), {}, errors)
    offered, addons = [each.name for each in oke_releases.ADDONS], args.get("addons", [])
    for i, addon in enumerate(addons):
        if addon not in offered:
            errors.at("addons", i).add(f"got {addon!r}; choose from {', '.join(offered)}")
    return plan_kubernetes(args, name, place=place_of(args), services=services, addons=addons, errors=errors)


def plan_kubernetes(
    args: OkeKubernetes,
    name: str,
    *,
    place: Place,
    services: tuple[str, str | None],
    addons: Sequence[str],
    errors: ErrorList,
) -> OkeClusterPlan | None:
    """Plan the cluster of a stack from its choices. ``services`` are the blocks for services and for pods.

    Returns ``None`` when an error was added.
    """
    name = args.get("name", name)
    check_name(name, 255, errors.at("name"))
    version = args.get("version", oke_releases.VERSIONS.default)
    check_version(version, errors.at("version"))
    cni, dual_stack = args.get("cni", OkeCniType.VCN_NATIVE), args.get("dual_stack", False)
    check_dual_stack(dual_stack, cni, errors.at("dual_stack"))
    if "secrets_key" in args:
        check_ocid(args["secrets_key"], ("key",), errors.at("secrets_key"))
    endpoint, existing = args.get("endpoint", OkeEndpoint.PRIVATE), None
    if "existing" in args:
        existing = args["existing"]["id"]
        _check_existing(args, existing, errors)
    else:
        is_public = endpoint == OkeEndpoint.PUBLIC
        addresses.check_callers(is_public, args.get("public_cidrs", []), errors.at("public_cidrs"))
    if errors:
        return None
    end = "" if existing else f"/{name}"
    return OkeClusterPlan(
        name=name,
        place=place,
        version=version,
        endpoint=endpoint,
        cni=cni,
        dual_stack=dual_stack,
        service_cidr=services[0],
        pod_cidr=services[1],
        # In the table's order one waits for another: both operators read the node labels of the first.
        addons=tuple(each for each in oke_releases.ADDONS if each.name in addons),
        secrets_key=args.get("secrets_key"),
        protected=args.get("protected"),
        identifier=once_known(existing or place.compartment, lambda ocid: f"oke/{place.region}/{ocid}{end}"),
        existing=existing,
    )


def system_image(sources: Mapping[str, str], version: str) -> str:
    """OCID of OKE's newest image for system nodes among ``sources``. Raises ``LookupError`` when there is none."""
    images = [name for name in sources if f"-OKE-{version}-" in name and not {"aarch64", "GPU"} & set(name.split("-"))]
    if not images:
        raise LookupError(f"OKE offers no image of its own for Kubernetes {version}; take another kubernetes.version")
    # Oracle-Linux-8.10-2026.06.30-0-OKE-1.36.1-1330: the names sort as their dates do.
    return sources[max(images)]


def check_offered(addon: str, version: str, offered: Sequence[str]) -> str:
    """The add-on's version. Raises ``LookupError`` where OKE does not offer it."""
    if version not in offered:
        raise LookupError(f"add-on {addon}: OKE does not offer {version}, it has {', '.join(offered) or 'none'}")
    return version


def check_version(version: str, errors: ErrorList) -> None:
    """A version in OKE's form that this library supports."""
    known = oke_releases.VERSIONS
    numbers = versions.parse(version)
    if numbers is None or len(numbers) != 3:
        errors.add(f"got {version!r}; write a version with its patch and without a v: {', '.join(known.offered)}")
    elif version in known.broken:
        errors.add(f"got {version}, whose dynamic resource allocation is broken; take {known.offered[-1]} or later")
    elif not versions.at_least(version, known.offered[-1]):
        errors.add(f"got {version}; this library builds on {known.offered[-1]} or later; raise it")


def _check_existing(args: OkeKubernetes, existing: str, errors: ErrorList) -> None:
    """An existing cluster has an OCID and a version, and its own answers to choices of a new one."""
    check_ocid(existing, ("cluster",), errors.at("existing", "id"))
    if "version" not in args:
        errors.at("version").add("missing; nodes join an existing cluster with its version, so name it, e.g. 1.36.1")
    check_existing_cluster(args, ("public_cidrs", "secrets_key", "protected"), errors)

"""Choices for a GKE cluster: where it runs, which version, how it is reached."""

import re
from collections.abc import Sequence
from dataclasses import field, replace
from enum import Enum
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from pulumi_offline.unknowns import known
from typing_extensions import TypedDict
from ...base import versions
from ...base.args import Choice, Link, args_schema, hints
from ...base.other_names import other_names
from ...catalog import releases
from ...common.existing import check_certificate, check_existing_cluster
from ...common.google.names import Place, check_name, place_of
from ...common.minimum_versions import MinimumVersion, check_minimum_versions, check_offered
from .network import GkePrimaryNetwork

_HOST = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?")
_ADDRESS = re.compile(r"\d+(\.\d+){3}", re.ASCII)


class GkeLocation(str, Enum):
    """Where the control plane runs. GPU nodes are in one zone either way."""

    REGIONAL = "regional"
    """In three zones of the region."""
    ZONAL = "zonal"
    """In the GPU nodes' zone."""


class GkeReleaseChannel(str, Enum):
    """GKE's pace of control-plane upgrades."""

    RAPID = "RAPID"
    """New versions first."""
    REGULAR = "REGULAR"
    """Versions that have been in ``RAPID`` for a while."""
    STABLE = "STABLE"
    """Versions that have been in ``REGULAR`` for a while."""


class GkeEndpoint(str, Enum):
    """How the Kubernetes API is reached. Neither has a public IP address."""

    DNS = "dns"
    """Google's DNS endpoint: IAM decides who enters, from any network."""
    PRIVATE = "private"
    """The private IP address: only from the VPC or what is peered with it."""


@args_schema
class GkeExistingCluster(TypedDict):
    """A cluster that exists already, in place of the one we would make."""

    location: str
    """Its region or zone."""
    endpoint: Link
    """Host name of its DNS endpoint, or its IP address together with ``ca_certificate``."""
    ca_certificate: NotRequired[Link]
    """Base64 CA certificate; only with an IP address."""
    node_service_account: NotRequired[Link]
    """Service account of the GPU nodes. Default: GKE's own default."""


@other_names({"version": "cluster_version"})  # gcloud
@args_schema
class GkeKubernetes(TypedDict):
    """The choices a stack makes for its cluster."""

    name: NotRequired[str]
    """Cluster name. Default: the component's name."""
    version: NotRequired[str]
    """Least version of the control plane. Default: ``1.35``; GPU DRA needs 1.34.2."""
    location: NotRequired[Choice[GkeLocation]]
    """Default: ``regional``."""
    release_channel: NotRequired[Choice[GkeReleaseChannel]]
    """Default: ``REGULAR``."""
    endpoint: NotRequired[Choice[GkeEndpoint]]
    """Default: ``dns``."""
    secrets_key: NotRequired[Link]
    """Cloud KMS key that encrypts secrets, in the cluster's location. GKE's service agent of the project needs
    ``roles/cloudkms.cryptoKeyEncrypterDecrypter`` on it. Default: Google's own encryption. Example:
    ``projects/my-project/locations/us-west8/keyRings/gke/cryptoKeys/secrets``."""
    protected: NotRequired[bool]
    """Let the preview of a ``destroy``, or of a change that makes the cluster anew, fail. Default: false."""
    existing: NotRequired[GkeExistingCluster]
    """Use this cluster and make none."""


@args_schema
class GkeClusterFeatures(TypedDict):
    """What the pools, the storage and the parts of ours on a cluster need of it."""

    multi_networking: NotRequired[bool]
    """Let pods name further networks of their nodes; fixed at creation. Default: true."""
    gpu_metrics: NotRequired[bool]
    """Let GKE run its own DCGM exporter on GPU nodes. Default: true."""
    kubernetes_tokens: NotRequired[bool]
    """Let tokens of Kubernetes' own accounts through the DNS endpoint; a manager of queues has one. Default: false."""
    gcs_fuse: NotRequired[bool]
    """Let GKE run its driver of Cloud Storage buckets as files. Default: false."""
    lustre: NotRequired[bool]
    """Let GKE run its driver of Managed Lustre. Default: false."""
    shielded_nodes: NotRequired[bool]
    """Let only nodes with a proof of identity join, which bare metal cannot give. Default: GKE's own, true."""


@args_schema
class GkeClusterArgs(GkeKubernetes, GkePrimaryNetwork, GkeClusterFeatures):
    """A cluster for GPU pools in one zone."""

    project: str
    """Project id."""
    zone: str
    """Zone of the GPU nodes."""


@frozen
class GkeClusterPlan:
    """What ``GkeCluster`` builds."""

    name: str
    project: str
    location: str
    zone: str
    version: str
    release_channel: str
    endpoint: GkeEndpoint
    identifier: str
    """Stable name for the Kubernetes provider: only a change of it replaces what runs on the cluster."""
    account_id: str
    """Id of the node service account, 6 to 30 characters."""
    existing: GkeExistingCluster | None
    """The user's cluster; ``None`` where we make one."""
    secrets_key: Link | None = None
    """The key that encrypts secrets; ``None`` is Google's own encryption."""
    protected: bool | None = None
    """Whether a preview that would delete the cluster fails."""
    features: GkeClusterFeatures = field(default_factory=GkeClusterFeatures)

    @property
    def is_exact(self) -> bool:
        """Whether the version is one alone, and not the newest of a minor or of a patch."""
        return len(versions.parse(self.version) or ()) == 4


_KEY = re.compile(r"projects/[^/\s]+/locations/[-a-z0-9]+/keyRings/[-\w]{1,63}/cryptoKeys/[-\w]{1,63}", re.ASCII)


def plan_cluster(args: GkeClusterArgs, name: str, errors: ErrorList) -> GkeClusterPlan | None:
    """All choices of ``GkeCluster(name, args)``. Returns ``None`` when an error was added."""
    place = place_of(args, errors)
    if "name" not in args:
        check_name(name, 40, errors.at("name"))
    plan = plan_kubernetes(args, place, name, (), errors)
    keys = hints(GkeClusterFeatures)
    features = GkeClusterFeatures(**{key: of for key, of in args.items() if key in keys})
    return None if plan is None else replace(plan, features=features)


def plan_kubernetes(
    args: GkeKubernetes, place: Place, name: str, minimum_versions: Sequence[MinimumVersion], errors: ErrorList
) -> GkeClusterPlan | None:
    """Plan the cluster that a stack chooses; ``minimum_versions`` are the versions that its pools need.

    Its features follow once pools and storage are planned.
    """
    if "name" in args:
        check_name(args["name"], 40, errors.at("name"))
    name = args.get("name", name)
    version = args.get("version", releases.GKE.default)
    at = errors.at("version")
    if versions.parse(version) is None:
        at.add(f"got {version!r}; GKE writes 1.35, 1.35.2 or 1.35.2-gke.1842000")
    else:
        check_offered(version, releases.GKE.minors, "GKE", at)
        check_minimum_versions(version, minimum_versions, "GKE", at)
    key = args.get("secrets_key")
    if isinstance(key, str) and known(key) and not _KEY.fullmatch(key):
        example = "projects/my-project/locations/us-west8/keyRings/gke/cryptoKeys/secrets"
        errors.at("secrets_key").add(f"got {key!r}; write the key's full name, e.g. {example}")
    existing = args.get("existing")
    if existing is not None:
        # It was created with its own location and choices.
        check_existing_cluster(args, ("location", "release_channel", "endpoint", "secrets_key", "protected"), errors)
        check_location(existing["location"], place, errors.at("existing", "location"))
        _check_endpoint(existing, errors.at("existing"))
    if errors:
        return None
    regional = args.get("location", GkeLocation.REGIONAL) == GkeLocation.REGIONAL
    location = existing["location"] if existing else place.region if regional else place.zone
    return GkeClusterPlan(
        name=name,
        project=place.project,
        location=location,
        zone=place.zone,
        version=version,
        release_channel=args.get("release_channel", GkeReleaseChannel.REGULAR).value,
        endpoint=args.get("endpoint", GkeEndpoint.DNS),
        identifier=f"projects/{place.project}/locations/{location}/clusters/{name}",
        account_id=account_id(name),
        existing=existing,
        secrets_key=key,
        protected=args.get("protected"),
    )


def check_location(location: str, place: Place, errors: ErrorList) -> None:
    """A cluster is in the zone of its GPU nodes, or in that zone's region."""
    if place.region and location not in (place.zone, place.region):
        errors.add(f"got {location!r}; the cluster of nodes in {place.zone} is in {place.region} or {place.zone}")


def _check_endpoint(existing: GkeExistingCluster, errors: ErrorList) -> None:
    """A host name that Google's own certificate is for, or an address with the cluster's certificate.

    An endpoint that is known only later is not checked.
    """
    endpoint, certified = existing["endpoint"], "ca_certificate" in existing
    if not isinstance(endpoint, str):
        pass
    elif not _HOST.fullmatch(endpoint):
        errors.at("endpoint").add(
            f"got {endpoint!r}; write the host name of its DNS endpoint or its IP address alone, without https://"
        )
    elif _ADDRESS.fullmatch(endpoint) and not certified:
        errors.at("ca_certificate").add(
            "missing; what answers at an IP address is known by the cluster's own certificate"
        )
    elif certified and not _ADDRESS.fullmatch(endpoint):
        errors.at("ca_certificate").add(
            "not allowed with a host name, for which Google's public certificate stands; remove it"
        )
    if "ca_certificate" in existing:
        check_certificate(existing["ca_certificate"], errors.at("ca_certificate"))


def account_id(name: str) -> str:
    """A service account id from a cluster name: the name where it fits, else a cut of it and a digest."""
    if len(name) <= 24:
        return f"{name}-nodes"
    from hashlib import sha256

    return f"{name[:16].rstrip('-')}-{sha256(name.encode()).hexdigest()[:7]}-nodes"

"""Where a GKE stack keeps its data: a bucket as files, or what is on the cluster already."""

import re
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...common.google.names import Place, place_of
from ...common.minimum_versions import MinimumVersion
from ...incluster.addons.storage.args import ExistingStorage, StorageKind
from ...incluster.addons.storage.plan import CLAIM
from ...incluster.addons.storage.store import Mounted, Store, check_capacity, check_throughput, existing_store, one_kind
from ...incluster.plan.claim_templates import check_namespaces
from .cluster import GkeClusterPlan

# github.com/GoogleCloudPlatform/gcs-fuse-csi-driver@5fcdc04 docs, examples (2026-08-21): its webhook puts the sidecar
# that mounts into pods with this annotation.
_BUCKET_PODS = {"gke-gcsfuse/volumes": "true"}
# Also shows folders that have no object of their own, as in a bucket that other tools filled.
_BUCKET = Mounted("gcsfuse.csi.storage.gke.io", ("implicit-dirs",))

# docs.cloud.google.com/managed-lustre/docs/performance-tiers (2026-11): by throughput the least size, which is also the
# step, and the largest that grows by it.
_STEPS_GIB = {125: (72_000, 12_240_000), 250: (36_000, 6_120_000), 500: (18_000, 3_060_000), 1000: (9_000, 1_530_000)}
# docs.cloud.google.com/managed-lustre/docs/lustre-csi-driver-new-volume (2026-11): Lustre on its usual port.
_LUSTRE_FLOOR = MinimumVersion("Managed Lustre needs", "1.33.2-gke.4780000", "raise it, or take another storage")

# https://cloud.google.com/storage/docs/buckets#naming
_BUCKET_NAME = re.compile(
    r"(?=[a-z0-9].{1,220}[a-z0-9]\Z)(?!\d+(\.\d+){3}\Z)[-a-z0-9_]{1,63}(\.[-a-z0-9_]{1,63})*", re.ASCII
)


@args_schema
class GkeObjectStore(TypedDict):
    """A Cloud Storage bucket that pods of the claim templates' namespaces read and write as files."""

    bucket: NotRequired[Link]
    """Name of a bucket that is there. Default: a new one in the cluster's region, never public, with folders."""
    deletable: NotRequired[bool]
    """Whether `pulumi destroy` deletes the new bucket with all that is in it. Default: false: it is protected, and
    the preview of `destroy` fails."""


@args_schema
class GkeLustre(TypedDict):
    """A Managed Lustre instance in the GPUs' zone, billed by its size and throughput."""

    capacity_gib: int
    """Size, GiB: a multiple of 9000 at 1000 MB/s a TiB, of 18000 at 500, 36000 at 250, 72000 at 125. It may grow later,
    and never shrink."""
    mbps_per_tib: NotRequired[int]
    """Throughput, MB/s for each TiB: 125, 250, 500 or 1000. Default: 1000, of which the least is sold."""
    deletable: NotRequired[bool]
    """Whether `pulumi destroy` deletes it with all that is in it. Default: false: it is protected, and
    the preview of `destroy` fails."""


@args_schema
class GkeStores(TypedDict):
    """What data is kept in: exactly one of its keys."""

    object_store: NotRequired[GkeObjectStore]
    """A Cloud Storage bucket, by Cloud Storage FUSE. ``{}`` makes one."""
    lustre: NotRequired[GkeLustre]
    """A new Managed Lustre instance."""


@args_schema
class GkeStorageOptions(GkeStores):
    """Where data is kept: exactly one of its keys."""

    existing: NotRequired[ExistingStorage]
    """What is on the cluster already."""


@args_schema
class GkeStorageArgs(GkeStores):
    """A store for the pods of some namespaces."""

    project: str
    """Project id."""
    zone: str
    """Zone of the GPU nodes."""
    namespaces: list[str]
    """Namespaces whose pods may read and write."""
    network: NotRequired[Link]
    """Name of the cluster's VPC, which a Lustre instance is reached from."""
    connect: NotRequired[bool]
    """Whether to give that VPC private services access, and let Lustre's answers in. Default: true."""


@frozen
class StoreUse:
    """Where a store is made, and who reaches it."""

    place: Place
    namespaces: tuple[str, ...]
    """Namespaces whose pods read and write."""
    connect: bool
    """Whether the cluster's VPC is ours to give private services access."""


@frozen
class GkeLustrePlan:
    """A Managed Lustre instance."""

    capacity_gib: int
    mbps_per_tib: int
    protected: bool


@frozen
class GkeBucketPlan:
    """A new bucket or an existing one."""

    existing: Link
    """Name of an existing bucket; empty for a new one."""
    location: str
    protected: bool


@frozen
class GkeStoragePlan:
    """What ``GkeStorage`` makes, and what pods need to use it."""

    store: Store
    use: StoreUse
    bucket: GkeBucketPlan | None = None
    lustre: GkeLustrePlan | None = None


def plan_storage(args: GkeStorageArgs, name: str, errors: ErrorList) -> GkeStoragePlan | None:
    """All choices of ``GkeStorage(name, args)``. Returns ``None`` when an error was added."""
    place = place_of(args, errors)
    check_namespaces(args["namespaces"], errors.at("namespaces"))
    if "lustre" in args and "network" not in args:
        errors.at("network").add("missing; a Lustre instance is reached from the cluster's VPC, name it")
    kind = one_kind(args, GkeStores, errors.at("object_store"))
    use = StoreUse(place, tuple(args["namespaces"]), args.get("connect", True))
    plan = None if kind is None else _plan_store(kind, args, use, name, errors)
    return None if errors else plan


def choose_storage(choice: GkeStorageOptions, use: StoreUse, name: str, errors: ErrorList) -> GkeStoragePlan | None:
    """Plan the store that a stack chooses; the caller reports errors of the place and of the namespaces."""
    kind = one_kind(choice, GkeStorageOptions, errors)
    if kind is StorageKind.EXISTING:
        store = existing_store(choice["existing"], errors.at("existing"))
        return None if store is None else GkeStoragePlan(store, use)
    return None if kind is None else _plan_store(kind, choice, use, name, errors)


def _plan_store(
    kind: StorageKind, stores: GkeStores, use: StoreUse, name: str, errors: ErrorList
) -> GkeStoragePlan | None:
    if kind is StorageKind.LUSTRE:
        return _lustre(stores["lustre"], use, errors.at("lustre"))
    return _bucket(stores["object_store"], use, name, errors.at("object_store"))


def _lustre(choice: GkeLustre, use: StoreUse, errors: ErrorList) -> GkeStoragePlan | None:
    throughput = choice.get("mbps_per_tib", max(_STEPS_GIB))
    check_throughput(throughput, tuple(_STEPS_GIB), errors.at("mbps_per_tib"))
    if throughput in _STEPS_GIB:
        step, most = _STEPS_GIB[throughput]
        check_capacity(choice["capacity_gib"], step, errors.at("capacity_gib"), most=most)
    if errors:
        return None
    plan = GkeLustrePlan(choice["capacity_gib"], throughput, protected=not choice.get("deletable", False))
    store = Store(StorageKind.LUSTRE, CLAIM, Mounted("lustre.csi.storage.gke.io", capacity_gib=plan.capacity_gib))
    return GkeStoragePlan(store, use, lustre=plan)


def _bucket(choice: GkeObjectStore, use: StoreUse, name: str, errors: ErrorList) -> GkeStoragePlan | None:
    existing = choice.get("bucket", "")
    if "bucket" in choice:
        if isinstance(existing, str) and not _BUCKET_NAME.fullmatch(existing):
            errors.at("bucket").add(
                f"got {existing!r}; write the name alone, without gs://: 3 to 63 lower-case letters, digits, hyphens "
                "and underscores, or such parts with dots between them, up to 222 in all; a letter or digit first and "
                "last, and no IP address"
            )
        if choice.get("deletable"):
            errors.at("deletable").add(
                "got true; not allowed with bucket, which stays whatever becomes of the stack; remove it"
            )
    elif name.startswith("goog") or "google" in name:
        errors.add(
            f"no bucket may have a name like {name}-storage: Google keeps those that begin with goog, or hold google; "
            "give the stack another name, or name a bucket in bucket"
        )
    if errors:
        return None
    store = Store(StorageKind.OBJECT_STORE, CLAIM, _BUCKET, annotations=_BUCKET_PODS)
    plan = GkeBucketPlan(existing, use.place.region.upper(), protected=not choice.get("deletable", False))
    return GkeStoragePlan(store, use, plan)


def storage_minimum_versions(choice: GkeStorageOptions) -> list[MinimumVersion]:
    """What the choice needs of the cluster's version."""
    return [_LUSTRE_FLOOR] if ("lustre" in choice) else []


def storage_warnings(storage: GkeStoragePlan | None, cluster: GkeClusterPlan, *, own_network: bool) -> list[str]:
    """What an existing cluster or network must have, which only the user can check."""
    if storage is None or storage.store.mounted is None:
        return []
    warnings = []
    if storage.lustre is not None and not own_network:
        warnings.append(
            "storage: the existing network needs private services access with a free /23 or larger, and a firewall "
            "that lets TCP port 988 in from it (docs.cloud.google.com/managed-lustre/docs/vpc)"
        )
    if cluster.existing:
        addon, needs = ("LustreCsiDriver", "") if storage.lustre else ("GcsFuseCsiDriver", "Workload Identity and ")
        warnings.append(
            f"storage: cluster {cluster.name} needs {needs}the add-on {addon}, or pods stay pending: gcloud container "
            f"clusters update {cluster.name} --update-addons {addon}=ENABLED"
        )
    return warnings

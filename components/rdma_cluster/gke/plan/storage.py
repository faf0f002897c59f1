"""Where a GKE stack keeps its data: a bucket as files, or what is on the cluster already."""

import re
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...faults import Faults
from ...google.plan.names import check_project, region_of
from ...incluster.plan.claim_templates import check_namespaces
from ...incluster.plan.shared_volume import CLAIM
from ...incluster.plan.storage import ExistingStorage, Mounted, StorageKind, Store, existing_store, one_kind
from ...unread import rule
from .cluster import ClusterPlan

# github.com/GoogleCloudPlatform/gcs-fuse-csi-driver@5fcdc04 docs, examples (2026-08-21): its webhook puts the sidecar
# that mounts into pods with this annotation.
_BUCKET_PODS = {"gke-gcsfuse/volumes": "true"}
# Shows folders that nobody made, in a bucket that was filled by other means.
_BUCKET = Mounted("gcsfuse.csi.storage.gke.io", ("implicit-dirs",))

# https://cloud.google.com/storage/docs/buckets#naming
_BUCKET_NAME = re.compile(r"[a-z0-9]([-a-z0-9_.]{1,220}[a-z0-9])")


@shape
class GkeObjectStore(TypedDict):
    """A Cloud Storage bucket that pods of the claim templates' namespaces read and write as files."""

    bucket: NotRequired[str]
    """Name of a bucket that is there. Default: a new one in the cluster's region, never public, with folders."""
    deletable: NotRequired[bool]
    """Whether `pulumi destroy` deletes the new bucket with all that is in it. Default: false: it is protected, and
    `destroy` says so before it deletes anything."""


@shape
class GkeStores(TypedDict):
    """What data is kept in: exactly one of its keys."""

    object_store: NotRequired[GkeObjectStore]
    """A Cloud Storage bucket, by Cloud Storage FUSE. ``{}`` makes one."""


@shape
class GkeStorageChoice(GkeStores):
    """Where data is kept: exactly one of its keys."""

    existing: NotRequired[ExistingStorage]
    """What is on the cluster already."""


@shape
class GkeStorageArgs(GkeStores):
    """A store for the pods of some namespaces."""

    project: str
    """Project id."""
    zone: str
    """Zone of the GPU nodes."""
    namespaces: list[str]
    """Namespaces whose pods may read and write."""


@dataclass(frozen=True)
class BucketPlan:
    """A bucket, ours or one that is there."""

    existing: str
    """Its name where it is there; empty where it is made."""
    location: str
    protected: bool


@dataclass(frozen=True)
class StoragePlan:
    """What ``GkeStorage`` makes, and what pods are told of it."""

    store: Store
    bucket: BucketPlan | None = None

    @property
    def makes(self) -> bool:
        """Whether anything is made, or rights are given."""
        return self.store.mounted is not None


def decide_storage(args: GkeStorageArgs, name: str, faults: Faults) -> StoragePlan | None:
    """All choices of ``GkeStorage(name, args)``. Returns ``None`` when a fault was added."""
    check_project(args["project"], faults.at("project"))
    region = region_of(args["zone"], faults.at("zone"))
    check_namespaces(args["namespaces"], faults.at("namespaces"))
    kind = one_kind(args, GkeStores, faults.at("object_store"))
    plan = None if kind is None else _made(kind, args, name, faults, region=region)
    return None if faults else plan


@rule
def choose_storage(choice: GkeStorageChoice, name: str, faults: Faults, *, region: str | None) -> StoragePlan | None:
    """The same from a stack's choice; the caller tells what is wrong with its place."""
    kind = one_kind(choice, GkeStorageChoice, faults)
    if kind is StorageKind.EXISTING:
        store = existing_store(choice["existing"], faults.at("existing"))
        return None if store is None else StoragePlan(store)
    return None if kind is None else _made(kind, choice, name, faults, region=region)


def _made(kind: StorageKind, stores: GkeStores, name: str, faults: Faults, *, region: str | None) -> StoragePlan | None:
    return _bucket(stores["object_store"], name, faults.at("object_store"), region=region)


@rule
def _bucket(choice: GkeObjectStore, name: str, faults: Faults, *, region: str | None) -> StoragePlan | None:
    existing = choice.get("bucket", "")
    if existing:
        _check_bucket(existing, faults.at("bucket"))
        if "deletable" in choice:
            faults.at("deletable").add("not allowed with bucket, which stays whatever becomes of the stack; remove it")
    elif name.startswith("goog") or "google" in name:
        faults.add(
            f"no bucket may have a name like {name}-storage: Google keeps those that begin with goog, or hold google; "
            "give the stack another name, or name a bucket in bucket"
        )
    if faults or region is None:
        return None
    store = Store(StorageKind.OBJECT_STORE, CLAIM, _BUCKET, annotations=_BUCKET_PODS)
    return StoragePlan(store, BucketPlan(existing, region.upper(), protected=not choice.get("deletable", False)))


@rule
def _check_bucket(bucket: str, faults: Faults) -> None:
    if not _BUCKET_NAME.fullmatch(bucket):
        faults.add(
            f"got {bucket!r}; write the name alone, without gs://: 3 to 222 lower-case letters, digits, hyphens, "
            "underscores and dots, with a letter or digit first and last"
        )


def storage_warnings(storage: StoragePlan | None, cluster: ClusterPlan) -> list[str]:
    """What we cannot see of a cluster that is there already."""
    if storage is None or storage.bucket is None or not cluster.existing:
        return []
    return [
        f"storage: cluster {cluster.name} needs Workload Identity and its add-on GcsFuseCsiDriver, or pods stay "
        f"pending: gcloud container clusters update {cluster.name} --update-addons GcsFuseCsiDriver=ENABLED"
    ]

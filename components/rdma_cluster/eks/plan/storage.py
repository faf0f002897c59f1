"""Where an EKS stack keeps its data: a bucket as files, a Lustre file system, or what is on the cluster already."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...common.existing import check_kept
from ...incluster.addons.storage.args import ExistingStorage, StorageKind
from ...incluster.addons.storage.plan import CLAIM
from ...incluster.addons.storage.store import Mounted, Store, check_capacity, check_throughput, existing_store, one_kind
from ...incluster.plan.claim_templates import check_namespaces
from .zones import check_region, partition_of

# github.com/awslabs/mountpoint-s3-csi-driver@57c6bed README.md, docs/CONFIGURATION.md, examples (2026-08-08).
_BUCKET_DRIVER = "s3.csi.aws.com"
_BUCKET_ADDON = "aws-mountpoint-s3-csi-driver"
BUCKET_ACCOUNT = "s3-csi-driver-sa"
"""The driver's service account, which reads and writes for every pod."""
# Checkpoints are replaced and deleted, and pods need not be root.
_BUCKET_OPTIONS = ("allow-delete", "allow-overwrite", "allow-other")

# github.com/kubernetes-sigs/aws-fsx-csi-driver@5b22712 examples/kubernetes/static_provisioning (2026-04-21); add-on:
# docs.aws.amazon.com/eks/latest/userguide/fsx-csi-create.html (2026-11).
_LUSTRE_DRIVER = "fsx.csi.aws.com"
_LUSTRE_ADDON = "aws-fsx-csi-driver"
# botocore 1.44.5 fsx CreateFileSystemRequest.StorageCapacity, CreateFileSystemLustreConfiguration (2026-11-21), of
# PERSISTENT_2 on SSD.
_SMALLEST_GIB, _STEP_GIB = 1200, 2400
_THROUGHPUTS = (125, 250, 500, 1000)

# https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
_BUCKET_NAME = re.compile(
    r"(?!xn--|sthree-|amzn-s3-demo-|\d+(\.\d+){3}\Z)[a-z0-9](?!.*\.\.)[a-z0-9.-]{1,61}[a-z0-9]", re.ASCII
)
_RANDOM = "-1234567"  # what Pulumi puts behind a name


@args_schema
class EksObjectStore(TypedDict):
    """An S3 bucket that pods of the claim templates' namespaces read and write as files."""

    bucket: NotRequired[Link]
    """Name of a bucket of the cluster's region that is there. Default: a new one, never public."""
    deletable: NotRequired[bool]
    """Whether `pulumi destroy` deletes the new bucket with all that is in it. Default: false: it is protected, and
    the preview of `destroy` fails."""


@args_schema
class EksLustre(TypedDict):
    """A file system of FSx for Lustre in the GPUs' zone, billed by its size and throughput."""

    capacity_gib: int
    """Size, GiB: 1200, or a multiple of 2400. It may grow later, and never shrink."""
    mbps_per_tib: NotRequired[int]
    """Throughput, MB/s for each TiB: 125, 250, 500 or 1000. Default: 125."""
    deletable: NotRequired[bool]
    """Whether `pulumi destroy` deletes it with all that is in it. Default: false: it is protected, and
    the preview of `destroy` fails."""


@args_schema
class EksStores(TypedDict):
    """What data is kept in: exactly one of its keys."""

    object_store: NotRequired[EksObjectStore]
    """An S3 bucket, by Mountpoint for Amazon S3. ``{}`` makes one."""
    lustre: NotRequired[EksLustre]
    """A new file system of FSx for Lustre."""


@args_schema
class EksStorageOptions(EksStores):
    """Where data is kept: exactly one of its keys."""

    existing: NotRequired[ExistingStorage]
    """What is on the cluster already."""


@args_schema
class EksStorageArgs(EksStores):
    """A store for the pods of some namespaces."""

    region: str
    """Region of the cluster."""
    cluster: Link
    """Name of the cluster, which has the pod identity agent."""
    namespaces: list[str]
    """Namespaces whose pods may read and write."""
    subnet: NotRequired[Link]
    """Id of the subnet that a Lustre file system is in, of the GPUs' zone."""
    security_group: NotRequired[Link]
    """Id of the security group that a Lustre file system and its nodes are in: the cluster's own."""
    addon: NotRequired[bool]
    """Whether to install the driver, as an add-on. Default: true."""


@frozen
class EksBucketPlan:
    """A new bucket, or one that exists."""

    existing: Link
    """Name of a bucket that exists; empty for a new one."""
    partition: str
    protected: bool


@frozen
class EksLustrePlan:
    """A new file system of FSx for Lustre."""

    capacity_gib: int
    mbps_per_tib: int
    protected: bool


@frozen
class EksStoragePlan:
    """What ``EksStorage`` makes, and how pods use it."""

    store: Store
    addon: str = ""
    """Name of the driver's add-on."""
    bucket: EksBucketPlan | None = None
    lustre: EksLustrePlan | None = None
    brings_driver: bool = True
    """Whether the add-on is installed; an existing cluster has it already."""


def plan_storage(args: EksStorageArgs, name: str, errors: ErrorList) -> EksStoragePlan | None:
    """Make all choices of ``EksStorage(name, args)``. Returns ``None`` when an error was added."""
    check_region(args["region"], errors.at("region"))
    check_namespaces(args["namespaces"], errors.at("namespaces"))
    if "lustre" in args:
        for key in ("subnet", "security_group"):
            if key not in args:
                errors.at(key).add("missing; a Lustre file system is in one of the cluster's, name it")
    kind = one_kind(args, EksStores, errors.at("object_store"))
    plan = None if kind is None else _plan_of(kind, args, args["region"], name, errors)
    return None if errors or plan is None else replace(plan, brings_driver=args.get("addon", True))


def choose_storage(
    choice: EksStorageOptions, *, region: str, name: str, existing: bool, errors: ErrorList
) -> EksStoragePlan | None:
    """Plan the storage of a stack, whose cluster is ``existing`` or new; the caller has checked region and name."""
    kind = one_kind(choice, EksStorageOptions, errors)
    if kind is StorageKind.EXISTING:
        store = existing_store(choice["existing"], errors.at("existing"))
        return None if store is None else EksStoragePlan(store)
    plan = None if kind is None else _plan_of(kind, choice, region, name, errors)
    return plan and replace(plan, brings_driver=not existing)


def _plan_of(kind: StorageKind, stores: EksStores, region: str, name: str, errors: ErrorList) -> EksStoragePlan | None:
    if kind is StorageKind.LUSTRE:
        return _lustre(stores["lustre"], errors.at("lustre"))
    return _bucket(stores["object_store"], region=region, name=name, errors=errors.at("object_store"))


def _bucket(choice: EksObjectStore, *, region: str, name: str, errors: ErrorList) -> EksStoragePlan | None:
    existing = choice.get("bucket", "")
    if "bucket" in choice:
        if isinstance(existing, str) and not _BUCKET_NAME.fullmatch(existing):
            errors.at("bucket").add(
                f"got {existing!r}; write the name alone, without s3://: 3 to 63 lower-case letters, digits, hyphens "
                "and dots, with a letter or digit first and last, and no IP address"
            )
        check_kept(choice, "bucket", errors)
    elif not _BUCKET_NAME.fullmatch(f"{name.lower()}-storage{_RANDOM}"):
        errors.add(
            f"no bucket may have a name like {name}-storage{_RANDOM}: S3 wants up to 63 letters, digits, hyphens and "
            "dots, with a letter or digit first and last; give the stack another name, or name a bucket in bucket"
        )
    if errors:
        return None
    options = (*_BUCKET_OPTIONS, f"region {region}")
    store = Store(StorageKind.OBJECT_STORE, CLAIM, Mounted(_BUCKET_DRIVER, options))
    plan = EksBucketPlan(existing, partition_of(region), protected=not choice.get("deletable", False))
    return EksStoragePlan(store, _BUCKET_ADDON, bucket=plan)


def _lustre(choice: EksLustre, errors: ErrorList) -> EksStoragePlan | None:
    capacity, throughput = choice["capacity_gib"], choice.get("mbps_per_tib", _THROUGHPUTS[0])
    check_capacity(capacity, _STEP_GIB, errors.at("capacity_gib"), smallest=_SMALLEST_GIB)
    check_throughput(throughput, _THROUGHPUTS, errors.at("mbps_per_tib"))
    if errors:
        return None
    plan = EksLustrePlan(capacity, throughput, protected=not choice.get("deletable", False))
    store = Store(StorageKind.LUSTRE, CLAIM, Mounted(_LUSTRE_DRIVER, ("flock",), capacity_gib=capacity))
    return EksStoragePlan(store, _LUSTRE_ADDON, lustre=plan)


def storage_warnings(storage: EksStoragePlan | None, cluster: str) -> Sequence[str]:
    """Warn of what an existing cluster must have, which only the user can check."""
    if storage is None or storage.store.mounted is None or storage.brings_driver:
        return []
    rights = f", whose account {BUCKET_ACCOUNT} may use the bucket" if storage.bucket else ""
    return [
        f"storage: cluster {cluster} needs the add-on {storage.addon}{rights}, or pods stay pending: aws eks "
        f"create-addon --cluster-name {cluster} --addon-name {storage.addon}"
    ]

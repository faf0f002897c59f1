"""Where an OKE stack keeps its data: a file system of File Storage with Lustre, or what is on the cluster already."""

from collections.abc import Iterable
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...incluster.addons.storage.args import ExistingStorage, StorageKind
from ...incluster.addons.storage.plan import CLAIM, check_handles
from ...incluster.addons.storage.store import Mounted, Store, check_throughput, existing_store, one_kind
from ...incluster.plan.claim_templates import check_namespaces
from .identity import LUSTRE
from .node_pool import OkeNodePoolPlan
from .zones import OkePlace, Place, check_region, check_tenancy, check_zone, place_of

_DRIVER = "lustre.csi.oraclecloud.com"
_MBPS_PER_TB = (125, 250, 500, 1000)
# docs.oracle.com/iaas/Content/lustre/file-system-capacity.htm (2026-11): the least, and a step up to a size, which is
# the step from there. The API's GB are thousands: the driver's least is 31.2T, or 31200G. The most is what the subnet
# has addresses for.
_LEAST_GB, _STEP_GB, _LARGE_GB, _LARGE_STEP_GB, _MOST_GB = 31_200, 10_400, 124_800, 41_600, 832_000
_SIZES_GB = (*range(_LEAST_GB, _LARGE_GB, _STEP_GB), *range(_LARGE_GB, _MOST_GB + 1, _LARGE_STEP_GB))
# docs.oracle.com/iaas ContEng contengcreatingpersistentvolumeclaim_Provisioning_PVCs_on_Lustre.htm (2026-11).
_LISTED_IMAGES = "ubuntu-22.04"
_LISTED_ARCHITECTURE = "amd64"


@args_schema
class OkeObjectStore(TypedDict):
    """A bucket as files, which OKE has no driver for: it is refused with what to do instead."""

    bucket: NotRequired[str]
    """Name of the bucket."""
    deletable: NotRequired[bool]
    """As on other clouds."""


@args_schema
class OkeLustre(TypedDict):
    """A file system of File Storage with Lustre in the GPUs' availability domain, billed by its size and throughput."""

    capacity_gb: int
    """Size, GB: 31200 to 124800 in steps of 10400, then in steps of 41600 to 832000. It may grow later, and never
    shrink."""
    mbps_per_tb: NotRequired[int]
    """Throughput, MB/s for each TB: 125, 250, 500 or 1000. Default: 125."""
    deletable: NotRequired[bool]
    """Whether `pulumi destroy` deletes it with all that is in it. Default: false: it is protected, and
    the preview of `destroy` fails."""


@args_schema
class OkeStorageOptions(TypedDict):
    """Where data is kept: exactly one of its keys."""

    object_store: NotRequired[OkeObjectStore]
    """Not on OKE: its CSI drivers are of block volumes, File Storage and Lustre."""
    lustre: NotRequired[OkeLustre]
    """A new file system of File Storage with Lustre, for one namespace."""
    existing: NotRequired[ExistingStorage]
    """What is on the cluster already: File Storage, Lustre, or a driver of your own."""


@args_schema
class OkeStorageArgs(OkePlace):
    """A file system for the pods of a namespace."""

    subnet: Link
    """OCID of the subnet of Lustre's servers."""
    groups: NotRequired[list[Link]]
    """OCIDs of network security groups of the servers, five at the most. Default: none."""
    namespaces: list[str]
    """The namespace whose pods read and write, alone."""
    lustre: OkeLustre
    """The file system."""


@frozen
class OkeLustrePlan:
    """A file system of File Storage with Lustre."""

    place: Place
    capacity_gb: int
    mbps_per_tb: int
    protected: bool


@frozen
class OkeStoragePlan:
    """What ``OkeStorage`` makes, and what pods mount."""

    store: Store
    lustre: OkeLustrePlan | None = None


def plan_storage(args: OkeStorageArgs, errors: ErrorList) -> OkeStoragePlan | None:
    """All choices of ``OkeStorage``. Returns ``None`` when an error was added."""
    check_region(args["region"], errors.at("region"))
    check_tenancy(args["tenancy"], args["compartment"], errors)
    check_zone(args["zone"], region=args["region"], errors=errors.at("zone"))
    check_namespaces(args["namespaces"], errors.at("namespaces"))
    check_handles("", _DRIVER, args["namespaces"], errors.at("namespaces"))
    plan = _lustre(args["lustre"], place_of(args), errors.at("lustre"))
    return None if errors else plan


def choose_storage(
    choice: OkeStorageOptions, *, place: Place, own_network: bool, errors: ErrorList
) -> OkeStoragePlan | None:
    """Plan the storage of a stack from its choice; the caller checks the place."""
    kind = one_kind(choice, OkeStorageOptions, errors)
    if kind is StorageKind.OBJECT_STORE:
        # github.com/oracle/oci-cloud-controller-manager@1100ac3 pkg/csi/driver (2026-06-17).
        errors.at("object_store").add(
            "OKE has no driver that mounts a bucket; copy what is in it onto a file system of File Storage or Lustre, "
            "and name its claim in storage.existing"
        )
    if kind is StorageKind.LUSTRE:
        if not own_network:
            errors.at("lustre").add(
                "not allowed with an existing network or cluster, where its subnet and rules would be yours to make; "
                "make the file system there, and name its claim in storage.existing"
            )
        return _lustre(choice["lustre"], place, errors.at("lustre"))
    if kind is not StorageKind.EXISTING:
        return None
    store = existing_store(choice["existing"], errors.at("existing"))
    return None if store is None else OkeStoragePlan(store)


def _lustre(choice: OkeLustre, place: Place, errors: ErrorList) -> OkeStoragePlan | None:
    throughput = choice.get("mbps_per_tb", min(_MBPS_PER_TB))
    check_throughput(throughput, _MBPS_PER_TB, errors.at("mbps_per_tb"))
    size = choice["capacity_gb"]
    if size not in _SIZES_GB:
        below = [each for each in _SIZES_GB if each < size][-1:]
        above = [each for each in _SIZES_GB if each > size][:1]
        near = [f"{each:,}" for each in (*below, *above)]
        errors.at("capacity_gb").add(
            f"got {size}; must be {_LEAST_GB:,} to {_LARGE_GB:,} in steps of {_STEP_GB:,}, or more in steps of "
            f"{_LARGE_STEP_GB:,} up to {_MOST_GB:,}; nearest {'is' if len(near) == 1 else 'are'} {' and '.join(near)}"
        )
    if errors:
        return None
    plan = OkeLustrePlan(place, choice["capacity_gb"], throughput, protected=not choice.get("deletable", False))
    # The whole handle is an address: pkg/csi-util/lustre_lnet.go of the driver.
    mounted = Mounted(_DRIVER, separator="", fs_type="lustre", capacity_gib=-(-plan.capacity_gb * 10**9 >> 30))
    return OkeStoragePlan(Store(StorageKind.LUSTRE, CLAIM, mounted), plan)


def storage_warnings(storage: OkeStoragePlan | None, pools: Iterable[OkeNodePoolPlan], *, policies: bool) -> list[str]:
    """What a file system needs that this library does not make."""
    if storage is None or storage.lustre is None:
        return []
    warnings = []
    if not policies:
        warnings.append(f"storage.lustre: with identity.existing a policy of the tenancy must say: {LUSTRE.text}")
    unlisted = [
        pool.name
        for pool in pools
        if not pool.image.title.startswith(_LISTED_IMAGES) or pool.machine.architecture != _LISTED_ARCHITECTURE
    ]
    if unlisted:
        warnings.append(
            f"storage.lustre: Oracle lists its driver for Ubuntu 22.04 on x86, which the nodes of "
            f"{', '.join(unlisted)} are not known to have; `lfs --version` on a node shows whether its image has the "
            "client that mounts"
        )
    return warnings

"""Where an AKS stack keeps its data: a container of blobs as files, Lustre, or what is on the cluster already."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from ...args import Link, shape
from ...faults import Faults
from ...incluster.plan.charts import Settings
from ...incluster.plan.claim_templates import check_namespaces
from ...incluster.plan.shared_volume import CLAIM
from ...incluster.plan.storage import (
    ExistingStorage,
    Mounted,
    StorageKind,
    Store,
    check_capacity,
    check_throughput,
    existing_store,
    one_kind,
)
from ...unread import if_read, or_else, rule
from .lustre_driver import lustre_driver
from .zones import check_group, check_location, check_uuid, check_zone

# github.com/kubernetes-sigs/blob-csi-driver@0744a60 docs/driver-parameters.md, deploy/example/blobfuse-mi (2026-08-22):
# a handle is RESOURCE GROUP#ACCOUNT#CONTAINER#anything. Listing a container for a mount would be billed.
_MOUNTED = Mounted(
    "blob.csi.azure.com",
    ("-o allow_other", "--file-cache-timeout-in-seconds=120", "--cancel-list-on-mount-seconds=10"),
    separator="#",
)
# learn.microsoft.com/azure/azure-managed-lustre/create-file-system-resource-manager, SKUs (2026-11): by throughput the
# least size, which is also the step, and the largest. At 40 MB/s 768 TiB are sold; a subnet's size is told up to 400.
_STEPS_TIB = {40: (48, 384), 125: (16, 128), 250: (8, 128), 500: (4, 128)}
# github.com/kubernetes-sigs/azurelustre-csi-driver@26f6442 docs/examples/pv.yaml (2026-05).
_LUSTRE_OPTIONS = ("noatime", "flock")
_WINDOW = "Sunday 03:00"
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WINDOW_FORM = re.compile(rf"({'|'.join(_DAYS)}) ([01][0-9]|2[0-3]):[0-5][0-9]")

CONTAINER = "data"
"""Of a new account."""

# https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules#microsoftstorage
_ACCOUNT = re.compile(r"[a-z0-9]{3,24}")
_CONTAINER = re.compile(r"(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
_SHORT = 24 - len("storage") - 8  # what azure-native's eight digits leave of a name


@shape
class AksObjectStore(TypedDict):
    """A container of Azure Blob Storage that pods of the claim templates' namespaces read and write as files."""

    account: NotRequired[str]
    """Name of a storage account that is there, with ``container``. Default: a new one in the cluster's location, which
    only Entra ID opens."""
    container: NotRequired[str]
    """Name of a container of that account."""
    resource_group: NotRequired[str]
    """Resource group of that account, in the cluster's subscription. Default: the cluster's."""
    deletable: NotRequired[bool]
    """Whether `pulumi destroy` deletes the new account with all that is in it. Default: false: it is protected, and
    the preview of `destroy` fails."""


@shape
class AksLustre(TypedDict):
    """A file system of Azure Managed Lustre in the GPUs' zone, billed by its size and throughput."""

    capacity_tib: int
    """Size, TiB: a multiple of 4 at 500 MB/s a TiB, of 8 at 250, 16 at 125, up to 128; of 48 at 40, up to 384. It can
    never change."""
    mbps_per_tib: NotRequired[int]
    """Throughput, MB/s for each TiB: 40, 125, 250 or 500. It can never change. Default: 500, of which the least is
    sold."""
    maintenance: NotRequired[str]
    """When Azure may maintain it, for 30 minutes a week: a day, and a time of UTC. Default: ``Sunday 03:00``."""
    deletable: NotRequired[bool]
    """Whether `pulumi destroy` deletes it with all that is in it. Default: false: it is protected, and
    the preview of `destroy` fails."""


@shape
class AksStores(TypedDict):
    """What data is kept in: exactly one of its keys."""

    object_store: NotRequired[AksObjectStore]
    """A container of blobs, by BlobFuse. ``{}`` makes one."""
    lustre: NotRequired[AksLustre]
    """A new file system of Azure Managed Lustre, in a subnet of its own."""


@shape
class AksStorageChoice(AksStores):
    """Where data is kept: exactly one of its keys."""

    existing: NotRequired[ExistingStorage]
    """What is on the cluster already."""


@shape
class AksStorageArgs(AksStores):
    """A store for the pods of some namespaces."""

    subscription: str
    """Id of the subscription."""
    location: str
    """Location of the cluster."""
    resource_group: Link
    """Name of the resource group."""
    namespaces: list[str]
    """Namespaces whose pods may read and write."""
    identity_client: Link
    """Client id of the identity that the nodes' kubelets run as."""
    identity_principal: Link
    """Principal id of that identity."""
    zone: NotRequired[str]
    """Zone of the GPU nodes, where a Lustre file system goes. Default: none, for locations without zones."""
    lustre_subnet: NotRequired[Link]
    """Id of a subnet of its own for a Lustre file system, with a way out."""


@dataclass(frozen=True)
class AccountPlan:
    """A container of blobs, ours or one that is there."""

    existing: str
    """Name of the account where it is there; empty where it is made."""
    name: str
    """With which the name of a new account begins."""
    container: str
    resource_group: str | None
    """Of an existing one; ``None`` is the cluster's."""
    location: str
    subscription: str
    protected: bool


@dataclass(frozen=True)
class LustrePlan:
    """A file system of Azure Managed Lustre."""

    name: str
    """With which its name begins."""
    location: str
    zone: str | None
    capacity_tib: int
    mbps_per_tib: int
    day: str
    """Of its maintenance."""
    time: str
    protected: bool

    @property
    def sku(self) -> str:
        """As Azure sells it."""
        return f"AMLFS-Durable-Premium-{self.mbps_per_tib}"


@dataclass(frozen=True)
class StoragePlan:
    """What ``AksStorage`` makes, and what pods are told of it."""

    store: Store
    account: AccountPlan | None = None
    lustre: LustrePlan | None = None
    driver: Settings | None = None
    """The chart of what mounts it, where AKS does not bring it."""


def decide_storage(args: AksStorageArgs, name: str, faults: Faults) -> StoragePlan | None:
    """All choices of ``AksStorage(name, args)``. Returns ``None`` when a fault was added."""
    check_uuid(args["subscription"], "the subscription's id", faults.at("subscription"))
    check_location(args["location"], faults.at("location"))
    check_zone(args.get("zone"), faults.at("zone"))
    check_namespaces(args["namespaces"], faults.at("namespaces"))
    if "lustre" in args and "lustre_subnet" not in args:
        faults.at("lustre_subnet").add("missing; a Lustre file system has a subnet of its own, give its id")
    kind = one_kind(args, AksStores, faults.at("object_store"))
    if kind is None:
        return None
    plan = _made(
        kind,
        args,
        subscription=args["subscription"],
        location=args["location"],
        zone=args.get("zone"),
        name=name,
        registries={},
        faults=faults,
    )
    return None if faults else plan


@rule
def choose_storage(
    choice: AksStorageChoice,
    *,
    subscription: str,
    location: str,
    zone: str | None,
    name: str,
    existing: bool,
    own_network: bool,
    registries: Mapping[str, str],
    faults: Faults,
) -> StoragePlan | None:
    """The same from a stack's choice; ``existing`` is of the cluster, ``own_network`` says that we make its network."""
    kind = one_kind(choice, AksStorageChoice, faults)
    if kind is StorageKind.EXISTING:
        store = existing_store(choice["existing"], faults.at("existing"))
        return None if store is None else StoragePlan(store)
    if kind is None:
        return None
    if existing and kind is StorageKind.OBJECT_STORE:
        faults.at("object_store").add(
            "not allowed with an existing cluster, of whose nodes nobody here knows the identity that would mount it; "
            "make the volume there, and name its claim in storage.existing"
        )
    if kind is StorageKind.LUSTRE and (existing or not own_network):
        faults.at("lustre").add(
            f"not allowed with an existing {'cluster' if existing else 'network'}, in whose virtual network nobody "
            "here knows a free block for its subnet; make the file system there, and name its claim in storage.existing"
        )
    return _made(
        kind,
        choice,
        subscription=subscription,
        location=location,
        zone=zone,
        name=name,
        registries=registries,
        faults=faults,
    )


def lustre_tib(choice: AksStorageChoice | None) -> int:
    """Size of the Lustre file system that a choice asks for; 0 where it asks for none that can be read."""
    return or_else(if_read(lambda: choice["lustre"]["capacity_tib"] if choice and "lustre" in choice else 0), 0)


@rule
def _made(
    kind: StorageKind,
    stores: AksStores,
    *,
    subscription: str,
    location: str,
    zone: str | None,
    name: str,
    registries: Mapping[str, str],
    faults: Faults,
) -> StoragePlan | None:
    if kind is StorageKind.LUSTRE:
        at = faults.at("lustre")
        return _lustre(stores["lustre"], location=location, zone=zone, name=name, registries=registries, faults=at)
    at = faults.at("object_store")
    return _account(stores["object_store"], subscription=subscription, location=location, name=name, faults=at)


@rule
def _lustre(
    choice: AksLustre,
    *,
    location: str,
    zone: str | None,
    name: str,
    registries: Mapping[str, str],
    faults: Faults,
) -> StoragePlan | None:
    throughput = choice.get("mbps_per_tib", max(_STEPS_TIB))
    check_throughput(throughput, tuple(_STEPS_TIB), faults.at("mbps_per_tib"))
    if throughput in _STEPS_TIB:
        step, most = _STEPS_TIB[throughput]
        check_capacity(choice["capacity_tib"], step, faults.at("capacity_tib"), most=most)
    window = choice.get("maintenance", _WINDOW)
    _check_form(window, _WINDOW_FORM, f"write a day and a time of UTC, e.g. {_WINDOW}", faults, "maintenance")
    if faults:
        return None
    day, _, time = window.partition(" ")
    protected = not choice.get("deletable", False)
    plan = LustrePlan(name, location, zone, choice["capacity_tib"], throughput, day, time, protected)
    mounted = Mounted("azurelustre.csi.azure.com", _LUSTRE_OPTIONS, capacity_gib=plan.capacity_tib << 10)
    return StoragePlan(Store(StorageKind.LUSTRE, CLAIM, mounted), lustre=plan, driver=lustre_driver(registries))


@rule
def _account(
    choice: AksObjectStore, *, subscription: str, location: str, name: str, faults: Faults
) -> StoragePlan | None:
    if "account" in choice:
        _check_form(
            choice["account"], _ACCOUNT, "an account has 3 to 24 lower-case letters and digits", faults, "account"
        )
        _check_form(
            choice.get("container", CONTAINER),
            _CONTAINER,
            "a container has 3 to 63 lower-case letters, digits and single hyphens, a letter or digit first and last",
            faults,
            "container",
        )
        if "container" not in choice:
            faults.at("container").add("missing; name the container of the account")
        if "deletable" in choice:
            faults.at("deletable").add("not allowed with account, which stays whatever becomes of the stack; remove it")
    else:
        for key in ("container", "resource_group"):
            if key in choice:
                faults.at(key).add("says something of an account, and none is named; name it in account, or remove it")
    check_group(choice.get("resource_group"), faults.at("resource_group"))
    if faults:
        return None
    plan = AccountPlan(
        existing=choice.get("account", ""),
        name=re.sub(r"[^a-z0-9]", "", name.lower())[:_SHORT] + "storage",
        container=choice.get("container", CONTAINER),
        resource_group=choice.get("resource_group"),
        location=location,
        subscription=subscription,
        protected=not choice.get("deletable", False),
    )
    return StoragePlan(Store(StorageKind.OBJECT_STORE, CLAIM, _MOUNTED), plan)


@rule
def _check_form(name: str, form: re.Pattern[str], wanted: str, faults: Faults, key: str) -> None:
    if not form.fullmatch(name):
        faults.at(key).add(f"got {name!r}; {wanted}")

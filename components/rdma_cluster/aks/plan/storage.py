"""Where an AKS stack keeps its data: a container of blobs as files, or what is on the cluster already."""

import re
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from ...args import Link, shape
from ...faults import Faults
from ...incluster.plan.claim_templates import check_namespaces
from ...incluster.plan.shared_volume import CLAIM
from ...incluster.plan.storage import ExistingStorage, Mounted, StorageKind, Store, existing_store, one_kind
from ...unread import rule
from .zones import check_group, check_location, check_uuid

# github.com/kubernetes-sigs/blob-csi-driver@0744a60 docs/driver-parameters.md, deploy/example/blobfuse-mi (2026-08-22):
# a handle is RESOURCE GROUP#ACCOUNT#CONTAINER#anything. Listing a container for a mount would be billed.
_MOUNTED = Mounted(
    "blob.csi.azure.com",
    ("-o allow_other", "--file-cache-timeout-in-seconds=120", "--cancel-list-on-mount-seconds=10"),
    separator="#",
)
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
class AksStores(TypedDict):
    """What data is kept in: exactly one of its keys."""

    object_store: NotRequired[AksObjectStore]
    """A container of blobs, by BlobFuse. ``{}`` makes one."""


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
class StoragePlan:
    """What ``AksStorage`` makes, and what pods are told of it."""

    store: Store
    account: AccountPlan | None = None

    @property
    def makes(self) -> bool:
        """Whether anything is made, or rights are given."""
        return self.store.mounted is not None


def decide_storage(args: AksStorageArgs, name: str, faults: Faults) -> StoragePlan | None:
    """All choices of ``AksStorage(name, args)``. Returns ``None`` when a fault was added."""
    check_uuid(args["subscription"], "the subscription's id", faults.at("subscription"))
    check_location(args["location"], faults.at("location"))
    check_namespaces(args["namespaces"], faults.at("namespaces"))
    if "object_store" not in args:
        faults.at("object_store").add("missing; say {} for a new account")
        return None
    plan = _account(
        args["object_store"],
        subscription=args["subscription"],
        location=args["location"],
        name=name,
        faults=faults.at("object_store"),
    )
    return None if faults else plan


@rule
def choose_storage(
    choice: AksStorageChoice, *, subscription: str, location: str, name: str, existing: bool, faults: Faults
) -> StoragePlan | None:
    """The same from a stack's choice; ``existing`` says that the cluster is."""
    kind = one_kind(choice, AksStorageChoice, faults)
    if kind is StorageKind.EXISTING:
        store = existing_store(choice["existing"], faults.at("existing"))
        return None if store is None else StoragePlan(store)
    if kind is None:
        return None
    if existing:
        faults.at("object_store").add(
            "not allowed with an existing cluster, of whose nodes nobody here knows the identity that would mount it; "
            "make the volume there, and name its claim in storage.existing"
        )
    return _account(
        choice["object_store"],
        subscription=subscription,
        location=location,
        name=name,
        faults=faults.at("object_store"),
    )


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

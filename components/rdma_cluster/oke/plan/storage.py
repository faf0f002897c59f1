"""Where an OKE stack keeps its data: on what is on the cluster already. Nothing is made here."""

from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...faults import Faults
from ...incluster.plan.storage import ExistingStorage, StorageKind, Store, existing_store, one_kind
from ...unread import rule


@shape
class OkeObjectStore(TypedDict):
    """A bucket as files, which OKE has no driver for: it is refused with what to do instead."""

    bucket: NotRequired[str]
    """Name of the bucket."""
    deletable: NotRequired[bool]
    """As on other clouds."""


@shape
class OkeStorageChoice(TypedDict):
    """Where data is kept."""

    object_store: NotRequired[OkeObjectStore]
    """Not on OKE: its CSI drivers are of block volumes, File Storage and Lustre."""
    existing: NotRequired[ExistingStorage]
    """What is on the cluster already: File Storage, Lustre, or a driver of your own."""


@dataclass(frozen=True)
class StoragePlan:
    """What pods are told of a store."""

    store: Store


@rule
def choose_storage(choice: OkeStorageChoice, faults: Faults) -> StoragePlan | None:
    """The plan of a stack's choice."""
    kind = one_kind(choice, OkeStorageChoice, faults)
    if kind is StorageKind.OBJECT_STORE:
        # github.com/oracle/oci-cloud-controller-manager@1100ac3 pkg/csi/driver (2026-06-17).
        faults.at("object_store").add(
            "OKE has no driver that mounts a bucket; copy what is in it onto a file system of File Storage or Lustre, "
            "and name its claim in storage.existing"
        )
    if kind is not StorageKind.EXISTING:
        return None
    store = existing_store(choice["existing"], faults.at("existing"))
    return None if store is None else StoragePlan(store)

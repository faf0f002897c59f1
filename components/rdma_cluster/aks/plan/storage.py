"""Where an AKS stack keeps its data: a container of blobs as files, Lustre, or what is on the cluster already."""

from collections.abc import Mapping
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...incluster.addons.storage.args import ExistingStorage, StorageKind
from ...incluster.addons.storage.store import Store, existing_store, one_kind
from ...incluster.plan.charts import Settings
from ...incluster.plan.claim_templates import check_namespaces
from .blobs import AccountPlan, AksObjectStore, plan_blobs
from .lustre import AksLustre, AksLustrePlan, lustre_driver, plan_lustre
from .zones import AksPlace, check_place, place_of


@args_schema
class AksStores(TypedDict):
    """What data is kept in: exactly one of its keys."""

    object_store: NotRequired[AksObjectStore]
    """A container of blobs, by BlobFuse. ``{}`` makes one."""
    lustre: NotRequired[AksLustre]
    """A new file system of Azure Managed Lustre, in a subnet of its own."""


@args_schema
class AksStorageOptions(AksStores):
    """Where data is kept: exactly one of its keys."""

    existing: NotRequired[ExistingStorage]
    """What is on the cluster already."""


@args_schema
class AksStorageLinks(TypedDict):
    """What other resources bring to a store."""

    resource_group: Link
    """Name of the resource group."""
    identity_client: Link
    """Client id of the identity that the nodes' kubelets run as."""
    identity_principal: Link
    """Principal id of that identity."""
    lustre_subnet: NotRequired[Link]
    """Id of a subnet of its own for a Lustre file system, with a way out."""


@args_schema
class AksStorageArgs(AksStores, AksPlace, AksStorageLinks):
    """A store for the pods of some namespaces, where the cluster is; a Lustre file system is in the zone."""

    namespaces: list[str]
    """Namespaces whose pods may read and write."""


@frozen
class AksStoragePlan:
    """What ``AksStorage`` makes, and what pods mount."""

    store: Store
    place: AksPlace
    account: AccountPlan | None = None
    lustre: AksLustrePlan | None = None
    driver: Settings | None = None
    """Chart of the driver that mounts it, where AKS does not bring one."""


def plan_storage(args: AksStorageArgs, name: str, errors: ErrorList) -> AksStoragePlan | None:
    """Make all choices of ``AksStorage(name, args)``. Returns ``None`` when an error was added."""
    check_place(args, errors)
    check_namespaces(args["namespaces"], errors.at("namespaces"))
    if "lustre" in args and "lustre_subnet" not in args:
        errors.at("lustre_subnet").add("missing; a Lustre file system has a subnet of its own, give its id")
    kind = one_kind(args, AksStores, errors.at("object_store"))
    plan = None if kind is None else _new_store(kind, args, args, name=name, registries={}, errors=errors)
    return None if errors else plan


# More than 6 parameters: one choice, and what the rest of the stack decides for it.
def choose_storage(  # noqa: PLR0913
    choice: AksStorageOptions,
    *,
    place: AksPlace,
    name: str,
    existing: bool,
    own_network: bool,
    registries: Mapping[str, str],
    errors: ErrorList,
) -> AksStoragePlan | None:
    """Plan the storage of a stack, whose cluster may be ``existing`` and whose network may be our own."""
    kind = one_kind(choice, AksStorageOptions, errors)
    if kind is StorageKind.EXISTING:
        store = existing_store(choice["existing"], errors.at("existing"))
        return None if store is None else AksStoragePlan(store, place_of(place))
    if kind is None:
        return None
    if existing and kind is StorageKind.OBJECT_STORE:
        errors.at("object_store").add(
            "not allowed with an existing cluster, of whose nodes nobody here knows the identity that would mount it; "
            "make the volume there, and name its claim in storage.existing"
        )
    if kind is StorageKind.LUSTRE and (existing or not own_network):
        errors.at("lustre").add(
            f"not allowed with an existing {'cluster' if existing else 'network'}, in whose virtual network nobody "
            "here knows a free block for its subnet; make the file system there, and name its claim in storage.existing"
        )
    return _new_store(kind, choice, place, name=name, registries=registries, errors=errors)


def lustre_tib(choice: AksStorageOptions | None) -> int:
    """Size of the Lustre file system that a choice asks for; 0 where it asks for none."""
    return choice["lustre"]["capacity_tib"] if choice and "lustre" in choice else 0


def _new_store(
    kind: StorageKind, stores: AksStores, place: AksPlace, name: str, registries: Mapping[str, str], errors: ErrorList
) -> AksStoragePlan | None:
    if kind is StorageKind.LUSTRE:
        lustre = plan_lustre(stores["lustre"], errors.at("lustre"))
        return (
            AksStoragePlan(lustre.store, place_of(place), lustre=lustre, driver=lustre_driver(registries))
            if lustre
            else None
        )
    account = plan_blobs(stores["object_store"], name, errors.at("object_store"))
    return AksStoragePlan(account.store, place_of(place), account) if account else None

"""A container of Azure Blob Storage as files: a new account's, or one that is there."""

import re
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...common.existing import check_kept
from ...incluster.addons.storage.args import StorageKind
from ...incluster.addons.storage.plan import CLAIM
from ...incluster.addons.storage.store import Mounted, Store
from .zones import check_group

# github.com/kubernetes-sigs/blob-csi-driver@0744a60 docs/driver-parameters.md, deploy/example/blobfuse-mi (2026-08-22):
# a handle is RESOURCE GROUP#ACCOUNT#CONTAINER#anything. Listing a container for a mount would be billed.
_MOUNTED = Mounted(
    "blob.csi.azure.com",
    ("-o allow_other", "--file-cache-timeout-in-seconds=120", "--cancel-list-on-mount-seconds=10"),
    separator="#",
)
CONTAINER = "data"
"""Name of the container of a new account."""

# https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules#microsoftstorage
_ACCOUNT = re.compile(r"[a-z0-9]{3,24}")
_CONTAINER = re.compile(r"(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
_SHORT = 24 - len("storage") - 8  # what azure-native's eight digits leave of a name


@args_schema
class AksObjectStore(TypedDict):
    """A container of Azure Blob Storage that pods of the claim templates' namespaces read and write as files."""

    account: NotRequired[Link]
    """Name of a storage account that is there, with ``container``. Default: a new one in the cluster's location, which
    only Entra ID opens."""
    container: NotRequired[Link]
    """Name of a container of that account."""
    resource_group: NotRequired[Link]
    """Resource group of that account, in the cluster's subscription. Default: the cluster's."""
    deletable: NotRequired[bool]
    """Whether `pulumi destroy` deletes the new account with all that is in it. Default: false: it is protected, and
    the preview of `destroy` fails."""


@frozen
class AccountPlan:
    """A container of blobs, ours or one that is there."""

    existing: Link
    """Name of the account where it is there; empty where it is made."""
    name: str
    """First part of a new account's name."""
    container: Link
    resource_group: Link | None
    """Resource group of an existing account; ``None`` is the cluster's."""
    protected: bool

    @property
    def store(self) -> Store:
        """What pods mount."""
        return Store(StorageKind.OBJECT_STORE, CLAIM, _MOUNTED)


def plan_blobs(choice: AksObjectStore, name: str, errors: ErrorList) -> AccountPlan | None:
    """The container that ``choice`` asks for, of the store of this name; ``None`` when an error was added."""
    if "account" in choice:
        account, container = choice["account"], choice.get("container", CONTAINER)
        if isinstance(account, str) and not _ACCOUNT.fullmatch(account):
            errors.at("account").add(f"got {account!r}; an account has 3 to 24 lower-case letters and digits")
        if isinstance(container, str) and not _CONTAINER.fullmatch(container):
            errors.at("container").add(
                f"got {container!r}; a container has 3 to 63 lower-case letters, digits and single hyphens, a letter "
                "or digit first and last"
            )
        if "container" not in choice:
            errors.at("container").add("missing; name the container of the account")
        check_kept(choice, "account", errors)
    else:
        for key in ("container", "resource_group"):
            if key in choice:
                errors.at(key).add("says something of an account, and none is named; name it in account, or remove it")
    check_group(choice.get("resource_group"), errors.at("resource_group"))
    if errors:
        return None
    return AccountPlan(
        existing=choice.get("account", ""),
        name=re.sub(r"[^a-z0-9]", "", name.lower())[:_SHORT] + "storage",
        container=choice.get("container", CONTAINER),
        resource_group=choice.get("resource_group"),
        protected=not choice.get("deletable", False),
    )

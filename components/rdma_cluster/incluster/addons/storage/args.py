"""What a stack's storage can be, and what ``SharedVolume`` takes."""

from enum import Enum
from typing import NotRequired

from typing_extensions import TypedDict
from ....base.args import Input, Link, args_schema


class StorageKind(str, Enum):
    """What data is kept in."""

    OBJECT_STORE = "objectStore"
    """A bucket, as files."""
    LUSTRE = "lustre"
    """A parallel file system of the cloud's."""
    EXISTING = "existing"
    """What is on the cluster already."""


@args_schema
class ExistingStorage(TypedDict):
    """Storage that is on the cluster already: exactly one of its keys."""

    claim: NotRequired[str]
    """Name of a PersistentVolumeClaim in the namespaces of the claim templates, which many pods may use at once."""
    storage_class: NotRequired[str]
    """Name of a StorageClass, for claims of your own."""
    volume: NotRequired[str]
    """Name of a PersistentVolume, for a claim of your own."""


@args_schema
class SharedVolumeArgs(TypedDict):
    """A store, as its CSI driver knows it, and who gets a claim on it."""

    driver: str
    """The CSI driver. Example: ``gcsfuse.csi.storage.gke.io``."""
    handle: Link
    """What the driver knows the store by. Each volume's own handle is this, ``separator`` and its namespace."""
    namespaces: list[str]
    """Namespaces that get a claim."""
    claim: NotRequired[str]
    """Name of the claims. Default: ``storage``."""
    separator: NotRequired[str]
    """What stands before the namespace in a volume's handle. Default: ``:``. Empty for a driver that takes all of a
    handle for the store's address: it is then the handle of one namespace's volume."""
    fs_type: NotRequired[Link]
    """What the driver calls the file system. Default: none."""
    attributes: NotRequired[Input[dict[str, str]]]
    """The driver's attributes of the store."""
    mount_options: NotRequired[list[str]]
    """Options of each mount. Default: none."""
    capacity_gib: NotRequired[int]
    """Size of the store, for people. Default: 1, of one that has no size."""
    create_namespaces: NotRequired[bool]
    """Make the namespaces that no cluster has from the start. Default: false."""

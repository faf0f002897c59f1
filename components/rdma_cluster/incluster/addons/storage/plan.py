"""A store that many pods use at once: a volume and a claim in each of some namespaces."""

import re
from collections.abc import Mapping, Sequence

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ....base.args import Link
from ....base.kubernetes_names import check_object_name
from ...plan.claim_templates import check_namespaces, new_namespaces
from .args import SharedVolumeArgs

CLAIM = "storage"
"""What pods of every cloud name."""
_OPTION = re.compile(r"\S.*")


@frozen
class SharedVolumePlan:
    """What ``SharedVolume`` makes, but for what identifies its store."""

    driver: str
    """The CSI driver."""
    namespaces: tuple[str, ...]
    """Namespaces that get a claim."""
    claim: str
    """Name of the claims."""
    separator: str
    """What stands before the namespace in a volume's handle; empty where the handle is the store's own."""
    fs_type: Link | None
    """What the driver calls the file system; ``None`` where it asks for no name."""
    mount_options: tuple[str, ...] | None
    """Options of each mount."""
    capacity_gib: int
    """Size of the store, for people."""
    new_namespaces: tuple[str, ...]
    """Namespaces that are made here."""

    @property
    def volumes(self) -> Mapping[str, str]:
        """Name of the volume of each namespace: it is the cluster's own, while a claim is its namespace's."""
        return {namespace: f"{self.claim}-{namespace}" for namespace in self.namespaces}


def plan_shared_volume(args: SharedVolumeArgs, errors: ErrorList) -> SharedVolumePlan | None:
    """Plan ``SharedVolume`` used alone. Returns ``None`` when an error was added."""
    check_object_name(args["driver"], "CSI driver", errors.at("driver"))
    check_object_name(args.get("claim", CLAIM), "PersistentVolumeClaim", errors.at("claim"))
    check_namespaces(args["namespaces"], errors.at("namespaces"))
    check_handles(args.get("separator", ":"), args["driver"], args["namespaces"], errors.at("namespaces"))
    size = args.get("capacity_gib", 1)
    if size < 1:
        errors.at("capacity_gib").add(f"got {size}; must be 1 or more")
    for i, option in enumerate(args.get("mount_options", [])):
        if not _OPTION.fullmatch(option):
            errors.at("mount_options", i).add(
                f"got {option!r}; write an option as the driver's mount takes it, e.g. implicit-dirs"
            )
    if errors:
        return None
    options = args.get("mount_options")
    return SharedVolumePlan(
        driver=args["driver"],
        namespaces=tuple(args["namespaces"]),
        claim=args.get("claim", CLAIM),
        separator=args.get("separator", ":"),
        fs_type=args.get("fs_type"),
        mount_options=None if options is None else tuple(options),
        capacity_gib=size,
        new_namespaces=tuple(new_namespaces(args["namespaces"])) if args.get("create_namespaces") else (),
    )


def check_handles(separator: str, driver: str, namespaces: Sequence[str], errors: ErrorList) -> None:
    """Of two volumes with one handle a node mounts one."""
    if not separator and len({*namespaces}) > 1:
        errors.add(
            f"got {', '.join(namespaces)}; {driver} knows a volume by the address of what it mounts, and a node mounts "
            "one volume of an address; name one namespace"
        )

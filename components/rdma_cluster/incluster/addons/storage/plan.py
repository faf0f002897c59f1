"""A store that many pods use at once: a volume and a claim in each of some namespaces."""

import re
from collections.abc import Mapping, Sequence

from ....errors import ErrorList
from ....kubernetes_names import check_object_name
from ...plan.claim_templates import check_namespaces
from .args import SharedVolumeArgs

CLAIM = "storage"
"""What pods of every cloud name."""
_OPTION = re.compile(r"\S.*")


def plan_shared_volume(args: SharedVolumeArgs, errors: ErrorList) -> SharedVolumeArgs | None:
    """All choices of ``SharedVolume``. Returns ``None`` when an error was added."""
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
    return None if errors else args


def check_handles(separator: str, driver: str, namespaces: Sequence[str], errors: ErrorList) -> None:
    """Of two volumes with one handle a node mounts one."""
    if not separator and len({*namespaces}) > 1:
        errors.add(
            f"got {', '.join(namespaces)}; {driver} knows a volume by the address of what it mounts, and a node mounts "
            "one volume of an address; name one namespace"
        )


def volumes(args: SharedVolumeArgs) -> Mapping[str, str]:
    """Name of the volume of each namespace: it is the cluster's own, a claim its namespace's."""
    return {namespace: f"{args.get('claim', CLAIM)}-{namespace}" for namespace in args["namespaces"]}

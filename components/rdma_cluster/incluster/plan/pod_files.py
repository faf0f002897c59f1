"""Files that pods read, which ConfigMaps of their own namespaces bring."""

from typing import NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...faults import Faults


@shape
class PodFilesArgs(TypedDict):
    """The same files in some namespaces."""

    namespaces: list[str]
    """Namespaces of the pods."""
    config_maps: dict[str, dict[str, str]]
    """Files by name, by the name of their ConfigMap."""
    create_namespaces: NotRequired[bool]
    """Make the namespaces that no cluster has from the start. Default: false."""


def decide_pod_files(args: PodFilesArgs, faults: Faults) -> PodFilesArgs | None:
    """All choices of ``PodFiles``. Returns ``None`` when a fault was added."""
    if not args["namespaces"]:
        faults.at("namespaces").add("empty; name at least one namespace, e.g. default")
    return None if faults else args

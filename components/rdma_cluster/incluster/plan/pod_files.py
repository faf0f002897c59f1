"""Files that pods read, which ConfigMaps of their own namespaces bring."""

from typing import NotRequired

from typing_extensions import TypedDict

from ...args import args_schema
from ...errors import ErrorList


@args_schema
class PodFilesArgs(TypedDict):
    """The same files in some namespaces."""

    namespaces: list[str]
    """Namespaces of the pods."""
    config_maps: dict[str, dict[str, str]]
    """Files by name, by the name of their ConfigMap."""
    create_namespaces: NotRequired[bool]
    """Make the namespaces that no cluster has from the start. Default: false."""


def plan_pod_files(args: PodFilesArgs, errors: ErrorList) -> PodFilesArgs | None:
    """All choices of ``PodFiles``. Returns ``None`` when an error was added."""
    if not args["namespaces"]:
        errors.at("namespaces").add("empty; name at least one namespace, e.g. default")
    return None if errors else args

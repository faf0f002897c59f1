"""What a pod of any program adds to use a fabric."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from pulumi_offline.frozen import frozen


@frozen
class HostMount:
    """A folder of the host, seen by the container."""

    name: str
    host_path: str
    mount_path: str
    read_only: bool = False
    """Whether it holds what all pods of the node run, or source: none of them may write there."""


@frozen
class ConfigFile:
    """A file that a pod reads, which a ConfigMap of its namespace brings."""

    config_map: str
    """Name of the ConfigMap, and of the volume."""
    name: str
    folder: str
    """Where the container sees it."""
    text: str
    alone: bool = False
    """Whether the folder holds other files that must stay, so that this one is mounted by itself."""

    def manifest(self, namespace: str) -> dict[str, Any]:
        """The ConfigMap, ready to be applied."""
        metadata = {"name": self.config_map, "namespace": namespace}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {self.name: self.text}}


@frozen
class Sidecar:
    """A program that serves the pod's own while it runs: an init container that is started again for ever."""

    name: str
    image: str
    command: tuple[str, ...]
    mounts: tuple[HostMount, ...]
    """Folders of the host, by names that are other folders in no other container of the pod."""
    env: Mapping[str, str] = field(default_factory=dict)
    capabilities: tuple[str, ...] = ()
    ready: tuple[str, ...] = ()
    """Command that succeeds once it serves; the pod's own program starts after that. None asks nothing."""
    ready_seconds: int = 0
    """How long that may take."""


@frozen
class PodPatch:
    """What a pod of any program adds to use the fabric."""

    shared_memory: str = ""
    """Size limit of ``/dev/shm``; empty leaves the container runtime's."""
    env: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[HostMount, ...] = ()
    files: tuple[ConfigFile, ...] = ()
    source: str = ""
    """Script to source before NCCL starts."""
    capabilities: tuple[str, ...] = ()
    privileged: bool = False
    """Whether the container must open devices of the host that no driver hands out."""
    sidecars: tuple[Sidecar, ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict)

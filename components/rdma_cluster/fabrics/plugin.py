"""How NCCL finds the NICs, and who puts its plugin there."""

from collections.abc import Mapping
from dataclasses import field

from pulumi_offline.frozen import frozen
from ..catalog.artifact import repository
from ..catalog.releases import NcclPlugin


@frozen
class HostDaemon:
    """A program that stays on the hosts, for what the plugin's pods ask of them."""

    name: str
    """Its DaemonSet's."""
    image: str
    host_paths: Mapping[str, str]
    """Folders of the host by volume name; it sees each where the host has it."""
    script: str = ""
    """What it runs, in bash; empty leaves the image's own."""
    env: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    """What it may use. Example: ``{"memory": "1Gi"}``."""
    huge_pages: str = ""
    """Where it sees the huge pages that ``limits`` names; empty where there are none."""
    health_port: int = 0
    """Where it answers ``/healthz``, on the host's network; 0 asks nothing."""


@frozen
class HostPlugin:
    """A plugin that is installed on the hosts, and mounted."""

    name: str
    """As its publisher spells it, in lower case; a part of objects' names."""
    release: NcclPlugin
    host_paths: Mapping[str, str]
    """Folders on the host by volume name; the installer sees each under ``STAGE``."""
    script: str
    """What the installer runs."""
    beside: tuple[HostDaemon, ...] = ()

    STAGE = "/usr/local"
    """Where the installer sees the host's folders."""
    KEPT_OPEN = "--remove-destination"
    """How it copies libraries there: a process that has the old one open keeps it. Written into the file that there is,
    the new one would end that process (PyO3/setuptools-rust#295). GNU's cp and BusyBox's have it."""

    @property
    def version(self) -> str:
        """The plugin's version, as summaries show it."""
        return f"{self.release.version}, {repository(self.release.installer)}"


@frozen
class ImagePlugin:
    """A plugin that is in the images that run."""

    name: str
    least: str
    """The least version of it."""
    beside: tuple[HostDaemon, ...] = ()

    @property
    def version(self) -> str:
        """The plugin's version, as summaries show it."""
        return f"in the workload's image, {self.least} or later"


@frozen
class NoPlugin:
    """None: NCCL speaks to the NICs by itself."""

    name = ""
    version = ""
    beside = ()


Plugin = HostPlugin | ImagePlugin | NoPlugin

"""What a real provider needs so that a rehearsal can run it: its package, and what answers its requests."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from pulumi_offline.errors import InputError, Refused, show
from pulumi_offline.project import Settings
from ..inventory import Inventory
from ..scenario import Outcome, Scenario

REAL: Mapping[str, str] = {"gcp": "tools.google_server", "kubernetes": "rdma_rehearsal.real.kubernetes"}
"""The module of each provider that a rehearsal knows how to run, by the provider's package. Google's judging server is
in a clone alone: it serves `make real`."""


@dataclass(frozen=True)
class Rehearsed:
    """The rehearsal for which something is started."""

    root: Path
    """The project's folder."""
    settings: Settings
    """The stack's settings."""
    folder: Path
    """A folder for logs and whatever else is gone in the end."""
    inventory: Inventory
    """The clouds that stay simulated."""
    resource_names: Callable[[str], Iterable[str]]
    """The names of what exists in a role, ``cluster`` or ``pool``, whoever plays its cloud."""
    kubeconfig: Path | None = None
    """An empty cluster of the user's, where `--control-plane` names one."""


class ProviderBackend(Protocol):
    """What answers the requests of a real provider."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables of the plugin's process, beside those of the engine."""

    @property
    def description(self) -> str:
        """What it is, for the report: its address, its release."""

    def configured(self, settings: Settings) -> None:
        """The stack's settings are these from now on. Raises ``Refused``."""

    def lead_here(self, settings: dict[str, str]) -> None:
        """Change the settings with which the engine configures the provider, so that requests come here.

        By their bare names: ``kubeconfig``, ``computeCustomEndpoint``. Nothing else of the protocol is touched.
        """

    def resource_names(self, role: str) -> Iterable[str]:
        """The names of what exists here in a role: ``cluster``, ``pool``."""

    def judged(self) -> Iterator[Outcome]:
        """What it thinks of all that it was asked, when everything is over."""

    def leftovers(self) -> list[str]:
        """What exists, and did not at the beginning: each as ``Kind name``."""

    def own_parts(self, stack: Scenario) -> Iterator[Outcome]:
        """Parts of the course that only this provider has, on a stack that they leave as it was."""


@dataclass(frozen=True)
class RealProvider:
    """One provider."""

    package: str
    """``gcp``: its plugin is ``pulumi-resource-gcp``."""
    sdk: str
    """The import package of its SDK, whose version is the plugin's."""
    start: Callable[[Rehearsed], AbstractContextManager[ProviderBackend]]
    """Starts what answers. Raises ``Refused`` where a stack has nothing of the provider, or something is missing."""


def providers() -> list[str]:
    """The packages of those that are here; even the package above a module may be missing."""
    return [name for name, module in sorted(REAL.items()) if find_spec(module.partition(".")[0]) and find_spec(module)]


def real_provider(name: str) -> RealProvider:
    """The record of a provider by its package. Raises ``Refused``."""
    if name not in (known := providers()):
        raise Refused([InputError(("--real-provider",), f"got {show(name)}; must be one of {', '.join(known)}")])
    module: Any = import_module(REAL[name])
    return module.PROVIDER

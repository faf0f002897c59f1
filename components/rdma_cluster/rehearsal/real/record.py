"""What a real provider needs so that a rehearsal can run it: its package, and what answers its requests."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from ...errors import InputError, Refused, show
from ...offline.project import Settings
from ..engine import Ran
from ..inventory import Inventory
from ..scenario import Outcome

REAL: Mapping[str, str] = {"gcp": "google", "kubernetes": "kubernetes"}
"""The module of each provider that a rehearsal knows how to run, by the provider's package."""


@dataclass(frozen=True)
class Rehearsed:
    """The rehearsal for which something is started."""

    root: Path
    """Of the project."""
    settings: Settings
    """Of the stack."""
    folder: Path
    """For logs and whatever else is gone in the end."""
    inventory: Inventory
    """The clouds that stay simulated."""
    there: Callable[[str], Iterable[str]]
    """The names of what exists in a role, ``cluster`` or ``pool``, whoever plays its cloud."""
    kubeconfig: Path | None = None
    """An empty cluster of the user's, where `--control-plane` names one."""


class Living(Protocol):
    """A living stack, as a part of the course has it."""

    def run_engine(self, *words: str) -> Ran:
        """One command of the engine."""
        ...

    def state(self) -> list[dict[str, Any]]:
        """The resources that the engine knows."""
        ...

    def with_settings(self, *overrides: str) -> None:
        """The stack's settings from now on: its own, and these laid over them. Raises ``Refused``."""
        ...

    def converges(self, what: str) -> Outcome:
        """`up`; then nothing is left to do, and nothing exists twice."""
        ...


class Behind(Protocol):
    """What answers the requests of a real provider."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables of the plugin's process, beside those of the engine."""
        ...

    @property
    def said(self) -> str:
        """What it is, for the report: its address, its release."""
        ...

    def configured(self, settings: Settings) -> None:
        """The stack's settings are these from now on. Raises ``Refused``."""
        ...

    def lead_here(self, settings: dict[str, str]) -> None:
        """Change the settings with which the engine configures the provider, so that requests come here.

        By their bare names: ``kubeconfig``, ``computeCustomEndpoint``. Nothing else of the protocol is touched.
        """
        ...

    def there(self, role: str) -> Iterable[str]:
        """The names of what exists here in a role: ``cluster``, ``pool``."""
        ...

    def judged(self) -> Iterator[Outcome]:
        """What it thinks of all that it was asked, when everything is over."""
        ...

    def left(self) -> list[str]:
        """What exists, and did not at the beginning: each as ``Kind name``."""
        ...

    def own_parts(self, living: Living) -> Iterator[Outcome]:
        """Parts of the course that only this provider has, on a living stack that they leave as it was."""
        ...


@dataclass(frozen=True)
class RealProvider:
    """One provider."""

    package: str
    """``gcp``: its plugin is ``pulumi-resource-gcp``."""
    sdk: str
    """The import package of its SDK, whose version is the plugin's."""
    start: Callable[[Rehearsed], AbstractContextManager[Behind]]
    """Starts what answers. Raises ``Refused`` where a stack has nothing of the provider, or something is missing."""


def providers() -> list[str]:
    """The packages of those that are here."""
    return [package for package in sorted(REAL) if find_spec(f".{REAL[package]}", __package__) is not None]


def real_provider(name: str) -> RealProvider:
    """The record of a provider by its package. Raises ``Refused``."""
    if name not in (known := providers()):
        raise Refused([InputError(("--real-provider",), f"got {show(name)}; must be one of {', '.join(known)}")])
    module: Any = import_module(f".{REAL[name]}", __package__)
    return module.PROVIDER

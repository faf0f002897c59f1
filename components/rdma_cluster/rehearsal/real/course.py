"""The course of a rehearsal with a provider's own plugin; the providers beside it stay simulated."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...errors import Refused
from ...offline.problems import BrokenProgram
from ...offline.project import Settings
from ..changes import ADD_ONS, Configure
from ..engine import Engine, Ran, kept_environment, resources
from ..fork_server import pythons
from ..inventory import Inventory
from ..scenario import REFRESH, Outcome, Scenario, is_kept, tally, why
from ..serve import serving
from .forwarder import Forwarder, served
from .plugin import Plugin, find_plugin
from .record import RealProvider, Rehearsed

PARTS = ("up", "changes", "own")
"""``own`` is what only this provider has."""


class Course(Scenario):
    """A stack in a folder of its own. Simulated clouds take no time; the real provider takes what it takes."""

    def __init__(
        self, root: Path, configure: Configure, parallel: int | None, provider: RealProvider, kubeconfig: Path | None
    ) -> None:
        """Raises ``Refused`` where there is no plugin."""
        super().__init__(root, configure, 1000, parallel)
        self._clock.instant = True
        self._provider, self._kubeconfig = provider, kubeconfig
        self._plugin = find_plugin(provider)

    def rehearse(self, folder: Path, parts: Sequence[str]) -> Generator[Outcome]:
        """Run the parts named, one outcome after the other. Raises ``Refused``."""
        self._inventory = Inventory(folder / "world")
        plugins = folder / "plugins"
        plugins.mkdir()
        with self._provider.start(
            Rehearsed(self._root, self._base, plugins, self._inventory, self._kubeconfig)
        ) as behind:
            self._behind = behind
            environment = {**kept_environment(), **behind.environment}
            forwarder = Forwarder(
                self._provider.package, lambda: Plugin(self._plugin, plugins, environment), behind.lead_here, self._log
            )
            with (
                served(forwarder) as port,
                serving(
                    self._inventory, self._clock, self._fault_plan, self._log, real={self._provider.package: port}
                ) as ports,
            ):
                self._engine = Engine(folder, self._root, self._base, ports, pythons(), forwarder.end)
                yield from self._through(parts)

    def _through(self, parts: Sequence[str]) -> Iterator[Outcome]:
        if "up" in parts:
            yield self._preview()
        yield self._up()
        if "up" in parts:
            yield from self._stands()
        if "own" in parts:
            yield from self._behind.own_parts(self)
        if "changes" in parts:
            yield from self._changes()
            self._clock.instant = True
        yield from self._refused_destroy()
        yield self._destroy("destroy")

    def _changes(self) -> Iterator[Outcome]:
        """Each add-on, on and off; then those of simulated clouds."""
        for name, choices in ADD_ONS.items():
            yield self._change(f"{name} on", choices)
            if self._protected():  # data is not deleted without a word
                self._engine.run("state", "unprotect", "--all", "--yes")
            self._set(self._base)
            yield self._converges(f"change: {name} off")
        yield from super()._changes()

    def run_engine(self, *words: str) -> Ran:
        """One command of the engine."""
        return self._engine.run(*words)

    def state(self) -> list[dict[str, Any]]:
        """The resources that the engine knows."""
        return resources(self._engine.exported())

    def with_settings(self, *overrides: str) -> None:
        """The stack's settings from now on: its own, and these laid over them. Raises ``Refused``."""
        self._set(self._configure(overrides))

    def _set(self, settings: Settings) -> None:
        super()._set(settings)
        with suppress(Refused, BrokenProgram):  # what the plan refuses reaches nothing
            self._behind.configured(settings)

    def converges(self, what: str) -> Outcome:
        """`up`; then nothing is left to do, and nothing exists twice."""
        return self._converges(what)

    def _up(self) -> Outcome:
        self._log.take()
        ran = self._engine.run("up", "--yes", "--skip-preview", *self._parallel)
        return Outcome("up", why(ran), f"{tally(self._log)}; {self._behind.said}", ran.seconds)

    def _refreshed(self) -> Outcome:
        """What a program only reads it has read before it changed it, as nodes that it takes over and labels.

        The first refresh finds these as they are now, and no input of what the program makes; the second finds nothing.
        """
        if not any(each.get("external") for each in self.state()):
            return super()._refreshed()
        before = self._inputs()
        ran = self._engine.run(*REFRESH)
        after = self._inputs()
        changed = [f"differs: {urn}" for urn, inputs in before.items() if after.get(urn) != inputs]
        again = super()._refreshed()
        said = f"after a first that found newer what is only read: {again.said}"
        return Outcome("refresh", (*why(ran), *changed, *again.wrong), said, ran.seconds + again.seconds)

    def _inputs(self) -> dict[str, Any]:
        """Of what the real provider makes."""
        own = [each for each in self.state() if each["type"].startswith(f"{self._provider.package}:")]
        return {each["urn"]: each["inputs"] for each in own if is_kept(each)}

    def _left(self) -> Iterator[str]:
        yield from super()._left()
        yield from (f"left behind {self._provider.package}: {each}" for each in self._behind.left())

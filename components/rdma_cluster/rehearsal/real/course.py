"""The course of a rehearsal with providers' own plugins; the providers beside them stay simulated."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from ...catalog.immutable import fixed
from ...errors import Refused
from ...offline.problems import BrokenProgram
from ...offline.project import Settings
from ...offline.sdk import package
from ..changes import ADD_ONS, Configure, switched_on
from ..controlplane.objects import ControlPlane
from ..engine import Engine, Ran, kept_environment, resources
from ..fork_server import pythons
from ..inventory import Inventory
from ..scenario import REFRESH, Outcome, Scenario, is_kept, tally, why
from ..serve import serving
from .forwarder import Forwarder, served
from .plugin import Plugin, find_plugin
from .record import Behind, RealProvider, Rehearsed

PARTS = ("up", "changes", "own")
"""``own`` is what only this provider has."""


class Course(Scenario):
    """A stack in a folder of its own. Simulated clouds take no time; real providers take what they take."""

    def __init__(  # one parameter for each thing that a course is made of
        self,
        root: Path,
        configure: Configure,
        parallel: int | None,
        real: Sequence[RealProvider],
        kubeconfig: Path | None = None,
        control_plane: ControlPlane | None = None,
    ) -> None:
        """``kubeconfig`` is for a real provider, ``control_plane`` for a simulated one of Kubernetes.

        Raises ``Refused`` where there is no plugin.
        """
        super().__init__(root, configure, 1000, parallel, control_plane)
        self._clock.instant = True
        self._kubeconfig = kubeconfig
        self._real = {each.package: (each, find_plugin(each)) for each in real}
        self._behind: dict[str, Behind] = {}

    def rehearse(self, folder: Path, parts: Sequence[str]) -> Generator[Outcome]:
        """Run the parts named, one outcome after the other. Raises ``Refused``."""
        self._inventory = Inventory(folder / "world")
        with ExitStack() as started:
            forwarders = [self._begin(package, folder / package, started) for package in self._real]
            real = dict(zip(self._real, (started.enter_context(served(each)) for each in forwarders), strict=True))
            simulated = (self._inventory, self._clock, self._fault_plan, self._log, self._control_plane)
            ports = started.enter_context(serving(*simulated, real=real))

            def ended() -> None:
                for each in forwarders:
                    each.end()

            self._engine = Engine(folder, self._root, self._base, ports, pythons(), ended)
            yield from self._through(parts)

    def _begin(self, package: str, folder: Path, started: ExitStack) -> Forwarder:
        """What stands behind one provider, until ``started`` ends."""
        provider, plugin = self._real[package]
        folder.mkdir()
        rehearsed = Rehearsed(self._root, self._base, folder, self._inventory, self._there, self._kubeconfig)
        self._behind[package] = behind = started.enter_context(provider.start(rehearsed))
        # Helm's client in the Kubernetes plugin leaves a kubeconfig behind for each release.
        environment = {**kept_environment(), "TMPDIR": str(folder), **behind.environment}
        return Forwarder(package, lambda: Plugin(plugin, folder, environment), behind.lead_here, self._log)

    def _there(self, role: str) -> list[str]:
        """The names of clusters or pools, whoever plays them."""
        of_role = [each for each in self._inventory if (row := fixed(each.token)) is not None and row.role == role]
        return [each.name for each in of_role] + [
            name for each in [*self._behind.values()] for name in each.there(role)
        ]

    def _through(self, parts: Sequence[str]) -> Iterator[Outcome]:
        if "up" in parts:
            yield self._preview()
        yield self._up()
        if "up" in parts:
            yield from self._stands()
        if "own" in parts:
            for each in self._behind.values():
                yield from each.own_parts(self)
        if "changes" in parts:
            yield from self._changes()
            self._clock.instant = True
        yield from self._refused_destroy()
        yield self._destroy("destroy")
        for each in self._behind.values():
            yield from each.judged()

    def _changes(self) -> Iterator[Outcome]:
        """Each add-on, on and off; then those of simulated clouds; and what is there is what the state says."""
        for name, choices in ADD_ONS.items():
            chosen = switched_on(self._configure, choices)
            yield self._changed(f"{name} on", chosen)
            if chosen.refused is not None:
                continue
            if self._protected():  # data is not deleted without a word
                self._engine.run("state", "unprotect", "--all", "--yes")
            self._set(self._base)
            yield self._converges(f"change: {name} off")
        yield from super()._changes()
        yield self._refreshed()

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
        for each in self._behind.values():
            with suppress(Refused, BrokenProgram):  # what the plan refuses reaches nothing
                each.configured(settings)

    def converges(self, what: str) -> Outcome:
        """`up`; then nothing is left to do, and nothing exists twice."""
        return self._converges(what)

    def _up(self) -> Outcome:
        self._log.take()
        ran = self._engine.run("up", "--yes", "--skip-preview", *self._parallel)
        said = [tally(self._log), *(each.said for each in self._behind.values()), self._on_server()]
        return Outcome("up", why(ran), "; ".join(filter(None, said)), ran.seconds)

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
        """Of what real providers make."""
        own = [each for each in self.state() if package(each["type"]) in self._real]
        return {each["urn"]: each["inputs"] for each in own if is_kept(each)}

    def _left(self) -> Iterator[str]:
        yield from super()._left()
        for name, behind in self._behind.items():
            yield from (f"left behind {name}: {each}" for each in behind.left())

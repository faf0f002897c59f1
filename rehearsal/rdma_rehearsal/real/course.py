"""The course of a rehearsal with providers' own plugins; the providers beside them stay simulated."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from pulumi_offline.errors import Refused
from pulumi_offline.immutable import fixed
from pulumi_offline.problems import BrokenProgram
from pulumi_offline.project import Settings
from pulumi_offline.sdk import package
from ..changes import ADD_ONS, Configure, switched_on
from ..controlplane.objects import ControlPlane
from ..engine import Engine, kept_environment
from ..fork_server import pythons
from ..inventory import Inventory
from ..scenario import REFRESH, UP, Outcome, Scenario, is_kept, tally, why
from ..serve import serving
from .forwarder import Forwarder, Plugin, find_plugin, served
from .record import ProviderBackend, RealProvider, Rehearsed

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
        """``kubeconfig`` is for a real provider, ``control_plane`` for a simulated one. Raises ``Refused``."""
        super().__init__(root, configure, 1000, parallel, control_plane)
        self._clock.instant = True
        self._kubeconfig = kubeconfig
        self._real = {each.package: (each, find_plugin(each)) for each in real}
        self._backends: dict[str, ProviderBackend] = {}

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
        rehearsed = Rehearsed(self._root, self._base, folder, self._inventory, self._resource_names, self._kubeconfig)
        self._backends[package] = backend = started.enter_context(provider.start(rehearsed))
        # Helm's client in the Kubernetes plugin leaves a kubeconfig behind for each release.
        environment = {**kept_environment(), "TMPDIR": str(folder), **backend.environment}
        return Forwarder(package, lambda: Plugin(plugin, folder, environment), backend.lead_here, self._log)

    def _resource_names(self, role: str) -> list[str]:
        """The names of clusters or pools, whoever plays them."""
        of_role = [each for each in self._inventory if (row := fixed(each.token)) is not None and row.role == role]
        played = [name for each in [*self._backends.values()] for name in each.resource_names(role)]
        return [each.name for each in of_role] + played

    def _through(self, parts: Sequence[str]) -> Iterator[Outcome]:
        if "up" in parts:
            yield self._preview()
        yield self._up()
        if "up" in parts:
            yield from self._stands()
        if "own" in parts:
            for each in self._backends.values():
                yield from each.own_parts(self)
        if "changes" in parts:
            yield from self._changes()
            self._clock.instant = True
        yield from self._refused_destroy()
        yield self._destroy("destroy")
        for each in self._backends.values():
            yield from each.judged()

    def _changes(self) -> Iterator[Outcome]:
        """Each add-on, on and off; then those of simulated clouds; and what is there is what the state says."""
        for name, choices in ADD_ONS.items():
            chosen = switched_on(self._configure, choices)
            yield self._changed(f"{name} on", chosen)
            if chosen.refused is not None:
                continue
            self._unprotect()  # data is not deleted without a word
            self._set(self._base)
            yield self.converges(f"change: {name} off")
        yield from super()._changes()
        yield self._refreshed()

    def _set(self, settings: Settings) -> None:
        super()._set(settings)
        for each in self._backends.values():
            with suppress(Refused, BrokenProgram):  # what the plan refuses reaches nothing
                each.configured(settings)

    def _up(self) -> Outcome:
        self._log.take()
        ran = self.run_engine(*UP, *self._parallel)
        said = [tally(self._log), *(each.description for each in self._backends.values()), self._on_server()]
        return Outcome("up", why(ran), "; ".join(filter(None, said)), ran.seconds)

    def _refreshed(self) -> Outcome:
        """What a program only reads it has read before it changed it, as nodes that it takes over and labels.

        The first refresh finds these as they are now, and no input of what the program makes; the second finds nothing.
        """
        if not any(each.get("external") for each in self.state()):
            return super()._refreshed()
        before = self._inputs()
        ran = self.run_engine(*REFRESH)
        after = self._inputs()
        changed = [f"differs: {urn}" for urn, inputs in before.items() if after.get(urn) != inputs]
        again = super()._refreshed()
        said = f"after a first that found newer what is only read: {again.said}"
        return Outcome("refresh", (*why(ran), *changed, *again.wrong), said, ran.seconds + again.seconds)

    def _inputs(self) -> dict[str, Any]:
        """The inputs of what real providers make, by URN."""
        own = [each for each in self.state() if package(each["type"]) in self._real]
        return {each["urn"]: each["inputs"] for each in own if is_kept(each)}

    def _leftovers(self) -> Iterator[str]:
        yield from super()._leftovers()
        for name, backend in self._backends.items():
            yield from (f"left behind {name}: {each}" for each in backend.leftovers())

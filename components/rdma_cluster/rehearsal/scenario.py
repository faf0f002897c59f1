"""The course of a rehearsal: one stack through its life, with the real engine on simulated clouds."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..config import NAMESPACE, value
from ..errors import Refused
from ..offline.project import Settings
from .changes import VERSIONS, Choice, Chosen, Configure, around, choose, ordinary
from .clock import Clock, at_work
from .controlplane.objects import ControlPlane
from .engine import Engine, Ran, resources
from .faults import LAG_SECONDS, Fault, FaultPlan, Kind
from .fork_server import pythons
from .inventory import Inventory
from .secret_leaks import plain_secrets
from .serve import serving
from .timeline import Log, Timeline

ATTEMPTS = 40
"""How many times `up` is run again until every resource has failed once."""
NO_CHANGE = ("preview", "--expect-no-changes")
REFRESH = ("refresh", "--yes", "--skip-preview")
DESTROY = ("destroy", "--yes", "--skip-preview")


@dataclass(frozen=True)
class Outcome:
    """What one part of a rehearsal showed."""

    what: str
    wrong: tuple[str, ...] = ()
    """Why it is not as it must be; empty where it is."""
    said: str = ""
    seconds: float = 0.0
    """Real ones."""
    timeline: Timeline | None = None


class Scenario:
    """A stack in a folder of its own. Each part can run alone, and leaves nothing."""

    def __init__(
        self,
        root: Path,
        configure: Configure,
        scale: float,
        parallel: int | None,
        control_plane: ControlPlane | None = None,
    ) -> None:
        """``control_plane`` takes the objects of Kubernetes, too."""
        self._root, self._configure, self._control_plane = root, configure, control_plane
        self._base = configure(())
        self._clock, self._fault_plan = Clock(scale, at_work=at_work), FaultPlan()
        self._log = Log(self._clock)
        self._parallel = ("--parallel", str(parallel)) if parallel else ()

    def run(self, folder: Path, parts: Sequence[str], faults: Sequence[Fault]) -> Generator[Outcome]:
        """Run the parts named, or the faults, one outcome after the other."""
        self._inventory = Inventory(folder / "world")
        with serving(self._inventory, self._clock, self._fault_plan, self._log, self._control_plane) as ports:
            self._engine = Engine(folder, self._root, self._base, ports, pythons())
            if faults:
                yield from self._with_faults(faults)
                return
            if "up" in parts:
                yield self._preview()
            if "up" in parts or "changes" in parts:
                yield self._up()
            if "up" in parts:
                yield from self._stands()
            if "changes" in parts:
                yield from self._changes()
            if "up" in parts or "changes" in parts:
                yield from self._refused_destroy()
                yield self._destroy("destroy")
            if "faults" in parts:
                yield from self._fault_everywhere(Kind.BEFORE)
                yield from self._fault_everywhere(Kind.AFTER)

    def _set(self, settings: Settings) -> None:
        """The stack's settings from now on."""
        self._engine.configure(settings)

    def _preview(self) -> Outcome:
        """How many resources it would create."""
        ran = self._engine.run("preview")
        announced = next((line.strip() for line in ran.text.splitlines() if "to create" in line), "")
        return Outcome("preview", why(ran), announced, ran.seconds)

    def _stands(self) -> Iterator[Outcome]:
        """What `up` has made is as the program says, and stays so."""
        yield Outcome("no secret in plain text in the state", tuple(plain_secrets(self._engine.exported())))
        yield self._expect("the same once more", *NO_CHANGE)
        yield self._refreshed()

    def _refreshed(self) -> Outcome:
        """What is there is what the state says."""
        return self._expect("refresh", *REFRESH, "--expect-no-changes")

    def _up(self) -> Outcome:
        self._log.take()
        ran = self._engine.run("up", "--yes", "--skip-preview", *self._parallel)
        if ran.code:
            return Outcome("up", why(ran), "", ran.seconds)
        timeline = Timeline([each for each in self._log.take() if each.done], resources(self._engine.exported()))
        return Outcome("up", (), self._on_server(), ran.seconds, timeline)

    def _on_server(self) -> str:
        """How many objects the API server took, and what it could not take."""
        if (server := self._control_plane) is None:
            return ""
        simulated = ", ".join(sorted(server.simulated)) or "nothing"
        return f"{server.count} objects on {server.server}; of Kubernetes stays simulated: {simulated}"

    def _changes(self) -> Iterator[Outcome]:
        self._clock.instant = True
        config = {key: value(text) for key, text in self._base.config.items()}
        for name, choices in ordinary(config.get(f"{NAMESPACE}:pools") or []).items():
            yield self._change(name, choices)
        self._set(self._base)
        yield self._converges("back to the beginning")
        yield from self._upgrade()
        self._clock.instant = False

    def _upgrade(self) -> Iterator[Outcome]:
        """To the next version that there is, or to the stack's own from the one before: no cluster goes back."""
        older, newer = around(self._configure)
        if newer or not older:
            yield self._change("version", [newer] if newer else VERSIONS)
            return
        yield self._destroy("destroy, to begin with an older version")
        self._set(self._configure(older))
        yield self._converges(f"up ({', '.join(older)})")
        self._set(self._base)
        yield self._converges("change: version")

    def _change(self, name: str, choices: Sequence[Choice]) -> Outcome:
        """Change a living stack, or see that what is refused touches nothing."""
        return self._changed(name, choose(self._configure, choices))

    def _changed(self, name: str, chosen: Chosen) -> Outcome:
        choice, settings, refused = chosen
        what = f"change: {name}" + (f" ({', '.join(choice)})" if choice else "")
        self._set(settings)
        return self._converges(what) if refused is None else self._refused(what, refused)

    def _refused(self, what: str, refused: Refused) -> Outcome:
        before = self._inventory.snapshot()
        ran = self._engine.run("up", "--yes", "--skip-preview")
        wrong = [] if ran.code else ["`up` took what the plan refuses"]
        if self._inventory.snapshot() != before:
            wrong.append("something was touched before the refusal")
        return Outcome(what, tuple(wrong), f"refused: {refused.errors[0]}", ran.seconds)

    def _converges(self, what: str) -> Outcome:
        """`up`; then nothing is left to do, and nothing exists twice."""
        self._log.take()
        ran = self._engine.run("up", "--yes", "--skip-preview", *self._parallel)
        if ran.code:
            return Outcome(what, why(ran), "", ran.seconds)
        counts = tally(self._log)
        again = self._engine.run(*NO_CHANGE)
        wrong = ("`up` has more to do after it has ended", *again.errors) if again.code else ()
        return Outcome(what, (*wrong, *self._strays()), counts, ran.seconds + again.seconds)

    def _expect(self, what: str, *words: str) -> Outcome:
        ran = self._engine.run(*words)
        return Outcome(what, why(ran), "no change" if not ran.code else "", ran.seconds)

    def _destroy(self, what: str) -> Outcome:
        self._log.take()
        if self._protected():
            self._engine.run("state", "unprotect", "--all", "--yes")
        ran = self._engine.run(*DESTROY, *self._parallel)
        states = [each["urn"].rpartition("::")[2] for each in resources(self._engine.exported())]
        wrong = [*why(ran), *self._left(), *(f"left in the state: {each}" for each in states)]
        return Outcome(what, tuple(wrong), tally(self._log), ran.seconds)

    def _left(self) -> Iterator[str]:
        """What exists after all is destroyed."""
        yield from (f"left in the cloud: {each.label}" for each in self._inventory)
        if self._control_plane:
            self._control_plane.agree(self._inventory)
            yield from (f"left on the API server: {each}" for each in self._control_plane.left())

    def _refused_destroy(self) -> Iterator[Outcome]:
        """Protected resources stop a plain `destroy` before anything is deleted."""
        if not (protected := self._protected()):
            return
        before = self._inventory.snapshot()
        ran = self._engine.run("destroy", "--yes")
        wrong = [] if ran.code else ["`destroy` took what is protected"]
        if self._inventory.snapshot() != before:
            wrong.append("something was deleted before the refusal")
        yield Outcome("destroy is refused", tuple(wrong), f"protected: {', '.join(protected)}", ran.seconds)

    def _protected(self) -> list[str]:
        state = resources(self._engine.exported())
        return [each["urn"].rpartition("::")[2] for each in state if each.get("protect")]

    def _strays(self) -> list[str]:
        """Resources that exist in the clouds and not in the state."""
        state = {each["id"] for each in resources(self._engine.exported()) if is_kept(each)}
        clouds = {each.id for each in self._inventory}
        return [f"only in the cloud: {each}" for each in sorted(clouds - state)]

    def _attempts(self) -> Iterator[Ran]:
        """`up` until it succeeds, past whatever fails."""
        for _ in range(ATTEMPTS):
            ran = self._engine.run("up", "--yes", "--skip-preview", "--continue-on-error")
            yield ran
            if not ran.code:
                return

    def _fault_everywhere(self, kind: Kind) -> Iterator[Outcome]:
        """Every resource fails once; from each half-built state `destroy` leaves nothing, and `up` goes on."""
        self._clock.instant = True
        self._set(self._base)
        self._fault_plan.arm(Fault(kind, "*"))
        failed, seconds, wrong = 0, 0.0, []
        for ran in self._attempts():
            seconds += ran.seconds
            if not ran.code:
                break
            failed += 1
            inventory, state = self._inventory.snapshot(), self._engine.exported()
            half = self._destroy("")
            seconds += half.seconds
            wrong += [f"destroy after attempt {failed}: {each}" for each in half.wrong]
            self._inventory.restore(inventory)
            if self._control_plane:
                self._control_plane.agree(self._inventory)
            self._engine.restore(state)
        kept = [each["urn"] for each in resources(self._engine.exported()) if is_kept(each)]
        missed = [f"never failed: {urn}" for urn in kept if urn not in self._fault_plan.struck()]
        self._fault_plan.arm()
        counts = f"{len(self._inventory)} resources, each failed once, in {failed} attempts"
        wrong += missed + self._strays()
        again = self._engine.run(*NO_CHANGE)
        wrong += [*why(again)]
        yield Outcome(f"a fault {kind.value} each resource exists", tuple(wrong), counts, seconds + again.seconds)
        yield self._destroy(f"destroy after faults {kind.value} resources exist")
        self._clock.instant = False

    def _with_faults(self, faults: Sequence[Fault]) -> Iterator[Outcome]:
        """`up` runs into the faults, and again when they are over."""
        self._fault_plan.arm(*faults)
        names = ", ".join(map(str, faults))
        ran = self._engine.run("up", "--yes", "--skip-preview", *self._parallel)
        lost = [self._vanish(each) for each in faults if each.kind is Kind.VANISH]
        silent = not ran.code and not any(lost)
        wrong = ("nothing fits; nothing went wrong",) if silent else ()
        yield Outcome(f"up into {names}", wrong, " / ".join(ran.errors[:3]), ran.seconds)
        self._fault_plan.arm()
        self._clock.skip(LAG_SECONDS)
        if any(lost):
            self._engine.run(*REFRESH)
        yield self._converges("up when it is over")
        yield self._destroy("destroy")

    def _vanish(self, fault: Fault) -> list[str]:
        """Delete what fits behind the engine's back."""
        fitting = [each for each in self._inventory if fault.fits(each.token, each.name)]
        chosen = fitting if fault.nth is None else fitting[fault.nth - 1 : fault.nth]
        for each in chosen:
            self._inventory.remove(each.id)
        return [each.label for each in chosen]


def is_kept(resource: dict[str, Any]) -> bool:
    """Whether a resource of the state is one that exists somewhere."""
    return bool(resource.get("custom")) and not resource["type"].startswith("pulumi:") and not resource.get("external")


def why(ran: Ran) -> tuple[str, ...]:
    """The errors of a command; empty where it succeeded."""
    return tuple(ran.errors or [ran.text.strip()[-500:]]) if ran.code else ()


def tally(log: Log) -> str:
    """How many resources were created, changed and deleted since the last call."""
    verbs = [each.verb for each in log.take() if each.done]
    counts = [f"{verbs.count(verb)} {verb}d" for verb in ("create", "update", "delete") if verb in verbs]
    return ", ".join(counts) or "nothing done"

"""The course of a rehearsal: one stack through its life, with the real engine on simulated clouds."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulumi_offline.project import Settings
from rdma_cluster.base.config import NAMESPACE, value
from .changes import VERSIONS, Chosen, Configure, around, choose, ordinary
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
UP, REFRESH, DESTROY = ((verb, "--yes", "--skip-preview") for verb in ("up", "refresh", "destroy"))


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

    @contextmanager
    def _running(self, folder: Path) -> Generator[None]:
        """Serve the clouds to the end of the block, with an engine that works in a folder."""
        self._inventory = Inventory(folder / "world")
        with serving(self._inventory, self._clock, self._fault_plan, self._log, self._control_plane) as ports:
            self._engine = Engine(folder, self._root, self._base, ports, pythons())
            yield

    def run_engine(self, *words: str) -> Ran:
        """Run one command of the engine."""
        return self._engine.run(*words)

    def state(self) -> list[dict[str, Any]]:
        """The resources that the engine knows."""
        return resources(self._engine.exported())

    def run(self, folder: Path, parts: Sequence[str], faults: Sequence[Fault]) -> Generator[Outcome]:
        """Run the parts named, or the faults, one outcome after the other."""
        with self._running(folder):
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

    def with_settings(self, *overrides: str) -> None:
        """The stack's settings from now on: its own, and these laid over them. Raises ``Refused``."""
        self._set(self._configure(overrides))

    def _set(self, settings: Settings) -> None:
        self._engine.configure(settings)

    def _preview(self) -> Outcome:
        ran = self.run_engine("preview")
        announced = next((line.strip() for line in ran.text.splitlines() if "to create" in line), "")
        return Outcome("preview", why(ran), announced, ran.seconds)

    def _stands(self) -> Iterator[Outcome]:
        """What `up` has made is as the program says, and stays so."""
        yield Outcome("no secret in plain text in the state", tuple(plain_secrets(self._engine.exported())))
        yield self._expect("the same once more", *NO_CHANGE)
        yield self._refreshed()
        yield self._expect("up --refresh", *UP, "--refresh", "--expect-no-changes")

    def _refreshed(self) -> Outcome:
        """What is there is what the state says."""
        return self._expect("refresh", *REFRESH, "--expect-no-changes")

    def _up(self) -> Outcome:
        self._log.take()
        ran = self.run_engine(*UP, *self._parallel)
        if ran.code:
            return Outcome("up", why(ran), "", ran.seconds)
        timeline = Timeline([each for each in self._log.take() if each.done], self.state())
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
            yield self._changed(name, choose(self._configure, choices))
        self._set(self._base)
        yield self.converges("back to the beginning")
        yield from self._upgrade()
        self._clock.instant = False

    def _upgrade(self) -> Iterator[Outcome]:
        """To the next version that there is, or to the stack's own from the one before: no cluster goes back."""
        older, newer = around(self._configure)
        if newer or not older:
            yield self._changed("version", choose(self._configure, [newer] if newer else VERSIONS))
            return
        yield self._destroy("destroy, to begin with an older version")
        self.with_settings(*older)
        yield self.converges(f"up ({', '.join(older)})")
        self._set(self._base)
        yield self.converges("change: version")

    def _changed(self, name: str, chosen: Chosen) -> Outcome:
        """Change a stack, or see that what is refused touches nothing."""
        choice, settings, refused = chosen
        what = f"change: {name}" + (f" ({', '.join(choice)})" if choice else "")
        self._set(settings)
        if refused is None:
            return self.converges(what)
        return self._refused(what, "the plan refuses", "touched", f"refused: {refused.errors[0]}", *UP)

    def _refused(self, what: str, which: str, done: str, said: str, *words: str) -> Outcome:
        """A command that must fail, and before it has done anything."""
        before = self._inventory.snapshot()
        ran = self.run_engine(*words)
        wrong = () if ran.code else (f"`{words[0]}` took what {which}",)
        if self._inventory.snapshot() != before:
            wrong = (*wrong, f"something was {done} before the refusal")
        return Outcome(what, wrong, said, ran.seconds)

    def converges(self, what: str) -> Outcome:
        """`up`; then nothing is left to do, and nothing exists twice."""
        self._log.take()
        ran = self.run_engine(*UP, *self._parallel)
        if ran.code:
            return Outcome(what, why(ran), "", ran.seconds)
        counts = tally(self._log)
        again = self.run_engine(*NO_CHANGE)
        wrong = ("`up` has more to do after it has ended", *again.errors) if again.code else ()
        return Outcome(what, (*wrong, *self._strays()), counts, ran.seconds + again.seconds)

    def _expect(self, what: str, *words: str) -> Outcome:
        ran = self.run_engine(*words)
        return Outcome(what, why(ran), "no change" if not ran.code else "", ran.seconds)

    def _destroy(self, what: str) -> Outcome:
        self._log.take()
        self._unprotect()
        ran = self.run_engine(*DESTROY, *self._parallel)
        states = [f"left in the state: {each['urn'].rpartition('::')[2]}" for each in self.state()]
        return Outcome(what, (*why(ran), *self._leftovers(), *states), tally(self._log), ran.seconds)

    def _leftovers(self) -> Iterator[str]:
        """What exists after all is destroyed."""
        yield from (f"left in the cloud: {each.label}" for each in self._inventory)
        if self._control_plane:
            self._control_plane.agree(self._inventory)
            yield from (f"left on the API server: {each}" for each in self._control_plane.leftovers())

    def _refused_destroy(self) -> Iterator[Outcome]:
        """Protected resources stop a plain `destroy` before anything is deleted."""
        if not (protected := self._protected()):
            return
        said = f"protected: {', '.join(protected)}"
        yield self._refused("destroy is refused", "is protected", "deleted", said, "destroy", "--yes")

    def _protected(self) -> list[str]:
        return [each["urn"].rpartition("::")[2] for each in self.state() if each.get("protect")]

    def _unprotect(self) -> None:
        if self._protected():
            self.run_engine("state", "unprotect", "--all", "--yes")

    def _strays(self) -> list[str]:
        state = {each["id"] for each in self.state() if is_kept(each)}
        return [f"only in the cloud: {each}" for each in sorted({each.id for each in self._inventory} - state)]

    def _attempts(self) -> Iterator[Ran]:
        """`up` until it succeeds, past whatever fails."""
        for _ in range(ATTEMPTS):
            ran = self.run_engine(*UP, "--continue-on-error")
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
        kept = [each["urn"] for each in self.state() if is_kept(each)]
        missed = [f"never failed: {urn}" for urn in kept if urn not in self._fault_plan.struck()]
        self._fault_plan.arm()
        counts = f"{len(self._inventory)} resources, each failed once, in {failed} attempts"
        wrong += missed + self._strays()
        again = self.run_engine(*NO_CHANGE)
        wrong += why(again)
        yield Outcome(f"a fault {kind.value} each resource exists", tuple(wrong), counts, seconds + again.seconds)
        yield self._destroy(f"destroy after faults {kind.value} resources exist")
        self._clock.instant = False

    def _with_faults(self, faults: Sequence[Fault]) -> Iterator[Outcome]:
        """`up` runs into the faults, and again when they are over."""
        self._fault_plan.arm(*faults)
        names = ", ".join(map(str, faults))
        ran = self.run_engine(*UP, *self._parallel)
        lost = [self._vanish(each) for each in faults if each.kind is Kind.VANISH]
        wrong = () if ran.code or any(lost) else ("nothing fits; nothing went wrong",)
        yield Outcome(f"up into {names}", wrong, " / ".join(ran.errors[:3]), ran.seconds)
        self._fault_plan.arm()
        self._clock.skip(LAG_SECONDS)
        if any(lost):
            self.run_engine(*REFRESH)
        yield self.converges("up when it is over")
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

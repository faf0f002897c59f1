"""An upgrade, step after step: the edits of each are laid over a living stack, and the real engine's `up` runs into a
fault at each change, until all is as it should be."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

from ..catalog.immutable import fixed
from ..offline.graph import title
from .changes import Configure
from .engine import Engine, resources
from .faults import Fault, Kind
from .fork_server import pythons
from .inventory import Inventory
from .scenario import Outcome, Scenario, is_kept, tally
from .serve import serving


class Upgrade(Scenario):
    """A stack in a folder of its own, on simulated clouds that take no time."""

    def __init__(self, root: Path, configure: Configure, steps: Sequence[tuple[str, Sequence[str]]]) -> None:
        """``steps`` have a name and their edits as ``--set`` takes them."""
        super().__init__(root, configure, 1000, None)
        self._steps = steps
        self._clock.instant = True

    def rehearse(self, folder: Path) -> Generator[Outcome]:
        """`up` as the stack is, then each step upon those before it, to the last or the first that fails."""
        self._inventory = Inventory(folder / "world")
        with serving(self._inventory, self._clock, self._fault_plan, self._log) as ports:
            self._engine = Engine(folder, self._root, self._base, ports, pythons())
            yield self._converges("up")
            edits: list[str] = []
            for what, further in self._steps:
                edits += further
                self._set(self._configure(edits))
                outcome = self._keeps(what)
                yield outcome
                if outcome.wrong:
                    break
            yield self._destroy("destroy")

    def _keeps(self, what: str) -> Outcome:
        """Through a fault at each change it converges, and every network, cluster, pool and store is the one that was
        there before."""
        before = self._made()
        attempts, counts, seconds = self._through_faults()
        outcome = self._converges(what)
        outcome = replace(outcome, said=f"{counts}, in {attempts} attempts", seconds=seconds + outcome.seconds)
        after = self._made()
        anew = [f"made anew: {title(urn)}" for urn, when in before.items() if after.get(urn, when) != when]
        gone = [f"gone: {title(urn)}" for urn in before if urn not in after]
        return replace(outcome, wrong=(*outcome.wrong, *anew, *gone))

    def _through_faults(self) -> tuple[int, str, float]:
        """`up` until it succeeds, where each creation and change fails once before and once after it is made: how
        often, what was done, and seconds."""
        self._log.take()
        self._fault_plan.arm(Fault(Kind.BEFORE, "*"), Fault(Kind.AFTER, "*"))
        attempts = list(self._attempts())
        self._fault_plan.arm()
        return len(attempts), tally(self._log), sum(each.seconds for each in attempts)

    def _made(self) -> dict[str, str]:
        """When the engine made each of them, by its URN: a change in place keeps this."""
        state = resources(self._engine.exported())
        rows = [(each, fixed(each["type"])) for each in state if is_kept(each)]
        return {each["urn"]: each["created"] for each, row in rows if row is not None and row.role}

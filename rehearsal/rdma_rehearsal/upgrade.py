"""An upgrade, step after step: the edits of each are laid over a living stack, and the real engine's `up` runs into a
fault at each change, until all is as it should be."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

from pulumi_offline.graph import title
from pulumi_offline.immutable import fixed
from .changes import Configure
from .faults import Fault, Kind
from .scenario import Outcome, Scenario, is_kept, tally


class Upgrade(Scenario):
    """A stack in a folder of its own, on simulated clouds that take no time."""

    def __init__(self, root: Path, configure: Configure, steps: Sequence[tuple[str, Sequence[str]]]) -> None:
        """``steps`` have a name and their edits as ``--set`` takes them."""
        super().__init__(root, configure, 1000, None)
        self._steps = steps
        self._clock.instant = True

    def rehearse(self, folder: Path) -> Generator[Outcome]:
        """`up` as the stack is, then each step upon those before it, to the last or the first that fails."""
        with self._running(folder):
            yield self.converges("up")
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
        """Each creation and change fails once before and once after it is made; then the stack converges, and every
        network, cluster, pool and store is the one that was there before."""
        before = self._made()
        self._log.take()
        self._fault_plan.arm(Fault(Kind.BEFORE, "*"), Fault(Kind.AFTER, "*"))
        attempts = list(self._attempts())
        self._fault_plan.arm()
        said = f"{tally(self._log)}, in {len(attempts)} attempts"
        outcome = self.converges(what)
        seconds = outcome.seconds + sum(each.seconds for each in attempts)
        after = self._made()
        anew = [f"made anew: {title(urn)}" for urn, when in before.items() if after.get(urn, when) != when]
        gone = [f"gone: {title(urn)}" for urn in before if urn not in after]
        return replace(outcome, said=said, seconds=seconds, wrong=(*outcome.wrong, *anew, *gone))

    def _made(self) -> dict[str, str]:
        """When the engine made each of them, by its URN: a change in place keeps this."""
        rows = [(each, fixed(each["type"])) for each in self.state() if is_kept(each)]
        return {each["urn"]: each["created"] for each, row in rows if row is not None and row.role}

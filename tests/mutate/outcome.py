"""What came out of each mutant: who noticed it, a golden file alone, or nobody."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from .collected import UNFIT
from .copies import ROOT, environment
from .near import Map
from .operators import Mutant

EQUIVALENT = Path(__file__).with_name("equivalent.txt")
NOTICED, GOLDEN, SURVIVED, NOT_RUN = "noticed", "noticed by a golden file alone", "survived", "run by no test"
LONGER = 3
"""A mutant may make tests so many times slower, and pytest takes a while to begin."""
BEGIN_SECONDS = 60


@dataclass(frozen=True)
class Outcome:
    """Of one mutant."""

    mutant: Mutant
    how: str
    by: str = ""
    said: str = ""
    asked: int = 0
    """How many tests ran it, of those that the time was enough for."""

    @property
    def noticed(self) -> bool:
        """By a test that says why."""
        return self.how == NOTICED

    def __str__(self) -> str:
        """In one line."""
        change = self.mutant.key.partition(": ")[2][:160]
        heard = f"{self.by}: {self.said}" if self.by else f"{self.asked} tests"
        return f"{self.how}: {self.mutant.path}:{self.mutant.line} [{self.mutant.kind}] {change}\n       {heard}"


class Process:
    """One that is ready for tests, in a copy of the project."""

    def __init__(self, root: Path, known: Map, collected: bool):
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(root / "tests" / "mutate" / "worker.py"), str(root)],
            env=environment(root),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        files = sorted({name.partition("::")[0] for name in known.tests}) if collected else []
        self.say({"modules": known.modules, "files": files})

    def say(self, what: Any) -> str:
        """What it answers."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def end(self) -> None:
        """Let it go."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


class Worker:
    """Judges one mutant after the other, in one copy of the project."""

    def __init__(self, root: Path, known: Map):
        self._known = known
        self._processes = [Process(root, known, collected) for collected in (True, False)]

    def tried(self, mutant: Mutant | None, tests: Sequence[str], seconds: float, *, anew: bool) -> dict[str, Any]:
        """The first of the tests that fails, with what it says; all imported anew, or only the code exchanged."""
        text = mutant and mutant.applied((ROOT / mutant.path).read_bytes()).decode()
        job = {"path": mutant and mutant.path, "text": text, "tests": tests}
        return json.loads(self._processes[anew].say({**job, "seconds": BEGIN_SECONDS + LONGER * seconds}))

    def outcome(self, mutant: Mutant, seconds: float) -> Outcome:
        """Ask the nearest tests, and then the golden ones."""
        plain, golden = self._known.nearest(mutant, seconds)
        if not plain and not golden:
            return Outcome(mutant, NOT_RUN)
        for how, names in ((NOTICED, plain), (GOLDEN, golden)):
            for anew in [False, True] if self._known.is_called(mutant) else [True]:
                if found := self._noticed(mutant, how, names, seconds, anew=anew):
                    return found
                if not anew and not self._known.is_called_early(mutant):
                    break
        return Outcome(mutant, SURVIVED, asked=len(plain))

    def _noticed(self, mutant: Mutant, how: str, names: list[str], seconds: float, *, anew: bool) -> Outcome | None:
        names = [name for name in names if name in self._known.tests]
        while names and (result := self.tried(mutant, names, seconds, anew=anew))["failed"]:
            by = result["failed"]
            if by == UNFIT:
                return self._noticed(mutant, how, names, seconds, anew=True)
            if by not in names or not self.tried(None, [by], seconds, anew=anew)["failed"]:
                return Outcome(mutant, how, by, result["said"])
            self._known.tests.pop(by)  # it fails in a fork without any mutant, too
            names.remove(by)
        return None

    def end(self) -> None:
        """Let both go."""
        for process in self._processes:
            process.end()


def judged(mutants: Sequence[Mutant], known: Map, roots: Sequence[Path], seconds: float) -> Iterator[Outcome]:
    """The outcome of each, as it comes."""
    idle: SimpleQueue[Worker] = SimpleQueue()
    with ThreadPoolExecutor(len(roots)) as pool:
        workers = list(pool.map(lambda root: Worker(root, known), roots))
        for worker in workers:
            idle.put(worker)

        def one(mutant: Mutant) -> Outcome:
            worker = idle.get()
            try:
                return worker.outcome(mutant, seconds)
            finally:
                idle.put(worker)

        for future in as_completed([pool.submit(one, mutant) for mutant in mutants]):
            yield future.result()
    for worker in workers:
        worker.end()


def equivalents() -> set[str]:
    """Mutants that change nothing, by their keys; the reason stands above each, behind a `#`."""
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}

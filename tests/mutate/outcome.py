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


class Worker:
    """A process that has imported the SDKs, in one copy of the project."""

    def __init__(self, root: Path, modules: list[str]):
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(root / "tests" / "mutate" / "worker.py"), str(root)],
            env=environment(root),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._say(modules)

    def _say(self, what: Any) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def tried(self, mutant: Mutant | None, tests: Sequence[str], seconds: float) -> dict[str, Any]:
        """The first of the tests that fails, with what it says."""
        text = mutant and mutant.applied((ROOT / mutant.path).read_bytes()).decode()
        job = {"path": mutant and mutant.path, "text": text, "tests": tests}
        return json.loads(self._say({**job, "seconds": BEGIN_SECONDS + LONGER * seconds}))

    def outcome(self, mutant: Mutant, known: Map, seconds: float) -> Outcome:
        """Ask the nearest tests, and then the golden ones."""
        plain, golden = known.nearest(mutant, seconds)
        if not plain and not golden:
            return Outcome(mutant, NOT_RUN)
        for how, names in ((NOTICED, plain), (GOLDEN, golden)):
            names = [name for name in names if name in known.tests]
            while names and (result := self.tried(mutant, names, seconds))["failed"]:
                by = result["failed"]
                if by not in names or not self.tried(None, [by], seconds)["failed"]:
                    return Outcome(mutant, how, by, result["said"])
                known.tests.pop(by)  # it fails in a fork without any mutant, too
                names.remove(by)
        return Outcome(mutant, SURVIVED, asked=len(plain))

    def end(self) -> None:
        """Let it go."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def judged(mutants: Sequence[Mutant], known: Map, roots: Sequence[Path], seconds: float) -> Iterator[Outcome]:
    """The outcome of each, as it comes."""
    idle: SimpleQueue[Worker] = SimpleQueue()
    workers = [Worker(root, known.modules) for root in roots]
    some = sorted(known.tests, key=lambda name: known.tests[name]["seconds"])[:3]
    for worker in workers:
        if (result := worker.tried(None, some, seconds))["failed"]:
            raise RuntimeError(f"without a mutant: {result['failed']}: {result['said']}")
        idle.put(worker)

    def one(mutant: Mutant) -> Outcome:
        worker = idle.get()
        try:
            return worker.outcome(mutant, known, seconds)
        finally:
            idle.put(worker)

    with ThreadPoolExecutor(len(workers)) as pool:
        for future in as_completed([pool.submit(one, mutant) for mutant in mutants]):
            yield future.result()
    for worker in workers:
        worker.end()


def equivalents() -> set[str]:
    """Mutants that change nothing, by their keys; the reason stands above each, behind a `#`."""
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}

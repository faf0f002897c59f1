"""What came out of each mutant: who noticed it, a golden file alone, or nobody."""

import json
import re
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from .collected import UNFIT
from .copies import environment
from .near import Near
from .operators import Mutant
from .runs import Runs, joined
from .worker import LATE

EQUIVALENT = Path(__file__).with_name("equivalent.txt")
NOTICED, GOLDEN, SURVIVED = "noticed", "noticed by a golden file alone", "survived"
RECORDING = 3600
"""Seconds of a processor are enough to record all tests."""


@dataclass(frozen=True)
class Outcome:
    """Of one mutant."""

    mutant: Mutant
    how: str
    by: str = ""
    said: str = ""
    asked: int = 0
    """How many tests the time was enough for."""

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

    def __init__(self, root: Path, begun: dict[str, Any]):
        # A session of its own: a busy machine gives processors to all of them alike.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(root / "tools" / "mutate" / "worker.py"), str(root)],
            env=environment(root),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.ready = self.say(begun)

    def say(self, what: Any) -> Any:
        """What it answers."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        """Let it go."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


class Worker:
    """Judges one mutant after the other, in one copy of the project."""

    def __init__(self, root: Path, seconds: float, *, golden: bool, only: Sequence[str] = ()):
        self._root, self._seconds, self._asks_golden = root, seconds, golden
        self._collected = Process(root, {"collect": only or ["tests"]})
        self._golden = self._collected.ready["golden"]
        self.runs = Runs()
        self._fails: set[str] = set()
        """Tests that fail in a fork without any mutant, too."""

    @cached_property
    def _bare(self) -> Process:
        """For mutants that need an import."""
        return Process(self._root, {"collect": (), "modules": self._collected.ready["modules"]})

    @cached_property
    def _files(self) -> list[str]:
        """All files of tests."""
        return sorted({name.partition("::")[0] for name in self._golden})

    def record(self, file: Path, which: int, of: int) -> None:
        """Write what some of all tests run."""
        files = set(self._files[which::of])
        tests = [name for name in self._golden if name.partition("::")[0] in files]
        job = {"path": None, "text": None, "tests": tests, "record": str(file), "seconds": RECORDING}
        said = self._collected.say(job)
        assert not said["failed"], said

    @cached_property
    def _near(self) -> Near:
        """The order of tests."""
        return Near(self._golden, self._root, self.runs)

    def _tried(self, mutant: Mutant | None, tests: Sequence[str], files: Sequence[str]) -> dict[str, Any]:
        """The first of the tests that fails, with what it says; with files all is imported and collected anew."""
        text = mutant and mutant.applied((self._root / mutant.path).read_bytes()).decode()
        job: dict[str, Any] = {"path": mutant and mutant.path, "text": text, "tests": tests, "files": files}
        job |= {"record": None, "seconds": self._seconds}
        return (self._bare if files else self._collected).say(job)

    def outcome(self, mutant: Mutant) -> Outcome:
        """Ask the nearest tests, and then the golden ones."""
        order = [name for name in self._near.order(mutant) if name not in self._fails]
        plain = [name for name in order if not self._golden[name]]
        found = self._noticed(mutant, plain)
        if found.noticed or not self._asks_golden:
            return found
        by = self._noticed(mutant, [name for name in order if self._golden[name]])
        return replace(by, how=GOLDEN) if by.noticed else found

    def _noticed(self, mutant: Mutant, names: list[str]) -> Outcome:
        anew = not mutant.called
        while (result := self._tried(mutant, names, self._files if anew else []))["failed"]:
            by = result["failed"]
            if by == LATE:
                return Outcome(mutant, LATE)
            if by == UNFIT:
                anew = True
            elif by in names and self._tried(None, [by], [by.partition("::")[0]] if anew else [])["failed"]:
                self._fails.add(by)
                names = [name for name in names if name not in self._fails]
            else:
                return Outcome(mutant, NOTICED, by, result["said"])
        return Outcome(mutant, SURVIVED, asked=result["ran"])

    def end(self) -> None:
        """Let both go."""
        for process in (each for each in vars(self).values() if isinstance(each, Process)):
            process.end()


def judged(mutants: Sequence[Mutant], workers: Sequence[Worker]) -> Iterator[Outcome]:
    """The outcome of each, as it comes."""
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def one(mutant: Mutant) -> Outcome:
        worker = idle.get()
        try:
            return worker.outcome(mutant)
        finally:
            idle.put(worker)

    with ThreadPoolExecutor(len(workers)) as pool:
        for future in as_completed([pool.submit(one, mutant) for mutant in mutants]):
            yield future.result()


@contextmanager
def working(
    roots: Sequence[Path], seconds: float, recorded: Path, *, golden: bool, only: Sequence[str]
) -> Generator[list[Worker]]:
    """A worker in each copy, that knows which tests run what: recorded now, where no run before has done it."""
    with ThreadPoolExecutor(len(roots)) as pool:
        workers = list(pool.map(lambda root: Worker(root, seconds, golden=golden, only=only), roots))
        try:
            if not recorded.exists():
                parts = [recorded.with_suffix(f".{i}") for i in range(len(workers))]
                recorded.parent.mkdir(parents=True, exist_ok=True)
                list(pool.map(lambda i: workers[i].record(parts[i], i, len(workers)), range(len(workers))))
                joined(parts, recorded)
            runs = Runs(recorded)
            for worker in workers:
                worker.runs = runs
            yield workers
        finally:
            for worker in workers:
                worker.end()


def equivalents() -> re.Pattern[str]:
    """Mutants that change nothing, by their keys; the reason stands above them, behind a `#`."""
    return re.compile("|".join(key_pattern(line) for line in equivalent_lines()))


def equivalent_lines() -> list[str]:
    """Of the list, without reasons."""
    lines = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def key_pattern(line: str) -> str:
    """`*` stands for anything, and `+-1` for the two neighbours of a number."""
    number = line.removesuffix(" +-1")
    neighbour = r" -> \(?-?\d+\)?" if number != line else ""
    return re.escape(number).replace(r"\*", ".*") + neighbour

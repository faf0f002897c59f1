"""The tests that run what a mutant changes, the nearest and quickest first."""

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from coverage.numbits import numbits_to_nums

from .contexts import FILE, SHARED
from .imports import Imports
from .operators import Mutant

FEW = 20
"""Where so few tests run a statement, tests that name its file are asked as well: they may start it as a program."""
ENOUGH = 400
"""So many tests of who imports a table are asked."""
BROAD = ("tests/policies/", "tests/refusals/", "tests/test_plans.py", "tests/test_outputs.py", "tests/constraints/")
"""Tests that look at every stack: asked last, whatever ran."""


class Map:
    """What `record` noted of runs of tests, of the project as it is in a copy."""

    def __init__(self, folder: Path, root: Path):
        self._folder, self._root = folder, root
        self._imports = Imports(root)
        self._lines_of: dict[str, dict[str, frozenset[int]]] = {}

    @cached_property
    def _runs(self) -> list[dict[str, Any]]:
        """What each process told, the last run of tests last."""
        return [json.loads(file.read_text()) for file in sorted(self._folder.glob("*/tests.*.json"))]

    @cached_property
    def tests(self) -> dict[str, Any]:
        """All tests that passed, with their times: those of a file as its last run had them."""
        found: dict[str, Any] = {}
        for run in sorted({file.parent for file in self._folder.glob("*/tests.*.json")}):
            now: dict[str, Any] = {}
            for file in run.glob("tests.*.json"):
                told = json.loads(file.read_text())
                alike = {name: told["tests"].get(like) for name, like in told["like"].items()}
                now |= told["tests"] | {name: each for name, each in alike.items() if each}
            again = {name.partition("::")[0] for name in now}
            found = {name: each for name, each in found.items() if name.partition("::")[0] not in again} | now
        return {name: each for name, each in found.items() if not each["failed"]}

    @cached_property
    def modules(self) -> list[str]:
        """The modules of others that tests imported."""
        return list(dict.fromkeys(name for run in self._runs for name in run["modules"]))

    @cached_property
    def _askers(self) -> dict[str, set[str]]:
        """By what is made once, who asked for it: tests, and what else is made once."""
        found: dict[str, set[str]] = defaultdict(set)
        for run in self._runs:
            for context, asked in run["asked"].items():
                for each in asked:
                    found[each].add(context)
        return found

    def _of(self, contexts: Iterable[str]) -> set[str]:
        """The tests of contexts."""
        seen: set[str] = set()
        ahead = set(contexts)
        while ahead:
            seen |= ahead
            ahead = {asker for each in ahead if each.startswith(SHARED) for asker in self._askers[each]} - seen
        found = seen & self.tests.keys()
        return found.union(*(self._likes[name] for name in found))

    @cached_property
    def _likes(self) -> dict[str, list[str]]:
        """By a test that was recorded, the cases like it that were not."""
        found: dict[str, list[str]] = defaultdict(list)
        for run in self._runs:
            for name, like in run["like"].items():
                if name in self.tests:
                    found[like].append(name)
        return found

    def _lines(self, path: str) -> dict[str, frozenset[int]]:
        """By context, the lines of a file that ran in it."""
        if path not in self._lines_of:
            found: dict[str, frozenset[int]] = defaultdict(frozenset)
            for data in self._folder.glob("*/lines.*"):
                with sqlite3.connect(data) as connection:
                    rows = connection.execute(
                        "select context, numbits from line_bits join context on context.id = context_id "
                        "join file on file.id = file_id where path = ?",
                        (path,),
                    )
                    for context, bits in rows:
                        found[context] |= frozenset(numbits_to_nums(bits))
            self._lines_of[path] = dict(found)
        return self._lines_of[path]

    def _calls(self, path: str) -> set[str]:
        """The tests that call something of a file."""
        inner = self._imports.inner(path)
        return self._of(context for context, run in self._lines(path).items() if run & inner)

    @cached_property
    def _texts(self) -> dict[str, str]:
        """The texts of files of tests."""
        return {
            name: (self._root / name).read_text("utf-8") for name in {name.partition("::")[0] for name in self.tests}
        }

    def _naming(self, path: str) -> set[str]:
        """The tests of files that name it."""
        stem = Path(path).stem if Path(path).stem != "__init__" else Path(path).parent.name
        files = {file for file, text in self._texts.items() if re.search(rf"\b{stem}\b", text)}
        return {name for name in self.tests if name.partition("::")[0] in files}

    def is_called(self, mutant: Mutant) -> bool:
        """Whether it lies in something that is called."""
        return set(range(mutant.lines[0], mutant.lines[1] + 1)) <= self._imports.inner(mutant.path)

    def is_called_early(self, mutant: Mutant) -> bool:
        """Whether it runs while tests are collected."""
        first, last = mutant.lines
        return any(
            context.startswith(FILE) and any(first <= line <= last for line in run)
            for context, run in self._lines(mutant.path).items()
        )

    def reach(self, mutant: Mutant) -> dict[str, int]:
        """The tests that may notice it, with their distance: those that run its statement, or read a table."""
        first, last = mutant.lines
        statement = frozenset(range(first, last + 1))
        found: dict[str, int] = {}
        if statement & self._imports.inner(mutant.path):
            running = self._of(context for context, run in self._lines(mutant.path).items() if run & statement)
            found.update(dict.fromkeys(running, 0))
            rings = []
        else:
            rings = [[mutant.path], *self._imports.around(mutant.path)]
        for distance, ring in enumerate(rings):
            if len(found) > ENOUGH:
                break
            for name in (name for path in ring for name in self._calls(path)):
                found.setdefault(name, distance)
        if len(found) < FEW or rings:
            for name in self._naming(mutant.path):
                found.setdefault(name, 1)
        return found

    def nearest(self, mutant: Mutant, seconds: float) -> tuple[list[str], list[str]]:
        """Tests that take so many seconds together, and the golden ones."""
        reach = self.reach(mutant)
        rooms = {*Path(mutant.path).with_suffix("").parts[2:], *Path(mutant.path).stem.split("_")}

        def order(name: str) -> tuple[int, int, float]:
            words = {word.removeprefix("test_") for word in name.partition(".py")[0].split("/")[1:]}
            words |= {part for word in words for part in word.split("_")}
            return (reach.get(name, 9), -len(rooms & words), self._seconds(name))

        plain = self._mixed(sorted((name for name in reach if not self.tests[name]["golden"]), key=order))
        broad = sorted((name for name in self.tests.keys() - reach if name.startswith(BROAD)), key=order)
        golden = sorted((name for name in reach if self.tests[name]["golden"]), key=order)
        asked = self._within(plain, seconds) + self._within(self._mixed(broad), seconds / 4)
        return asked, self._within(golden, seconds)

    def _seconds(self, name: str) -> float:
        return self.tests[name]["seconds"]

    def _mixed(self, names: list[str]) -> list[str]:
        """In turns from every function of tests: what one of its cases does not notice, another seldom does."""
        turns: dict[str, int] = defaultdict(int)
        ranked = []
        for name in names:
            function = name.partition("[")[0]
            ranked.append((turns[function] // 5, name))
            turns[function] += 1
        return [name for _, name in sorted(ranked, key=lambda each: each[0])]

    def _within(self, names: list[str], seconds: float) -> list[str]:
        taken = 0.0
        found = []
        for name in names:
            if (taken := taken + self._seconds(name)) > seconds and found:
                break
            found.append(name)
        return found

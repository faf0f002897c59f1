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

from .operators import Mutant
from .record import FILE, GRAPH

GRAPH_SECONDS = 0.25
"""What a graph costs that a test asks for: it is built anew for every mutant."""
FEW = 20
"""Of a file that so few tests run, such as a table, tests of who imports it are asked as well."""


class Map:
    """What `record` noted of a run of all tests in one copy of the project."""

    def __init__(self, folder: Path, root: Path):
        self._folder, self._root = folder, root
        self._contexts: dict[str, dict[str, frozenset[int]]] = {}

    @cached_property
    def tests(self) -> dict[str, Any]:
        """All tests that passed, with their times and graphs."""
        found = {}
        for file in self._folder.glob("tests.*.json"):
            found.update(json.loads(file.read_text())["tests"])
        return {name: each for name, each in found.items() if not each["failed"]}

    @cached_property
    def modules(self) -> list[str]:
        """The modules of others that tests imported."""
        found = (json.loads(file.read_text())["modules"] for file in sorted(self._folder.glob("tests.*.json")))
        return list(dict.fromkeys(name for each in found for name in each))

    @cached_property
    def _by_group(self) -> dict[str, list[str]]:
        """Tests by the contexts that are not their own: their file, and graphs."""
        found = defaultdict(list)
        for name, test in self.tests.items():
            for group in (FILE + name.partition("::")[0], *test["graphs"]):
                found[group].append(name)
        return found

    @cached_property
    def _sources(self) -> dict[str, str]:
        """The text of every file of the package."""
        files = (self._root / "components").rglob("*.py")
        return {str(path.relative_to(self._root)): path.read_text(encoding="utf-8") for path in files}

    def _importers(self, path: str) -> list[str]:
        """Files that import a file, or something from it."""
        folder, stem = Path(path).parent, Path(path).stem
        said = rf"from [\w.]*\b{folder.name}(\.{stem} import|(\.\w+)? import (\([^)]*|[^\n]*)\b{stem}\b)"
        beside = rf"from \.({stem} import| import (\([^)]*|[^\n]*)\b{stem}\b)"
        return [
            each
            for each, text in self._sources.items()
            if re.search(said, text) or (Path(each).parent == folder and re.search(beside, text))
        ]

    def _lines(self, path: str) -> dict[str, frozenset[int]]:
        """By context, the lines of a file that ran in it."""
        if path not in self._contexts:
            found: dict[str, frozenset[int]] = defaultdict(frozenset)
            for data in self._folder.glob("lines.*"):
                with sqlite3.connect(data) as connection:
                    rows = connection.execute(
                        "select context, numbits from line_bits join context on context.id = context_id "
                        "join file on file.id = file_id where path = ?",
                        (str(self._root / path),),
                    )
                    for context, bits in rows:
                        found[context] |= frozenset(numbits_to_nums(bits))
            self._contexts[path] = dict(found)
        return self._contexts[path]

    def _of(self, contexts: Iterable[str]) -> set[str]:
        """The tests of contexts."""
        found: set[str] = set()
        for context in contexts:
            found.update(self._by_group.get(context, ()) if context.startswith((FILE, GRAPH)) else [context])
        return found & self.tests.keys()

    def reach(self, mutant: Mutant) -> set[str]:
        """The tests that run its statement; for one that runs at an import, those that run its file."""
        first, last = mutant.lines
        lines = self._lines(mutant.path)
        if "." in mutant.within or mutant.within[:1].islower() or mutant.within[:1] == "_":
            return self._of(context for context, run in lines.items() if any(first <= line <= last for line in run))
        found = self._of(lines)
        if len(found) < FEW:
            for path in self._importers(mutant.path):
                found |= self._of(self._lines(path))
        return found

    def nearest(self, mutant: Mutant, seconds: float) -> tuple[list[str], list[str]]:
        """Tests that take so many seconds together, and the golden ones."""
        costs = {name: self._cost(name) for name in self.reach(mutant)}
        rooms = set(Path(mutant.path).with_suffix("").parts[2:])

        def order(name: str) -> tuple[bool, float]:
            near = bool(rooms & {part.removeprefix("test_") for part in name.partition(".py")[0].split("/")})
            return (not near, costs[name])

        plain = self._mixed(sorted((name for name in costs if not self.tests[name]["golden"]), key=order))
        golden = sorted((name for name in costs if self.tests[name]["golden"]), key=order)
        return self._within(plain, costs, seconds), self._within(golden, costs, seconds)

    def _cost(self, name: str) -> float:
        return self.tests[name]["seconds"] + GRAPH_SECONDS * len(self.tests[name]["graphs"])

    def _mixed(self, names: list[str]) -> list[str]:
        """In turns from every function of tests: what one of its cases does not notice, another seldom does."""
        turns: dict[str, int] = defaultdict(int)
        ranked = []
        for name in names:
            function = name.partition("[")[0]
            ranked.append((turns[function] // 5, name))
            turns[function] += 1
        return [name for _, name in sorted(ranked, key=lambda each: each[0])]

    def _within(self, names: list[str], costs: dict[str, float], seconds: float) -> list[str]:
        taken = 0.0
        found = []
        for name in names:
            if (taken := taken + costs[name]) > seconds and found:
                break
            found.append(name)
        return found

"""In which order tests are asked about a mutant: those that quote it, those that run it, and what is near by names."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path

from .operators import Mutant
from .runs import Runs

CLOUDS = {"aks", "eks", "gce", "gke", "oke"}
IMPORTED, ROOM, NAMED, WITHIN = 6, 4, 3, 2
"""What it counts that a file of tests imports the mutant's file, shares a word of its path with it, names it, or names
the function."""
FEW = 12
"""A name that more files of tests have is a word like any other."""
TURN = 5
"""So many cases of a function are asked before others have their turn: what five do not notice, a sixth seldom does."""
QUOTE, BELOW = 4, 4
"""So many words in a row that a message of the mutant's statement, or of so many lines below it, shares with a test are
no accident."""
LEAST = 0.01
"""Seconds that any test takes."""
ROOMS = {"plan": "", "rdma": "", "in_pod": "", "addons": "", "incluster": "in_cluster"}
"""Words of paths that say nothing, or that tests spell otherwise."""


class Near:
    """Of all tests that are collected, by their ids."""

    def __init__(self, names: Iterable[str], root: Path, runs: Runs):
        self._root, self._runs = root, runs
        self._by_file: dict[str, list[str]] = defaultdict(list)
        for name in names:
            self._by_file[name.partition("::")[0]].append(name)

    @cached_property
    def _texts(self) -> dict[str, str]:
        """What each file of tests says."""
        return {file: (self._root / file).read_text("utf-8") for file in self._by_file}

    @cache  # noqa: B019 (it lives as long as the process)
    def _naming(self, word: str) -> frozenset[str]:
        """The files that have a word, where it is a name."""
        found = frozenset(file for file, text in self._texts.items() if word and re.search(rf"\b{word}\b", text))
        return found if len(found) <= FEW else frozenset()

    @cached_property
    def _said(self) -> dict[str, str]:
        """The words of each file of tests, of each id, and of each case that is a file of its own: by its id's end."""
        cases = {
            f"{path.stem}]": path.read_text("utf-8", "replace")
            for path in self._root.glob("tests/**/refusals/**/*.yaml")
        }
        ids = {name: name.partition("[")[2] for names in self._by_file.values() for name in names}
        return {name: _spaced(text) for name, text in (self._texts | cases | ids).items()}

    def _quoting(self, mutant: Mutant) -> set[str]:
        """The files of tests, the ids and the ends of ids that have the words of a message near the mutant."""
        first, last = mutant.lines
        lines = (self._root / mutant.path).read_text("utf-8").splitlines()[first - 1 : last + BELOW]
        message = "".join(re.findall('"([^"]+)"', "\n".join(lines)))
        found: set[str] = set()
        for part in re.split(r"\{[^}]*\}", message):
            row = _spaced(part).split()
            for i in range(len(row) - QUOTE + 1):
                quote = f" {' '.join(row[i : i + QUOTE])} "
                having = {name for name, said in self._said.items() if quote in said}
                found |= having if len(having) <= FEW else set()
        return found

    def _score(self, file: str, mutant: Mutant) -> int:
        path = Path(mutant.path).with_suffix("")
        stem = path.name if path.name != "__init__" else path.parent.name
        package = ".".join(path.parts[1:-1])
        imports = rf"from {re.escape(package)}(\.{stem} import| import [^\n]*\b{stem}\b)"
        text = self._texts[file]
        within = mutant.within.rpartition(".")[2].strip("_")
        return (
            (IMPORTED if re.search(imports, text) else 0)
            + (NAMED if file in self._naming(stem) else 0)
            + ROOM * len(words(mutant.path) & words(file))
            + (WITHIN if file in self._naming(within) else 0)
        )

    def _running(self, mutant: Mutant) -> set[str]:
        """The tests that run the mutant, and those that are newer than the record and about it by their names."""
        running = self._runs.of(mutant.path, mutant.within if mutant.called else None)
        near = [names for file, names in self._by_file.items() if self._score(file, mutant)]
        return running | {name for names in near for name in names if name not in self._runs.known}

    def order(self, mutant: Mutant) -> list[str]:
        """Those that quote it, those that run it, the cheapest and nearest first; none of other clouds that do not."""
        about = words(mutant.path)
        running, quoting = self._running(mutant), self._quoting(mutant)
        seconds = self._runs.seconds(running)
        turns: dict[str, int] = defaultdict(int)
        ranked = []
        for file, names in self._by_file.items():
            score = self._score(file, mutant)
            for name in names:
                function, _, case = name.partition("[")
                of = words(name)
                runs = name in running
                if not runs and about & CLOUDS and of & CLOUDS and not about & of & CLOUDS:
                    continue
                turns[function] += 1
                near = 1 + score + ROOM * len(about & words(case))
                cost = (seconds.get(name, 0) + LEAST) / near
                quotes = name in quoting or (case.rpartition("/")[2] or case) in quoting
                ranked.append((not quotes, file not in quoting, not runs, turns[function] // TURN, cost, name))
        return [name for *_, name in sorted(ranked)]


def words(text: str) -> set[str]:
    """The words of a path or an id."""
    found = re.split(
        r"[^a-z0-9]+", text.removeprefix("components/").removeprefix("rdma_cluster/").removesuffix(".py").lower()
    )
    return {ROOMS.get(word, word) for word in found} - {"", "test", "tests", "py"}


def _spaced(text: str) -> str:
    """Words alone, each between two blanks."""
    return " ".join(("", *re.findall(r"[^\W_]+", text), ""))

"""A public report as a case: what somebody out there met, put to this project, and the answer that is right.

A file in `reports/` has these keys:
- `pointer`: where the report stands, `owner/repo#number` or an address.
- `kind`: the kind of mistake, in a few words; cases that share a cause share a kind.
- `story`: what happened, in our own words, one to three sentences.
- `settled`: the comment, commit or page in which the author or a maintainer settled it. Without one it is no case.
- `first`: what this project said on the day it was first tried: `right`, `wrong` or `silent`.
- `input`: texts by file name, in place of the files in `inputs/`. Names and addresses in both are replaced.
- `run`: the words of the command. A word that is the name of an input stands for its path, and `x.py:function` for
  the graph of that program, as `preview --json` writes it. In a verb's place may stand `pulumi_offline.preview` with
  one program, `pulumi_offline.diff` with two, or `python` with the words of a Python process.
- `right`: the answer, by what states it: `exit` (code), `says` and `says_not` (texts), `leads` (the gate that a verdict
  names in its conclusion), `json` (value by path in what is printed) and `graph` (inputs by `TYPE NAME`; the name `*`
  stands for all of the type; the input `.provider` for the name of the resource's provider).
- `expected: fails` marks a case that is still wrong. Whoever mends it takes the mark away.

A path joins keys by dots; `2` picks from a list by place and `name=gdr` by a key. A value `~...` is a regular
expression that has to be found, and `absent` means that nothing may stand there.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, fields
from functools import cached_property
from io import StringIO
from pathlib import Path
from runpy import run_path
from typing import Any

from pulumi_offline import Graph, diff, preview, render
from pulumi_offline.replacements import broken_in
from rdma_cluster.cli.app import run
from tests import quick_yaml

ROOT = Path(__file__).parents[2]
REPORTS = Path(__file__).parent / "reports"
INPUTS = Path(__file__).parent / "inputs"
ABSENT = "absent"
_PROGRAM = re.compile(r"(\w+\.py):(\w+)")
_CONCLUSION = re.compile(r"is not proved: (\w+)")


@dataclass(frozen=True)
class Answer:
    """What the project said."""

    exit: int
    text: str
    """Standard output, then standard error."""
    printed: str
    """Standard output alone."""
    graph: Graph | None = None
    """The graph, of a case that previews a program itself."""

    @cached_property
    def resources(self) -> list[dict[str, Any]]:
        """The graph's resources as data, also where `preview --json` printed them."""
        return (self.graph.to_dict() if self.graph else json.loads(self.printed))["resources"]


@dataclass(frozen=True)
class Case:
    """One report."""

    name: str
    pointer: str
    kind: str
    story: str
    settled: str
    first: str
    run: list[str]
    right: dict[str, Any]
    input: dict[str, str] = field(default_factory=dict)
    expected: str = "passes"

    @property
    def heavy(self) -> bool:
        """Whether it needs an SDK or a process of its own, which takes seconds."""
        verb, *words = self.run
        return verb in ("preview", "python") or "--since" in words or any(map(_PROGRAM.fullmatch, words))

    def answer(self, folder: Path) -> Answer:
        """Put the case to the project; texts and graphs that it needs are written into ``folder``."""
        for name, text in self.input.items():
            (folder / name).write_text(text)
        verb, *words = self.run
        if verb == "python":
            return _of_process([self._path(word, folder) for word in words], folder)
        if verb.startswith("pulumi_offline."):
            return _of_library(verb, [self._graph(word, folder) for word in words])
        for place, word in enumerate(words):
            if _PROGRAM.fullmatch(word):
                graph = self._graph(word, folder).to_dict()
                words[place] = word.replace(":", "-") + ".json"
                (folder / words[place]).write_text(json.dumps(graph))
            words[place] = self._path(words[place], folder)
        with chdir(ROOT), redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
            code = run([verb, *words])
        return Answer(code, out.getvalue() + err.getvalue(), out.getvalue())

    def faults(self, answer: Answer) -> list[str]:
        """What of the answer is not right."""
        found = []
        for name, wanted in self.right.items():
            found += _CHECKS[name](answer, wanted)
        return found

    def _path(self, word: str, folder: Path) -> str:
        return next((str(place / word) for place in (folder, INPUTS) if (place / word).is_file()), word)

    def _graph(self, word: str, folder: Path) -> Graph:
        match = _PROGRAM.fullmatch(word)
        assert match, f"{self.name}: {word} is not the function of a program, as in x.py:function"
        return preview(run_path(self._path(match[1], folder))[match[2]], project="corp")


def cases() -> list[Case]:
    """All reports, by name. Raises `ValueError` for a file that is no case."""
    return [_read(path) for path in sorted(REPORTS.glob("*.yaml"))]


def _read(path: Path) -> Case:
    read = quick_yaml.load(path.read_text())
    known = {each.name for each in fields(Case)}
    lacking = {"pointer", "kind", "story", "settled", "first", "run", "right"} - {
        key for key, value in read.items() if value
    }
    if lacking or not read.keys() <= known:
        raise ValueError(f"{path.name}: lacks {sorted(lacking)}, does not know {sorted(read.keys() - known)}")
    if unknown := read["right"].keys() - _CHECKS:
        raise ValueError(f"{path.name}: right has {sorted(unknown)}, and knows {sorted(_CHECKS)}")
    if read["first"] not in ("right", "wrong", "silent") or read.get("expected", "fails") != "fails":
        raise ValueError(f"{path.name}: first is right, wrong or silent; expected is fails or left out")
    return Case(path.stem, **read)


def _of_process(words: list[str], folder: Path) -> Answer:
    """A Python process in a folder of its own that imports this tree."""
    tree = os.pathsep.join(str(ROOT / name) for name in ("components", "rehearsal", ""))
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env={**os.environ, "PYTHONPATH": tree}, capture_output=True, text=True
    )
    return Answer(done.returncode, done.stdout + done.stderr, done.stdout)


def _of_library(verb: str, graphs: list[Graph]) -> Answer:
    """What the library says of a graph, or of two: nothing wrong is 0, as for the command."""
    if verb == "pulumi_offline.diff":
        before, after = graphs
        changes = render(diff(before, after))
        return Answer(1 if changes else 0, changes, changes)
    (graph,) = graphs
    refused = "\n".join(f"{resource.type} {resource.name}: {one.words}" for resource, one in broken_in(graph))
    return Answer(2 if refused else 0, refused, refused, graph)


def _exit(answer: Answer, wanted: int) -> list[str]:
    return [] if answer.exit == wanted else [f"exit code {answer.exit}, not {wanted}"]


def _says(answer: Answer, wanted: list[str]) -> list[str]:
    return [f"does not say {text!r}" for text in wanted if text not in answer.text]


def _says_not(answer: Answer, unwanted: list[str]) -> list[str]:
    return [f"says {text!r}" for text in unwanted if text in answer.text]


def _leads(answer: Answer, wanted: str) -> list[str]:
    found = _CONCLUSION.search(answer.text)
    led = found[1] if found else "no gate"
    return [] if led == wanted else [f"leads with {led}, not with {wanted}"]


def _json(answer: Answer, wanted: dict[str, Any]) -> list[str]:
    return list(_differences("", json.loads(answer.printed), wanted))


def _graph(answer: Answer, wanted: dict[str, dict[str, Any]]) -> list[str]:
    found = []
    for title, inputs in wanted.items():
        type_, name = title.split(" ")
        matching = [each for each in answer.resources if each["type"] == type_ and name in ("*", each["name"])]
        found += [f"there is no {title}"] if not matching else []
        for resource in matching:
            provider = (resource.get("provider") or "").rpartition("::")[2]
            found += _differences(f"{title}: ", {**resource["inputs"], "": {"provider": provider}}, inputs)
    return found


def _differences(where: str, data: Any, wanted: dict[str, Any]) -> Iterator[str]:
    for path, value in wanted.items():
        seen = _at(data, path)
        matches = re.search(value[1:], str(seen)) if isinstance(value, str) and value[:1] == "~" else seen == value
        if not matches:
            yield f"{where}{path} is {seen!r}, not {value!r}"


def _at(data: Any, path: str) -> Any:
    """What stands at a path; `absent` where nothing does."""
    for part in path.split("."):
        key, _, value = part.partition("=")
        if isinstance(data, list):
            chosen = [one for one in data if str(one.get(key)) == value] if value else data[int(key) :][:1]
            data = chosen[0] if chosen else ABSENT
        else:
            data = data.get(key, ABSENT) if isinstance(data, dict) else ABSENT
    return data


_CHECKS: dict[str, Callable[[Answer, Any], list[str]]] = {
    "exit": _exit,
    "says": _says,
    "says_not": _says_not,
    "leads": _leads,
    "json": _json,
    "graph": _graph,
}

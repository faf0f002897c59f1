"""A case file: something that cannot work, and the exact lines that say so.

Cases of a cloud lie in `tests/<cloud>/refusals/`; those about the command and the in-cluster components in `cases/`.

Keys of a file:
- `refused`: the lines, as they stand on stderr; `{clouds}` are the clouds that have a stack program. Which machines a
  line lists is not compared: the catalogue grows.
- `stack` (in a cloud's folder its first one unless given), `set` (values of `--set`) and `file` (the text of a stack
  file in the stack's place): what `plan` and `preview` are given; `encoding` is the file's, UTF-8 unless given.
- `command`: the words of another command, in place of these three; `{here}` is a folder that holds its `files`, texts
  by name, and nothing else. With `within` the command runs in that folder, in place of this project. `programs` are
  those on PATH, which do nothing. `missing` are libraries that are not installed, each with the module that needs it.
- `component` and `args`: a component on its own, in place of these four; `called` is its name. `beside` is another one
  that the same program makes before it, on the same cluster: its `component` and its `args`.
- `allowed`: what makes it the nearest that is let in, as values of `--set` that are laid over the case (or over its
  `args`), or as other keys of the case, these values then in `set`. In its place may stand, in `no_neighbour`, why
  there is none that a test can run here. What is refused for its form needs neither.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from rdma_cluster.catalog import machines
from tests import quick_yaml
from tests.clouds import clouds
from tests.stacks import PROGRAMS

SHARED = Path(__file__).parent / "cases"
_MACHINE = "|".join(sorted((re.escape(machine.name) for machine in machines()), key=len, reverse=True))
_MACHINES = re.compile(
    rf"((?:nearest(?: on [A-Z]+| with a fabric)? are|choose one of) )(?:{_MACHINE})(?:, (?:{_MACHINE}))*\b"
)


def without_machines(text: str) -> str:
    """Messages with an ellipsis for each list of machines that they offer."""
    return _MACHINES.sub(r"\1...", text)


@dataclass(frozen=True)
class Case:
    """One case file."""

    name: str
    """`gke/zone-without-form`, or `unknown-stack` for a shared one."""
    package: str
    """Where its component is from."""
    refused: list[str]
    stack: str = ""
    set: list[str] = field(default_factory=list)
    file: str | None = None
    encoding: str = "utf-8"
    command: list[str] | None = None
    files: dict[str, str] = field(default_factory=dict)
    within: bool = False
    programs: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    component: str | None = None
    args: dict[str, Any] = field(default_factory=dict)
    called: str = "foreign"
    beside: dict[str, Any] = field(default_factory=dict)
    allowed: list[str] | dict[str, Any] | None = None
    no_neighbour: str = ""

    @property
    def kind(self) -> str:
        """What is refused: a `stack`, a `command` or a `component`."""
        return "component" if self.component else "command" if self.command else "stack"

    def stack_options(self, folder: Path) -> list[str]:
        """The words after `plan` and `preview`; a stack file of the case's own is written to a folder."""
        words = [self.stack]
        if self.file is not None:
            path = folder / f"Pulumi.{self.stack}.yaml"
            path.write_text(self.file, self.encoding)
            words += ["--config", str(path)]
        return words + [word for override in self.set for word in ("--set", override)]


def cases(kind: str) -> list[Case]:
    """The cases of one kind, those of all clouds first."""
    return [case for case in _cases() if case.kind == kind]


def case_of(name: str) -> Case:
    """The case of a name."""
    return next(case for case in _cases() if case.name == name)


@cache
def _cases() -> tuple[Case, ...]:
    of_all = [_read(path, path.stem, "rdma_cluster.incluster") for path in sorted(SHARED.glob("*.yaml"))]
    return (
        *of_all,
        *(
            _read(path, f"{cloud.name}/{path.stem}", f"rdma_cluster.{cloud.name}", stack=cloud.stacks[0])
            for cloud in clouds()
            for path in sorted(cloud.refusals.glob("*.yaml"))
        ),
    )


def _read(path: Path, name: str, package: str, **defaults: str) -> Case:
    said: dict[str, Any] = {**defaults, **quick_yaml.load(path.read_text())}
    refused = [without_machines(line).replace("{clouds}", ", ".join(PROGRAMS)) for line in said.pop("refused")]
    return Case(name, package, refused, **said)

"""A case file: something that cannot work, and the exact lines that say so.

Keys of a file:
- `refused`: the lines, as they stand on stderr.
- `stack` (`gke` unless given), `set` (values of `--set`) and `file` (the text of a stack file in the stack's place):
  what `plan` and `preview` are given; `encoding` is the file's, UTF-8 unless given.
- `command`: the words of another command, in place of these three; `{here}` is an empty folder.
- `component` and `args`: a component on its own, in place of these four.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """One case file."""

    refused: list[str]
    stack: str = "gke"
    set: list[str] = field(default_factory=list)
    file: str | None = None
    encoding: str = "utf-8"
    command: list[str] | None = None
    component: str | None = None
    args: dict[str, Any] = field(default_factory=dict)

    def stack_options(self, folder: Path) -> list[str]:
        """The words after `plan` and `preview`; a stack file of the case's own is written to a folder."""
        words = [self.stack]
        if self.file is not None:
            path = folder / f"Pulumi.{self.stack}.yaml"
            path.write_text(self.file, self.encoding)
            words += ["--config", str(path)]
        return words + [word for override in self.set for word in ("--set", override)]


def read(path: Path) -> Case:
    """The case of a file."""
    return Case(**yaml.safe_load(path.read_text()))


def named(kind: str) -> list[Path]:
    """The files of the cases of one kind: `stack`, `command` or `component`."""
    return [path for path in sorted(CASES.glob("*.yaml")) if kind == _kind(read(path))]


def _kind(case: Case) -> str:
    return "component" if case.component else "command" if case.command else "stack"

"""The standard library's parser with our exit codes and our words, and verbs that are read when they are asked for.

Also ``--version``: the release, and the commit that it was made of.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

from pulumi_offline.visible import visible
from .. import __version__

_CLONE = Path(__file__).parents[3]
_COMMIT = "commit.txt"
"""Beside the package's modules in a wheel; ``hatch_build.py`` writes it."""


class Usage(Exception):
    """The command line is wrong, or asks only for help; the message is printed already."""

    def __init__(self, code: int):
        self.code = code


class Parser(argparse.ArgumentParser):
    """A parser that takes no shortened options, and ends with ``Usage`` in place of the process."""

    def __init__(self, *, load: "Callable[[], AddTo] | None" = None, **options: Any):
        super().__init__(allow_abbrev=False, **options)
        self._load = load

    def fill(self) -> "Parser":
        """Add the options, which ``load`` imports: no verb waits for another's imports."""
        if self._load is not None:
            load, self._load = self._load, None
            load()(self)
        return self

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        for word in args or ():
            # Before Python 3.13 the standard library takes `--flag=--` for a flag with an empty list of values.
            if re.fullmatch("--[a-z-]+=--", word):
                self.error(f"argument {word[:-3]}: got '--'; expected a value")
        return super(Parser, self.fill()).parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {visible(message)}; see {self.prog} -h", file=sys.stderr)
        raise Usage(2)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Usage(status)


AddTo = Callable[[Parser], None]
"""Adds the options of a verb to its parser, and the verb itself."""


class ShowVersion(argparse.Action):
    """Asks for the commit only when somebody wants to know."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        known = commit()
        print(f"rdma-cluster {__version__}{f' ({known})' if known else ''}")
        parser.exit()


def commit() -> str:
    """Twelve characters, and ``-dirty`` behind those of a changed clone; empty where nothing tells."""
    written = files("rdma_cluster").joinpath(_COMMIT)
    if written.is_file():
        return written.read_text(encoding="utf-8").strip()
    if not (_CLONE / ".git").exists():
        return ""
    return git(_CLONE, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")


def git(folder: Path | str, *words: str) -> str:
    """What git answers in a folder; empty where there is no git, or it refuses."""
    try:
        asked = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, encoding="utf-8")
    except OSError:  # no git here
        return ""
    return asked.stdout.strip() if asked.returncode == 0 else ""

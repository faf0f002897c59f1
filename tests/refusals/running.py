"""A case is run: by the command, in this process, or in a program that makes its component."""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.abc import MetaPathFinder
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from pulumi_offline import preview
from rdma_cluster.cli.app import run
from tests.refusals.case import Case, without_machines
from tests.stacks import ROOT


def command(*words: str, folder: Path = ROOT, path: str = "") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command, in this process, as where no program is but those of a path."""
    with (
        patch.dict(os.environ, PATH=path),
        chdir(folder),
        redirect_stdout(StringIO()) as out,
        redirect_stderr(StringIO()) as err,
    ):
        code = run(words)
    return code, out.getvalue(), without_machines(err.getvalue())


class Uninstalled(MetaPathFinder):
    """Finds none of these libraries, each with the module of ours that needs it, which is imported anew."""

    def __init__(self, missing: Mapping[str, str]) -> None:
        self.missing = missing

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """As the import system asks; none leaves it to the other finders."""
        if name in self.missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    def __enter__(self) -> None:
        # Only these: whatever else is imported meanwhile must stay as it is.
        gone = {*self.missing.values(), *(name for name in sys.modules if name.partition(".")[0] in self.missing)}
        self.before = {name: sys.modules.pop(name) for name in gone if name in sys.modules}
        sys.meta_path.insert(0, self)

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)
        sys.modules.update(self.before)


def build(case: Case) -> None:
    """Make the component of a case in a program of its own, after the one that it stands beside."""
    package = import_module(case.package)

    def program() -> None:
        for called, each in (("first", case.beside), (case.called, vars(case))):
            if each:
                cls: Callable[..., object] = getattr(package, str(each["component"]))
                cls(called, each["args"])

    preview(program)


def run_command(case: Case, here: Path, path: Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a case's command; its files and programs are put into these two folders."""
    here.mkdir()
    path.mkdir()
    for name, text in case.files.items():
        (here / name).write_text(text)
    for name in case.programs:
        (path / name).touch(0o755)
    words = [word.format(here=here) for word in case.command or ()]
    with Uninstalled(case.missing):
        return command(*words, folder=here if case.within else ROOT, path=str(path) if case.programs else "")

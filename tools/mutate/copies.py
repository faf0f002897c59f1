"""Copies of the project, in which files can be changed."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.stacks import ROOT, SHARED

PACKAGE = ROOT / "components"


def listed(*words: str) -> list[Path]:
    """Paths that git tells of the project, of files that are there."""
    told = subprocess.run(["git", *words, "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for name in told.split("\0") if name and (path := ROOT / name).is_file()]


def files(paths: Sequence[str], since: str | None, left_out: Sequence[str]) -> list[Path]:
    """The files of the package that are asked for."""
    wanted = [Path(path).resolve() for path in paths] or [PACKAGE]
    found = sorted(each for each in listed("ls-files", "-co", "--exclude-standard") if each.suffix == ".py")
    if since:
        changed = {*listed("diff", "--name-only", since), *listed("ls-files", "-o", "--exclude-standard")}
        found = [each for each in found if each in changed]
    if not paths:
        found = [each for each in found if not any(each.is_relative_to(PACKAGE / out) for out in left_out)]
    return [each for each in found if any(each.is_relative_to(of) for of in wanted) and each.is_relative_to(PACKAGE)]


def copied(folder: Path) -> Path:
    """A copy of what git has or would take."""
    for file in listed("ls-files", "-co", "--exclude-standard"):
        to = folder / file.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, to)
    return folder


def environment(root: Path) -> dict[str, str]:
    """For Python in a copy, whatever else is installed."""
    path = os.pathsep.join(
        [*(str(root / each) for each in ("components", "rehearsal", ".")), os.environ.get("PYTHONPATH", "")]
    )
    # No graph of the code without a mutant is taken for one of the code with it.
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "", SHARED: os.devnull}

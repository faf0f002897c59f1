"""Copies of the project, in which files can be changed; what tests run in them is recorded once for each state."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.stacks import ROOT
from tests.stacks import SHARED as GRAPHS

from .contexts import FOLDER

PACKAGE = ROOT / "components" / "rdma_cluster"
ENGINES = ("controlplane", "rehearsal", "real")
"""Rooms of tests that `make test` leaves out."""
CACHE = Path.home() / ".cache" / "rdma-cluster" / "mutate"


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
    path = os.pathsep.join([str(root / "components"), str(root), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": ""}


def recorded(root: Path, processes: int) -> Path:
    """The folder of what tests run: all anew when the package has changed, else the files of tests that have."""
    folder = CACHE / _digest(
        root, [*_within(root, "components"), *_within(root, "stacks"), *(root / "tests").glob("*.py")]
    )
    known = folder / "files.json"
    before = json.loads(known.read_text()) if known.exists() else {}
    now = _files_of_tests(root)
    if changed := [name for name in now if now[name] != before.get(name)]:
        if not before:
            shutil.rmtree(CACHE, ignore_errors=True)
        run = folder / str(time.time_ns())
        run.mkdir(parents=True)
        print(f"recording what {len(changed)} files of tests run", flush=True)
        words = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "tests.mutate.record", "-m", "not thorough"]
        with TemporaryDirectory(prefix="rdma-cluster-graphs-") as graphs:
            env = {**environment(root), FOLDER: str(run), GRAPHS: graphs}
            # Each has a session, of which a busy machine gives processors to all alike.
            parts = [changed[i::processes] for i in range(processes)]
            for part in [
                subprocess.Popen([*words, *part], cwd=root, env=env, start_new_session=True) for part in parts if part
            ]:
                part.wait()
    known.write_text(json.dumps(now))
    return folder


def _within(root: Path, *folders: str) -> list[Path]:
    return [path for path in root.joinpath(*folders).rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def _digest(root: Path, paths: Iterable[Path]) -> str:
    digest = sha256()
    for path in sorted(paths):
        digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _files_of_tests(root: Path) -> dict[str, str]:
    """Every file of tests, with a digest of it and of what lies beside it."""
    found = {}
    for path in (root / "tests").rglob("test_*.py"):
        room = path.relative_to(root / "tests").parts[0]
        if room in ENGINES:
            continue
        beside = [] if room == path.name else _within(root, "tests", room)
        others = [each for each in beside if not each.match("test_*.py") or each == path]
        found[str(path.relative_to(root))] = _digest(root, {path, *others})
    return found

"""Runs tests on mutants in one copy of the project: a process that has imported the SDKs, and a fork of it for each.

Started as a script, with the copy's folder; it hears jobs on stdin and tells what came out, a line of JSON each. It
imports nothing of ours: each fork does, with the mutant in its file.
"""

import importlib
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

PROFILE = "mutate"


class Chosen:
    """A plugin of pytest: these tests in this order, and the first that fails."""

    def __init__(self, names: list[str]):
        self.failed, self.said, self.ran = "", "", 0
        self._order = {name: i for i, name in enumerate(names)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out all others."""
        items[:] = sorted(
            (each for each in items if each.nodeid in self._order), key=lambda each: self._order[each.nodeid]
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file of tests that cannot be imported has noticed it."""
        self._note(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One of the three parts of a test."""
        self.ran += report.when == "call"
        self._note(report)

    def _note(self, report: Any) -> None:
        if report.failed and not self.failed:
            lines = [line for line in str(report.longreprtext).splitlines() if line.startswith("E ")]
            self.failed, self.said = report.nodeid, (lines or [""])[0][1:].strip()[:200]


def warm(modules: list[str]) -> None:
    """Import what tests import of others. Pulumi's modules load when they are touched."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in modules:
            try:
                dir(importlib.import_module(name))
            except Exception:
                continue  # made by hand, or for another start of Python: the fork imports what it needs


def attempt(names: list[str]) -> dict[str, Any]:
    """In a fork: what the tests say."""
    sys.dont_write_bytecode = True
    settings.register_profile(PROFILE, database=None, derandomize=True)
    chosen = Chosen(names)
    files = list(dict.fromkeys(name.partition("::")[0] for name in names))
    options = ["-x", "-q", "--tb=short", "-p", "no:cacheprovider", "--hypothesis-profile", PROFILE]
    # Plugins whose assertions pytest would like to rewrite are imported already.
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    code = pytest.main([*options, *files], plugins=[chosen])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not chosen.failed:
        chosen.failed = f"no test: pytest cannot begin, {code!r}"
    return {"failed": chosen.failed, "said": chosen.said, "ran": chosen.ran}


def forked(names: list[str], seconds: float) -> dict[str, Any]:
    """The same for so long, with a folder of its own for what tests write."""
    here, there = os.pipe()
    folder = tempfile.mkdtemp(prefix="mutant-")
    if (child := os.fork()) == 0:
        os.setpgid(0, 0)
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        try:
            result = attempt(names)
        except BaseException as error:
            result = {"failed": "no test: pytest itself ended", "said": repr(error), "ran": 0}
        os.write(there, json.dumps(result).encode())
        os._exit(0)
    os.close(there)
    said = b""
    end = time.monotonic() + seconds
    while select.select([here], [], [], max(0.0, end - time.monotonic()))[0]:
        if not (part := os.read(here, 1 << 16)):
            break
        said += part
    os.close(here)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    shutil.rmtree(folder, ignore_errors=True)
    late = {"failed": "no test: it ended in no time", "said": "", "ran": 0}
    return json.loads(said) if said else late


def mutated(job: dict[str, Any], root: Path) -> dict[str, Any]:
    """The outcome of a job: the file with its change, or as it is, and then as before."""
    if job["text"] is None:
        return forked(job["tests"], job["seconds"])
    file = root / job["path"]
    before, seen = file.read_bytes(), file.stat()
    file.write_text(job["text"], encoding="utf-8", newline="")
    # Bytecode is of a file of the same age and size.
    os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns + 10**10))
    try:
        return forked(job["tests"], job["seconds"])
    finally:
        file.write_bytes(before)
        os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def main() -> None:
    """Hear, do, tell."""
    root = Path(sys.argv[1])
    os.chdir(root)
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warm(json.loads(sys.stdin.readline()))
    print("ready", file=told, flush=True)
    for line in sys.stdin:
        print(json.dumps(mutated(json.loads(line), root)), file=told, flush=True)


if __name__ == "__main__":
    main()

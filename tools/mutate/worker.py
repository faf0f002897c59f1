"""Runs tests on mutants in one copy of the project: a process that is ready for them, and a fork of it for each.

Started as a script, with the copy's folder; it hears jobs on stdin and tells what came out, a line of JSON each. With
files of tests it has collected these, and a fork exchanges the code of functions. Without, it has imported what others
wrote and nothing of ours: a fork imports that with the mutant in its file, as a change of a table needs it.
"""

import importlib
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

PROFILE = "mutate"
LONGER = 4
"""A test may begin shortly before the time is over, and a mutant may make it so much slower."""
PATIENCE = 10
"""Others may want the processors: by the clock, tests may take so many times their processor time."""
LATE = "no test: there was no processor for it"
OPTIONS = ["-q", "-m", "not thorough", "--tb=short", "-p", "no:cacheprovider", "--hypothesis-profile", PROFILE]
# Plugins whose assertions pytest would like to rewrite are imported already.
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]


class First:
    """A plugin of pytest: the first test that fails."""

    def __init__(self) -> None:
        self.failed, self.said, self.ran = "", "", 0

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

    def asked(self, items: dict[str, pytest.Item], job: dict[str, Any]) -> dict[str, Any]:
        """Run tests in the job's order, until one fails or its time is over."""
        ahead = [items[name] for name in job["tests"] if name in items]
        for item, following in zip(ahead, [*ahead[1:], None], strict=True):
            if sum(os.times()[:4]) > job["seconds"]:
                break
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                break
        return {"failed": self.failed, "said": self.said, "ran": self.ran}


class Anew(First):
    """Besides, what is collected in a fork."""

    def __init__(self, job: dict[str, Any]):
        super().__init__()
        self._job = job

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In the place of all tests."""
        if not self.failed:
            self.asked({item.nodeid: item for item in session.items}, self._job)
        return True


def warm(modules: list[str]) -> None:
    """Import what tests import of others. Pulumi's modules load when they are touched."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in modules:
            try:
                dir(importlib.import_module(name))
            except Exception:
                continue  # made by hand, or for another start of Python: the fork imports what it needs


def anew(job: dict[str, Any]) -> dict[str, Any]:
    """In a fork: what tests say that are collected in it."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    chosen = Anew(job)
    code = pytest.main([*OPTIONS, *job["files"]], plugins=[chosen])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not chosen.failed:
        chosen.failed = f"no test: pytest cannot begin, {code!r}"
    return {"failed": chosen.failed, "said": chosen.said, "ran": chosen.ran}


def forked(job: dict[str, Any], attempt: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """An attempt, for some seconds of a processor, with a folder of its own for what tests write."""
    here, there = os.pipe()
    folder = tempfile.mkdtemp(prefix="mutant-")
    seconds = LONGER * int(job["seconds"])
    if (child := os.fork()) == 0:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        sys.dont_write_bytecode = True
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        try:
            result = attempt(job)
        except BaseException as error:
            result = {"failed": "no test: pytest itself ended", "said": repr(error), "ran": 0}
        os.write(there, json.dumps(result).encode())
        os._exit(0)
    os.close(there)
    said = b""
    end = time.monotonic() + PATIENCE * seconds
    waited = True
    while waited and select.select([here], [], [], max(0.0, end - time.monotonic()))[0]:
        part = os.read(here, 1 << 16)
        said, waited = said + part, bool(part)
    os.close(here)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    shutil.rmtree(folder, ignore_errors=True)
    if said:
        return json.loads(said)
    # The processor's time was over, or only the clock's: others had the processors.
    return {"failed": LATE if waited else "no test: it never ended", "said": "", "ran": 0}


def mutated(job: dict[str, Any], attempt: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """The outcome of a job: the file with its change, or as it is, and then as before."""
    if job["text"] is None:
        return forked(job, attempt)
    file = Path(job["path"])
    before, seen = file.read_bytes(), file.stat()
    file.write_text(job["text"], encoding="utf-8", newline="")
    # Bytecode is of a file of the same age and size.
    os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns + 10**10))
    try:
        return forked(job, attempt)
    finally:
        file.write_bytes(before)
        os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def main() -> None:
    """Hear, do, tell."""
    os.chdir(sys.argv[1])
    settings.register_profile(PROFILE, database=None, derandomize=True)
    # Pytest takes the first three for itself.
    heard, told = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    begun = json.loads(heard.readline())

    def serve(ready: dict[str, Any], attempt: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        print(json.dumps(ready), file=told, flush=True)
        for line in heard:
            print(json.dumps(mutated(json.loads(line), attempt)), file=told, flush=True)

    if begun["collect"]:
        from tools.mutate.collected import Collected

        code = pytest.main([*OPTIONS, *begun["collect"]], plugins=[Collected(serve)])
        os._exit(code)
    warm(begun["modules"])
    serve({}, anew)


if __name__ == "__main__":
    main()

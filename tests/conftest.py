"""What all tests share."""

import asyncio
import atexit
import gc
import os
import re
import sys
from collections.abc import Generator
from pathlib import Path
from tempfile import mkdtemp
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings
from tests.examples import THOROUGH
from tests.skips import reason_of, told
from tests.stacks import PROGRAMS, ROOT, STACKS, cloud_of, graphs

HEAVY = (
    "pulumi_aws.ec2",
    "pulumi_azure_native.containerservice",
    "pulumi_gcp.compute",
    "pulumi_kubernetes.core.v1",
    "pulumi_oci.core",
)
"""Modules of SDKs that take a second each."""
MINUTES = ("thorough", "variant")
"""Marks of tests that are run where marks are asked for (`-m`), or a path names them."""
collect_ignore = ["controlplane", "real", "rehearsal"]
"""What needs Go or an engine. Pytest reads it by this name; a path on the command line goes before it."""
EARLY = pytest.StashKey[list[str]]()

for each in ("default", THOROUGH):  # no deadline for one example: a busy machine is no fault
    settings.register_profile(each, deadline=None)
settings.load_profile("default")

# Half of the time with the SDKs loaded goes to the collector looking at what lives as long as the process.
gc.set_threshold(200_000, 50, 100)


def pytest_configure(config: pytest.Config) -> None:
    """Choose the folder for graphs before processes start; these end at once: to take all SDKs apart takes seconds."""
    if _is_one_of_several(config):
        atexit.register(os._exit, 0)
    else:
        graphs()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, pytest.CollectReport]:
    """A run that names nothing does not collect what takes minutes: deselected, it would stand in some last lines."""
    report = yield
    if _names_nothing(collector.config):
        report.result = [each for each in report.result if not any(map(each.get_closest_marker, MINUTES))]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Processes that run side by side share no fixture: each takes all tests of a cloud, or of a file.

    Where the longest began last, one process would wait for the other: clouds come first, then groups that a file
    asks for, because what they share is dear. Golden graphs come last: others have built the graphs by then.
    """
    turns: dict[pytest.Item, int] = {}
    for item in items:
        turns[item] = 1
        if item.get_closest_marker("xdist_group") is None:
            cloud = _cloud(item)
            turns[item] = 0 if cloud else 2
            item.add_marker(pytest.mark.xdist_group(cloud or item.path.name))
        if item.get_closest_marker("golden"):
            turns[item] = 3
    if _is_one_of_several(config):
        items.sort(key=turns.__getitem__)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was imported so far stays: the collector, which pytest runs five times at the end, need not look at it."""
    # Until they are touched, Pulumi has modules of another class in their places.
    session.config.stash[EARLY] = [name for name in HEAVY if type(sys.modules.get(name)) is ModuleType]
    gc.freeze()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder, as pytest's own, which looks for a free number among thousands and links to the newest."""
    return Path(mkdtemp(dir=tmp_path_factory.getbasetemp()))


@pytest.fixture
def imported_early(pytestconfig: pytest.Config) -> list[str]:
    """The heavy modules that were imported before the first test ran."""
    return pytestconfig.stash[EARLY]


_LOOPS: list[asyncio.AbstractEventLoop] = []
"""Those that were made here: they live as long as the process, as the one that Python makes does."""


@pytest.fixture
def loop() -> None:
    """Pulumi takes the loop of the thread, which another test of the process may have taken away."""
    try:
        asyncio.get_event_loop()
    except (RuntimeError, DeprecationWarning):  # before and from Python 3.12 on
        _LOOPS.append(asyncio.new_event_loop())
        asyncio.set_event_loop(_LOOPS[-1])


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Nothing is left out that nobody hears of, and whether a browser looked at pages is said."""
    if _names_nothing(terminalreporter.config):
        left_out = ", ".join((*MINUTES, *collect_ignore))
        terminalreporter.write_line(f"left out unless a path or `-m` asks for it (tests/README.md): {left_out}")
    if any("test_page_in_a_browser.py" in report.nodeid for report in terminalreporter.stats.get("passed", ())):
        terminalreporter.write_line("a browser looked at the pages")
    if line := told(map(reason_of, terminalreporter.stats.get("skipped", ()))):
        terminalreporter.write_line(line)


def pytest_unconfigure(config: pytest.Config) -> None:
    """One of several processes has told its results: nobody hears what the collector still finds."""
    if _is_one_of_several(config):
        gc.freeze()


def _names_nothing(config: pytest.Config) -> bool:
    """Whether a run is of all tests: no marks and no path within `tests` are asked for."""
    asked = {config.invocation_params.dir.joinpath(each).resolve() for each in config.args}
    return not config.option.markexpr and asked <= {ROOT, ROOT / "tests"}


def _is_one_of_several(config: pytest.Config) -> bool:
    """Whether another process is told the results. The environment says so below such a process, too."""
    return hasattr(config, "workerinput")


def _cloud(item: pytest.Item) -> str | None:
    """The cloud that a test is about, by its folder or its parameters: a name, a path, a stack, or what has a name."""
    if item.path.parent.name in PROGRAMS:
        return item.path.parent.name
    callspec = getattr(item, "callspec", None)
    for value in callspec.params.values() if callspec else ():
        text = getattr(value, "STACK", None) or getattr(value, "name", None) or str(value)
        word = re.split("[:/ ]", str(text), maxsplit=1)[0]
        if word in STACKS or word in PROGRAMS:
            return cloud_of(word) if word in STACKS else word
    return None

"""A plugin of pytest (`-p tests.mutate.record`): which test runs which lines of the package, and in what time.

What is made once for many tests is noted for itself: a cached result, a fixture of a module, a graph, and what runs
while a file of tests is collected. For each test it is noted which of those it asked for.
"""

import functools
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import coverage
import pytest

from .contexts import CACHED, FILE, FIXTURE, FOLDER

GOLDEN, THOROUGH = "golden", "thorough"
"""Markers of tests that compare with what was recorded of the code itself, and of those that `make test` leaves out."""
MANY = {"rdma_cluster": 40, "tests": 4000}
"""Results of a cached function that are noted for themselves; the others count for the test that made them."""
CASES = 3
"""Of a function of tests, in each room and of each cloud, so many cases are run: the others are much like them."""
OURS = ("rdma_cluster", "tests", "docs", "stacks", "conftest", "__main__", "coverage")
_recorders: list["Recorder"] = []


def _covering(name: str) -> coverage.Coverage:
    """What notes lines of the package, under paths from the working directory."""
    noting = coverage.Coverage(
        data_file=str(Path(os.environ[FOLDER]) / f"lines.{name}"),
        config_file=False,
        include=["components/*", "stacks/*"],
        messages=False,
    )
    noting.set_option("run:relative_files", True)
    noting.set_option("run:disable_warnings", ["no-data-collected"])
    return noting


def noted(of: Callable[..., Any]) -> Callable[..., Any]:
    """`functools.cache` or `lru_cache`: each result of a function of ours is a context of its own when it is made."""

    def decorator(function: Any = None, /, **options: Any) -> Any:
        if function is None:
            return functools.partial(decorator, **options)
        cached = of(**options)(function) if options else of(function)
        if not callable(function) or not getattr(function, "__module__", "").startswith(OURS):
            return cached
        name, seen = f"{CACHED}{function.__module__}.{function.__qualname__}:", {}
        many = MANY.get(function.__module__.partition(".")[0], 0)

        @functools.wraps(function)
        def asked(*args: Any, **kwargs: Any) -> Any:
            key = (args, tuple(kwargs.items()))
            if not _recorders or (key not in seen and len(seen) >= many):
                return cached(*args, **kwargs)
            new = key not in seen
            if new:
                # Processes share graphs by a file: what names one is the same in all.
                words = all(isinstance(each, str) for each in args)
                seen[key] = name + (repr(key) if words else f"{os.getpid()}.{len(seen)}")
            context = seen[key]
            return _recorders[0].within(context, new, lambda: cached(*args, **kwargs))

        for each in ("cache_clear", "cache_info", "cache_parameters"):
            setattr(asked, each, getattr(cached, each))
        return asked

    return decorator


functools.cache, functools.lru_cache = noted(functools.cache), noted(functools.lru_cache)


def pytest_configure(config: pytest.Config) -> None:
    """Begin."""
    _recorders.append(Recorder(str(os.getpid())))
    config.pluginmanager.register(_recorders[0])


class Recorder:
    """Of one process."""

    def __init__(self, name: str):
        self._name = name
        self._tests: dict[str, Any] = {}
        self._asked: dict[str, set[str]] = defaultdict(set)
        self._like: dict[str, str] = {}
        self._failed = False
        self._context = ""
        self._coverage = _covering(name)
        self._coverage.start()

    def _enter(self, context: str) -> None:
        self._coverage.switch_context(context)
        self._context = context

    def within(self, context: str, new: bool, make: Callable[[], Any]) -> Any:
        """What is made, whose lines are the context's; whoever asks for it has asked for them."""
        before = self._context
        self._asked[before].add(context)
        if not new:
            return make()
        self._enter(context)
        try:
            return make()
        finally:
            self._enter(before)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out most cases of a function."""
        cases: dict[tuple[str, str], list[str]] = defaultdict(list)
        kept = []
        for item in items:
            group = item.get_closest_marker("xdist_group")
            alike = cases[item.nodeid.partition("[")[0], str(group and group.args)]
            if len(alike) < CASES:
                alike.append(item.nodeid)
                kept.append(item)
            else:
                self._like[item.nodeid] = alike[len(self._like) % CASES]
        items[:] = kept

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, Any]:
        """What a file of tests does when it is imported is for all its tests."""
        if isinstance(collector, pytest.Module):
            self._enter(FILE + collector.nodeid)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
        """One for many tests."""
        if fixturedef.scope == "function":
            return (yield)
        before = self._context
        self._enter(_fixture(fixturedef, request.param_index))
        try:
            return (yield)
        finally:
            self._enter(before)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """A test."""
        name = item.nodeid
        self._failed = False
        self._enter(name)
        begun = _processor_seconds()
        result = yield
        self._asked[name] |= {FILE + name.partition("::")[0], *_fixtures(item)}
        self._tests[name] = {
            "seconds": _processor_seconds() - begun,
            "golden": item.get_closest_marker(GOLDEN) is not None,
            "thorough": item.get_closest_marker(THOROUGH) is not None,
            "failed": self._failed,
        }
        self._enter("")
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """One that fails without a mutant notices nothing."""
        report = yield
        self._failed = self._failed or not report.passed
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Keep it, with the modules of others that were imported."""
        self._coverage.stop()
        self._coverage.save()
        asked = {context: sorted(found) for context, found in self._asked.items()}
        modules = [name for name in list(sys.modules) if not name.startswith(OURS)]
        text = json.dumps({"tests": self._tests, "like": self._like, "asked": asked, "modules": modules})
        (Path(os.environ[FOLDER]) / f"tests.{self._name}.json").write_text(text)


def _processor_seconds() -> float:
    return sum(os.times()[:4])


def _fixture(definition: Any, index: int) -> str:
    return f"{FIXTURE}{definition.baseid}:{definition.argname}:{index}"


def _fixtures(item: Any) -> list[str]:
    """Those that a test shares with others."""
    indices = getattr(getattr(item, "callspec", None), "indices", {})
    found = (definitions[-1] for definitions in item._fixtureinfo.name2fixturedefs.values())
    return [_fixture(each, indices.get(each.argname, 0)) for each in found if each.scope != "function"]

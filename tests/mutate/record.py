"""A plugin of pytest (`-p tests.mutate.record`): which test runs which lines of the package, and in what time.

Graphs are built once for many tests: their lines are noted for the graph, and for each test the graphs that it asked
for. So are the lines that run while a file of tests is collected.
"""

import json
import os
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import coverage
import pytest

from tests import stacks

FOLDER = "RDMA_CLUSTER_MUTATE_MAP"
GRAPH, FILE = "graph:", "file:"
GOLDEN = "golden"
"""The marker of tests that compare with what was recorded of the code itself."""


def pytest_configure(config: pytest.Config) -> None:
    """Record in the processes that run tests."""
    worker = getattr(config, "workerinput", {}).get("workerid")
    if worker or not config.getoption("numprocesses", None):
        config.pluginmanager.register(_Recorder(Path(os.environ[FOLDER]), worker or "main"))


class _Recorder:
    def __init__(self, folder: Path, worker: str):
        self._folder, self._worker = folder, worker
        self._tests: dict[str, Any] = {}
        self._graphs: set[str] = set()
        self._failed = False
        self._context = ""
        self._coverage = coverage.Coverage(
            data_file=str(folder / f"lines.{worker}"),
            config_file=False,
            include=[str(stacks.ROOT / "components" / "*"), str(stacks.ROOT / "stacks" / "*")],
            messages=False,
        )
        self._coverage.start()
        stacks.graph_of = self._noting(stacks.graph_of)

    def _enter(self, context: str) -> None:
        self._coverage.switch_context(context)
        self._context = context

    def _noting(self, graph_of: Any) -> Any:
        def noted(*which: str) -> Any:
            name, before = GRAPH + repr(which), self._context
            self._graphs.add(name)
            self._enter(name)
            try:
                return graph_of(*which)
            finally:
                self._enter(before)

        noted.cache_clear = graph_of.cache_clear  # ty: ignore[missing-attribute]
        return noted

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, Any]:
        """What a file of tests does when it is imported is for all its tests."""
        if isinstance(collector, pytest.Module):
            self._enter(FILE + collector.nodeid)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """A test."""
        group = item.get_closest_marker("xdist_group")
        name = item.nodeid.removesuffix(f"@{group.args[0]}") if group and group.args else item.nodeid
        self._graphs, self._failed = set(), False
        self._enter(name)
        begun = time.process_time()
        result = yield
        self._tests[name] = {
            "seconds": time.process_time() - begun,
            "graphs": sorted(self._graphs),
            "golden": item.get_closest_marker(GOLDEN) is not None,
            "failed": self._failed,
        }
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
        ours = ("rdma_cluster", "tests", "docs", "stacks", "conftest", "__main__", "coverage")
        modules = [name for name in list(sys.modules) if not name.startswith(ours)]
        text = json.dumps({"tests": self._tests, "modules": modules})
        (self._folder / f"tests.{self._worker}.json").write_text(text)

"""All tests, collected once: in a fork, functions of the package get the code of a mutant before tests run."""

import gc
import importlib
import os
import pickle
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from tests.stacks import PROGRAMS, SHARED, graph_of
from .runs import Recorder, heard
from .worker import First

OURS = ("nccl_verdict", "pulumi_offline", "rdma_agent", "rdma_cluster", "rdma_rehearsal", "tests", "docs", "stacks")
GOLDEN = "golden"
"""The marker of tests that compare with what was recorded of the code itself."""
RECORDER = "rdma-cluster-recorder"
UNFIT = "no test: its code does not fit"
"""What is told where a function cannot take the code of the mutant: that needs an import."""


class Collected(First):
    """A plugin of pytest that hears jobs in the place of running tests."""

    def __init__(self, serve: Callable[..., None]):
        super().__init__()
        self._serve = serve
        self._items: dict[str, pytest.Item] = {}
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """As long as there are jobs."""
        assert not session.testsfailed, self.said
        for cloud in PROGRAMS:
            graph_of(cloud)  # which imports of the SDKs what graphs need
        self._items = {item.nodeid: item for item in session.items}
        gc.unfreeze()
        for each in gc.get_objects():
            if isinstance(each, FunctionType):
                self._functions[each.__code__.co_filename].append(each)
        gc.collect()
        gc.freeze()
        golden = {name: item.get_closest_marker(GOLDEN) is not None for name, item in self._items.items()}
        modules = [name for name in list(sys.modules) if not name.startswith((*OURS, "conftest", "__main__"))]
        self._serve({"golden": golden, "modules": modules}, self.attempt)
        return True

    def attempt(self, job: dict[str, Any]) -> dict[str, Any]:
        """In a fork: what tests say."""
        os.environ[SHARED] = os.environ["TMPDIR"]
        for module in _ours():
            _forget(vars(module))
        if job["record"]:
            return self._recorded(job)
        if job["text"] is not None and not self._exchanged(job):
            return {"failed": UNFIT, "said": "", "ran": 0}
        return self.asked(self._items, job)

    def _recorded(self, job: dict[str, Any]) -> dict[str, Any]:
        """What each test runs goes into a file."""
        recorder = Recorder()
        heard((module for module in _ours() if module.__name__.startswith("tests.")), recorder)
        items = [self._items[name] for name in job["tests"]]
        for item, following in zip(items, [*items[1:], None], strict=True):
            if item.config.pluginmanager.get_plugin(RECORDER) is None:
                item.config.pluginmanager.register(recorder, RECORDER)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        Path(job["record"]).write_bytes(pickle.dumps(recorder.told(Path.cwd())))
        return {"failed": "", "said": "", "ran": len(items)}

    def _exchanged(self, job: dict[str, Any]) -> bool:
        """Whether every function of the file has the code that it has in the mutant."""
        path = str(Path(job["path"]).resolve())
        if not self._functions[path]:
            module = ".".join(Path(job["path"]).with_suffix("").parts[1:]).removesuffix(".__init__")
            importlib.import_module(module)
            return True
        mutant = _placed(_below(compile(job["text"], path, "exec")))
        now = _placed(function.__code__ for function in self._functions[path])
        places = {code: place for place, codes in now.items() for code in codes}
        for function in self._functions[path]:
            codes = mutant.get(places[function.__code__], [])
            if function.__code__ in codes:
                continue
            if len(codes) != 1 or codes[0].co_freevars != function.__code__.co_freevars:
                return False
            function.__code__ = codes[0]
        return True


def _below(code: CodeType) -> Iterator[CodeType]:
    """The code of everything that a file defines."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _below(each)


def _placed(codes: Iterable[CodeType]) -> dict[tuple[str, int], list[CodeType]]:
    """Code by its name, and by which of that name it is from the top: a mutant may move lines."""
    named: dict[str, dict[int, list[CodeType]]] = defaultdict(lambda: defaultdict(list))
    for code in codes:
        named[code.co_qualname][code.co_firstlineno].append(code)
    return {(name, i): lines[line] for name, lines in named.items() for i, line in enumerate(sorted(lines))}


def _ours() -> list[ModuleType]:
    """Ours, of all that is imported."""
    return [module for name, module in list(sys.modules.items()) if name.startswith(OURS)]


def _forget(names: dict[str, Any]) -> None:
    """Empty the caches of a module."""
    for each in list(names.values()):
        if callable(clear := getattr(each, "cache_clear", None)) and not isinstance(each, type):
            clear()

"""The recorder knows which tests run what, also behind caches, so that a mutant's tests are asked first."""

import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Thread
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from rdma_cluster.base import versions
from tests.stacks import ROOT
from tools.mutate.near import Near
from tools.mutate.operators import mutants_of
from tools.mutate.runs import Recorder, Runs, heard, joined

PATH = "components/rdma_cluster/base/versions.py"


def in_thread() -> None:
    """Run in a thread, as a preview runs programs."""
    thread = Thread(target=versions.parse, args=("1.35",))
    thread.start()
    thread.join()


def test_every_test_that_reads_a_shared_value_runs_what_made_it(tmp_path: Path):
    """A test that has nothing to do with a file is asked after all that have."""
    shared = ModuleType("shared")
    vars(shared)["cached"] = cache(lambda: versions.parse("1.35"))
    recorder = Recorder()
    heard([shared], recorder)
    of: dict[str, Callable[[], Any]] = {
        "tests/test_a.py::test_first": lambda: shared.cached(),
        "tests/test_a.py::test_second": lambda: shared.cached(),
        "tests/test_a.py::test_thread": in_thread,
        "tests/test_versions.py::test_other": lambda: None,
    }
    for name, test in of.items():
        item: Any = SimpleNamespace(nodeid=name)
        protocol = recorder.pytest_runtest_protocol(item)
        next(protocol)
        test()
        with pytest.raises(StopIteration):
            next(protocol)
    recorder.end()
    part = tmp_path / "part"
    part.write_bytes(pickle.dumps(recorder.told(ROOT)))
    joined([part], tmp_path / "runs")
    runs = Runs(tmp_path / "runs")

    first, second, thread, other = of
    assert runs.of(PATH, "parse") == runs.of(PATH, None) == {first, second, thread}
    alone, both = runs.seconds({first}), runs.seconds({first, second, other})
    assert alone.keys() == {first}
    assert both[first] < alone[first], "who shares a value pays a part of it"
    for file in (PATH, *(name.partition("::")[0] for name in of)):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    mutant = next(
        each for each in mutants_of(PATH, (ROOT / PATH).read_bytes()) if each.within == "parse" and each.called
    )
    assert Near(of, tmp_path, runs).order(mutant)[-1] == other

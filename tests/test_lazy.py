"""Names that are imported when they are asked for, and what is said where their library is missing."""

import gc
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster import lazy
from rdma_cluster.common import CLOUDS
from rdma_cluster.lazy import MissingLibrary, needed_for

from tests.stacks import ROOT

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("module", lazy._EXTRAS)
def test_the_extra_brings_the_library(module: str):
    """As the package declares it, so that the command that is told installs what is missing."""
    library, extra = lazy._EXTRAS[module]
    declared = {each.partition(">")[0].partition("[")[0].replace("-", "_") for each in EXTRAS[extra]}
    assert library.replace("-", "_") in declared

    with pytest.raises(MissingLibrary) as missing, needed_for("a bill"):
        raise ModuleNotFoundError("no", name=module)
    assert str(missing.value) == (
        f'a bill needs {library}, which is not installed: pip install "rdma-cluster[{extra}]"'
    )
    assert missing.value.name == module


def test_other_modules_are_missed_as_ever():
    """An import of our own that fails is an error, and no matter of extras."""
    for name in ("rdma_cluster.nothing", None):
        with pytest.raises(ModuleNotFoundError) as missing, needed_for("a bill"):
            raise ModuleNotFoundError("no", name=name)
        assert not isinstance(missing.value, MissingLibrary)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_names_of_a_package(cloud: str):
    """Those that its source lists for type checkers: all that is public, and nothing else."""
    package = import_module(f"rdma_cluster.{cloud}")
    names = package.__all__

    assert names == sorted(names) and f"{cloud.capitalize()}RdmaCluster" in names
    assert set(names) <= set(dir(package)) and "__name__" in dir(package) and dir(package) == sorted(dir(package))
    with pytest.raises(AttributeError, match=f"module 'rdma_cluster.{cloud}' has no attribute 'Nothing'"):
        _ = package.Nothing
    args = getattr(package, f"{cloud.capitalize()}RdmaClusterArgs")
    assert args.__module__ == f"rdma_cluster.{cloud}.plan.rdma_cluster" and args.__module__ in sys.modules


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_is_as_it_was(collects: bool):
    """Also behind an import that fails."""
    before = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        with pytest.raises(KeyError), lazy._uncollected():
            assert not gc.isenabled()
            raise KeyError
        assert gc.isenabled() is collects
    finally:
        (gc.enable if before else gc.disable)()


LAZY = """
from typing import TYPE_CHECKING
from rdma_cluster.lazy import lazy

OWN = 1
if TYPE_CHECKING:
    OTHER = 2
    from .beta import Second as Second, Absent as Absent
    from ..lazy_outer_of_test import Outer as Outer
    from json import loads as loads
    from . import beta as beta

if OWN:
    from .alpha import First as First

__getattr__, __dir__ = lazy(__name__)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package of lazy names, below another."""
    inner = tmp_path / "lazy_top_of_test" / "inner"
    inner.mkdir(parents=True)
    for path, text in {
        "__init__.py": "",
        "lazy_outer_of_test.py": "Outer = 'outer'",
        "inner/__init__.py": LAZY.replace("if OWN:", "if not TYPE_CHECKING and 0:"),
        "inner/alpha.py": "First = 'first'",
        "inner/beta.py": "Second = 'second'\nimport oras_of_test",
    }.items():
        (inner.parent / path).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield import_module("lazy_top_of_test.inner")
    for name in [name for name in sys.modules if name.startswith("lazy_top_of_test")]:
        del sys.modules[name]


def test_names_are_read_from_the_source(package: Any, monkeypatch: pytest.MonkeyPatch):
    """Each from where its import stands, at whatever level; what the package has itself is listed beside them."""
    names = ["Absent", "First", "Outer", "Second", "beta", "loads"]

    assert package.__all__ == names
    assert set(names) | {"OWN", "TYPE_CHECKING", "lazy"} <= set(dir(package)) and "OTHER" not in dir(package)
    assert (package.First, package.Outer, package.loads("[1]"), package.OWN) == ("first", "outer", [1], 1)
    with pytest.raises(ModuleNotFoundError, match="oras_of_test"):
        _ = package.Second
    monkeypatch.setitem(lazy._EXTRAS, "oras_of_test", ("oras", "supply"))
    with pytest.raises(MissingLibrary) as missing:
        _ = package.Second
    assert str(missing.value) == (
        'lazy_top_of_test.inner.Second needs oras, which is not installed: pip install "rdma-cluster[supply]"'
    )

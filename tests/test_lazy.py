"""Names that are imported when they are asked for, and what is said where their library is missing."""

import ast
import gc
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.lazy import fast_imports
from rdma_cluster.base import lazy
from rdma_cluster.base.lazy import MissingLibrary, needed_for
from rdma_cluster.common import CLOUDS
from tests.stacks import ROOT


def brought_by(distribution: str) -> set[str]:
    """The packages that an extra of ours installs, or those that our other distribution holds."""
    folder = "rehearsal" if distribution == "rdma-cluster-rehearsal" else "."
    told = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())
    if folder == "rehearsal":
        assert told["project"]["name"] == distribution
        return set(told["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    extra = told["project"]["optional-dependencies"][distribution.removeprefix("rdma-cluster[").removesuffix("]")]
    return {each.partition(">")[0].partition("[")[0].replace("-", "_") for each in extra}


@pytest.mark.parametrize("module", lazy._EXTRAS)
def test_what_the_message_names_brings_the_library(module: str):
    """An extra declares the library; a distribution of its own ships it."""
    library, distribution = lazy._EXTRAS[module]
    assert library.replace("-", "_") in brought_by(distribution)

    with pytest.raises(MissingLibrary) as missing, needed_for("a bill"):
        raise ModuleNotFoundError("no", name=module)
    told = f'a bill needs {library}, which is not installed: pip install "{distribution}"'
    assert str(missing.value).startswith(told)
    assert missing.value.name == module


@pytest.mark.parametrize(("group", "name"), [("verbs", "rehearse"), ("rehearsals", "upgrade")])
def test_what_the_rehearsal_brings(group: str, name: str):
    """Its own project names something that is there, in a group that the command looks into."""
    points = tomllib.loads((ROOT / "rehearsal" / "pyproject.toml").read_text())["project"]["entry-points"]
    module, _, function = points[f"rdma_cluster.{group}"][name].partition(":")

    assert callable(getattr(import_module(module), function))


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
        with pytest.raises(KeyError), fast_imports():
            assert not gc.isenabled()
            raise KeyError
        assert gc.isenabled() is collects
    finally:
        (gc.enable if before else gc.disable)()


PACKAGES = ("pulumi_offline", "rdma_cluster.incluster", *(f"rdma_cluster.{cloud}" for cloud in CLOUDS))
LAZY = """
from rdma_cluster.base.lazy import lazy

OWN = 1
__getattr__, __dir__ = lazy(__name__, {".beta": "Second Absent", "..lazy_outer_of_test": "Outer", "json": "loads"})
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package of lazy names, below another."""
    inner = tmp_path / "lazy_top_of_test" / "inner"
    inner.mkdir(parents=True)
    for path, text in {
        "__init__.py": "",
        "lazy_outer_of_test.py": "Outer = 'outer'",
        "inner/__init__.py": LAZY,
        "inner/beta.py": "Second = 'second'\nimport oras_of_test",
    }.items():
        (inner.parent / path).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield import_module("lazy_top_of_test.inner")
    for name in [name for name in sys.modules if name.startswith("lazy_top_of_test")]:
        del sys.modules[name]


def test_names_are_imported_when_they_are_asked_for(package: Any, monkeypatch: pytest.MonkeyPatch):
    """Each from where its import stands, at whatever level; what the package has itself is listed beside them."""
    names = ["Absent", "Outer", "Second", "loads"]

    assert package.__all__ == names
    assert set(names) | {"OWN", "lazy"} <= set(dir(package))
    assert (package.Outer, package.loads("[1]"), package.OWN) == ("outer", [1], 1)
    with pytest.raises(ModuleNotFoundError, match="oras_of_test"):
        _ = package.Second
    monkeypatch.setitem(lazy._EXTRAS, "oras_of_test", ("oras", "rdma-cluster[supply]"))
    with pytest.raises(MissingLibrary) as missing:
        _ = package.Second
    assert str(missing.value) == (
        'lazy_top_of_test.inner.Second needs oras, which is not installed: pip install "rdma-cluster[supply]"'
    )


@pytest.mark.parametrize("name", PACKAGES)
def test_type_checkers_see_the_names_that_a_package_has(name: str):
    """What stands below ``TYPE_CHECKING``, from the same modules."""
    package = import_module(name)
    (block,) = (each for each in ast.parse(Path(str(package.__file__)).read_text()).body if isinstance(each, ast.If))
    seen: dict[str, set[str]] = {}
    for each in block.body:
        assert isinstance(each, ast.ImportFrom)
        seen.setdefault("." * each.level + (each.module or ""), set()).update(alias.name for alias in each.names)

    assert {module: set(names.split()) for module, names in package._MODULES.items()} == seen

"""Names are imported when they are asked for, and who lacks their library is told what to install."""

import re
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.base.lazy import MissingLibrary, needed_for
from tests.stacks import ROOT

REHEARSAL = tomllib.loads((ROOT / "rehearsal" / "pyproject.toml").read_text())
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
BROUGHT = {"cyclonedx": "cyclonedx-python-lib", "packageurl": "cyclonedx-python-lib"}
"""The distributions of modules that are called otherwise."""
LAZY = """
from rdma_cluster.base.lazy import lazy

OWN = 1
__getattr__, __dir__ = lazy(__name__, {".beta": "Second Absent", "..lazy_outer_of_test": "Outer", "json": "loads"})
"""


@pytest.mark.parametrize(
    "module",
    [
        *("pulumi_gcp", "pulumi_aws", "pulumi_azure_native", "pulumi_oci"),
        *("oras", "requests", "cyclonedx", "packageurl", "rdma_rehearsal"),
    ],
)
def test_what_is_to_be_installed_brings_the_missing_library(module: str):
    with pytest.raises(MissingLibrary, match=r"^a bill needs ") as missing, needed_for("a bill"):
        raise ModuleNotFoundError("no", name=module)
    (distribution,) = re.findall(r'pip install "(.+?)"', str(missing.value))
    if module == "rdma_rehearsal":
        assert distribution == REHEARSAL["project"]["name"]
        assert REHEARSAL["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [module]
    else:
        extra = EXTRAS[distribution.removeprefix("rdma-cluster[").removesuffix("]")]
        assert BROUGHT.get(module, module.replace("_", "-")) in {re.split(r"[>\[]", each)[0] for each in extra}


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


def test_names_are_imported_when_they_are_asked_for(package: Any):
    """Each comes from where its import stands, at whatever level; what the package has itself is listed, too."""
    names = ["Absent", "Outer", "Second", "loads"]

    assert package.__all__ == names and set(names) | {"OWN", "lazy"} <= set(dir(package))
    assert (package.Outer, package.loads("[1]"), package.OWN) == ("outer", [1], 1)
    with pytest.raises(ModuleNotFoundError, match="oras_of_test"):
        _ = package.Second
    with pytest.raises(AttributeError, match="Nothing"):
        _ = package.Nothing

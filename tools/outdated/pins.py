"""Every pin of the repository, as the files that hold it say."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement
from pulumi_offline.frozen import frozen
from rdma_cluster.catalog.artifact import Chart, Image, repository
from rdma_cluster.supply.artifacts import all_charts, all_images
from tools.browser.found import PACKAGE, VERSION

ROOT = Path(__file__).parents[2]
GO_MODULES = ROOT / "tests/controlplane/go"
REQUIREMENTS = ("requirements*.txt", "packages/*/requirements.txt", "tools/*/requirements.txt")


@frozen
class Pin:
    """A version that a file of ours asks for."""

    name: str
    version: str
    """A whole version; of what is fetched by digest alone it is empty."""
    where: tuple[str, ...]
    """The files."""
    allowed: str = ""
    """Of a floor: the range that it opens, as pip reads it."""
    line: str = ""
    """The versions that count, where only some do: those that begin so."""


def python_pins() -> list[Pin]:
    """`name==version` of each file of requirements, and the floors of pyproject.toml."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for path in sorted(path for pattern in REQUIREMENTS for path in ROOT.glob(pattern)):
        for name, version in pinned(path.read_text().splitlines()):
            found.setdefault((name, version, ""), []).append(str(path.relative_to(ROOT)))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for each in (
        *project["dependencies"],
        *(one for some in project["optional-dependencies"].values() for one in some),
    ):
        asked = Requirement(each)
        for floor in (one.version for one in asked.specifier if one.operator == ">="):
            found.setdefault((asked.name, floor, str(asked.specifier)), []).append("pyproject.toml")
    return [Pin(name, version, tuple(where), allowed) for (name, version, allowed), where in found.items()]


def pinned(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and version of each line that pins one."""
    for line in lines:
        if exact := re.match(r"([\w.-]+)(?:\[[\w,-]+\])?==(\S+)", line):
            yield exact[1], exact[2]


def go_pins() -> list[Pin]:
    """The modules whose programs the control-plane tests build."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for path in sorted(GO_MODULES.glob("*/go.mod")):
        # A folder of one minor of Kubernetes stays with it.
        minor = path.parent.name.partition("kubernetes-")[2]
        for name, version in built(path.read_text()):
            line = f"v{minor}." if minor else ""
            found.setdefault((name, version, line), []).append(str(path.relative_to(ROOT)))
    return [Pin(name, version, tuple(where), line=line) for (name, version, line), where in found.items()]


def built(go_mod: str) -> Iterator[tuple[str, str]]:
    """The modules that a go.mod builds tools of, or asks for itself."""
    tools = re.findall(r"^(?:tool |\t)(\S+)$", go_mod, re.MULTILINE)
    for name, version, comment in re.findall(r"^(?:require |\t)(\S+) (v\S+)( // indirect)?$", go_mod, re.MULTILINE):
        if not comment or any(f"{tool}/".startswith(f"{name}/") for tool in tools):
            yield name, version


def npm_pins() -> list[Pin]:
    """The package with the browser of `make thorough`."""
    return [Pin(PACKAGE, VERSION, ("tools/browser/found.py",))]


def artifact_pins() -> list[tuple[Pin, Chart | Image]]:
    """The charts and images of the catalogue."""
    return [(_of(record), record) for record in (*all_charts(), *all_images())]


def _of(record: Chart | Image) -> Pin:
    if isinstance(record, Chart):
        name = repository(record.chart.removeprefix("oci://"))
        return Pin(name, record.version, ("catalog/charts.py",))
    tag = record.image.partition("@")[0].removeprefix(record.repository).removeprefix(":")
    return Pin(record.repository, tag, ("catalog/images.py",))

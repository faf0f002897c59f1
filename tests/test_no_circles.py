"""No file of the package imports itself by way of others, and no room another one that imports it.

Every import counts: at the top of a file, in a function, and for types alone (``TYPE_CHECKING``), since a reader has to
follow all of them. Names that a package hands out lazily or by ``import_module`` stand in strings and are not seen.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import rdma_cluster

PACKAGE = Path(rdma_cluster.__file__).parent
Graph = Mapping[str, set[str]]

OPEN_FILES = ({"oke.plan.rdma_cluster", "oke.plan.skypilot"},)
"""Circles of files that are still to be ended. The list only shrinks: one that is gone must leave it."""
OPEN_ROOMS: tuple[set[str], ...] = ()
"""The same of rooms."""


def module_of(path: Path, package: Path) -> str:
    """Dotted name below the package; a folder's ``__init__`` has the folder's, the package's own is empty."""
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path, package: Path, modules: set[str]) -> Iterator[str]:
    """The package's modules that a file imports, wherever in the file."""
    here = path.relative_to(package).parent.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            module = node.module.split(".") if node.module else []
            if not node.level and module[:1] != [package.name]:
                continue
            base = [*here[: len(here) - node.level + 1], *module] if node.level else module[1:]
            for alias in node.names:
                below = ".".join([*base, alias.name])
                yield below if below in modules else ".".join(base)
        elif isinstance(node, ast.Import):
            yield from (each.name.partition(".")[2] for each in node.names if each.name.split(".")[0] == package.name)


@cache
def files_of(package: Path) -> Graph:
    """Each module with the modules that it imports."""
    paths = {module_of(path, package): path for path in package.rglob("*.py")}
    return {name: set(imports_of(path, package, set(paths))) & paths.keys() - {name} for name, path in paths.items()}


def rooms_of(files: Graph) -> Graph:
    """The same of the package's own folders and files."""
    rooms: dict[str, set[str]] = {name.split(".")[0]: set() for name in files}
    for name, imported in files.items():
        room = name.split(".")[0]
        rooms[room] |= {each.split(".")[0] for each in imported} - {room}
    return rooms


def circles(graph: Graph) -> list[set[str]]:
    """Sets of nodes that reach each other, of two nodes or more."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        ahead = [start]
        while ahead:
            ahead += (news := graph[ahead.pop()] - seen)
            seen |= news
        reached[start] = seen
    found = {frozenset(other for other in seen if name in reached[other]) for name, seen in reached.items()}
    return sorted((set(circle) for circle in found if len(circle) > 1), key=sorted)


def test_no_circle_of_files():
    """But for those that are known to be open."""
    assert circles(files_of(PACKAGE)) == sorted(OPEN_FILES, key=sorted)


def test_no_circle_of_rooms():
    """But for those that are known to be open."""
    assert circles(rooms_of(files_of(PACKAGE))) == sorted(OPEN_ROOMS, key=sorted)


def test_circles_are_found(tmp_path: Path):
    """Of two files in one room, of three rooms, and by imports of every kind."""
    package = tmp_path / "house"
    for name, text in {
        "__init__": "",
        "kitchen/__init__": "",
        "kitchen/oven": "from . import pan",
        "kitchen/pan": "from .oven import heat",
        "hall": "def walk():\n    from .study.desk import sit",
        "study/__init__": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..attic import Box",
        "study/desk": "import os",
        "attic": "from house import hall",
        "garden": "from .hall import walk\nimport house.attic",
    }.items():
        path = package / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    files = files_of(package)

    assert files["garden"] == {"hall", "attic"}
    assert circles(files) == [{"kitchen.oven", "kitchen.pan"}]
    assert circles(rooms_of(files)) == [{"attic", "hall", "study"}]

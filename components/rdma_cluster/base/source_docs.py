"""Reads the docstrings that stand below the keys of a class. Python keeps them nowhere but in the source.

The build of a wheel writes them down as JSON, so that an installed package reads none of its sources. A build has only
the standard library, so this file needs nothing else.
"""

import ast
from collections.abc import Iterator
from inspect import cleandoc
from itertools import pairwise
from pathlib import Path

Docs = dict[str, dict[str, str]]
"""Docstring by class and key."""


def docs_of_package(folder: Path) -> dict[str, Docs]:
    """The docstrings of all modules of the package in ``folder``, by the module's full name."""
    docs = {_module(file, folder): docs_of_module(file.read_text(encoding="utf-8")) for file in folder.rglob("*.py")}
    return {module: docs[module] for module in sorted(docs) if docs[module]}


def docs_of_module(source: str) -> Docs:
    """The docstrings of a module's classes. A class without any is left out."""
    classes = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    return {node.name: docs for node in classes if (docs := dict(_documented(node.body)))}


def _module(file: Path, package: Path) -> str:
    parts = file.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for key, doc in pairwise(body):
        match key, doc:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, cleandoc(text)

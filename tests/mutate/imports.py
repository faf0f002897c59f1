"""Who imports a file of the package, near ones first: what a table says is noticed where it is read."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

PACKAGE = "components"
LATE = ("import_module", "lazy")
"""Words of a package that imports its own files by their names, when they are asked for."""


class Imports:
    """Of the files of a copy, by their paths in it."""

    def __init__(self, root: Path):
        self._root = root

    @cached_property
    def _texts(self) -> dict[str, str]:
        files = (self._root / PACKAGE).rglob("*.py")
        return {str(path.relative_to(self._root)): path.read_text(encoding="utf-8") for path in files}

    @cached_property
    def _by_module(self) -> dict[str, str]:
        """Paths by the names of modules."""
        return {".".join(Path(path).with_suffix("").parts[1:]).removesuffix(".__init__"): path for path in self._texts}

    @cached_property
    def _importers(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path, text in self._texts.items():
            for module in self._imported(path, text):
                if module in self._by_module:
                    found[self._by_module[module]].add(path)
        return found

    def _imported(self, path: str, text: str) -> Iterator[str]:
        parts = Path(path).with_suffix("").parts[1:]
        if parts[-1] == "__init__":
            parts = (*parts[:-1], "")
            if any(word in text for word in LATE):
                package = ".".join(parts[:-1])
                yield from (name for name in self._by_module if name.rpartition(".")[0] == package)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                yield from (each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = ".".join([*(parts[: -node.level] if node.level else ()), *filter(None, [node.module])])
                yield base
                yield from (f"{base}.{each.name}" for each in node.names)
            elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func) and "{cloud}" in text:
                yield from (name for name in self._by_module if name.endswith(".plan") and name.count(".") == 2)

    def around(self, path: str) -> Iterator[list[str]]:
        """The files that import it; then those that import these; and so on."""
        seen, ring = {path}, [path]
        while ring := sorted({each for of in ring for each in self._importers[of]} - seen):
            seen.update(ring)
            yield ring

    def inner(self, path: str) -> frozenset[int]:
        """The lines that run when something is called, and not when the file is imported."""
        found: set[int] = set()
        for node in ast.walk(ast.parse(self._texts[path])):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                body = node.body if isinstance(node.body, list) else [node.body]
                found.update(range(body[0].lineno, (body[-1].end_lineno or 0) + 1))
        return frozenset(found)

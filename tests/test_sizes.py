"""Files and functions stay short enough to be read; what is longer says why beside it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import rdma_cluster

PACKAGE = Path(rdma_cluster.__file__).parent
LONGEST_FILE = 300
LONGEST_FUNCTION = 60
MOST_PARAMETERS = 6
TABLES = "catalog"
"""The room whose files are tables, which may be longer."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(path: Path) -> Iterator[tuple[Function, list[str]]]:
    """Every function of a file, with the lines of the file."""
    text = path.read_text()
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, Function):
            yield node, lines


def parameters(function: Function) -> int:
    """How many a caller has to know; ``self`` and ``cls`` are not among them."""
    arguments = function.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")])


def says_why(function: Function, lines: list[str]) -> bool:
    """Whether a comment stands above the function or its decorators, or beside its ``def``."""
    first = min([function.lineno, *(each.lineno for each in function.decorator_list)])
    return lines[first - 2].strip().startswith("#") or "# " in lines[function.lineno - 1]


def unexplained(path: Path) -> Iterator[str]:
    """The long and the wide functions of a file that do not say why."""
    for function, lines in functions(path):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        if (length > LONGEST_FUNCTION or parameters(function) > MOST_PARAMETERS) and not says_why(function, lines):
            yield f"{path.name}:{function.lineno} {function.name}: {length} lines, {parameters(function)} parameters"


def test_files_are_short():
    """A longer file holds two concerns, or is a table."""
    long = {
        str(path.relative_to(PACKAGE)): count
        for path in PACKAGE.rglob("*.py")
        if (count := len(path.read_text().splitlines())) > LONGEST_FILE and path.relative_to(PACKAGE).parts[0] != TABLES
    }
    assert long == {}


def test_functions_are_short_and_narrow():
    """Sixty lines and six parameters, or the reason beside it."""
    assert [line for path in sorted(PACKAGE.rglob("*.py")) for line in unexplained(path)] == []


def test_a_long_function_is_seen(tmp_path: Path):
    """A function over the bound is named, and passes with a reason above it."""
    body = "".join(f"    a{i} = {i}\n" for i in range(LONGEST_FUNCTION))
    long, wide = f"def long():\n{body}", "def wide(a, b, c, d, e, f, *, g):\n    pass\n"
    file = tmp_path / "some.py"
    file.write_text(f"{long}\n\n{wide}\n\nclass Some:\n    def narrow(self, a, b, c, d, e, f):\n        pass\n")
    assert [line.split(": ")[0].split()[1] for line in unexplained(file)] == ["long", "wide"]

    file.write_text(f"# One resource, its properties in order.\n{long}\n\n# Each is an option of the command.\n{wide}")
    assert list(unexplained(file)) == []

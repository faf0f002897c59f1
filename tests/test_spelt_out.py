"""What Python would take from the machine, or pass over, is spelt out where it is called."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.stacks import ROOT

PACKAGE = ROOT / "components" / "rdma_cluster"
OWN = "rehearsal"
"""Where every file is our own, on the machine of who develops."""
TAKES = {"read_text": 0, "write_text": 1}
"""How many arguments they have before the encoding."""


@cache
def calls() -> list[tuple[Path, ast.Call, str]]:
    """Every call of the package, with what is called."""
    return [(path, call, name) for path in sorted(PACKAGE.rglob("*.py")) for call, name in _of(path)]


def _of(path: Path) -> Iterator[tuple[ast.Call, str]]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call):
            yield node, node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def without(name: str, words: set[str]) -> list[str]:
    """Calls of a name that have none of these arguments."""
    return [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path, call, called in calls()
        if called == name and len(call.args) == TAKES.get(name, len(call.args))
        if not words & {each.arg for each in call.keywords} and OWN not in path.parts
    ]


def test_texts_have_an_encoding():
    """Files are UTF-8 on a machine of any locale."""
    assert [*without("read_text", {"encoding", "errors"}), *without("write_text", {"encoding"})] == []


def test_zips_say_whether_lists_are_as_long():
    """A list that lost an item is an error, or meant to be shorter."""
    assert without("zip", {"strict"}) == []

"""No line, however it is made, costs the judge more than time linear in its length."""

import ast
import importlib
import pkgutil
import re
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nccl_verdict
import pytest
from nccl_verdict.reader import LONGEST, Reader
from tests.nccl.worst_lines import worst_lines

SIZES = (1 << 10, 2 << 10, 4 << 10, 8 << 10)
STEEPEST = 20
"""A line eight times as long may cost so much more: 8 is linear, 64 is quadratic."""
DEAR = 0.4e-6
"""Seconds for each byte of a line of 8 KB below which it costs little, whatever its slope."""
MODULES = [
    importlib.import_module(f"nccl_verdict.{name}")
    for _, name, _ in pkgutil.iter_modules(nccl_verdict.__path__)
    if name != "__main__"
]


def patterns(value: Any) -> Iterator[re.Pattern[bytes]]:
    """Every compiled expression in a value, containers opened."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from patterns([*value, *value.values()])
    elif isinstance(value, (tuple, list, set, frozenset)):
        for each in value:
            yield from patterns(each)
    elif isinstance(value, type) and value.__module__.startswith(nccl_verdict.__name__):
        yield from patterns(list(vars(value).values()))


FROM_TABLES = ("messages.py", "prefilter.py")
"""They make their expressions from a table when they are imported, and keep them where the test finds them."""
FUNCTIONS = (ast.FunctionDef, ast.Lambda)
PATTERNS = list(dict.fromkeys(found for module in MODULES for found in patterns(list(vars(module).values()))))


def seconds(pattern: re.Pattern[bytes], line: bytes, rounds: int = 1) -> float:
    """Processor time of the search for every match."""
    taken = []
    for _ in range(rounds):
        started = time.process_time()
        deque(pattern.finditer(line), maxlen=0)
        taken.append(time.process_time() - started)
    return min(taken)


def worst(pattern: re.Pattern[bytes]) -> str:
    """How the cost of the worst line grows, where it grows faster than the line and is not small; else empty."""
    kinds = worst_lines(pattern)
    by_cost = sorted(kinds, key=lambda make: seconds(pattern, make(SIZES[0])), reverse=True)[:20]
    grown = sorted(by_cost, key=lambda make: seconds(pattern, make(SIZES[1])), reverse=True)
    for make in grown[:3]:
        if seconds(pattern, make(SIZES[-1])) < DEAR * SIZES[-1]:
            continue
        costs = [seconds(pattern, make(size), rounds=3) for size in SIZES]
        if costs[-1] > STEEPEST * costs[0]:
            return f"{costs} s for {SIZES} bytes such as {make(60)!r}"
    return ""


@pytest.mark.parametrize("pattern", PATTERNS, ids=[each.pattern.decode()[:40] for each in PATTERNS])
def test_expressions_are_linear(pattern: re.Pattern[bytes]) -> None:
    """The lines that cost most at 1 KB cost eight times as much at 8 KB."""
    assert not worst(pattern)


def test_every_expression_is_compiled_once_and_found() -> None:
    """It stands at the head of a file, so that the test above sees it."""
    for path in Path(nccl_verdict.__path__[0]).glob("*.py"):
        if path.name in FROM_TABLES:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inside = {id(node) for each in ast.walk(tree) if isinstance(each, FUNCTIONS) for node in ast.walk(each)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re":
                assert node.attr in ("compile", "escape", "Pattern", "Match", "I", "S", "M"), (path.name, node.lineno)
                assert node.attr != "compile" or id(node) not in inside
    assert len(PATTERNS) > 40


CRAFTED = {
    "letters before a warning": lambda n: b"a" * n + b" NCCL WARN x",
    "letters behind a row": lambda n: b" 1 1 float " + b"a" * n,
    "brackets behind a row": lambda n: b" 1 1 float " + b"[1" * (n // 2),
    "letters before a failure": lambda n: b"a" * n + b"ailure ",
    "labels before a warning": lambda n: b"[1]" * (n // 3) + b"NCCL WARN",
    "a long host": lambda n: b"a" * n + b"!:1:1 [0] NCCL INFO Using network",
    "letters before NCCL": lambda n: b"a" * n + b" NCCL INFO NET/",
    "blanks in a network": lambda n: b"h:1:1 [0] NCCL INFO Using network x" + b" " * n + b"x",
    "NICs that never end": lambda n: b"h:1:1 [0] NCCL INFO NET/IB : Using " + b"[0]={" * (n // 5),
    "lines that ran into one": lambda n: b"h:1:1 [0] NCCL INFO NET/" * (n // 24),
    "many words": lambda n: b"Using bus _perf float 1 1 int " * (n // 30),
}


@pytest.mark.parametrize("crafted", CRAFTED)
def test_the_reader_is_linear(crafted: str) -> None:
    """What surrounds the expressions costs little as well, for lines up to the longest that is read."""
    taken = []
    for size in (1 << 11, 1 << 14):
        line = CRAFTED[crafted](size - 64) + b"\n"
        block = line * ((1 << 17) // len(line))
        started = time.process_time()
        Reader().feed(block)
        taken.append(time.process_time() - started)
    assert taken[1] < 3 * taken[0] + 0.15, taken  # the same bytes in fewer, longer lines
    assert len(line) < LONGEST

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

import pytest
import rdma_cluster.nccl
from rdma_cluster.nccl.reader import LONGEST

from tests.nccl.worst_lines import worst_lines

SIZES = (1 << 10, 2 << 10, 4 << 10, 8 << 10)
STEEPEST = 3.0
"""A line of twice the length may cost so much more; 2 is linear, 4 is quadratic."""
CHEAP = 1e-3
"""Seconds for the longest line; below it nothing is measured well, and nothing is dear."""
MODULES = [importlib.import_module(f"rdma_cluster.nccl.{name}") for _, name, _ in pkgutil.iter_modules(rdma_cluster.nccl.__path__) if name != "__main__"]


def patterns(value: Any) -> Iterator[re.Pattern[bytes]]:
    """Every compiled expression in a value, containers opened."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from patterns([*value, *value.values()])
    elif isinstance(value, (tuple, list, set, frozenset)):
        for each in value:
            yield from patterns(each)
    elif isinstance(value, type) and value.__module__.startswith(rdma_cluster.nccl.__name__):
        yield from patterns(list(vars(value).values()))


PATTERNS = list(dict.fromkeys(found for module in MODULES for found in patterns(list(vars(module).values()))))


def seconds(pattern: re.Pattern[bytes], line: bytes, rounds: int = 1) -> float:
    """Processor time of the search for every match."""
    taken = []
    for _ in range(rounds):
        started = time.process_time()
        deque(pattern.finditer(line), maxlen=0)
        taken.append(time.process_time() - started)
    return min(taken)


@pytest.mark.parametrize("pattern", PATTERNS, ids=[each.pattern.decode()[:40] for each in PATTERNS])
def test_expressions_are_linear(pattern: re.Pattern[bytes]) -> None:
    """The line that costs most at 4 KB costs twice as much at twice the length."""
    lines = enumerate(worst_lines(pattern, SIZES[2]))
    dear = sorted(((seconds(pattern, line), place) for place, line in lines), reverse=True)[:3]
    for _, place in dear:
        print(dear)

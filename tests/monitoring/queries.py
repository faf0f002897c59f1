"""PromQL, read by a parser of its own (the promql-parser crate, which is neither ours nor Prometheus')."""

from collections.abc import Iterator
from typing import Any

import promql_parser

_PARTS = ("lhs", "rhs", "expr", "param", "args", "vector_selector")


def selectors(query: str) -> Iterator[Any]:
    """Every selector of a query; what is no PromQL raises ``ValueError``."""
    yield from _below(promql_parser.parse(query))


def metrics(query: str) -> set[str]:
    """Names of the metrics that it reads."""
    return {each.name for each in selectors(query) if each.name}


def labels(query: str) -> set[str]:
    """Labels that it picks by."""
    return {matcher.name for each in selectors(query) for matcher in each.matchers.matchers}


def _below(part: Any) -> Iterator[Any]:
    if isinstance(part, promql_parser.VectorSelector):
        yield part
        return
    for name in _PARTS:
        found = getattr(part, name, None)
        for each in found if isinstance(found, list) else [found]:
            if each is not None:
                yield from _below(each)

"""Every key of every stack, and what its change does to a stack that is up."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, get_type_hints

import pytest
from pulumi_offline import Graph, GraphDiff, Resource, diff
from pulumi_offline.replacements import replacements
from tests.stacks import ROOT, graph_of

CLOUDS: list[ModuleType] = [
    import_module(f"tests.{path.parent.name}.changes") for path in sorted((ROOT / "tests").glob("*/changes.py"))
]


IN_CLUSTER = ("acceptance", "claims", "drivers", "injection", "queues", "inference", "monitoring", "readiness")
"""Parts that are the same on each cluster: their keys change where they are first seen, on the others one of each."""


NO_CLUSTER = "gce"


def tried() -> Iterator[Any]:
    """The keys that change on each cloud's stack. `make test` asks one of each part of EKS's, `make thorough` all.

    `make mutate` asks one of each part, too: on the first stack that has it, of pools on each.
    """
    seen: set[str] = set()
    # The graph of EKS costs the least.
    for cloud in sorted(CLOUDS, key=lambda cloud: cloud.STACK != "eks"):
        parts: set[str] = set()
        for key in cloud.OTHER:
            part = key.partition(".")[0]
            if cloud.STACK == NO_CLUSTER or part not in IN_CLUSTER or key not in seen or part not in parts:
                elsewhere = part != "pools" and any(each.partition(".")[0] == part for each in seen)
                again = part in parts or elsewhere
                marks = pytest.mark.thorough if again else () if cloud.STACK == "eks" else pytest.mark.variant
                yield pytest.param(cloud, key, id=f"{cloud.STACK} {key}", marks=marks)
            parts.add(part)
        seen |= set(cloud.OTHER) if cloud.STACK != NO_CLUSTER else set()


CASES = list(tried())


def keys(shape: Any, path: str = "") -> Iterator[str]:
    """Every key of a stack's args by its path, lists of objects as one."""
    for name, hint in get_type_hints(shape).items():
        here = f"{path}.{name}".lstrip(".")
        inner = next((each for each in _shapes(hint)), None)
        if inner is None or name == "existing":
            yield here
        else:
            if hint is not inner and "list" in repr(hint):
                yield here
            yield from keys(inner, here)


def _shapes(hint: Any) -> Iterator[Any]:
    if hasattr(hint, "__required_keys__"):
        yield hint
    for each in getattr(hint, "__args__", ()):
        yield from _shapes(each)


@dataclass(frozen=True)
class Step:
    """A stack before and after one key changed."""

    before: Graph
    after: Graph
    difference: GraphDiff
    anew: dict[str, list[str]]

    @property
    def now(self) -> dict[str, Resource]:
        """The resources after it, by URN."""
        return {each.urn: each for each in self.after.resources}


def step(cloud: ModuleType, key: str) -> Step:
    """What a change of a key does to a stack."""
    return _step(cloud.STACK, cloud.OTHER[key])


@cache
def _step(stack: str, values: tuple[str, ...]) -> Step:
    """The same, once for keys that change together."""
    before, after = graph_of(stack), graph_of(stack, *values)
    return Step(before, after, diff(before, after), replacements(before, after))

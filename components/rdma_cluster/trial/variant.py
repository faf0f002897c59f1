"""The smallest variant of a stack, as overrides: one pool, two nodes, capacity that needs no contract."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from ..base.config import NAMESPACE
from ..incluster.addons import AddOnArgs

NODES = 2
"""A fabric is proved between two."""
_BY_THE_HOUR = ("{spot: true}", "{onDemand: true}")


def smallest(config: Mapping[str, Any], plans: Callable[[list[str]], bool]) -> list[str]:
    """The first words for ``--set`` that a plan takes: few nodes before cheap capacity, and the stack as it is at last.

    ``plans`` tells whether a stack with these words is refused.
    """
    pools = config.get(f"{NAMESPACE}:pools") or []
    if not pools:
        return []
    alone = [f"pools[{i}]=" for i in range(len(pools) - 1, 0, -1)]
    # A model takes an hour to fetch, and proves nothing of the fabric.
    alone += [f"{key}=" for key in AddOnArgs.__annotations__ if f"{NAMESPACE}:{key}" in config]
    fewer = [*_fewer(pools[0], "pools[0]")]
    own = pools[0].get("capacity") or {}
    paid = [[]] if own.get("spot") else [[f"pools[0].capacity={each}"] for each in _BY_THE_HOUR] + [[]]
    tried = [[*alone, *nodes, *capacity] for nodes, capacity in product([fewer, []], paid)]
    return next((words for words in tried if plans(words)), [])


def _fewer(value: Mapping[str, Any], path: str) -> Iterator[str]:
    """Two nodes wherever more are counted, and the first alone of a list of parts that count nodes."""
    for key, of in value.items():
        if key == "nodes" and isinstance(of, int) and of > NODES:
            yield f"{path}.nodes={NODES}"
        elif isinstance(of, list) and of and all(isinstance(each, Mapping) and "nodes" in each for each in of):
            yield from (f"{path}.{key}[{i}]=" for i in range(len(of) - 1, 0, -1))
            yield from _fewer(of[0], f"{path}.{key}[0]")

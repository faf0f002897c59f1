"""The limits that many constraints state. Each check yields the paths that break it.

Where a limit takes examples, the first passes and the second fails: the value at its path, or all inputs as a dict.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from ..unknowns import known, origin
from .record import Existing, ExistingResources, Inputs, Limit

Network = IPv4Network | IPv6Network


def at(inputs: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every value at a path without indices, ``nodeConfig.taints.key``, with its own: ``nodeConfig.taints[0].key``."""
    return _at(inputs, path.split(".") if path else [], "")


def _at(value: Any, steps: list[str], here: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _at(item, steps, f"{here}[{index}]")
    elif not steps:
        yield here, value
    elif isinstance(value, dict) and value.get(steps[0]) is not None:
        yield from _at(value[steps[0]], steps[1:], f"{here}.{steps[0]}".lstrip("."))


def values(inputs: Any, path: str) -> list[Any]:
    """Every value at a path, known or not."""
    return [value for _, value in at(inputs, path)]


def get(inputs: Any, path: str, default: Any = None) -> Any:
    """The first value at a path that is known, or the default."""
    return next((value for _, value in at(inputs, path) if known(value)), default)


def has(inputs: Any, path: str) -> bool:
    """Whether anything stands at a path, known or not; ``false`` and what is empty do not."""
    return any(value not in (False, {}, "") for _, value in at(inputs, path))


def distinct(items: Iterable[Any]) -> bool:
    """Whether no item comes twice."""
    listed = list(items)
    return len(set(listed)) == len(listed)


def matches(pattern: str, value: Any) -> bool:
    """Whether all of a text has a form."""
    return re.fullmatch(pattern, str(value)) is not None


def inputs_with(*values: tuple[str, Any]) -> dict[str, Any]:
    """Inputs that hold each value at its path."""
    inputs: dict[str, Any] = {}
    for path, value in values:
        *outer, last = path.split(".")
        inside = inputs
        for step in outer:
            inside = inside.setdefault(step, {})
        inside[last] = value
    return inputs


def _example(path: str, example: Any) -> Inputs | None:
    """The inputs of an example; ``None`` where there is none, as of limits that a model states as data."""
    return example if example is None or isinstance(example, dict) else inputs_with((path, example))


def each(path: str, fits: Callable[[Any], bool], accepted: Any = None, refused: Any = None) -> Limit:
    """Every value at a path that is known fits."""
    return Limit(
        lambda inputs, _: (where for where, value in at(inputs, path) if known(value) and not fits(value)),
        _example(path, accepted),
        _example(path, refused),
    )


def form(path: str, pattern: str, accepted: Any = None, refused: Any = None) -> Limit:
    """A text has a form."""
    return each(path, lambda value: matches(pattern, value), accepted, refused)


def one_of(path: str, choices: Iterable[Any], accepted: Any = None, refused: Any = None) -> Limit:
    """A value is one of those."""
    return each(path, lambda value: value in choices, accepted, refused)


def between(path: str, least: float, most: float, accepted: Any = None, refused: Any = None) -> Limit:
    """A number is within a range."""
    return each(path, lambda value: least <= float(value) <= most, accepted, refused)


def length(path: str, least: float, most: float, accepted: Any = None, refused: Any = None) -> Limit:
    """A text's length is within a range."""
    return each(path, lambda value: least <= len(value) <= most, accepted, refused)


def block(path: str, least: int, most: int, accepted: Any, refused: Any) -> Limit:
    """A block of addresses is written as one, with a prefix of so many bits."""

    def fits(value: Any) -> bool:
        network = _network(value)
        return network is not None and least <= network.prefixlen <= most

    return each(path, fits, accepted, refused)


def holds(path: str, does: Callable[[Inputs], bool], accepted: Any, refused: Any) -> Limit:
    """What several inputs are together; ``path`` is the one to mend."""
    return Limit(lambda inputs, _: () if does(inputs) else (path,), _example(path, accepted), _example(path, refused))


def once(path: str, key: str, accepted: list[Any]) -> Limit:
    """In a list no value comes twice under ``key``, or as the item itself where that is empty."""
    refused = [*accepted, *accepted]
    return holds(path, lambda inputs: distinct(values(inputs, f"{path}.{key}".rstrip("."))), accepted, refused)


def required(path: str, accepted: Any = None) -> Limit:
    """An input is set, wherever the object is that it stands in."""
    outer, _, last = path.rpartition(".")

    def check(inputs: Inputs, _: ExistingResources) -> Iterator[str]:
        objects = ((where, value) for where, value in at(inputs, outer) if isinstance(value, dict))
        return (f"{where}.{last}".lstrip(".") for where, value in objects if value.get(last) is None)

    return Limit(check, _example(path, accepted), {})


def at_most(path: str, most: int, item: Any = "a") -> Limit:
    """A list of items is no longer than that."""
    return holds(path, lambda inputs: len(values(inputs, path)) <= most, [item] * most, [item] * (most + 1))


def not_both(path: str, value: Any, other: str, other_value: Any) -> Limit:
    """Of two inputs one is set at the most; the values are examples."""
    one, both = inputs_with((path, value)), inputs_with((path, value), (other, other_value))
    return holds(path, lambda inputs: not (has(inputs, path) and has(inputs, other)), one, both)


def unique(token: str, path: str, *scope: str) -> Limit:
    """No other of the type has this value, where all of ``scope`` is the same."""

    def check(inputs: Inputs, existing: ExistingResources) -> Iterator[str]:
        own = _origins(inputs, path, *scope)
        if own[0] and any(_origins(other.inputs, path, *scope) == own for other in existing.of(token)):
            yield path

    taken, free = (inputs_with((path, value), *((key, "same") for key in scope)) for value in "ab")
    return Limit(check, free, taken, (Existing(token, taken),))


def room(token: str, path: str, most: int) -> Limit:
    """One owner, to whom ``path`` refers, has no more than so many of the type."""

    def check(inputs: Inputs, existing: ExistingResources) -> Iterator[str]:
        own = _origins(inputs, path)
        if sum(_origins(other.inputs, path) == own for other in existing.of(token)) >= most:
            yield path

    full, empty = inputs_with((path, "full")), inputs_with((path, "empty"))
    return Limit(check, empty, full, tuple(Existing(token, full) for _ in range(most)))


def _origins(inputs: Inputs, *paths: str) -> list[str]:
    return [origin(next((value for _, value in at(inputs, path)), "")) for path in paths]


def disjoint(path: str, accepted: list[str], refused: list[str]) -> Limit:
    """Blocks of addresses in one list do not overlap."""
    apart, together = inputs_with((path, accepted)), inputs_with((path, refused))
    return Limit(lambda inputs, _: _overlapping(_blocks(inputs, (path,)), []), apart, together)


def apart(token: str, path: str, scope: str, *also: str) -> Limit:
    """Blocks of addresses overlap neither each other nor those of others in the same ``scope``, a network."""
    paths = (path, *also)

    def check(inputs: Inputs, existing: ExistingResources) -> Iterator[str]:
        others = [other for other in existing.of(token) if _origins(other.inputs, scope) == _origins(inputs, scope)]
        taken = [addresses for other in others for _, addresses in _blocks(other.inputs, paths)]
        return _overlapping(_blocks(inputs, paths), taken)

    examples = ("10.0.0.0/24", "10.0.1.0/24", "10.0.0.128/25")
    there, free, taken = (inputs_with((path, each), (scope, "network")) for each in examples)
    return Limit(check, free, taken, (Existing(token, there),))


def inside(path: str, outer: str, scope: str, outer_path: str) -> Limit:
    """Blocks of addresses lie in those of the network to which ``scope`` refers, a resource of type ``outer``."""

    def check(inputs: Inputs, existing: ExistingResources) -> Iterator[str]:
        network = existing.find(outer, next((value for _, value in at(inputs, scope)), ""))
        space = [addresses for _, addresses in _blocks(network.inputs, (outer_path,))] if network else []
        for where, one in _blocks(inputs, (path,)) if space else ():
            outers = [each for each in space if each.version == one.version]
            if not any(each[0] <= one[0] and one[-1] <= each[-1] for each in outers):
                yield where

    examples = ("10.0.1.0/24", "10.1.1.0/24")
    accepted, refused = (inputs_with((path, each), (scope, "network")) for each in examples)
    network = Existing(outer, inputs_with((outer_path, "10.0.0.0/16")), frozenset({"network"}))
    return Limit(check, accepted, refused, (network,))


def _blocks(inputs: Inputs, paths: tuple[str, ...]) -> Iterator[tuple[str, Network]]:
    for path in paths:
        for where, value in at(inputs, path):
            if known(value) and (network := _network(value)) is not None:
                yield where, network


@cache
def _network(value: Any) -> Network | None:
    try:
        return ip_network(value)
    except ValueError:
        return None


def _overlapping(blocks: Iterator[tuple[str, Network]], taken: list[Network]) -> Iterator[str]:
    """Where a block overlaps one that is taken, or one before it."""
    for where, one in blocks:
        if any(one.version == other.version and one.overlaps(other) for other in taken):
            yield where
        taken = [*taken, one]

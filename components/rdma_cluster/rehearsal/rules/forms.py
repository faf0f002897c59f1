"""The forms that rules have. Each makes a check that yields the paths which break the rule."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from ...offline.later import known
from .record import Check, Inputs
from .there import There, meant


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


def get(inputs: Any, path: str, default: Any = None) -> Any:
    """The first value at a path that is known, or the default."""
    return next((value for _, value in at(inputs, path) if known(value)), default)


def has(inputs: Any, path: str) -> bool:
    """Whether anything stands at a path, known or not; ``false`` and what is empty do not."""
    return any(value not in (False, {}, "") for _, value in at(inputs, path))


def count(inputs: Any, path: str) -> int:
    """How many values stand at a path."""
    return sum(1 for _ in at(inputs, path))


def distinct(values: Iterable[Any]) -> bool:
    """Whether no value comes twice."""
    listed = list(values)
    return len(set(listed)) == len(listed)


def each(path: str, fits: Callable[[Any], bool]) -> Check:
    """Every value at a path that is known fits."""
    return lambda inputs, _: (where for where, value in at(inputs, path) if known(value) and not fits(value))


def matches(pattern: str, value: Any) -> bool:
    """Whether all of a text is of a form."""
    return re.fullmatch(pattern, str(value)) is not None


def form(path: str, pattern: str) -> Check:
    """A text is of a form."""
    return each(path, lambda value: matches(pattern, value))


def one_of(path: str, *choices: Any) -> Check:
    """A value is one of those."""
    return each(path, lambda value: value in choices)


def between(path: str, least: float, most: float) -> Check:
    """A number is within a range."""
    return each(path, lambda value: least <= float(value) <= most)


def length(path: str, least: int, most: int) -> Check:
    """A text is so long."""
    return each(path, lambda value: least <= len(value) <= most)


def block(path: str, least: int, most: int) -> Check:
    """A block of addresses is written as one, with a prefix of so many bits."""

    def fits(value: Any) -> bool:
        network = _network(value)
        return network is not None and least <= network.prefixlen <= most

    return each(path, fits)


def holds(path: str, does: Callable[[Inputs], bool]) -> Check:
    """What several inputs are together; ``path`` is the one to mend."""
    return lambda inputs, _: () if does(inputs) else (path,)


def required(path: str) -> Check:
    """An input is set, wherever the object is that it stands in."""
    outer, _, last = path.rpartition(".")
    return lambda inputs, _: (
        f"{where}.{last}".lstrip(".")
        for where, value in at(inputs, outer)
        if isinstance(value, dict) and value.get(last) is None
    )


def at_most(path: str, most: int) -> Check:
    """A list is no longer than that."""
    return holds(path, lambda inputs: count(inputs, path) <= most)


def not_both(path: str, *others: str) -> Check:
    """Of these no two are set."""
    return holds(path, lambda inputs: sum(has(inputs, each) for each in (path, *others)) <= 1)


def unique(token: str, path: str, *scope: str) -> Check:
    """No other of the type has this value, where all of ``scope`` is the same."""

    def check(inputs: Inputs, there: There) -> Iterator[str]:
        mine = _values(inputs, path, *scope)
        if mine[0] and any(_values(other.inputs, path, *scope) == mine for other in there.of(token)):
            yield path

    return check


def room(token: str, path: str, most: int) -> Check:
    """One owner, whom ``path`` names, has no more than so many of the type."""

    def check(inputs: Inputs, there: There) -> Iterator[str]:
        mine = _values(inputs, path)
        if sum(_values(other.inputs, path) == mine for other in there.of(token)) >= most:
            yield path

    return check


def _values(inputs: Inputs, *paths: str) -> list[str]:
    return [meant(next((value for _, value in at(inputs, path)), "")) for path in paths]


def apart(token: str, path: str, scope: str, *also: str) -> Check:
    """Blocks of addresses overlap neither each other nor those of others in the same ``scope``, a network."""
    paths = (path, *also)

    def check(inputs: Inputs, there: There) -> Iterator[str]:
        mine = [(where, each) for where, each in _blocks(inputs, paths)]
        beside = [other for other in there.of(token) if _values(other.inputs, scope) == _values(inputs, scope)]
        taken = [each for other in beside for _, each in _blocks(other.inputs, paths)]
        for index, (where, one) in enumerate(mine):
            if any(_overlap(one, other) for other in [*taken, *(each for _, each in mine[:index])]):
                yield where

    return check


def inside(path: str, outer: str, scope: str, outer_path: str) -> Check:
    """Blocks of addresses lie in those of the network that ``scope`` names, a resource of type ``outer``."""

    def check(inputs: Inputs, there: There) -> Iterator[str]:
        network = there.find(outer, next((value for _, value in at(inputs, scope)), ""))
        room = [each for _, each in _blocks(network.inputs, (outer_path,))] if network else []
        for where, one in _blocks(inputs, (path,)) if room else ():
            if not any(_within(one, each) for each in room if each.version == one.version):
                yield where

    return check


def _blocks(inputs: Inputs, paths: tuple[str, ...]) -> Iterator[tuple[str, IPv4Network | IPv6Network]]:
    for path in paths:
        for where, value in at(inputs, path):
            if known(value) and (network := _network(value)) is not None:
                yield where, network


@cache
def _network(value: Any) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(value)
    except ValueError:
        return None


def _overlap(one: IPv4Network | IPv6Network, other: IPv4Network | IPv6Network) -> bool:
    return one.version == other.version and one.overlaps(other)


def _within(one: IPv4Network | IPv6Network, outer: IPv4Network | IPv6Network) -> bool:
    return outer.network_address <= one.network_address and one.broadcast_address <= outer.broadcast_address

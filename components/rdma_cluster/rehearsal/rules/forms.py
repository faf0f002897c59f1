"""The forms that rules have. Each makes a check that yields the paths which break the rule."""

import re
from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_network
from typing import Any

from ...offline.wire import UNKNOWN
from .record import Check, Inputs, Made

_LATER = re.compile(r".*(\[\w+ of [^]]+\]|\.invalid\b|\[secret\]|\[unknown\])", re.DOTALL)


def known(value: Any) -> bool:
    """Whether a value is there now: no output of something that is not made yet, and no secret."""
    return not (isinstance(value, str) and (value == UNKNOWN or "[" in value or ".inv" in value) and _is_later(value))


def _is_later(value: str) -> bool:
    return value == UNKNOWN or _LATER.match(value) is not None


def at(inputs: Inputs, path: str) -> Iterator[tuple[str, Any]]:
    """Every value at a path without indices, ``nodeConfig.taints.key``, with its own: ``nodeConfig.taints[0].key``."""
    yield from _at(inputs, path.split(".") if path else [], "")


def _at(value: Any, steps: list[str], here: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _at(item, steps, f"{here}[{index}]")
    elif not steps:
        yield here, value
    elif isinstance(value, dict) and value.get(steps[0]) is not None:
        yield from _at(value[steps[0]], steps[1:], f"{here}.{steps[0]}".lstrip("."))


def get(inputs: Inputs, path: str, default: Any = None) -> Any:
    """The first value at a path, or the default."""
    return next((value for _, value in at(inputs, path)), default)


def each(path: str, fits: Callable[[Any], bool]) -> Check:
    """Every value at a path that is known fits."""

    def check(inputs: Inputs, _: Iterable[Made]) -> Iterator[str]:
        return (where for where, value in at(inputs, path) if known(value) and not fits(value))

    return check


def form(path: str, pattern: str) -> Check:
    """A text is of a form."""
    compiled = re.compile(pattern)
    return each(path, lambda value: compiled.fullmatch(str(value)) is not None)


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
    """A block of addresses has a prefix of so many bits, and no bit beyond it."""

    def fits(value: Any) -> bool:
        try:
            return least <= ip_network(value).prefixlen <= most
        except ValueError:
            return False

    return each(path, fits)


def holds(path: str, does: Callable[[Inputs], bool]) -> Check:
    """What several inputs are together; ``path`` is the one to mend."""

    def check(inputs: Inputs, _: Iterable[Made]) -> Iterator[str]:
        if not does(inputs):
            yield path

    return check


def required(path: str) -> Check:
    """An input is set, wherever the object is that it stands in."""
    outer, _, last = path.rpartition(".")

    def check(inputs: Inputs, _: Iterable[Made]) -> Iterator[str]:
        for where, value in _objects(inputs, outer):
            if value.get(last) is None:
                yield f"{where}.{last}".lstrip(".")

    return check


def at_most(path: str, most: int) -> Check:
    """A list is no longer than that."""
    return holds(path, lambda inputs: sum(1 for _ in at(inputs, path)) <= most)


def at_most_one(*paths: str) -> Check:
    """Of these no two are set; ``false`` is not set."""
    return holds(paths[0], lambda inputs: sum(bool(get(inputs, path)) for path in paths) <= 1)


def together(*paths: str) -> Check:
    """All of these are set, or none."""
    return holds(paths[0], lambda inputs: len({get(inputs, path) is None for path in paths}) == 1)


def _objects(inputs: Inputs, path: str) -> Iterator[tuple[str, Any]]:
    return ((where, value) for where, value in at(inputs, path) if isinstance(value, dict))

"""The lines that cost a regular expression the most, made from its own parts.

An expression that backtracks is slow on a line that nearly matches in many ways. Such a line is a beginning that
matches, something that repeats (a character of a class, the body of a repeat, a beginning of the expression itself),
and an end that does not match.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from re import (
    _compiler as compiler,  # ty: ignore[missing-module-member]
    _constants as op,  # ty: ignore[missing-module-member]
    _parser as parser,  # ty: ignore[missing-module-member]
)
from typing import Any

_ENDS = (b"", b" !\0")
_ALTERNATIVES = 3
"""How many of an alternation's branches are tried."""
Line = Callable[[int], bytes]
"""Makes a line of about so many bytes."""


def worst_lines(pattern: re.Pattern[bytes]) -> list[Line]:
    """What makes lines that nearly match, each kind once."""
    kinds: dict[tuple[bytes, bytes, bytes, bytes], None] = {}
    parts = parser.parse(pattern.pattern, pattern.flags)
    for branch in range(_ALTERNATIVES):
        flat = list(_flat(parts, branch))
        starts = [b"".join(_sample(part, branch) for part in flat[:place]) for place in range(len(flat) + 1)]
        places = [
            place for place in range(len(flat) + 1) if place in (0, len(flat)) or not _is_literal(flat[place - 1 :][:2])
        ]
        repeated = [_pumps(part, branch) for part in flat]
        pumps = dict.fromkeys([*(pump for each in repeated for pump in each), *(starts[place] for place in places)])
        for place in places:
            for end in _ENDS:
                kinds.update(((starts[place], pump, b"", end), None) for pump in (*pumps, b" ", b"a", b"0") if pump)
            kinds.update(((starts[place], one, two, b""), None) for one, two in _neighbours(repeated[place:]))
    return [partial(_line, *kind) for kind in kinds]


def _line(start: bytes, one: bytes, two: bytes, end: bytes, size: int) -> bytes:
    half = size // 2 if two else size
    return start + one * (half // len(one)) + (two * (half // len(two)) if two else b"") + end


def _is_literal(parts: Sequence[tuple[Any, Any]]) -> bool:
    """Whether a place lies inside of a word: a line that ends there is as good as one that ends before the word."""
    return len(parts) == 2 and all(kind is op.LITERAL for kind, _ in parts)


def _neighbours(repeated: Sequence[Sequence[bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """What two repeats that follow each other repeat: the second is searched again from each byte of the first."""
    several = [pumps for pumps in repeated if pumps][:2]
    if len(several) == 2:
        yield from ((one, two) for one in several[0] for two in several[1])


def _flat(parts: Any, branch: int) -> Iterator[tuple[Any, Any]]:
    """The parts of an expression in order, groups opened and one branch of each alternation taken."""
    for kind, value in parts:
        if kind is op.SUBPATTERN:
            yield from _flat(value[3], branch)
        elif kind is op.BRANCH:
            yield from _flat(value[1][branch % len(value[1])], branch)
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT) and value[:2] == (0, 1):
            yield from _flat(value[2], branch)
        else:
            yield kind, value


def _pumps(part: tuple[Any, Any], branch: int) -> list[bytes]:
    """What a repeat may repeat."""
    kind, value = part
    if kind not in (op.MAX_REPEAT, op.MIN_REPEAT):
        return []
    inner = list(_flat(value[2], branch))
    body = b"".join(_sample(each, branch) for each in inner)
    return [body, *(bytes([char]) for each in inner for char in _characters(each))]


def _sample(part: tuple[Any, Any], branch: int) -> bytes:
    """Bytes that a part matches."""
    kind, value = part
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        return b"".join(_sample(each, branch) for each in _flat(value[2], branch)) * max(value[0], 1)
    return bytes(_characters(part)[:1])


def _characters(part: tuple[Any, Any]) -> list[int]:
    """Some characters that a part of one character matches, of different kinds."""
    kind, value = part
    if kind is op.LITERAL:
        return [value]
    if kind in (op.IN, op.ANY, op.NOT_LITERAL):
        one = re.compile(b".", re.S) if kind is op.ANY else _compiled(kind, value)
        return [char for char in b"a1 .-:[" if one.match(bytes([char]))] or [
            char for char in range(256) if one.match(bytes([char]))
        ][:2]
    return []


def _compiled(kind: Any, value: Any) -> re.Pattern[bytes]:
    """An expression of one class alone."""
    return compiler.compile(parser.SubPattern(parser.parse(b"", 0).state, [(kind, value)]), 0)

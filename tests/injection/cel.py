"""As much of CEL as the policies use, so that `make test` can put pods to them; `make e2e` has a real API server.

https://github.com/google/cel-spec/blob/master/doc/langdef.md, with optional values, two-variable comprehensions, and
``JSONPatch`` as plain data. Google's runtime for Python lacks the last two.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*"|'[^'\\]*')|(?P<number>\d+)|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<sign>\.\?|\[\?|&&|\|\||[=!<>]=|[-+!<>?:.,()\[\]{}]))"""
)
_LITERALS = {"true": True, "false": False, "null": None}
_LOOPS = {"map", "filter", "exists", "all", "transformMapEntry", "transformList"}
Value = Callable[[Mapping[str, Any]], Any]
"""An expression, of what its names stand for."""


class Absent(Exception):
    """A key that is not there: CEL's error."""


class Optional:
    """A value that may be missing."""

    def __init__(self, *value: Any):
        self.value = value

    def select(self, key: Any) -> "Optional":
        """The value below a key, where both are there."""
        return Optional(self.value[0][key]) if self.value and key in self.value[0] else Optional()


def evaluate(expression: str, names: Mapping[str, Any]) -> Any:
    """The value of an expression."""
    return _parsed(expression)(names)


@cache
def _parsed(expression: str) -> Value:
    return _Parser(expression).whole()


def _below(of: Any, key: Any) -> Any:
    if isinstance(of, Optional):
        return of.select(key)
    if isinstance(of, Mapping) and key not in of:
        raise Absent(key)
    return of[key]


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda one, two: one == two,
    "!=": lambda one, two: one != two,
    ">": lambda one, two: one > two,
    "in": lambda one, two: one in two,
    "+": lambda one, two: one + two,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"size": len, "string": str, "int": int, "dyn": lambda value: value}
_METHODS: dict[str, Callable[..., Any]] = {
    "orValue": lambda of, other: of.value[0] if of.value else other,
    "hasValue": lambda of: bool(of.value),
    "join": lambda of, between: between.join(of),
    "replace": str.replace,
    "startsWith": str.startswith,
    "contains": lambda of, part: part in of,
    "sum": sum,
}


class _Parser:
    """One expression, from left to right, as functions of its names."""

    def __init__(self, expression: str):
        self._tokens: list[tuple[str, str]] = []
        place = 0
        while place < len(expression.rstrip()):
            match = _TOKEN.match(expression, place)
            assert match and match.lastgroup, expression[place:]
            self._tokens.append((match.lastgroup, match[match.lastgroup]))
            place = match.end()
        self._tokens.append(("end", ""))

    def whole(self) -> Value:
        """All of it."""
        value = self._choice()
        assert self._tokens[0][0] == "end", self._tokens
        return value

    def _next(self, *signs: str) -> str:
        """The next token if it is one of these, else nothing."""
        kind, text = self._tokens[0]
        return self._tokens.pop(0)[1] if kind in ("sign", "name") and text in signs else ""

    def _take(self, sign: str) -> None:
        assert self._next(sign), (sign, self._tokens[:9])

    def _choice(self) -> Value:
        asked = self._either()
        if not self._next("?"):
            return asked
        one = self._choice()
        self._take(":")
        two = self._choice()
        return lambda names: one(names) if asked(names) else two(names)

    def _either(self) -> Value:
        parts = [self._both()]
        while self._next("||"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else lambda names: any(part(names) for part in parts)

    def _both(self) -> Value:
        parts = [self._compared()]
        while self._next("&&"):
            parts.append(self._compared())
        return parts[0] if len(parts) == 1 else lambda names: all(part(names) for part in parts)

    def _compared(self) -> Value:
        return self._binary(self._sum, "==", "!=", ">", "in")

    def _sum(self) -> Value:
        return self._binary(self._unary, "+")

    def _binary(self, part: Callable[[], Value], *signs: str) -> Value:
        value = part()
        while sign := self._next(*signs):
            value = self._joined(_BINARY[sign], value, part())
        return value

    @staticmethod
    def _joined(join: Callable[[Any, Any], Any], one: Value, two: Value) -> Value:
        return lambda names: join(one(names), two(names))

    def _unary(self) -> Value:
        if self._next("!"):
            value = self._unary()
            return lambda names: not value(names)
        value = self._primary()
        while sign := self._next(".", ".?", "[", "[?"):
            value = self._member(value, sign)
        return value

    def _member(self, of: Value, sign: str) -> Value:
        if sign in ("[", "[?"):
            key = self._choice()
            self._take("]")
        else:
            name = self._tokens.pop(0)[1]
            if self._next("("):
                return self._loop(of, name) if name in _LOOPS else self._method(of, name)
            key = lambda names: name  # noqa: E731
        if sign in (".?", "[?"):
            return lambda names: (each if isinstance(each := of(names), Optional) else Optional(each)).select(
                key(names)
            )
        return lambda names: _below(of(names), key(names))

    def _method(self, of: Value, name: str) -> Value:
        arguments = self._items(")")
        return lambda names: _METHODS[name](of(names), *(each(names) for each in arguments))

    def _loop(self, of: Value, name: str) -> Value:
        bound = []
        for _ in range(2 if name.startswith("transform") else 1):
            bound.append(self._tokens.pop(0)[1])
            self._take(",")
        *conditions, value = self._items(")")

        def each(names: Mapping[str, Any]) -> list[Mapping[str, Any]]:
            every = (
                {**names, **dict(zip(bound, (i, one)[-len(bound) :], strict=True))} for i, one in enumerate(of(names))
            )
            return [one for one in every if all(condition(one) for condition in conditions)]

        def merged(names: Mapping[str, Any]) -> dict[str, Any]:
            entries = [entry for one in each(names) for entry in value(one).items()]
            assert len(dict(entries)) == len(entries), entries  # the API server refuses a key twice
            return dict(entries)

        found: dict[str, Value] = {
            "filter": lambda names: [one[bound[0]] for one in each(names) if value(one)],
            "exists": lambda names: any(value(one) for one in each(names)),
            "all": lambda names: all(value(one) for one in each(names)),
            "transformMapEntry": merged,
        }
        return found.get(name, lambda names: [value(one) for one in each(names)])

    def _primary(self) -> Value:
        if self._next("("):
            value = self._choice()
            self._take(")")
            return value
        if self._next("["):
            items = self._items("]")
            return lambda names: [each(names) for each in items]
        if self._next("{"):
            return self._map(lambda: self._choice())
        kind, text = self._tokens.pop(0)
        if kind == "text":
            read = json.loads(text) if text[0] == '"' else text[1:-1]
            return lambda names: read
        if kind == "number":
            return lambda names: int(text)
        assert kind == "name", (kind, text)
        if text in _LITERALS:
            return lambda names: _LITERALS[text]
        if self._next("{"):
            return self._map(self._field)
        return self._call(text) if self._next("(") else lambda names: names[text]

    def _call(self, name: str) -> Value:
        arguments = self._items(")")
        if name != "has":
            return lambda names: _FUNCTIONS[name](*(each(names) for each in arguments))

        def has(names: Mapping[str, Any]) -> bool:
            try:
                arguments[0](names)
            except Absent:
                return False
            return True

        return has

    def _field(self) -> Value:
        name = self._tokens.pop(0)[1]
        return lambda names: name

    def _map(self, key: Callable[[], Value]) -> Value:
        pairs = []
        while not self._next("}"):
            name = key()
            self._take(":")
            pairs.append((name, self._choice()))
            self._next(",")
        return lambda names: {name(names): value(names) for name, value in pairs}

    def _items(self, end: str) -> list[Value]:
        items = []
        while not self._next(end):
            items.append(self._choice())
            self._next(",")
        return items

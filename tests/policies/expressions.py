"""Names in expressions for the API server: each is declared before it is used, in its scope, and each function is one.

Quick, and no compiler: types and numbers of arguments are the API server's to judge (`make e2e`).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

# https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/ and mutating-admission-policy/
_ROOTS = {
    "object",
    "oldObject",
    "request",
    "params",
    "namespaceObject",
    "authorizer",
    "variables",
    "JSONPatch",
    "Object",
    "cel",
}
_WORDS = {"true", "false", "null", "in"}
_MACROS = {"map": 1, "filter": 1, "exists": 1, "exists_one": 1, "all": 1}
_MACROS |= {"transformList": 2, "transformMap": 2, "transformMapEntry": 2, "bind": 1}
"""How many names each binds for its other arguments."""
# https://kubernetes.io/docs/reference/using-api/cel/ lists the libraries; those that we use.
_FUNCTIONS = {
    "contains",
    "dyn",
    "has",
    "hasValue",
    "int",
    "join",
    "orValue",
    "replace",
    "size",
    "startsWith",
    "string",
    "sum",
}
_TOKEN = re.compile(r"""(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<name>[A-Za-z_]\w*)|(?P<sign>[^\s\w])|\d\w*""")


def undeclared(spec: dict[str, Any]) -> Iterator[str]:
    """What the expressions of a policy name and nobody declares; conditions of a match come before its variables."""
    declared: set[str] = set()
    for each in spec.get("matchConditions", []):
        yield from _of(each["expression"], set(), f"matchConditions {each['name']}")
    for each in spec.get("variables", []):
        yield from _of(each["expression"], declared, f"variables {each['name']}")
        declared.add(each["name"])
    for key in spec.keys() - {"matchConditions", "variables"}:
        for expression in _expressions(spec[key]):
            yield from _of(expression, declared, key)


def _expressions(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _expressions(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key.lower().endswith("expression") and isinstance(item, str):
                yield item
            else:
                yield from _expressions(item)


def _of(expression: str, variables: set[str], where: str) -> Iterator[str]:
    tokens = [match[0] for match in _TOKEN.finditer(expression) if match["text"] is None]
    for wrong in _wrong(tokens, variables, frozenset()):
        yield f"{where}: {wrong}"


def _wrong(tokens: Sequence[str], variables: set[str], bound: frozenset[str]) -> Iterator[str]:
    at = 0
    while at < len(tokens):
        token, before, after = tokens[at], _near(tokens, at, -1), _near(tokens, at, 1)
        if not re.match(r"[A-Za-z_]", token) or token in _WORDS:
            pass
        elif after == "(" and token in _MACROS:
            end = _closing(tokens, at + 1)
            yield from _of_macro(token, tokens[at + 2 : end], variables, bound)
            at = end
        elif after == "(":
            if token not in _FUNCTIONS:
                yield f"no function {token}"
        elif before in (".", "?") and _near(tokens, at, -2) not in (None, " "):
            root = tokens[at - 2]
            if root == "variables" and _near(tokens, at, -3) != "." and token not in variables:
                yield f"variables.{token} is declared nowhere before"
        elif not (after == ":" and before in ("{", ",") and _is_field(tokens, at)) and token not in bound | _ROOTS:
            yield f"{token} is bound nowhere"
        at += 1


def _of_macro(name: str, inside: Sequence[str], variables: set[str], bound: frozenset[str]) -> Iterator[str]:
    arguments = _split(inside)
    names = frozenset(word for argument in arguments[: _MACROS[name]] for word in argument)
    for argument in arguments[_MACROS[name] :]:
        yield from _wrong(argument, variables, bound | names)


def _near(tokens: Sequence[str], at: int, step: int) -> str | None:
    return tokens[at + step] if 0 <= at + step < len(tokens) else None


def _closing(tokens: Sequence[str], opening: int) -> int:
    depth = 0
    for at in range(opening, len(tokens)):
        depth += (tokens[at] in "([{") - (tokens[at] in ")]}")
        if depth == 0:
            return at
    return len(tokens)


def _split(tokens: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in "([{") - (token in ")]}")
        if token == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _is_field(tokens: Sequence[str], at: int) -> bool:
    """Whether a name before a colon is a field of an object, `JSONPatch{op: ...}`, and no key of a map."""
    depth = 0
    for back in range(at - 1, -1, -1):
        depth += (tokens[back] in ")]}") - (tokens[back] in "([{")
        if depth < 0:
            return tokens[back] == "{" and back > 0 and re.match(r"[A-Za-z_]", tokens[back - 1]) is not None
    return False

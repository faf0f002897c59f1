"""What may stand in a stack file, read from the args shapes themselves: key, type, default, example, meaning.

The one source of ``explain``, ``schema``, ``init`` and docs/configuration.md, so that no key is known in one place
alone. The words are the docstrings that stand below each key of a shape.
"""

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, get_args, get_origin

from typing_extensions import get_original_bases, is_typeddict

from . import strict_yaml
from .args import hints, required, to_camel
from .config import NAMESPACE

_DEFAULT = re.compile(r"\s*\bDefault: ((?:``[^`]*``|\.\.\.|[^.`]|\.(?!\s|$))+)\.")
_EXAMPLE = re.compile(r"\s*\bExample: ``([^`]*)``\.")


_NAME = re.compile(r"``([a-z]+_[a-z_]+)``")
"""Another key, as Python writes it."""


@dataclass(frozen=True)
class Choice:
    """One of the values that a key may have."""

    value: str
    meaning: str


@dataclass(frozen=True)
class Key:
    """One key of a stack file, with all that may stand below it."""

    path: str
    """Keys from the outermost in, joined by dots: ``pools.capacity.spot``."""
    written: str
    """How the key itself is written, at the top with its namespace: ``rdma-cluster:pools``."""
    kind: str
    """What its value is, in words."""
    required: bool
    meaning: str
    default: str | None
    example: Any
    """A value as YAML reads it; ``None`` where none is given."""
    choices: tuple[Choice, ...]
    keys: tuple["Key", ...]
    """What stands below it, in a list in each item."""
    many: bool
    hint: Any
    """Its type, for a schema."""

    def walk(self) -> Iterator["Key"]:
        """This key and all below it."""
        yield self
        for key in self.keys:
            yield from key.walk()


def stack_keys(args_shape: type, foreign: Mapping[str, str], example: Mapping[str, Any]) -> tuple[Key, ...]:
    """The keys of a stack whose args have this shape.

    ``foreign`` names the keys of other namespaces that become args; ``example`` is a stack's args as a file has them.
    """
    written = {arg: key for key, arg in foreign.items()}
    return tuple(
        _key(args_shape, name, hint, "", written.get(name) or f"{NAMESPACE}:{to_camel(name)}", example)
        for name, hint in hints(args_shape).items()
    )


def _key(args_shape: type, name: str, hint: Any, above: str, written: str, beside: Mapping[str, Any]) -> Key:
    path = f"{above}.{to_camel(name)}" if above else to_camel(name)
    many = get_origin(hint) is list
    below = get_args(hint)[0] if many else hint
    text = _meanings(args_shape).get(name, "")
    default, said = _DEFAULT.search(text), _EXAMPLE.search(text)
    example = beside.get(to_camel(name), strict_yaml.read(said[1], path) if said else None)
    keys: tuple[Key, ...] = ()
    if is_typeddict(below):
        within = (example or [{}])[0] if many else example or {}
        keys = tuple(_key(below, key, of, path, to_camel(key), within) for key, of in hints(below).items())
    return Key(
        path=path,
        written=written,
        kind=_kind(hint),
        required=name in required(args_shape),
        meaning=_EXAMPLE.sub("", _DEFAULT.sub("", text)).strip() or (inspect.getdoc(below) or "").partition("\n")[0],
        default=default[1] if default else None,
        example=example,
        choices=_choices(below),
        keys=keys,
        many=many,
        hint=hint,
    )


def _choices(hint: Any) -> tuple[Choice, ...]:
    if not (isinstance(hint, type) and issubclass(hint, Enum)):
        return ()
    return tuple(Choice(str(each.value), _meanings(hint).get(each.name, "")) for each in hint)


def _kind(hint: Any) -> str:
    if get_origin(hint) is list:
        return f"list of {_kind(get_args(hint)[0])}"
    if get_origin(hint) is dict:
        return "texts by key"
    if is_typeddict(hint):
        return "keys"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "choice"
    return {bool: "true or false", int: "whole number"}.get(hint, "text")


def _meanings(documented: type) -> dict[str, str]:
    """The docstrings below a class's keys or members, its bases' among them, each on one line."""
    found: dict[str, str] = {}
    for base in get_original_bases(documented):
        if is_typeddict(base):
            found |= _meanings(base)
    return found | _own_meanings(documented)


@cache
def _own_meanings(documented: type) -> dict[str, str]:
    (tree,) = ast.parse(inspect.getsource(documented)).body
    assert isinstance(tree, ast.ClassDef)
    found = {}
    for statement, following in zip(tree.body, tree.body[1:], strict=False):
        names = [statement.target] if isinstance(statement, ast.AnnAssign) else getattr(statement, "targets", [])
        if names and isinstance(names[0], ast.Name) and isinstance(following, ast.Expr):
            text = " ".join(str(ast.literal_eval(following.value)).split())
            found[names[0].id] = _NAME.sub(lambda name: f"``{to_camel(name[1])}``", text)
    return found

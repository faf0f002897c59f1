"""What may stand in a stack file, read from the args schemas themselves: key, type, default, example, meaning.

The one source of ``explain``, ``schema``, ``init`` and docs/configuration.md, so that no key is known in one place
alone. The words are the docstrings that stand below each key of a shape.
"""

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, get_args, get_origin

from pulumi_offline import strict_yaml
from pulumi_offline.frozen import frozen
from typing_extensions import is_typeddict
from .args import hints, is_hidden, plain, required, to_camel
from .config import NAMESPACE
from .key_docs import key_docs, summary

_DEFAULT = re.compile(r"\s*\bDefault: ((?:``[^`]*``|\.\.\.|[^.`]|\.(?!\s|$))+)\.")
_EXAMPLE = re.compile(r"\s*\bExample: ``([^`]*)``\.")
_NAME = re.compile(r"``([a-z]+_[a-z_]+)``")
"""Another key, as Python writes it."""


@frozen
class Choice:
    """One of the values that a key may have."""

    value: str
    meaning: str


@frozen
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
    default: str | None = None
    example: Any = None
    """A value as YAML reads it; ``None`` where none is given."""
    choices: tuple[Choice, ...] = ()
    keys: tuple["Key", ...] = ()
    """What stands below it, in a list in each item."""
    many: bool = False
    hint: Any = str
    """Its type, for a schema."""

    def walk(self) -> Iterator["Key"]:
        """This key and all below it."""
        yield self
        for key in self.keys:
            yield from key.walk()


def stack_keys(schema: type, foreign: Mapping[str, str], example: Mapping[str, Any]) -> tuple[Key, ...]:
    """The keys of a stack whose args have this shape.

    ``foreign`` names the keys of other namespaces that become args; ``example`` is a stack's args as a file has them.
    """
    written = {arg: key for key, arg in foreign.items()}
    return tuple(
        _key(schema, name, hint, "", written.get(name) or f"{NAMESPACE}:{to_camel(name)}", example)
        for name, hint in hints(schema).items()
    )


def _key(schema: type, name: str, hint: Any, above: str, written: str, beside: Mapping[str, Any]) -> Key:
    hint = hint if is_hidden(hint) else plain(hint)
    path = f"{above}.{to_camel(name)}" if above else to_camel(name)
    many = get_origin(hint) is list
    below = plain(get_args(hint)[0]) if many else hint
    text = _words(key_docs(schema).get(name, ""))
    default, written_example = _DEFAULT.search(text), _EXAMPLE.search(text)
    example = beside.get(to_camel(name), strict_yaml.read(written_example[1], path) if written_example else None)
    keys: tuple[Key, ...] = ()
    if is_typeddict(below):
        within = (example or [{}])[0] if many else example or {}
        keys = tuple(_key(below, key, of, path, to_camel(key), within) for key, of in hints(below).items())
    choices: tuple[Choice, ...] = ()
    if isinstance(below, type) and issubclass(below, Enum):
        meanings = key_docs(below)
        choices = tuple(Choice(str(each.value), _words(meanings.get(each.name, ""))) for each in below)
    whole = summary(below).partition("\n")[0] if keys or choices else ""  # a plain type's would be Python's own
    return Key(
        path=path,
        written=written,
        kind=_kind(hint),
        required=name in required(schema),
        meaning=_EXAMPLE.sub("", _DEFAULT.sub("", text)).strip() or whole,
        default=default[1] if default else None,
        example=example,
        choices=choices,
        keys=keys,
        many=many,
        hint=hint,
    )


def _kind(hint: Any) -> str:
    if is_hidden(hint):
        return "text or keys, secret"
    hint = plain(hint)
    if get_origin(hint) is list:
        return f"list of {_kind(get_args(hint)[0])}"
    if get_origin(hint) is dict:
        return f"{_kind(get_args(hint)[1])} by key"
    if is_typeddict(hint):
        return "keys"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "choice"
    return {bool: "true or false", int: "whole number"}.get(hint, "text")


def _words(doc: str) -> str:
    """A docstring on one line, with the keys that it names as a stack file spells them."""
    return _NAME.sub(lambda name: f"``{to_camel(name[1])}``", " ".join(doc.split()))

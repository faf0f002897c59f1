"""YAML that a person wrote, read so that nothing is guessed: every fault with its line and column, memory bounded.

What YAML parsers disagree on (dates, ``yes``, keys that are no words) is refused, since Pulumi's reads it otherwise.
Own construction on the events of PyYAML's parser: its own keeps the last of two equal keys, recurses as deep as a file
nests, and makes of twenty lines of aliases more than memory holds.
"""

import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from .faults import Faults, Refused, show

LONGEST = 1 << 20
"""Bytes of a file; the largest stack that makes sense has some thousands."""
_DEEPEST = 40
_MOST_VALUES = 100_000


def bytes_of(path: Path) -> bytes:
    """What a file holds, or standard input where it is ``-``; of more than ``LONGEST`` as much as shows it."""
    if str(path) == "-":
        return sys.stdin.buffer.read(LONGEST + 1)
    with path.open("rb") as file:  # perhaps a pipe, of which nobody knows the length
        return file.read(LONGEST + 1)


def decode(data: bytes, name: str, what: str = "stack file") -> str:
    """The text of a file. Raises ``Refused`` for what is no UTF-8, or too much."""
    faults = Faults()
    if len(data) > LONGEST:
        faults.at(name).add(f"longer than {LONGEST >> 20} MiB, which no {what} is")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        faults.at(f"{name}:{before.count(10) + 1}:{column}").add(
            f"byte 0x{data[error.start]:02x} is no UTF-8; save the file as UTF-8"
        )
    if faults:
        raise Refused(faults.found())
    return text


def read(text: str, name: str) -> Any:
    """The one value that ``text`` holds; ``None`` where it holds nothing. Raises ``Refused`` with every fault.

    ``name`` stands before line and column in the faults.
    """
    import yaml
    from yaml.reader import ReaderError

    faults = Faults()
    builder = _Builder(name, faults)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if not builder.take(event):
                break
    except ReaderError as error:
        builder.fault(_place(text, error.position), f"character {_code(error.character)} is not allowed in YAML")
    except yaml.MarkedYAMLError as error:
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        builder.fault(error.problem_mark or error.context_mark, f"is no YAML: {reason}")
    if faults:
        raise Refused(faults.found())
    return builder.value


@dataclass
class _Mark:
    line: int
    column: int


def _place(text: str, position: int) -> _Mark:
    before = text[:position]
    return _Mark(before.count("\n"), len(before.rpartition("\n")[2]))


def _code(character: Any) -> str:
    return f"U+{character if isinstance(character, int) else ord(character):04X}"


@dataclass
class _Open:
    """A list or a set of keys whose end is not read yet."""

    value: Any
    anchor: str | None
    size: int = 1
    key: Any = None
    """The key whose value comes next."""
    expects_key: bool = True
    own: set[str] = field(default_factory=set)
    """Keys that stand here themselves; those of a merge are laid under them."""


_MERGE = object()
_SKIP = object()


class _Builder:
    """Values from events, with no recursion: what is open lies on a stack."""

    def __init__(self, name: str, faults: Faults):
        self.value: Any = None
        self._name = name
        self._faults = faults
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._documents = 0

    def fault(self, mark: Any, reason: str) -> None:
        place = f"{self._name}:{mark.line + 1}:{mark.column + 1}" if mark else self._name
        self._faults.at(place).add(reason)

    def take(self, event: Any) -> bool:
        """Go on by one event; false where nothing after it can be read."""
        import yaml

        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self.fault(event.start_mark, "a second document begins; a stack file is one")
                return False
        elif isinstance(event, yaml.CollectionStartEvent):
            if self._key_is_due():
                self.fault(event.start_mark, "a key must be a word; this one is a list or a set of keys")
                return False
            if len(self._open) >= _DEEPEST:
                self.fault(event.start_mark, f"nested deeper than {_DEEPEST} levels")
                return False
            if event.tag not in (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
                self.fault(event.start_mark, f"the tag {event.tag} is not known here; write plain keys or a plain list")
            self._open.append(_Open({} if isinstance(event, yaml.MappingStartEvent) else [], event.anchor))
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self._open.pop()
            return self._put(event, done.value, done.anchor, done.size)
        elif isinstance(event, yaml.ScalarEvent):
            if self._key_is_due():
                self._take_key(event)
            else:
                return self._put(event, _scalar(event, self), event.anchor, 1)
        elif isinstance(event, yaml.AliasEvent):
            return self._take_alias(event)
        return True

    def _key_is_due(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].value, dict) and self._open[-1].expects_key

    def _take_key(self, event: Any) -> None:
        here = self._open[-1]
        here.expects_key = False
        if event.value == "<<" and event.implicit[0]:
            here.key = _MERGE
            return
        key = _scalar(event, self)
        if not isinstance(key, str):
            if key is not _SKIP:
                self.fault(event.start_mark, f"a key must be a word, got {show(key)}; put it in quotes")
            key = _SKIP
        elif key in here.own:
            self.fault(event.start_mark, f"{show(key)} stands here twice; remove one of the two")
            key = _SKIP
        else:
            here.own.add(key)
        here.key = key

    def _take_alias(self, event: Any) -> bool:
        if self._key_is_due():
            self.fault(event.start_mark, "a key must be a word; this one is an alias")
            return False
        if event.anchor in (each.anchor for each in self._open):
            self.fault(event.start_mark, f"*{event.anchor} holds itself; a stack file has an end")
            return False
        if event.anchor not in self._anchors:
            self.fault(event.start_mark, f"*{event.anchor} is named nowhere before; write &{event.anchor} first")
            return False
        value, size = self._anchors[event.anchor]
        return self._put(event, value, None, size)

    def _put(self, event: Any, value: Any, anchor: str | None, size: int) -> bool:
        """Lay a value into what is open. False when all aliases written out would be too much."""
        if anchor is not None:
            self._anchors[anchor] = (value, size)
        if not self._open:
            self.value = value
            return True
        here = self._open[-1]
        here.size += size
        if here.size > _MOST_VALUES:
            self.fault(event.start_mark, f"more than {_MOST_VALUES:,} values with its aliases written out")
            return False
        if isinstance(here.value, list):
            here.value.append(value)
            return True
        here.expects_key = True
        if here.key is _MERGE:
            self._merge(event, here, value)
        elif here.key is not _SKIP:
            here.value[here.key] = value
        return True

    def _merge(self, event: Any, here: _Open, value: Any) -> None:
        for each in value if isinstance(value, list) else [value]:
            if not isinstance(each, dict):
                self.fault(event.start_mark, "<< takes a set of keys, or a list of them")
                return
            for key, of in each.items():
                here.value.setdefault(key, of)


_TRUE_OR_FALSE = {"true": True, "false": False}


def _scalar(event: Any, builder: _Builder) -> Any:
    """One word as what it means; ``_SKIP`` with a fault where parsers disagree."""
    import yaml

    tag = event.tag
    if tag in (None, "!"):
        tag = _resolver().resolve(yaml.ScalarNode, event.value, event.implicit)
    kind, text = str(tag).rpartition(":")[2], event.value
    reason = None
    if kind == "bool" and text.lower() in _TRUE_OR_FALSE:
        return _TRUE_OR_FALSE[text.lower()]
    if kind == "bool":
        reason = f"got {text}, which Pulumi takes for a text; write true or false, or put it in quotes"
    elif kind == "null":
        return None
    elif kind in ("int", "float") and ":" not in text:
        try:
            return _number(kind, text)
        except ValueError:
            reason = f"got {show(text)}, which is no number"
    elif kind == "timestamp":
        reason = f"got the date {text}; put it in quotes"
    elif kind not in ("str", "int", "float", "value", "merge"):
        reason = f"the tag {event.tag} is not known here; write a plain value"
    if reason is None:
        return text
    builder.fault(event.start_mark, reason)
    return _SKIP


def _number(kind: str, text: str) -> int | float:
    text = text.replace("_", "").lower()
    if kind == "float":
        return float(text.replace(".inf", "inf").replace(".nan", "nan"))
    sign, digits = (text[0], text[1:]) if text[0] in "+-" else ("", text)
    if digits.startswith("0") and digits.isdigit() and len(digits) > 1:
        digits = f"0o{digits}"
    if len(digits) > 30:
        return float(text)
    return int(sign + digits, 0)


@cache
def _resolver() -> Any:
    from yaml.resolver import Resolver

    return Resolver()

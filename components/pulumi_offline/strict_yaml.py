"""Reads YAML that a person wrote and guesses nothing: every error has its line and column, memory is bounded.

Values that YAML parsers read differently (dates, ``yes``, keys that are not text) are refused. PyYAML's own loader
keeps the last of two equal keys, recurses as deep as a file nests, and writes merged keys out without a limit.
"""

import sys
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

import yaml
from yaml.reader import ReaderError
from .errors import ErrorList, Refused, show
from .written import as_written

LONGEST = 1 << 20
"""Bytes of a file; the largest stack that makes sense has some thousands."""
DEEPEST = 40
"""Levels that a file nests."""
_MOST_VALUES = 100_000
_MOST_IN_STACK = 10_000
"""Rules compare the items of a list with each other."""
_MOST_DOCUMENTS = 1_000
_STACK_FILE = "stack file"


def bytes_of(path: Path) -> bytes:
    """The content of a file, or of standard input for ``-``; at most one byte more than ``LONGEST``."""
    if str(path) == "-":
        return sys.stdin.buffer.read(LONGEST + 1)
    with path.open("rb") as file:  # perhaps a pipe, of unknown length
        return file.read(LONGEST + 1)


def decode(data: bytes, name: str, what: str = _STACK_FILE) -> str:
    """The text of a file. Raises ``Refused`` for bytes that are not UTF-8, and for too many of them."""
    errors = ErrorList()
    if len(data) > LONGEST:
        errors.at(name).add(f"longer than {LONGEST >> 20} MiB, which no {what} is")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = _place(name, data[: error.start].decode("utf-8", "replace"))
        errors.at(place).add(f"byte 0x{data[error.start]:02x} is no UTF-8; save the file as UTF-8")
    if errors:
        raise Refused(errors.found())
    return text


def read(text: str, name: str, what: str = _STACK_FILE) -> Any:
    """The one value in ``text``; ``None`` if there is none. Raises ``Refused`` with every error.

    ``name`` stands before line and column in the errors, and ``what`` says what it should be.
    """
    documents = _read(text, name, what, most=1)
    return documents[0] if documents else None


def read_manifest(text: str, name: str) -> list[Any]:
    """The documents of a manifest for Kubernetes. Raises ``Refused`` with every error."""
    return _read(text, name, "manifest", most=_MOST_DOCUMENTS)


def _read(text: str, name: str, what: str, most: int) -> list[Any]:
    errors = ErrorList()
    documents: list[Any] = []
    try:
        _Reader(text, name, what, errors).read_into(documents, most)
    except ReaderError as error:
        place = _place(name, text[: error.position])
        errors.at(place).add(f"character U+{int(error.character):04X} is not allowed in YAML")
    except yaml.MarkedYAMLError as error:
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        mark = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        errors.at(place).add(f"is no YAML: {reason}")
    except _Unreadable:
        pass  # the error is recorded
    if errors:
        raise Refused(errors.found())
    return documents


def _place(name: str, before: str) -> str:
    """``name:line:column`` of the character that follows the text ``before``."""
    return f"{name}:{before.count(chr(10)) + 1}:{len(before.rpartition(chr(10))[2]) + 1}"


class _Unreadable(Exception):
    """Nothing after this error can be read; the error itself is recorded."""


_MERGE = object()
"""The key ``<<``."""
_WRONG = object()
"""Stands for a key or value whose error is recorded."""
_PLAIN_TAGS = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


class _Reader(yaml.SafeLoader):
    """Makes values of the loader's events, without its nodes and constructors."""

    def __init__(self, text: str, name: str, what: str, errors: ErrorList):
        super().__init__(text)
        self._file, self._what, self._errors = name, what, errors
        self._most_values = _MOST_IN_STACK if what == _STACK_FILE else _MOST_VALUES
        self._of = ""
        """The key whose value is read, as it stands before an error."""
        self._values = 0
        """How many values the file holds so far, with its aliases written out."""
        self._anchored: dict[str | None, tuple[Any, int] | None] = {}
        """By anchor, a value and its number of values; ``None`` until its end is read."""

    def read_into(self, documents: list[Any], most: int) -> None:
        """Append every document of the stream."""
        self.get_event()
        while not self.check_event(yaml.StreamEndEvent):
            start = self.get_event()
            if len(documents) == most:
                one = f"a second document begins; a {self._what} is one"
                self._stop(start, one if most == 1 else f"more than {most:,} documents; split the {self._what}")
            self._anchored = {}
            documents.append(self._value(0))
            self.get_event()

    def _error(self, event: Any, reason: str) -> Any:
        self._errors.at(f"{self._file}:{event.start_mark.line + 1}:{event.start_mark.column + 1}").add(reason)
        return _WRONG

    def _stop(self, event: Any, reason: str) -> NoReturn:
        self._error(event, reason)
        raise _Unreadable

    def _value(self, depth: int) -> Any:
        event = self.get_event()
        if isinstance(event, yaml.AliasEvent):
            value, size = self._aliased(event)
            self._count(event, size)
            return value
        before = self._values
        self._count(event, 1)
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event)
        else:
            if depth == DEEPEST:
                self._stop(event, f"nested deeper than {DEEPEST} levels")
            if event.tag not in _PLAIN_TAGS:
                self._error(event, f"the tag {event.tag} is not known here; write plain keys or a plain list")
            self._anchored[event.anchor] = None
            read = self._mapping if isinstance(event, yaml.MappingStartEvent) else self._sequence
            value = read(depth + 1)
        self._anchored[event.anchor] = (value, self._values - before)
        return value

    def _count(self, event: Any, size: int) -> None:
        self._values += size
        if self._values > self._most_values:
            self._stop(event, f"more than {self._most_values:,} values with its aliases written out")

    def _aliased(self, event: Any) -> tuple[Any, int]:
        if event.anchor not in self._anchored:
            self._stop(event, f"*{event.anchor} is named nowhere before; write &{event.anchor} first")
        if (value_and_size := self._anchored[event.anchor]) is None:
            self._stop(event, f"*{event.anchor} holds itself; a {self._what} has an end")
        return value_and_size

    def _sequence(self, depth: int) -> list[Any]:
        items = []
        while not self.check_event(yaml.SequenceEndEvent):
            items.append(self._value(depth))
        self.get_event()
        return items

    def _mapping(self, depth: int) -> dict[Any, Any]:
        mapping: dict[Any, Any] = {}
        own: set[str] = set()
        while not self.check_event(yaml.MappingEndEvent):
            key = self._key(own)
            event = self.peek_event()
            self._of = f"{key}: " if isinstance(key, str) else ""
            value = self._value(depth)
            if key is not _MERGE:
                mapping[key] = value
                continue
            for each in value if isinstance(value, list) else [value]:
                if not isinstance(each, dict):
                    self._error(event, "<< takes a set of keys, or a list of them")
                    break
                for name, inherited in each.items():
                    mapping.setdefault(name, inherited)
        self.get_event()
        return mapping

    def _key(self, own: set[str]) -> Any:
        """The next key, which is added to ``own``: the keys written here, over those of a merge."""
        self._of = ""
        event = self.get_event()
        if not isinstance(event, yaml.ScalarEvent):
            kind = "an alias" if isinstance(event, yaml.AliasEvent) else "a list or a set of keys"
            self._stop(event, f"a key must be a word; this one is {kind}")
        if event.value == "<<" and event.implicit[0]:
            return _MERGE
        key = self._scalar(event)
        if key is _WRONG:
            return _WRONG
        if not isinstance(key, str):
            return self._error(event, f"a key must be a word, got {show(key)}; put it in quotes")
        if key in own:
            return self._error(event, f"{show(key)} stands here twice; remove one of the two")
        own.add(key)
        return key

    def _scalar(self, event: Any) -> Any:
        """The value of one word; ``_WRONG`` if parsers disagree on it."""
        text, tag = event.value, event.tag
        if tag in (None, "!"):
            tag = self.resolve(yaml.ScalarNode, text, event.implicit)
        kind = str(tag).rpartition(":")[2]
        if kind == "null":
            return None
        if kind == "bool" and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if kind == "bool":
            reader = "Pulumi takes for a text" if self._what == _STACK_FILE else "some readers take for a text"
            return self._error(event, f"{self._of}got {text}, which {reader}; write true or false, or put it in quotes")
        if kind == "timestamp":
            return self._error(event, f"{self._of}got the date {text}; put it in quotes")
        if kind in ("int", "float") and ":" not in text:
            return self._number(event, kind)
        if kind not in ("str", "int", "float", "value", "merge"):
            return self._error(event, f"the tag {event.tag} is not known here; write a plain value")
        return text

    def _number(self, event: Any, kind: str) -> Any:
        text = event.value
        node = yaml.ScalarNode(kind, text)
        try:
            # An integer with more digits than any API takes becomes a float.
            whole = kind == "int" and len(text) <= 30
            number = self.construct_yaml_int(node) if whole else self.construct_yaml_float(node)
        except (ValueError, IndexError):  # the latter for a text without digits
            return self._error(event, f"{self._of}got {show(text)}, which is no number")
        if self._what == _STACK_FILE:
            return as_written(text, number) if isinstance(number, float) else number
        if not isfinite(number):
            return self._error(event, f"{self._of}got {text}, which JSON has no number for")
        return number

"""Logs that a tool wrapped as JSON: an entry on each line is unwrapped, every other shape has the command that does."""

import json
from typing import Any

from .reader import BLOCK, LONGEST, Readable

_PATHS = (("log",), ("message",), ("textPayload",), ("jsonPayload", "message"), ("line",), ("msg",), ("MESSAGE",))
"""Docker and fluent, CloudWatch and others, Cloud Logging of text and of JSON, Loki's logcli, journald."""
_ANY = " // ".join("." + ".".join(path) for path in _PATHS)
_SHAPES = (
    (b'{"events":[', "CloudWatch's list of events", ".events[].message"),
    (b'{"status":"success","data":', "Loki's answer", ".data.result[].values[][1]"),
    (b"[{", "an array of entries", f".[] | {_ANY}"),
)
"""How a document begins, its blanks left out; its name, and what `jq` takes its text by."""
_DOCKER_PART = 16 << 10
"""Docker cuts a longer line in entries of that many bytes, all but the last without a line's end."""


def is_wrapped(start: bytes) -> bool:
    """Whether the first line of a log is an entry whose text is found."""
    return _text(_first(start)) is not None


def remedy(start: bytes) -> tuple[str, str] | None:
    """For JSON that is not read: what it is, and the command that unwraps it."""
    begins = b"".join(start[:256].split())
    for beginning, name, query in _SHAPES:
        if begins.startswith(beginning):
            return name, f"jq -r '{query}'"
    if _first(start) == b"{":
        return "entries over several lines", f"jq -r '{_ANY}'"
    entry = _parsed(_first(start))
    if isinstance(entry, dict) and (path := _longest(entry)):
        return "entries without a key that is known", f"jq -r '{path}', if that is its text"
    return None


class Unwrapped:
    """The text inside the entries, as a stream."""

    def __init__(self, stream: Readable) -> None:
        self._stream, self._carry, self._ended = stream, b"", False

    def read(self, size: int = -1, /) -> bytes:
        """The text of some entries; empty at the end."""
        while not self._ended:
            chunk = self._stream.read(size if size > 0 else BLOCK)
            self._ended = not chunk
            whole, newline, self._carry = (self._carry + chunk).rpartition(b"\n")
            if self._ended:
                whole, self._carry = self._carry, b""
            if (newline or self._ended) and (text := b"".join(map(_line, whole.split(b"\n")))):
                return text
            if len(self._carry) > 64 * LONGEST:
                text, self._carry = self._carry, b""
                return text
        return b""


def _line(entry: bytes) -> bytes:
    """An entry's text as a line; what is no entry as it is, and nothing for an entry without text."""
    if (text := _text(entry)) is not None:
        return text
    return b"\n" if isinstance(_parsed(entry), dict) else entry + b"\n"


def _text(raw: bytes) -> bytes | None:
    entry = _parsed(raw)
    for path in _PATHS:
        value: Any = entry
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            text = value.encode("utf-8", "replace")
            ends = text.endswith(b"\n") or (path == ("log",) and len(text) >= _DOCKER_PART - 1)
            return text if ends else text + b"\n"
    return None


def _first(start: bytes) -> bytes:
    return start.lstrip().partition(b"\n")[0].strip()


def _parsed(raw: bytes) -> Any:
    if not raw.lstrip().startswith(b"{"):
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _longest(entry: dict[str, Any]) -> str | None:
    """The path of the longest text in an entry, one level deep at the most, as `jq` writes it."""
    texts: list[tuple[tuple[str, ...], Any]] = [((key,), value) for key, value in entry.items()]
    texts += [((*path, key), of) for path, value in texts if isinstance(value, dict) for key, of in value.items()]
    found = [(len(text), path) for path, text in texts if isinstance(text, str)]
    return ".".join(["", *max(found)[1]]) if found and all(map(str.isidentifier, max(found)[1])) else None

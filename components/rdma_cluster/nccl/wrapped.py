"""Logs that a log tool wrapped as JSON: an entry a line is read, every other shape is named with its remedy."""

import json
import re
from typing import Any

from .reader import LONGEST, Readable

_KEYS = ("log", "message", "textPayload", "msg", "MESSAGE")
"""Docker and fluent, CloudWatch and others, Cloud Logging, journald."""
_ENTRY = re.compile(rb'\{[^\n]*?"(?:' + "|".join(_KEYS).encode() + rb')"\s*:\s*"')
_OTHER = (
    (re.compile(rb'^\s*\[\s*\{[\s\S]*?"textPayload"\s*:'), "an array of Cloud Logging", "jq -r '.[].textPayload'"),
    (re.compile(rb'^\s*\{\s*"events"\s*:\s*\['), "CloudWatch's list of events", "jq -r '.events[].message'"),
    (re.compile(rb'^\s*\[\s*\{[\s\S]*?"(?:log|message)"\s*:'), "an array of entries", "jq -r '.[] | .log // .message'"),
    (re.compile(rb'^\s*\{\s*\n\s*"[^"\n]{1,64}"\s*:[\s\S]*?"(?:textPayload|log|message)"\s*:'),
     "entries over several lines", "jq -r '.textPayload // .log // .message'"),
)  # fmt: skip
_DOCKER_PART = 16 << 10
"""Docker cuts a longer line in entries of that many bytes, all but the last without a line's end."""


def is_wrapped(start: bytes) -> bool:
    """Whether a file that starts like this has an entry a line."""
    first = start.lstrip().partition(b"\n")[0]
    return _ENTRY.match(first) is not None


def how_to_unwrap(start: bytes) -> str | None:
    """What to do with a wrapped log that is not read as it is; ``None`` for every other file."""
    for shape, name, remedy in _OTHER:
        if shape.match(start):
            return f"this log is wrapped as JSON ({name}): unwrap it with {remedy}"
    return None


class Unwrapped:
    """The text inside the entries, as a stream."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._carry = b""
        self._ended = False

    def read(self, size: int = -1, /) -> bytes:
        """The text of some entries; empty at the end."""
        while not self._ended:
            chunk = self._stream.read(size if size > 0 else 1 << 18)
            self._ended = not chunk
            whole, newline, rest = (self._carry + chunk).rpartition(b"\n")
            self._carry = rest
            if self._ended:
                whole, self._carry = self._carry, b""
            if (newline or self._ended) and (text := b"".join(map(_text, whole.split(b"\n")))):
                return text
            if len(self._carry) > 64 * LONGEST:
                text, self._carry = self._carry, b""
                return text
        return b""


def _text(line: bytes) -> bytes:
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError):
        return line + b"\n"
    if not isinstance(entry, dict):
        return line + b"\n"
    for key in _KEYS:
        if isinstance(said := entry.get(key), str):
            text = said.encode("utf-8", "replace")
            part = key == "log" and len(text) >= _DOCKER_PART - 1 and not text.endswith(b"\n")
            return text if text.endswith(b"\n") or part else text + b"\n"
    return b"\n"

"""Logs from disk or from a pipe, as text, as a report, or wrapped as JSON, and the verdict over them.

A log tool that wraps a log as JSON may put an entry on each line: that is read. Every other wrapping is refused with
the command that undoes it.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from .expectation import Expectation, SizeThreshold
from .gate import collective_of
from .reader import LONGEST, Readable, Reader
from .report import MOST_BYTES, looks_like_report, read_report
from .run import Run
from .verdict import Verdict, judge

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


class NotReadableError(OSError):
    """A log that cannot be opened, or whose wrapping cannot be read."""


def read_log(path: str | Path) -> list[Run]:
    """The tests of a log or of a JSON report."""
    try:
        with Path(path).open("rb") as stream:
            return read_stream(stream, str(path))
    except NotReadableError:
        raise
    except OSError as error:
        raise NotReadableError(f"{path}: {error.strerror or error}") from None


def read_stream(stream: Readable, source: str = "") -> list[Run]:
    """The tests of a stream that need not be seekable. Raises ``NotReadableError`` for JSON that is not read."""
    start = stream.read(4096)
    if looks_like_report(start):
        return [read_report(start + stream.read(MOST_BYTES), source)]
    for wrapping, name, remedy in _OTHER:
        if wrapping.match(start):
            where = f"{source}: " if source else ""
            raise NotReadableError(f"{where}this log is wrapped as JSON ({name}): unwrap it with {remedy}")
    whole = _Joined(start, stream)
    return Reader(source).read(_Unwrapped(whole) if _ENTRY.match(start.lstrip().partition(b"\n")[0]) else whole).runs


def judge_logs(paths: Iterable[str | Path], want: Expectation, waive: Iterable[str] = ()) -> Verdict:
    """Judge all logs together: every test by every gate; those over pairs and rails also name what is at fault."""
    logs = list(paths)
    runs = [run for path in logs for run in read_log(path)]
    if len(logs) == 1:
        for run in runs:
            run.source = ""
    return judge(runs, want, waive)


def since(path: str | Path, want: Expectation) -> Expectation:
    """The expectation, with what the tests of an earlier log reached: the slowest of each collective and size."""
    reached: dict[str, dict[int, float]] = {}
    for run in read_log(path):
        sizes = reached.setdefault(collective_of(run, want) or "", {})
        for row in run.large_rows():
            if row.out_bus is not None:
                size = run.nominal(row.size)
                sizes[size] = min(row.out_bus.value, sizes.get(size, row.out_bus.value))
    lines = {name: tuple(SizeThreshold(*each) for each in sorted(sizes.items())) for name, sizes in reached.items()}
    if not any(lines.values()):
        raise NotReadableError(f"{path}: no row of 1 GiB or more to compare with")
    return replace(want, expected=lines, expected_from="the last proof")


class _Joined:
    """A stream whose start was already read."""

    def __init__(self, start: bytes, rest: Readable) -> None:
        self._start, self._rest = start, rest

    def read(self, size: int = -1, /) -> bytes:
        start, self._start = self._start, b""
        return start or self._rest.read(size)


class _Unwrapped:
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
        if isinstance(message := entry.get(key), str):
            text = message.encode("utf-8", "replace")
            ends = text.endswith(b"\n") or (key == "log" and len(text) >= _DOCKER_PART - 1)
            return text if ends else text + b"\n"
    return b"\n"

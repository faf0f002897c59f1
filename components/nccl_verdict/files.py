"""Logs from disk or from a pipe, as text, as a report, or wrapped as JSON."""

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from .expectation import GIB, Expectation, SizeThreshold, SizeTime
from .gate import collective_of
from .reader import NotReadableError, Readable, Reader
from .report import MOST_BYTES, looks_like_report, read_report
from .run import Run
from .wrapping import Unwrapped, is_wrapped, remedy

__all__ = ["NotReadableError", "read_log", "read_logs", "read_stream", "text_of"]

STDIN = "-"
_START = 1 << 16
"""Bytes by which a log's form is known, at the most."""


def read_log(path: str | Path) -> list[Run]:
    """The tests of a log or of a JSON report; ``-`` is standard input. Raises ``NotReadableError``."""
    if str(path) == STDIN:
        return read_stream(sys.stdin.buffer, "standard input")
    try:
        with Path(path).open("rb") as stream:
            return read_stream(stream, str(path))
    except NotReadableError:
        raise
    except (OSError, ValueError) as error:  # a path with a NUL byte is a ValueError
        raise NotReadableError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def read_stream(stream: Readable, source: str = "") -> list[Run]:
    """The tests of a stream that need not be seekable. Raises ``NotReadableError`` for JSON that is not read."""
    start = _start(stream)
    if looks_like_report(start) and not is_wrapped(start):
        return [read_report(start + stream.read(MOST_BYTES), source)]
    return Reader(source).read(text_of(stream, source, start)).runs


def text_of(stream: Readable, source: str = "", start: bytes | None = None) -> Readable:
    """The text of a log without its wrapping; ``start`` is what was read of it already."""
    start = _start(stream) if start is None else start
    whole = _Joined(start, stream)
    if is_wrapped(start):
        return Unwrapped(whole)
    if found := remedy(start):
        where, (name, command) = f"{source}: " if source else "", found
        raise NotReadableError(f"{where}this log is wrapped as JSON ({name}): unwrap it with {command}")
    return whole


def read_logs(paths: Iterable[str | Path]) -> list[Run]:
    """The tests of all logs, each with its log's name where there are several."""
    logs = list(paths)
    runs = [run for path in logs for run in read_log(path)]
    if len(logs) == 1:
        for run in runs:
            run.source = ""
    return runs


def since(path: str | Path, want: Expectation) -> Expectation:
    """The expectation, with what the tests of an earlier log reached: the slowest of each collective and size."""
    reached: dict[str, dict[int, float]] = {}
    took: dict[str, dict[int, float]] = {}
    for run in read_log(path):
        collective = collective_of(run, want) or ""
        sizes, times = reached.setdefault(collective, {}), took.setdefault(collective, {})
        for row in run.large_rows():
            if row.out_bus is not None:
                size = run.nominal(row.size)
                sizes[size] = min(row.out_bus.value, sizes.get(size, row.out_bus.value))
        for row in run.rows.values():
            if row.out_time is not None and row.size < GIB:
                times[row.size] = max(row.out_time.value, times.get(row.size, 0.0))
    lines = {name: tuple(SizeThreshold(*each) for each in sorted(sizes.items())) for name, sizes in reached.items()}
    before = {name: tuple(SizeTime(*each) for each in sorted(times.items())) for name, times in took.items()}
    if not any((*lines.values(), *before.values())):
        raise NotReadableError(f"{path}: no row to compare with")
    return replace(want, expected=lines, expected_times=before, expected_from="the last proof")


def _start(stream: Readable) -> bytes:
    """The first line, and what came with it; JSON over several lines is read on."""
    read = getattr(stream, "read1", stream.read)
    start = b""
    while len(start) < _START and (chunk := read(_START)):
        start += chunk
        text = start.lstrip()
        if b"\n" in text and (is_wrapped(start) or not b"".join(text[:99].split()).startswith((b"{", b"[{"))):
            break
    return start


class _Joined:
    """A stream whose start was already read."""

    def __init__(self, start: bytes, rest: Readable) -> None:
        self._start, self._rest = start, rest

    def read(self, size: int = -1, /) -> bytes:
        """The start, and then what comes."""
        start, self._start = self._start, b""
        return start or getattr(self._rest, "read1", self._rest.read)(size)

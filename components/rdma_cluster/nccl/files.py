"""Logs from disk or from a pipe, text or report, and the verdict over them."""

from collections.abc import Iterable
from pathlib import Path

from .expectation import Expectation
from .reader import Readable, Reader
from .report import MOST_BYTES, looks_like_report, read_report
from .run import Run
from .verdict import Verdict, judge
from .wrapped import Unwrapped, how_to_unwrap, is_wrapped


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
    if remedy := how_to_unwrap(start):
        raise NotReadableError(f"{source}: {remedy}" if source else remedy)
    if is_wrapped(start):
        return Reader(source).read(Unwrapped(_Joined(start, stream))).runs
    return Reader(source).read(_Joined(start, stream)).runs


def judge_logs(paths: Iterable[str | Path], want: Expectation, waive: Iterable[str] = ()) -> Verdict:
    """Judge all logs together: every test by every gate; those over pairs and rails also name what is at fault."""
    named = list(paths)
    runs = [run for path in named for run in read_log(path)]
    if len(named) == 1:
        for run in runs:
            run.source = ""
    return judge(runs, want, waive)


class _Joined:
    """A stream whose start was already read."""

    def __init__(self, start: bytes, rest: Readable) -> None:
        self._start, self._rest = start, rest

    def read(self, size: int = -1, /) -> bytes:
        start, self._start = self._start, b""
        return start or self._rest.read(size)

"""A log as a stream of bytes, to tests. Memory does not grow with the log; most lines are dropped unparsed."""

import io
import re
from collections.abc import Iterator
from typing import Protocol

from .busbw import COLLECTIVES
from .evidence import apart
from .failures import find_failure, find_warning
from .header import parse_banner, parse_rank, text
from .prefilter import LONG, Telling
from .rows import Row, fill, looks_like_row, parse_row
from .run import Run

BLOCK = 1 << 18
LONGEST = 1 << 16
_APART = 1 << 16  # lines between the two halves of a row, at the most
_MOST_SEEN = 1 << 14  # lines of NCCL that are remembered and parsed once: they are facts, and no events

_ANSI = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
_PROGRAM = re.compile(rb"\b(" + "|".join(sorted(COLLECTIVES, key=len, reverse=True)).encode() + rb")_perf")
_BOUNDS = re.compile(rb"Out of bounds values\s*:\s*(\d+)\s+(OK|FAILED)\b")
_AVERAGE = re.compile(rb"Avg bus bandwidth\s*:\s*([\d.eE+-]+)(?:\s+(OK|FAILED)\b)?")
_REDUCED = re.compile(rb"Reducing maxBytes to (\d{1,15})")
_NUMBERS = re.compile(rb"(?:^|[>\]:|)])((?:[ \t]+(?:-?\d[\d.]*(?:e[+-]?\d+)?|N/A))+)[ \t\r]*$")
_INFO = b" NCCL INFO "


class Readable(Protocol):
    """All that a stream must have."""

    def read(self, size: int = -1, /) -> bytes: ...


def blocks(stream: Readable) -> Iterator[bytes]:
    """Whole lines, about a block at a time; a line that outgrows every bound comes in pieces."""
    carry = b""
    read = getattr(stream, "read1", stream.read)
    while chunk := read(BLOCK):
        head, newline, tail = chunk.rpartition(b"\n")
        if newline:
            yield carry + head
            carry = tail
        else:
            carry += tail
        if len(carry) > BLOCK:
            yield carry
            carry = b""
    if carry:
        yield carry


class Reader:
    """Collects the tests of one log."""

    def __init__(self, source: str = "") -> None:
        self.source = source
        self.runs: list[Run] = []
        self.lines = 0
        self._run = Run(source)
        self._telling = Telling()
        self._seen: set[bytes] = set()
        self._messages: set[tuple[bytes, bytes]] = set()
        self._torn: tuple[Row, list[bytes]] | None = None
        self._program: tuple[str, int] | None = None

    def read(self, stream: Readable) -> "Reader":
        for block in blocks(stream):
            self.feed(block)
        return self.close()

    def feed(self, block: bytes) -> None:
        """Take whole lines."""
        if b"\x1b" in block:
            block = _ANSI.sub(b"", block)
        lines = block.split(b"\n")
        if len(block) > BLOCK and len(lines) == 1:
            self._run.overflow = self._run.overflow or self.lines + 1  # a piece: nobody knows what it was cut from
        last, seen = 0, self._seen
        for place in self._telling.places(block):
            line = lines[place]
            if line in seen:
                continue
            if self._torn:
                self._mend(lines, last, place)
            last = place + 1
            self._line(self.lines + place + 1, line)
        if self._torn:
            self._mend(lines, last, len(lines))
        self.lines += len(lines)

    def close(self) -> "Reader":
        self._tear()
        self._end()
        self._run = Run(self.source)
        return self

    def _line(self, number: int, line: bytes) -> None:
        if len(line) > LONGEST:
            self._run.overflow = self._run.overflow or number
            return
        head, info, message = line.partition(_INFO)
        if b" as DEAD" in message and (failure := find_failure(number, line)):
            self._run.add_failure(failure)
        if not info:
            self._plain(number, line.rstrip())
        elif head.count(b" ") > 2 and looks_like_row(head) and (parsed := parse_row(number, line.rstrip())):
            self._run.evidence.read(number, head, message)
            self._row(*parsed)
        elif _INFO in message:
            for one_head, one_message in apart(head, message, self._run.hosts):
                self._run.evidence.read(number, one_head, one_message)
        else:
            key = (head[: head.rfind(b":")], message)  # threads differ, and print the same
            if key not in self._messages:
                self._run.evidence.read(number, head, message)
            if len(line) < LONG:
                self._messages.add(key)
                self._seen.add(line)
                if len(self._seen) > _MOST_SEEN:
                    self._forget()

    def _forget(self) -> None:
        self._seen.clear()
        self._messages.clear()

    def _plain(self, number: int, line: bytes) -> None:
        run = self._run
        if looks_like_row(line) and (parsed := parse_row(number, line)):
            self._row(*parsed)
            if failure := find_failure(number, line):
                self._run.add_failure(failure)
        elif b"Rank" in line and (rank := parse_rank(number, line)):
            run.add_rank(rank)
        elif b"minBytes" in line and (banner := parse_banner(number, line)):
            self._start(run.banner is not None)
            self._run.banner = banner
        elif b"busbw" in line and b"count" in line:
            self._start(False)
            self._run.old_errors = b"#wrong" not in line and b"error" in line
        elif match := _BOUNDS.search(line):
            run.out_of_bounds = max(int(match[1][:18]), run.out_of_bounds or 0)
            run.out_of_bounds_line = number
            if match[2] != b"OK":
                run.refused.append(number)
        elif match := _AVERAGE.search(line):
            self._average(number, match[1])
            if match[2] == b"FAILED":
                run.refused.append(number)
        elif match := _REDUCED.search(line):
            self._reduce(int(match[1]))
        elif b"test starting" in line:
            self._start(run.started is not None)
            self._run.started = number
            if match := _PROGRAM.search(line):
                self._run.collective, self._run.collective_line = match[1].decode(), number
        elif b"test concluded" in line:
            run.concluded = number
        elif failure := find_failure(number, line):
            run.add_failure(failure)
        elif warning := find_warning(line):
            run.add_warning(warning)
        elif match := _PROGRAM.search(line):
            self._program = (match[1].decode(), number)
            if run.banner is None and not run.rows:
                run.collective, run.collective_line = self._program

    def _start(self, again: bool) -> None:
        """Begin another test where the log begins one."""
        self._tear()
        if again or self._run.rows or self._run.averages or self._run.out_of_bounds is not None:
            self._end()
            self._run = Run(self.source)
            self._forget()
            if self._program:
                self._run.collective, self._run.collective_line = self._program

    def _end(self) -> None:
        if not self._run.empty or not self._run.evidence.empty:
            self._run.settle()
            self.runs.append(self._run)

    def _average(self, number: int, raw: bytes) -> None:
        try:
            value = float(text(raw))
        except ValueError:
            return
        if len(self._run.averages) < 8:
            self._run.averages.setdefault(value, number)

    def _reduce(self, most: int) -> None:
        banner = self._run.banner
        if banner and most < banner.max_bytes:
            least = min(banner.min_bytes, most)
            self._run.banner = type(banner)(banner.line, least, most, banner.step, banner.by_factor)

    def _row(self, row: Row, tokens: list[bytes]) -> None:
        self._tear()
        if row.whole or len(tokens) >= 8:
            self._run.add_row(row)
        else:
            self._torn = (row, tokens)

    def _mend(self, lines: list[bytes], start: int, stop: int) -> None:
        """A row whose second half stands on a later line, behind what another process printed."""
        for line in lines[start:stop]:
            match = _NUMBERS.search(line)
            if match and self._torn and b" NCCL " not in line:
                row, tokens = self._torn
                tokens = tokens + match[1].split()
                self._torn = (row, tokens)
                if fill(row, tokens) or len(tokens) > 20:
                    self._tear()
                    return
        if self._torn and self.lines + stop > self._torn[0].line + _APART:
            self._tear()

    def _tear(self) -> None:
        if self._torn:
            row, self._torn = self._torn[0], None
            self._run.add_row(row)


def read_bytes(log: bytes, source: str = "") -> list[Run]:
    """The tests of a log that is already in memory."""
    return Reader(source).read(io.BytesIO(log)).runs

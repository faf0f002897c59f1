"""A log as a stream of bytes, to tests. Memory does not grow with the log; most lines are dropped unparsed."""

import io
import re
from collections.abc import Iterator
from typing import Protocol

from .busbw import COLLECTIVES
from .evidence import NEEDLES
from .rows import Row, fill, looks_like_row, parse_banner, parse_rank, parse_row, text
from .run import Run

BLOCK = 1 << 18
LONGEST = 1 << 16

_ANSI = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_PROGRAM = re.compile(rb"\b(" + "|".join(COLLECTIVES).encode() + rb")_perf")
_BOUNDS = re.compile(rb"Out of bounds values\s*:\s*(\d+)")
_AVERAGE = re.compile(rb"Avg bus bandwidth\s*:\s*([\d.eE+-]+)")
_REDUCED = re.compile(rb"Reducing maxBytes to (\d{1,15})")
_NUMBERS = re.compile(rb"(?m)(?:^|[>\]:|)])((?:[ \t]+(?:-?\d[\d.]*(?:e[+-]?\d+)?|N/A))+)[ \t\r]*$")
_CHANNEL = re.compile(rb" via NET/([^/\s]*)(\S*)")
_NCCL_WORDS = (*NEEDLES, b"float")
_OTHER_WORDS = (b"#", b"_perf", b"Test timeout", b" half", b" int", b" uint", b" double", b" f8", b" fp8_", b" char")
"""A line that tells something holds one of these; channels are found on their own, there are too many of them."""


def _telling(block: bytes, lines: int) -> list[int]:
    """Where the telling lines of a block start; words of the test's own lines are sought only where such lines are."""
    words = _NCCL_WORDS if block.count(b" NCCL INFO ") == lines else _NCCL_WORDS + _OTHER_WORDS
    starts = set()
    for word in words:
        at = block.find(word)
        while at >= 0:
            starts.add(block.rfind(b"\n", 0, at) + 1)
            at = block.find(b"\n", at)
            at = block.find(word, at) if at >= 0 else -1
    return sorted(starts)


class Readable(Protocol):
    """All that is asked of a stream."""

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
        self._torn: tuple[Row, list[bytes]] | None = None
        self._program: tuple[str, int] | None = None
        self._block = b""
        self._seen_to = 0
        self._seen_lines = 0

    def read(self, stream: Readable) -> "Reader":
        for block in blocks(stream):
            self.feed(block)
        return self.close()

    def feed(self, block: bytes) -> None:
        """Take whole lines. Only lines with a telling word are ever cut out of the block."""
        self._block, self._seen_to, self._seen_lines = block, 0, 0
        channels = list(_CHANNEL.finditer(block))
        channels.reverse()
        lines = block.count(b"\n") + 1
        last = 0
        for start in _telling(block, lines):
            self._channels(channels, start)
            end = block.find(b"\n", start)
            end = len(block) if end < 0 else end
            if self._torn:
                self._mend(last, start)
            self._line(start, end)
            last = end
        self._channels(channels, len(block))
        if self._torn:
            self._mend(last, len(block))
        self.lines += lines
        self._block = b""

    def _number(self, at: int) -> int:
        """The line number of a place in the block; places only ever rise."""
        if at > self._seen_to:
            self._seen_lines += self._block.count(b"\n", self._seen_to, at)
            self._seen_to = at
        return self.lines + self._seen_lines + 1

    def _channels(self, channels: list[re.Match[bytes]], stop: int) -> None:
        """Take the channels before a place off the end. What the test said before is skipped at once."""
        block, evidence = self._block, self._run.evidence
        while channels and channels[-1].start() < stop:
            found = channels.pop()
            at, end = found.span()
            said = block[block.rfind(b" NCCL INFO ", 0, at) : end]
            if said not in evidence.said:
                line = block[block.rfind(b"\n", 0, at) + 1 : at]
                evidence.read_channel(self._number(at), line, found[1], found[2])
                evidence.said.add(said)

    def _line(self, start: int, end: int) -> None:
        number = self._number(start)
        if end - start > LONGEST:
            self._run.overflow = self._run.overflow or number
            return
        line = self._block[start:end].rstrip()
        if b"\x1b" in line:
            line = _ANSI.sub(b"", line)
        if b" NCCL INFO " in line:
            self._run.evidence.read(number, line)
            if looks_like_row(line) and (found := parse_row(number, line)):
                self._row(*found)
        else:
            self._plain(number, line)

    def close(self) -> "Reader":
        self._tear()
        if not self._run.empty or not self._run.evidence.empty:
            self.runs.append(self._run)
        self._run = Run(self.source)
        return self

    def _plain(self, number: int, line: bytes) -> None:
        if looks_like_row(line) and (found := parse_row(number, line)):
            self._row(*found)
        elif b"Rank" in line and (rank := parse_rank(number, line)):
            self._run.add_rank(rank)
        elif b"minBytes" in line and (banner := parse_banner(number, line)):
            self._start(self._run.banner is not None)
            self._run.banner = banner
        elif b"busbw" in line and b"count" in line:
            self._start(False)
        elif match := _BOUNDS.search(line):
            self._run.out_of_bounds = max(int(match[1][:18]), self._run.out_of_bounds or 0)
            self._run.out_of_bounds_line = number
        elif match := _AVERAGE.search(line):
            self._average(number, match[1])
        elif match := _REDUCED.search(line):
            self._reduce(int(match[1]))
        elif b"test starting" in line:
            self._start(self._run.started is not None)
            self._run.started = number
            self._name(number, line)
        elif b"test concluded" in line:
            self._run.concluded = number
        elif b"Test timeout" in line:
            self._run.timeout = number
        elif match := _PROGRAM.search(line):
            self._program = (match[1].decode(), number)
            if self._run.banner is None and not self._run.rows:
                self._run.collective, self._run.collective_line = self._program

    def _start(self, again: bool) -> None:
        """Begin another test where the log begins one."""
        self._tear()
        if again or self._run.rows or self._run.averages or self._run.out_of_bounds is not None:
            self.runs.append(self._run)
            self._run = Run(self.source)
            if self._program:
                self._run.collective, self._run.collective_line = self._program

    def _name(self, number: int, line: bytes) -> None:
        if match := _PROGRAM.search(line):
            self._run.collective, self._run.collective_line = match[1].decode(), number

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

    def _mend(self, start: int, stop: int) -> None:
        """A row whose second half stands on a later line, behind what another process printed."""
        for match in _NUMBERS.finditer(self._block, start, stop):
            if not self._torn:
                return
            row, tokens = self._torn
            tokens = tokens + match[1].split()
            self._torn = (row, tokens)
            if fill(row, tokens) or len(tokens) > 20:
                self._tear()

    def _tear(self) -> None:
        if self._torn:
            row, self._torn = self._torn[0], None
            self._run.add_row(row)


def read_bytes(log: bytes, source: str = "") -> list[Run]:
    """The tests of a log that is already in memory."""
    return Reader(source).read(io.BytesIO(log)).runs

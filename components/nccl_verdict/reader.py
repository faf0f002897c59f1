"""A log as a stream of bytes, to tests. Memory does not grow with the log; most lines are dropped unparsed."""

import io
import re
from collections.abc import Iterator
from typing import Protocol

from .busbw import COLLECTIVES
from .channels import without_tail
from .evidence import apart
from .failures import NEEDLES, find_failure, find_warning
from .header import parse_banner, parse_rank, text
from .job_lines import JobLines
from .prefilter import telling
from .rows import Row, fill, parse_row
from .run import Run

BLOCK = 1 << 18
LONGEST = 16_384
"""Bytes of a line; the longest of the public logs we have is 399, and a few that ran into one are still read."""
_MOST_KEPT = 1 << 18  # of one log: ranks, and for each test as much as 256 of them
_APART = 1 << 16  # lines between the two halves of a row, at the most
_MOST_SAID = 20_000  # facts of NCCL that are remembered and read once, whatever stands before them

_ANSI = re.compile(rb"\x1b(?:\[[0-9;?]{0,32}[A-Za-z]|\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\))")
_PROGRAM = re.compile(rb"\b(" + "|".join(COLLECTIVES).encode() + rb")_perf")
_BOUNDS = re.compile(rb"Out of bounds values\s*:\s*(\d+)\s+(OK|FAILED)\b")
_AVERAGE = re.compile(rb"Avg bus bandwidth\s*:\s*([\d.eE+-]+)(?:\s+(OK|FAILED)\b)?")
_REDUCED = re.compile(rb"Reducing maxBytes to (\d{1,15})")
_NUMBERS = re.compile(rb"(?:^|[>\]:|)])((?:[ \t]+(?:-?\d[\d.]*(?:e[+-]?\d+)?|N/A))+)[ \t\r]*$")
_INFO = b" NCCL INFO "


class NotReadableError(OSError):
    """A log that cannot be opened, is wrapped in what is not read, or holds more than can be kept."""


class Readable(Protocol):
    """All that a stream must have."""

    def read(self, size: int = -1, /) -> bytes: ...


def blocks(stream: Readable) -> Iterator[bytes]:
    """Whole lines, about a block at a time; a line that outgrows every bound comes in pieces."""
    read = getattr(stream, "read1", stream.read)
    begun, held = [], 0  # pieces of a line whose end is not here yet
    while chunk := read(BLOCK):
        head, newline, tail = chunk.rpartition(b"\n")
        if newline:
            yield b"".join((*begun, head))
            begun, held = [], 0
        begun.append(tail)
        held += len(tail)
        if held > BLOCK:
            yield b"".join(begun)
            begun, held = [], 0
    if held:
        yield b"".join(begun)


class Reader:
    """Collects the tests of one log."""

    def __init__(self, source: str = "") -> None:
        self.source = source
        self.runs: list[Run] = []
        self.lines = 0
        self._kept = 0
        self._run = Run(source)
        self._said: set[tuple[bytes, bytes]] = set()
        self._torn: tuple[Row, list[bytes]] | None = None
        self._before: JobLines | None = JobLines()  # until the log shows a test: what else may have failed
        self._program: tuple[str, int] | None = None

    def read(self, stream: Readable) -> "Reader":
        for block in blocks(stream):
            self.feed(block)
        return self.close()

    def feed(self, block: bytes) -> None:
        """Take whole lines."""
        if b"\x1b" in block:
            block = _ANSI.sub(b"", block)
        if len(block) > BLOCK and b"\n" not in block:
            self._run.overflow = self._run.overflow or self.lines + 1  # a piece: nobody knows what it was cut from
        if self._before is not None:
            self._before.feed(block, self.lines + 1)
        number, behind = self.lines + 1, 0
        for start, end, may_be_row in telling(block):
            if self._torn:
                self._mend(number, block[behind:start].split(b"\n")[:-1])
            if start > behind:
                number += block.count(b"\n", behind, start)
            self._line(number, block[start:end], may_be_row)
            number, behind = number + 1, end + 1
        if self._torn:
            self._mend(number, block[behind:].split(b"\n"))
        self.lines += block.count(b"\n") + 1
        if self._before is not None and (self.runs or self._run.is_test):
            self._records()

    @property
    def failed(self) -> bool:
        """Whether any test so far says that it failed."""
        return bool(self._run.failures) or any(run.failures for run in self.runs)

    @property
    def done(self) -> bool:
        """Whether the last test said its end."""
        run = self._run
        return bool(run.averages) and (run.started is None or run.concluded is not None)

    def close(self) -> "Reader":
        self._tear()
        self._records()
        self._end()
        self._run = Run(self.source)
        return self

    def _records(self) -> None:
        """Hand what was told before a test began to the first test."""
        if self._before is not None:
            (self.runs or [self._run])[0].records += self._before.records
            self._before = None

    def _line(self, number: int, line: bytes, may_be_row: bool) -> None:
        if len(line) > LONGEST:
            self._run.overflow = self._run.overflow or number
            return
        head, info, message = line.partition(_INFO)
        self._run.speaks = self._run.speaks or bool(info)
        if not info:
            self._plain(number, line.rstrip(), may_be_row)
        elif may_be_row and (parsed := parse_row(number, head)):
            self._run.evidence.read(number, head, message)
            self._row(*parsed)
        else:
            who = head[head.rfind(b" ", 0, head.rfind(b"[") - 1) + 1 :]  # behind what a launcher puts before a line
            who = who[: who.rfind(b":")]  # threads differ, and print the same
            if (who, message) in self._said:
                return
            if b" as DEAD" in message and (failure := find_failure(number, line)):
                self._run.add_failure(failure)
            if _INFO in message:
                for one_head, one_message in apart(head, message, self._run.hosts):
                    self._run.evidence.read(number, one_head, one_message)
            elif (who, message := without_tail(message)) not in self._said:
                if message.startswith(b"NCCL version"):
                    self._run.version_line = self._run.version_line or number
                self._run.evidence.read(number, head, message)
                if len(self._said) > _MOST_SAID:
                    self._said.clear()
                self._said.add((who, message))

    def _plain(self, number: int, line: bytes, may_be_row: bool) -> None:
        run = self._run
        if may_be_row and (parsed := parse_row(number, line)):
            self._row(*parsed)
            if failure := find_failure(number, line):
                self._run.add_failure(failure)
        elif b"Rank" in line and (rank := parse_rank(number, line)):
            run.add_rank(rank)
        elif b"minBytes" in line and (banner := parse_banner(number, line)):
            self._start(run.banner is not None and not run.is_announced)
            self._run.banner = banner
        elif b"busbw" in line and b"count" in line:
            self._start(False)
            self._run.head_line = number
            self._run.old_errors = b"#wrong" not in line and b"error" in line
        elif b"of bounds" in line and (match := _BOUNDS.search(line)):
            run.out_of_bounds = max(int(match[1][:18]), run.out_of_bounds or 0)
            run.out_of_bounds_line = number
            if match[2] != b"OK":
                run.refused.append(number)
        elif b"bus bandwidth" in line and (match := _AVERAGE.search(line)):
            self._average(number, match[1])
            if match[2] == b"FAILED":
                run.refused.append(number)
        elif b"maxBytes" in line and (match := _REDUCED.search(line)):
            self._reduce(int(match[1]))
        elif b"test starting" in line:
            self._start(run.started is not None)
            self._run.started = number
            if match := _PROGRAM.search(line):
                self._run.collective, self._run.collective_line = match[1].decode(), number
        elif b"test concluded" in line:
            run.concluded = number
        elif (
            not run.full
            and run.wants(line)
            and any(needle in line for needle in NEEDLES)
            and (failure := find_failure(number, line))
        ):
            run.add_failure(failure)
        elif b"NCCL WARN" in line and not run.full and run.wants(line) and (warning := find_warning(line)):
            run.add_warning(warning)
        elif b"NCCL version" in line:
            run.version_line = run.version_line or number
        elif b"_perf" in line and (match := _PROGRAM.search(line)):
            self._program = (match[1].decode(), number)
            if run.banner is None and not run.rows:
                run.collective, run.collective_line = self._program

    def _start(self, again: bool) -> None:
        """Begin another test where the log begins one."""
        self._tear()
        if again or self._run.rows or self._run.averages or self._run.out_of_bounds is not None:
            self._end()
            self._run = Run(self.source)
            self._said.clear()
            if self._program:
                self._run.collective, self._run.collective_line = self._program

    def _end(self) -> None:
        if not self._run.empty or not self._run.evidence.empty:
            self._run.settle()
            self.runs.append(self._run)
            self._kept += 256 + len(self._run.ranks)
            if self._kept > _MOST_KEPT:
                where, tests = self.source + ": " * bool(self.source), len(self.runs)
                raise NotReadableError(f"{where}more than {tests} tests: split it, and give a folder of the pieces")

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

    def _mend(self, number: int, lines: list[bytes]) -> None:
        """A row whose second half stands on a later line, behind what another process printed."""
        for line in lines:
            match = _NUMBERS.search(line) if len(line) <= LONGEST else None
            if match and self._torn and b" NCCL " not in line:
                row, tokens = self._torn
                tokens = tokens + match[1].split()
                self._torn = (row, tokens)
                if fill(row, tokens) or len(tokens) > 20:
                    self._tear()
                    return
        if self._torn and number + len(lines) > self._torn[0].line + _APART:
            self._tear()

    def _tear(self) -> None:
        if self._torn:
            row, self._torn = self._torn[0], None
            self._run.add_row(row)


def read_bytes(log: bytes, source: str = "") -> list[Run]:
    """The tests of a log that is already in memory."""
    return Reader(source).read(io.BytesIO(log)).runs

"""The rows of nccl-tests' table, taken apart.

What launchers put before a row (mpirun, pod names, times) is skipped; labels that they put inside a row are dropped.
"""

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

WIDTHS = {
    "int8": 1, "char": 1, "uint8": 1, "f8e4m3": 1, "f8e5m2": 1, "fp8_e4m3": 1, "fp8_e5m2": 1,
    "half": 2, "bfloat16": 2, "int32": 4, "int": 4, "uint32": 4, "float": 4,
    "int64": 8, "uint64": 8, "double": 8,
}  # fmt: skip
_OPS = {b"sum", b"prod", b"max", b"min", b"avg", b"none", b"mulsum"}

_TYPE = "|".join(WIDTHS).encode()
_ROW = re.compile(rb"(?:^|[\s:>\]|)])(\d{1,15})\s+(\d{1,15})\s+(" + _TYPE + rb")(?=\s|\[|$)(.*)$", re.S)
_FOREIGN = re.compile(rb"(?<![\w.-])[\w.-]{1,253}:\d{1,10}:\d{1,10} \[\s{0,4}\d{1,6}\s{0,4}\].*$", re.S)
_TAG = re.compile(rb"\[[\w.@-]{0,253}\d,\d{1,7}\]<std\w{2,3}>:?")
_LABEL = re.compile(rb"\[\d{1,7}\]")
_DATE = re.compile(rb"\d{4}-\d\d-\d\d")


class Cell(NamedTuple):
    """A printed figure, and half of its last printed place."""

    value: float
    half: float


@dataclass(slots=True)
class Row:
    """One message size; a figure that is missing, masked or no number is ``None``."""

    line: int
    size: int
    count: int
    width: int
    """Bytes of one element."""
    redop: str | None
    out_time: Cell | None = None
    """Microseconds."""
    out_alg: Cell | None = None
    out_bus: Cell | None = None
    out_wrong: float | None = None
    """``None`` when the data was not checked."""
    in_time: Cell | None = None
    in_alg: Cell | None = None
    in_bus: Cell | None = None
    in_wrong: float | None = None
    whole: bool = False
    """Whether the line held every column, the times among them as numbers."""

    @property
    def busbw(self) -> list[Cell]:
        """The bus bandwidths that it shows, of none to both columns."""
        return [cell for cell in (self.out_bus, self.in_bus) if cell is not None]


def cell(token: bytes | str) -> Cell | None:
    """A figure as printed, or ``None``."""
    word = token.decode("ascii", "replace") if isinstance(token, bytes) else token
    try:
        value = float(word)
    except ValueError:
        return None
    if not math.isfinite(value) or value < 0 or "_" in word:
        return None
    mantissa, _, exponent = word.lower().partition("e")
    places = min(max(len(mantissa.partition(".")[2]) - int(exponent or 0), -15), 15)
    return Cell(value, 0.5 * 10.0**-places)


def parse_row(number: int, line: bytes) -> tuple[Row, list[bytes]] | None:
    """A row, and its tokens behind the reduction; they may be too few when something cut the line in two."""
    match = _ROW.search(line)
    if match is None:
        return None
    size, count, kind, rest = match.groups()
    tokens = _LABEL.sub(b" ", _TAG.sub(b" ", _FOREIGN.sub(b"", rest))).split()
    redop = tokens.pop(0).decode() if tokens and tokens[0] in _OPS else None
    row = Row(number, int(size), int(count), WIDTHS[kind.decode()], redop)
    fill(row, tokens)
    return row, tokens


def fill(row: Row, tokens: list[bytes]) -> bool:
    """Put the columns into a row by their number: root, timestamp and per-iteration figures are optional."""
    body = tokens[:-2] if len(tokens) > 2 and _DATE.fullmatch(tokens[-2]) else tokens
    body = body[1:] if len(body) % 2 else body
    if len(body) not in (8, 16) or body[0].startswith(b"-"):
        return False  # a leading -1 is the root: then the last figure is missing
    block = len(body) // 2
    row.out_time, row.out_alg, row.out_bus = (cell(body[i]) for i in range(3))
    row.in_time, row.in_alg, row.in_bus = (cell(body[block + i]) for i in range(3))
    out_wrong, in_wrong = cell(body[3]), cell(body[block + 3])
    row.out_wrong = out_wrong and out_wrong.value
    row.in_wrong = in_wrong and in_wrong.value
    row.whole = None not in (row.out_time, row.in_time)
    return True

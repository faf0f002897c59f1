"""What the command prints: tables as wide as the terminal, whole cells in a pipe, colours only on a terminal.

Own code and no library: a library's import and layout took a quarter of the time of `plan` (`make bench`).
"""

import codecs
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import date
from itertools import zip_longest
from typing import Any, cast

from pulumi_offline.visible import visible, visible_lines
from ..common.price import aged
from ..common.summary import Row, Summary

_LEAST_PAGE, _MOST_PAGE = 60, 120
_LEAST = 8  # characters that a column keeps when others need space
_STYLES = {"bold": "1", "red": "31", "green": "32", "yellow": "33"}
_PLAIN = str.maketrans("─│└├…", "-|`+~")


def prepare_streams() -> bool:
    """Make stdout and stderr take every character. Returns false, and says so, where there is no stdout at all."""
    codecs.register_error("plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="plain")
    if sys.stdout is None:
        print("standard output is closed; there is nowhere to write to", file=sys.stderr)
        return False
    return True


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Our own lines and signs in ASCII where the terminal lacks them; other characters as an escape."""
    assert isinstance(error, UnicodeEncodeError)
    shown = error.object[error.start : error.end].translate(_PLAIN)
    return shown.encode("ascii", "backslashreplace").decode("ascii"), error.end


class _Visible:
    """A stream that shows what acts on terminals instead of passing it on; only ``styled`` may style."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        parts = _OWN.split(text) if "\x1b" in text and self._stream.isatty() else [text]
        self._stream.write("".join(part if i % 2 else visible_lines(part) for i, part in enumerate(parts)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


_OWN = re.compile(f"(\x1b\\[(?:0|{'|'.join(_STYLES.values())})m)")


@contextmanager
def all_visible() -> Generator[None]:
    """Both standard streams so, for whatever is printed in the block: names and texts are other people's."""
    out, err = cast(Any, _Visible(sys.stdout)), cast(Any, _Visible(sys.stderr))
    with redirect_stdout(out), redirect_stderr(err):
        yield


def page() -> int | None:
    """Characters that a line has; ``None`` where only a program reads it."""
    if not sys.stdout.isatty():
        return None
    return min(max(shutil.get_terminal_size().columns, _LEAST_PAGE), _MOST_PAGE)


def styled(text: str, style: str) -> str:
    """One line in a style on a terminal, in none elsewhere (or where NO_COLOR is set)."""
    text = visible(text)
    on = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if on else text


def paragraph(text: str) -> str:
    """One line broken at the page's width."""
    return "\n".join(_broken(visible(text), page()))


def headed(head: str, rest: str, style: str = "bold") -> str:
    """A paragraph that begins with a few words in a style."""
    return styled(head, style) + paragraph(head + rest)[len(head) :]


def table(rows: Sequence[Row], title: str = "") -> str:
    """Rows of the same keys as a table, columns in the first row's order; long cells go over several lines."""
    header = [name.replace("_", " ") for name in rows[0]]
    cells = [["-" if cell is None else visible(str(cell)) for cell in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    width, gap = page(), 3
    if width is not None:
        if sum(widths) + gap * (len(widths) - 1) > width:
            gap = 2
        while sum(widths) + gap * (len(widths) - 1) > width and max(widths) > _LEAST:  # narrow the widest
            widths[widths.index(max(widths))] -= 1
    lines = [styled(title, "bold")] if title else []
    lines += _line(header, widths, gap)
    lines.append("─" * (sum(widths) + gap * (len(widths) - 1)))
    for row in cells:
        lines += _line(row, widths, gap)
    return "\n".join(lines)


def _line(cells: Sequence[str], widths: Sequence[int], gap: int) -> list[str]:
    """A row's lines: as many as its longest cell needs."""
    broken = [_broken(cell, width) for cell, width in zip(cells, widths, strict=True)]
    return [
        (" " * gap).join(part.ljust(width) for part, width in zip(parts, widths, strict=True)).rstrip()
        for parts in zip_longest(*broken, fillvalue="")
    ]


_PART = re.compile(r"[^\s\-/_.:@]*[\-/_.:@]*\s*")


def _broken(text: str, width: int | None) -> list[str]:
    """``text`` in lines: broken at spaces; a word too long for a line at a sign that joins its parts, or anywhere."""
    if width is None or len(text) <= width:
        return [text]
    lines = [""]
    for word in re.findall(r"\S+\s*|\s+", text):
        parts = [word] if len(word.rstrip()) <= width else [part for part in _PART.findall(word) if part]
        for part in parts:
            while len((lines[-1] + part).rstrip()) > width:
                if lines[-1]:
                    lines.append("")
                else:
                    lines[-1], part = part[:width], part[width:]
                    lines.append("")
            lines[-1] += part
    return [line.rstrip() for line in lines if line.strip()]


def as_json(data: object) -> str:
    """``data`` as indented JSON, keys in the order given."""
    return visible_lines(json.dumps(data, indent=2, ensure_ascii=False))


def as_yaml(documents: Sequence[Any]) -> str:
    """Manifests as one stream of YAML, keys in the order given, no line folded."""
    from yaml import safe_dump_all

    return safe_dump_all(documents, sort_keys=False, width=1000)


def write_summary(stack: str, summary: Summary) -> None:
    """The sections as tables, then the warnings and what old prices tell."""
    print(f"stack {styled(stack, 'bold')}\n")
    for section in summary.sections:
        if section.rows:
            print(table(section.rows, section.title))
            print()
    for warning in summary.warnings:
        print(headed("warning", f": {warning}", "yellow"))
    for sentence in aged(summary.rows_of("price"), date.today()):
        print(paragraph(sentence))

"""How the command speaks: tables as wide as they need to be and no wider than a page, colours only on a terminal.

Own code and no library, for the library's import and layout took a quarter of the time of `plan` (`make bench`).
"""

import json
import os
import sys
from collections.abc import Sequence
from itertools import zip_longest
from textwrap import wrap

from ..clouds.summary import Row

WIDTH = 100
_GAP = "   "
_LEAST = 8  # characters that a column keeps when others need room
_STYLES = {"bold": "1", "red": "31", "green": "32", "yellow": "33"}


def styled(text: str, style: str) -> str:
    """``text`` in a style on a terminal, as it is elsewhere (or where NO_COLOR is set)."""
    on = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if on else text


def paragraph(text: str) -> str:
    """``text`` broken at the page's width."""
    return "\n".join(wrap(text, WIDTH, break_on_hyphens=False) or [""])


def table(rows: Sequence[Row], title: str = "") -> str:
    """Rows of the same keys as a table, columns in the first row's order; long cells go over several lines."""
    header = list(rows[0])
    cells = [[str(cell) for cell in row.values()] for row in rows]
    widths = _fit([max(map(len, column)) for column in zip(header, *cells, strict=True)])
    lines = [styled(title, "bold")] if title else []
    lines.append(_GAP.join(name.ljust(width) for name, width in zip(header, widths, strict=True)).rstrip())
    lines.append("─" * (sum(widths) + len(_GAP) * (len(widths) - 1)))
    for row in cells:
        broken = [wrap(cell, max(width, 1), break_on_hyphens=False) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*broken, fillvalue=""):
            lines.append(_GAP.join(part.ljust(width) for part, width in zip(parts, widths, strict=True)).rstrip())
    return "\n".join(lines)


def _fit(widths: list[int]) -> list[int]:
    """The widths with the widest narrowed until all fit the page."""
    widths = list(widths)
    while sum(widths) + len(_GAP) * (len(widths) - 1) > WIDTH and max(widths) > _LEAST:
        widths[widths.index(max(widths))] -= 1
    return widths


def as_json(data: object) -> str:
    """``data`` as indented JSON, keys in the order given."""
    return json.dumps(data, indent=2, ensure_ascii=False)

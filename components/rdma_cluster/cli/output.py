"""How the command speaks: tables as wide as they need to be, colours only on a terminal."""

import json
import sys
from collections.abc import Sequence
from typing import Any

from ..summary import Row

WIDTH = 100


def console(stderr: bool = False) -> Any:
    """A rich console of a width that fits any terminal and any log."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, width=WIDTH, highlight=False, soft_wrap=False)


def table(rows: Sequence[Row], title: str = "") -> Any:
    """Rows of the same keys as a table, columns in the first row's order."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False
    )
    for key in rows[0]:
        made.add_column(key, overflow="fold")
    for row in rows:
        made.add_row(*(Text(str(cell)) for cell in row.values()))
    return made


def as_json(data: object) -> str:
    """``data`` as indented JSON with a stable order."""
    return json.dumps(data, indent=2, sort_keys=False, ensure_ascii=False)

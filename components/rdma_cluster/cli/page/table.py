"""Rows as a table."""

from collections.abc import Iterable, Sequence

from ...common.summary import Row
from .escaped import escaped
from .part import Facts, note

_FEW_COLUMNS = 6
"""A table of more is a list already on a tablet."""
_SHORT = 14
"""Characters that a cell keeps on one line."""


def table(rows: Sequence[Row]) -> str:
    """A table that a narrow page shows as a list for each row, with the names of the columns beside the cells."""
    names = [escaped(name.replace("_", " ")) for name in rows[0]]
    lines = ("".join(map(_cell, names, row.values())) for row in rows)
    heads = "".join(f"<th>{name}</th>" for name in names)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    style = "wide" if len(names) > _FEW_COLUMNS else "few"
    return f'<div class="{style}"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'


def shared(what: str, facts: Iterable[Facts]) -> tuple[str, list[Row]]:
    """What all of a kind have alike, as a sentence, and rows of what differs; templates stand with the claims."""
    known = [{key: value for key, value in each.items() if value not in (None, "", "-")} for each in facts]
    columns = [key for key in dict.fromkeys(key for each in known for key in each) if key != "templates"]
    alike = [key for key in columns if all(key in each and each[key] == known[0][key] for each in known)]
    rows = [{key: each.get(key, "-") for key in columns if key not in alike} for each in known]
    sentence = ", ".join(f"{key} {known[0][key]}" for key in alike)
    return note(f"every {what}: {sentence}") if sentence else "", rows


def _cell(name: str, value: object) -> str:
    text = "-" if value is None else str(value)
    style = ' class="short"' if len(text) <= _SHORT else ""
    return f'<td{style} data-column="{name}">{escaped(text)}</td>'

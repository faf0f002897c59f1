"""What the page is made of: text, tables, and the parts of drawings.

A part is a box that shows its facts when a mouse rests on it, a finger taps it or Enter is pressed. The browser does
all of it by the popover attribute. On paper there are no cards: what they hold stands in tables too.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from pulumi_offline.frozen import frozen
from pulumi_offline.visible import visible
from ...common.summary import Row

Facts = Mapping[str, object]
_FEW_COLUMNS = 6
"""A table of more is a list already on a tablet."""
_SHORT = 14
"""Characters that a cell keeps on one line."""


def escaped(text: str) -> str:
    """One line of text for HTML, between tags or in an attribute: nothing of it acts, and nothing is hidden."""
    return escape(visible(text))


@frozen
class Part:
    """A GPU, a NIC or a rail."""

    kind: str
    """Its class in the style: ``gpu``, ``nic``, ``rail``."""
    key: str
    """What no other part of the page is called."""
    name: str
    facts: Facts
    """What its card shows; what is ``None``, empty or ``-`` is not known, and left out."""
    beside: str = ""
    """A second line in the box."""

    def html(self) -> str:
        """The box and its card."""
        lines = "".join(
            f"<dt>{escaped(what)}</dt><dd>{escaped(str(value))}</dd>"
            for what, value in self.facts.items()
            if value not in (None, "", "-")
        )
        key = escaped(self.key)
        beside = f"<small>{escaped(self.beside)}</small>" if self.beside else ""
        return (
            f'<div class="part {self.kind}"><button type="button" popovertarget="{key}">{escaped(self.name)}{beside}'
            f'</button><div class="card" id="{key}" popover><b>{escaped(self.name)}</b><dl>{lines}</dl></div></div>'
        )


def line(kind: str) -> str:
    """A line between two parts, or from a part to a bus."""
    return f'<i class="line {kind}"></i>'


def legend(**lines: str) -> str:
    """What each kind of line means."""
    keys = "".join(f'<li><i class="key {kind}"></i>{escaped(words)}</li>' for kind, words in lines.items())
    return f'<ul class="legend">{keys}</ul>'


def note(text: str) -> str:
    """A sentence below a drawing."""
    return f'<p class="dim">{escaped(text)}</p>'


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

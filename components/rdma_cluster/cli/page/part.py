"""A part of a drawing: a box that shows its facts when a mouse rests on it, a finger taps it or Enter is pressed.

The browser does all of it by the popover attribute. On paper there are no cards: what they hold stands in tables too.
"""

from collections.abc import Mapping

from ...frozen import frozen
from .escaped import escaped

Facts = Mapping[str, object]


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

"""Text on the page."""

from html import escape

from ...nccl.visible import visible


def escaped(text: str) -> str:
    """One line of text for HTML, between tags or in an attribute: nothing of it acts, and nothing is hidden."""
    return escape(visible(text))

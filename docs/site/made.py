"""What each part of the site gives: pages, and their places in the navigation."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Made:
    """Pages by their path below the site's root, as Markdown, and entries as mkdocs' ``nav`` has them."""

    texts: dict[str, str]
    navigation: list[dict[str, object]]


def row(*cells: object) -> str:
    """A line of a table."""
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def head(*names: str) -> list[str]:
    """The first two lines of a table."""
    return [row(*names), f"|{'---|' * len(names)}"]

"""A piece of a page as lines that a person reads: one for each element, below the one that it is in."""

from html.parser import HTMLParser


class _Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._depth = 0
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        classes = f".{told['class']}" if "class" in told else ""
        further = "".join(f" [{told[key] or key}]" for key in ("style", "open", "data-column") if key in told)
        if self._hidden or "card" in classes.split("."):
            self._hidden += 1
            return
        self.lines.append(f"{'  ' * self._depth}{tag}{classes}{further}")
        self._depth += 1

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            self._hidden -= 1
        else:
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        if not self._hidden and data.strip():
            self.lines[-1] += f" {data.strip()}"


def outline(html: str) -> list[str]:
    """Tag, classes, style and text of each element but the cards, which parts of a drawing show when they are asked.

    Text behind an inner element stands on that one's line.
    """
    found = _Outline()
    found.feed(html)
    found.close()
    return found.lines

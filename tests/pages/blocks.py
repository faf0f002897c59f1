"""The fenced blocks of our pages, as they are printed.

An HTML comment above a block, ``<!-- not run: WHY -->``, leaves it out and says why.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from tests.stacks import ROOT

PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "DEVELOPERS.md", "examples/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
)
FENCED = re.compile(
    r"^(?:<!-- not run: (.+) -->\n)?^```(\w+)\n(.*?)^```$(?:\n\n```\n(.*?)^```$)?", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """One block of a page."""

    page: Path
    line: int
    """Of its first line in the page."""
    language: str
    text: str
    not_run: str
    """Why a test leaves it out; empty where none does."""
    below: str
    """The block in no language that follows at once: of a program, what it prints."""

    @property
    def name(self) -> str:
        """Page and line, as an editor takes them."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def read_blocks(page: Path) -> list[Block]:
    """All that are written in some language."""
    text = page.read_text()
    return [
        Block(page, text.count("\n", 0, match.start(3)) + 1, match[2], dedent(match[3]), match[1] or "", match[4] or "")
        for match in FENCED.finditer(text)
    ]


BLOCKS = [block for page in PAGES for block in read_blocks(page)]


def run_blocks(language: str) -> list[Block]:
    """Those of a language that have to run."""
    return [block for block in BLOCKS if block.language == language and not block.not_run]

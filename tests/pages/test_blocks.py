"""No block of our pages is left out unseen, and what a page shows is held against what is printed."""

import pytest
from tests.pages.blocks import BLOCKS
from tests.pages.printed import shows
from tests.stacks import ROOT

HERE = ("console", "python", "yaml")
ELSEWHERE = {
    "docs/catalogue.md json": "tests/catalog/test_serialization.py",
    "docs/other-languages.md typescript": "tests/hosting/test_typescript.py",
}
"""Blocks in other languages, and the test that reads them."""


def test_every_language_is_held():
    """By a test here, by one of its own, or the block says that it was not run."""
    others = {
        f"{block.page.relative_to(ROOT)} {block.language}": block.text
        for block in BLOCKS
        if block.language not in HERE and not block.text.startswith("// Not run.")
    }

    assert others.keys() == ELSEWHERE.keys()
    for block, test in ELSEWHERE.items():
        assert block.split()[0].rpartition("/")[2] in (ROOT / test).read_text()


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb", "a\nc", False),
        ("a", "a\nb", False),
        ("...\nb\n", "x\ny\nb\n", True),
        ("a\n  ...\nb\n", "a\nb\n", True),
        ("a\n...\n", "b\n", False),
        ("a ... c\n", "a b c\n", True),
        ("a ... c\n", "a\nc\n", False),
        ("60 resources, in 1.6 s\n", "60 resources, in 12.3 s\n", True),
        ("60 resources, in 1.6 s\n", "61 resources, in 1.6 s\n", False),
        ("within 1.6 s of it\n", "within 1.7 s of it\n", False),
    ],
)
def test_what_is_shown_is_compared(shown: str, printed: str, same: bool):
    """Lines, and all of them, but for what is left out and the seconds that a command took."""
    assert shows(shown, printed) is same

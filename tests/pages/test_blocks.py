"""No block of our pages is left out unseen, and what a page shows is held against what is printed."""

from tests.pages.blocks import BLOCKS
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

"""README is one screen, and its links and those of all pages lead to a file, and to a heading, of this repository."""

import re
from pathlib import Path

import pytest
from tests.stacks import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("[cert]*/README.md")])
README = (ROOT / "README.md").read_text("utf-8")
LINK = re.compile(r'\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"')
FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
MOST_WORDS = 900


def anchors(page: Path) -> set[str]:
    """The headings of a page, as forges write them in addresses."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", each).lower()).replace(" ", "-") for each in headings}


def words(text: str) -> list[str]:
    """What a reader reads: all but code blocks, comments, tags and addresses. Tables count."""
    text = re.sub(r"<!--.*?-->|<[^>]+>", "", FENCED.sub("", text), flags=re.DOTALL)
    return [word for word in re.sub(r"\]\([^)]*\)", "]", text).split() if re.search(r"\w", word)]


def test_the_readme_is_one_screen():
    assert len(words(README)) <= MOST_WORDS
    assert words("# A [page](b.md) | `of` <br> x\n```\nno code\n```\n<!-- nothing\n-->") == ["A", "[page]", "`of`", "x"]


def test_the_readme_says_first_what_it_is_and_whether_it_is_ready():
    """Who stops after 30 seconds has read for whom it is and that no GPU has run it, before anything to type."""
    before, _, after = README.partition("## Install")

    assert all(
        said in before for said in ("**For you if**", "**Not for you if**", "alpha", "No GPU of ours has run this")
    )
    assert "```" not in before and after.index("$ pip install") < 500


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_link_leads_to_a_file_and_a_heading(page: Path):
    targets = ["".join(each) for each in LINK.findall(FENCED.sub("", page.read_text("utf-8")))]
    for target in targets:
        if re.match(r"\w+:", target):
            continue
        file, _, anchor = target.partition("#")
        found = (page.parent / file).resolve() if file else page
        assert found.is_relative_to(ROOT) and found.exists(), target
        assert not anchor or anchor in anchors(found), target


def test_every_page_is_in_the_contents():
    """As is one that somebody adds tomorrow."""
    contents = ROOT / "docs" / "contents.md"
    listed = {(contents.parent / "".join(each)).resolve() for each in LINK.findall(contents.read_text("utf-8"))}

    assert {page for page in PAGES if page.is_relative_to(ROOT / "docs")} - {contents} <= listed

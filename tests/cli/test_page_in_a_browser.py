"""A real browser shows the page on a telephone, a tablet, a desk, a wall and on paper."""

from collections.abc import Generator

import pytest
import yaml
from rdma_cluster.catalog import find
from tests.cli.pages import looked_at, page_of, summary_of
from tests.stacks import STACKS
from tools.browser.devtools import Window, window
from tools.browser.found import MISSING, browser

WIDTHS = (390, 768, 1280, 1920)
PAPER = 718
"""The pixels of an A4 sheet between its margins."""

pytestmark = [
    pytest.mark.thorough,
    # In one process, where one browser looks at all of them.
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(browser() is None, reason=MISSING),
]
NOTHING = {"wide": 0, "cut": [], "overlaps": [], "loose": [], "broken": 0, "heads": [], "small": [], "deaf": 0}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Generator[Window]:
    """One browser serves all tests."""
    here = browser()
    assert here is not None
    with window(here, tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def seen(desk: Window) -> dict[str, dict]:
    """What the browser sees of every page at every width."""
    return {f"{stack} {width}": looked_at(page_of(stack), desk, width) for stack in STACKS for width in WIDTHS}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stack", STACKS)
def test_nothing_is_cut_or_overlaps(stack: str, width: int, seen: dict[str, dict]):
    """Nothing is beyond the edge or too small either; lines end at boxes, and every box has its card."""
    page = seen[f"{stack} {width}"]

    assert {what: page[what] for what in NOTHING} == NOTHING


@pytest.mark.parametrize("stack", STACKS)
def test_every_gpu_and_rail_is_drawn_once(stack: str, seen: dict[str, dict]):
    names = {section.of: len(section.rows) for section in summary_of(stack).sections if section.name == "rails"}
    machines = [machine for name in names if (machine := find(name))]
    page = seen[f"{stack} 1280"]

    assert (page["rails"], page["gpus"]) == (sum(names.values()), sum(each.gpus for each in machines))


@pytest.mark.parametrize("stack", STACKS)
def test_copy_selects_the_patch(stack: str, seen: dict[str, dict]):
    """A reader can then copy it by hand where the browser does not let a page copy."""
    assert yaml.safe_load(seen[f"{stack} 1280"]["selected"]) == summary_of(stack).uses[0].workload


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_is_lost_on_paper(stack: str, desk: Window):
    """What is folded on a screen is printed, and nothing is cut."""
    page = looked_at(page_of(stack), desk, PAPER, "print")

    lost = {what: page[what] for what in ("wide", "cut", "overlaps", "loose", "folded")}
    assert lost == {"wide": 0, "cut": [], "overlaps": [], "loose": [], "folded": 0}


def test_a_page_follows_light_and_dark(desk: Window, seen: dict[str, dict]):
    """The reader's system decides; paper is always light."""
    dark = looked_at(page_of("gke"), desk, 800, scheme="dark")
    paper = looked_at(page_of("gke"), desk, PAPER, "print", "dark")

    assert seen["gke 1280"]["background"] == paper["background"] == "rgb(255, 255, 255)"
    assert dark["background"] != paper["background"]
    assert {what: dark[what] for what in NOTHING} == NOTHING


def test_no_other_script_runs(desk: Window):
    """The page's own policy stops what a hostile text would bring if it were not escaped."""
    page = page_of("gke").replace("<h1>", "<script>document.body.remove()</script><h1 onclick='alert()'>")

    with pytest.raises(AssertionError, match="Content Security Policy"):
        looked_at(page, desk, 800)

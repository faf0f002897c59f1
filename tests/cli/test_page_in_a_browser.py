"""The page looked at in a real browser: on a telephone, a tablet, a desk, a wall, and on paper."""

import re
import zlib
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
"""Pixels of an A4 sheet between its margins."""

pytestmark = [
    pytest.mark.thorough,
    # In one process, where one browser looks at all of them.
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(browser() is None, reason=MISSING),
]
NOTHING = {"wide": 0, "cut": [], "overlaps": [], "loose": [], "broken": 0, "heads": [], "small": [], "deaf": 0}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Generator[Window]:
    """One browser for all."""
    here = browser()
    assert here is not None
    with window(here, tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def seen(desk: Window) -> dict[str, dict]:
    """Every page at every width."""
    return {f"{stack} {width}": looked_at(page_of(stack), desk, width) for stack in STACKS for width in WIDTHS}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stack", STACKS)
def test_page_in_a_browser(stack: str, width: int, seen: dict[str, dict]):
    """Nothing is beyond the edge, cut, on top of another or too small; lines end at boxes; every box has its card."""
    page = seen[f"{stack} {width}"]

    assert {what: page[what] for what in NOTHING} == NOTHING


@pytest.mark.parametrize("stack", STACKS)
def test_every_gpu_and_rail_is_drawn(stack: str, seen: dict[str, dict]):
    """Once each."""
    names = {section.of: len(section.rows) for section in summary_of(stack).sections if section.name == "rails"}
    machines = [machine for name in names if (machine := find(name))]
    page = seen[f"{stack} 1280"]

    assert (page["rails"], page["gpus"]) == (sum(names.values()), sum(each.gpus for each in machines))


@pytest.mark.parametrize("stack", STACKS)
def test_copy_selects_the_patch(stack: str, seen: dict[str, dict]):
    """The whole of it, so that it can be copied by hand where the browser does not let a page copy."""
    assert yaml.safe_load(seen[f"{stack} 1280"]["selected"]) == summary_of(stack).uses[0].workload


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_is_lost_on_paper(stack: str, desk: Window):
    """What is folded is printed, and nothing is cut; cards are not there, and what they hold stands in tables."""
    page = looked_at(page_of(stack), desk, PAPER, "print")

    lost = {what: page[what] for what in ("wide", "cut", "overlaps", "loose", "folded")}
    assert lost == {"wide": 0, "cut": [], "overlaps": [], "loose": [], "folded": 0}


@pytest.mark.parametrize("stack", ["eks", "gke-a4x", "oke-405b"])
def test_no_sheet_is_empty(stack: str, desk: Window):
    """Every page of the PDF shows text."""
    desk.show(page_of(stack), 1280, "")
    pdf = desk.pdf()
    sheets = re.findall(rb"/Type /Page\b.*?/Contents (\d+) 0 R", pdf, re.DOTALL)
    assert len(sheets) > 1
    for number in sheets:
        content = re.search(rb"\n%s 0 obj.*?stream\r?\n(.*?)endstream" % number, pdf, re.DOTALL)
        assert content is not None
        assert re.search(rb"T[jJ]\b", zlib.decompressobj().decompress(content[1]))


def test_page_follows_light_and_dark(desk: Window, seen: dict[str, dict]):
    """As the reader's system is; paper is always light."""
    dark = looked_at(page_of("gke"), desk, 800, scheme="dark")
    paper = looked_at(page_of("gke"), desk, PAPER, "print", "dark")

    assert seen["gke 1280"]["background"] == paper["background"] == "rgb(255, 255, 255)"
    assert dark["background"] != paper["background"]
    assert {what: dark[what] for what in NOTHING} == NOTHING


def test_no_other_script_runs(desk: Window):
    """A page's own policy stops what a hostile text would bring, were it ever not escaped."""
    page = page_of("gke").replace("<h1>", "<script>document.body.remove()</script><h1 onclick='alert()'>")

    with pytest.raises(AssertionError, match="Content Security Policy"):
        looked_at(page, desk, 800)


FAULTS = {
    "wide": ("</h1>", '</h1><div style="width: 2000px">x</div>'),
    "cut": ("<dd>", '<dd style="width: 9px; white-space: nowrap">'),
    "overlaps": ('<div class="part gpu">', '<div class="part gpu" style="position: relative; left: 90px">'),
    "loose": ('<i class="line wire">', '<i class="line wire" style="margin-top: 5px">'),
    "broken": ('<div class="bus">', '<div class="bus" style="margin: 0">'),
    "heads": ('class="head" style="--half: 4"', 'class="head" style="padding-right: 50px"'),
    "small": ("<h1>", '<h1 style="font-size: 9px">'),
    "deaf": ('popovertarget="a4-highgpu-8g-gpu-3"', ""),
}


@pytest.mark.parametrize("what", NOTHING)
def test_browser_sees_what_is_wrong(what: str, desk: Window):
    """Each fault that we look for is seen where it is made."""
    old, new = FAULTS[what]
    assert old in page_of("gke")

    assert looked_at(page_of("gke").replace(old, new, 1), desk, 1280)[what] != NOTHING[what]


COMPLAINTS = {
    "nothing is not defined": "<script>nothing()</script>",
    "in its own words": "<script>console.error('in its own words')</script>",
    # No name is looked up, so that no page reaches anything.
    "ERR_NAME_NOT_RESOLVED": "<img src='https://example.com/'>",
}


@pytest.mark.parametrize("told", COMPLAINTS)
def test_browser_hears_what_a_page_complains_of(told: str, desk: Window):
    """An error of its script, words of its own, and an address that it cannot have."""
    with pytest.raises(AssertionError, match=told):
        looked_at(f"<title></title><body>{COMPLAINTS[told]}</body>", desk, 500)

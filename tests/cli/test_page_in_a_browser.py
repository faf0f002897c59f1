"""The page looked at in a real browser: on a telephone, a tablet, a desk, a wall, and on paper."""

import re
import zlib
from pathlib import Path

import pytest
import yaml
from rdma_cluster.catalog import find

from tests.cli.pages import BROWSER, looked_at, on_paper, page_of, printed, summary_of
from tests.stacks import STACKS

WIDTHS = (390, 768, 1280, 1920)
PAPER = 718
"""Pixels of an A4 sheet between its margins."""

pytestmark = [
    pytest.mark.thorough,
    # In one process, where one browser looks at all of them.
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(BROWSER is None, reason="no browser here: apt-get install chromium"),
]
NOTHING = {"wide": 0, "cut": [], "overlaps": [], "loose": [], "broken": 0, "heads": [], "small": [], "deaf": 0}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    """Every page at every width."""
    pages = {f"{stack} {width}": (page_of(stack), width) for stack in STACKS for width in WIDTHS}
    return looked_at(pages, tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="module")
def on_sheets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    """Every page as it is printed."""
    pages = {stack: (on_paper(page_of(stack)), PAPER) for stack in STACKS}
    return looked_at(pages, tmp_path_factory.mktemp("paper"))


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
def test_nothing_is_lost_on_paper(stack: str, on_sheets: dict[str, dict]):
    """What is folded is printed, and nothing is cut; cards are not there, and what they hold stands in tables."""
    page = on_sheets[stack]

    lost = {what: page[what] for what in ("wide", "cut", "overlaps", "loose", "folded")}
    assert lost == {"wide": 0, "cut": [], "overlaps": [], "loose": [], "folded": 0}


@pytest.mark.parametrize("stack", ["eks", "gke-a4x", "oke-405b"])
def test_no_sheet_is_empty(stack: str, tmp_path: Path):
    """Every page of the PDF shows text."""
    pdf = printed(page_of(stack), tmp_path)
    sheets = re.findall(rb"/Type /Page\b.*?/Contents (\d+) 0 R", pdf, re.DOTALL)
    assert len(sheets) > 1
    for number in sheets:
        content = re.search(rb"\n%s 0 obj.*?stream\r?\n(.*?)endstream" % number, pdf, re.DOTALL)
        assert content is not None
        assert re.search(rb"T[jJ]\b", zlib.decompressobj().decompress(content[1]))


def test_page_follows_light_and_dark(tmp_path: Path, seen: dict[str, dict]):
    """As the reader's system is; paper is always light."""
    light = seen["gke 1280"]["background"]
    flags = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]
    page = page_of("gke")
    dark = looked_at({"gke": (page, 800), "paper": (on_paper(page), PAPER)}, tmp_path, *flags)

    assert light == dark["paper"]["background"] == "rgb(255, 255, 255)"
    assert dark["gke"]["background"] != light
    assert {what: dark["gke"][what] for what in NOTHING} == NOTHING


def test_no_other_script_runs(tmp_path: Path):
    """A page's own policy stops what a hostile text would bring, were it ever not escaped."""
    page = page_of("gke").replace("<h1>", "<script>document.body.remove()</script><h1 onclick='alert()'>")

    with pytest.raises(AssertionError, match=r"CONSOLE.*Content Security Policy"):
        looked_at({"hostile": (page, 800)}, tmp_path)


def test_browser_sees_what_is_wrong(tmp_path: Path):
    """Each fault that we look for is seen where it is made."""
    faults = {
        "wide": ("</h1>", '</h1><div style="width: 2000px">x</div>'),
        "cut": ("<dd>", '<dd style="width: 9px; white-space: nowrap">'),
        "overlaps": ('<div class="part gpu">', '<div class="part gpu" style="position: relative; left: 90px">'),
        "loose": ('<i class="line wire">', '<i class="line wire" style="margin-top: 5px">'),
        "broken": ('<div class="bus">', '<div class="bus" style="margin: 0">'),
        "heads": ('class="head" style="--half: 4"', 'class="head" style="padding-right: 50px"'),
        "small": ("<h1>", '<h1 style="font-size: 9px">'),
        "deaf": ('popovertarget="a4-highgpu-8g-gpu-3"', ""),
    }
    assert set(faults) == set(NOTHING)
    page = page_of("gke")
    assert all(old in page for old, _ in faults.values())
    pages = {what: (page.replace(old, new, 1), 1280) for what, (old, new) in faults.items()}
    seen = looked_at(pages, tmp_path)

    assert {what for what in faults if seen[what][what] == NOTHING[what]} == set()
    with pytest.raises(AssertionError, match="CONSOLE"):
        looked_at({"broken": ("<body><script>nothing()</script></body>", 500)}, tmp_path)

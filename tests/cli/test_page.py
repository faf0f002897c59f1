"""The plan as a page, looked at in a real browser, at the width of a desk and at that of a telephone."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import chdir
from datetime import date
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.catalog import find
from rdma_cluster.cli.page import write_page
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common.stack import summarise_stack
from rdma_cluster.common.summary import Section, Summary

from tests.cli.commands import command
from tests.stacks import ROOT, STACKS, cloud_of, graph_of

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

# What only a browser knows: what is wider than the page, text that leaves its drawing, tiles that are cut.
LOOK = """<script>addEventListener("load", () => {
  const texts = [...document.querySelectorAll("svg text")];
  const out = texts.filter(text => {
    const box = text.getBoundingClientRect(), svg = text.closest("svg").getBoundingClientRect();
    return box.left < svg.left - 1 || box.right > svg.right + 1 || box.bottom > svg.bottom + 1;
  });
  parent.saw(NAME, {
    wide: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
    rails: document.querySelectorAll("[data-rail]").length,
    gpus: document.querySelectorAll("rect.gpu").length,
    outside: out.map(text => text.textContent),
    background: getComputedStyle(document.body).backgroundColor,
  });
})</script>"""
FRAMES = """<!doctype html><title></title><script>
const all = {};
function saw(name, what) { all[name] = what; document.title = JSON.stringify(all); }
</script>"""
WIDTHS = (1280, 768, 500, 390)

# In one process, where one browser looks at all of them.
pytestmark = pytest.mark.xdist_group("browser")


@cache
def page_of(stack: str) -> str:
    """The page's text, around the graph that the tests share."""
    with chdir(ROOT):
        _, settings = read_stack(stack, None, ())
    cloud, project = cloud_of(stack), settings.config.get("gcp:project", "")
    summary = summarise_stack(cloud, settings.config, stack)
    return write_page(stack, summary, graph_of(stack), "", cloud=cloud, project=project)


@cache
def plan_of(stack: str) -> dict[str, Any]:
    """The same as data."""
    return json.loads(command("plan", stack, "--json")[1])


def looked_at(pages: Mapping[str, tuple[str, int]], folder: Path, *flags: str) -> dict[str, dict]:
    """What a browser sees of pages by name, each in a frame of its width, and what it complains of."""
    frames = [
        f'<iframe width="{width}" height="900" srcdoc="{escape(page.replace("</body>", f"{looker(name)}</body>"))}">'
        "</iframe>"
        for name, (page, width) in pages.items()
    ]
    path = folder / "pages.html"
    path.write_text(FRAMES + "\n".join(frames))
    words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=2000"]
    words += [f"--user-data-dir={folder}", *flags, "--dump-dom", str(path)]
    done = subprocess.run([str(BROWSER), *words], capture_output=True, text=True, timeout=300)
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    # The first is the whole's; those of the pages stand in attributes.
    return json.loads(unescape(re.findall("<title>(.*?)</title>", done.stdout)[0]))


def looker(name: str) -> str:
    """What looks at one page."""
    return LOOK.replace("NAME", json.dumps(name))


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    """Every page at every width."""
    if BROWSER is None:
        pytest.skip("no browser here: apt-get install chromium")
    pages = {f"{stack} {width}": (page_of(stack), width) for stack in STACKS for width in WIDTHS}
    return looked_at(pages, tmp_path_factory.mktemp("browser"))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stack", STACKS)
def test_page_in_a_browser(stack: str, width: int, seen: dict[str, dict]):
    """Nothing beyond the edge, every rail and GPU of the machine drawn; no complaint in the console."""
    plan = plan_of(stack)
    ((name, rails),) = plan["rails"].items()
    machine = find(name)
    assert machine is not None
    page = seen[f"{stack} {width}"]

    assert (page["wide"], page["outside"]) == (0, [])
    assert (page["rails"], page["gpus"]) == (len(rails), machine.gpus)


@pytest.mark.skipif(BROWSER is None, reason="no browser here: apt-get install chromium")
def test_page_follows_light_and_dark(tmp_path: Path, seen: dict[str, dict]):
    """As the reader's system is."""
    light = seen["gke 1280"]["background"]
    flags = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]
    dark = looked_at({"gke": (page_of("gke"), 800)}, tmp_path, *flags)["gke"]["background"]

    assert light == "rgb(255, 255, 255)"
    assert dark != light


@pytest.mark.skipif(BROWSER is None, reason="no browser here: apt-get install chromium")
def test_browser_sees_what_is_wrong(tmp_path: Path):
    """A page too wide, a text beyond its drawing and a script that fails are seen as such."""
    wide = '<body><div style="width: 900px">x</div><svg width="10"><text x="50">out</text></svg></body>'
    page = looked_at({"wide": (wide, 500)}, tmp_path)["wide"]

    assert page["wide"] > 0
    assert page["outside"] == ["out"]
    with pytest.raises(AssertionError, match="CONSOLE"):
        looked_at({"broken": ("<body><script>nothing()</script></body>", 500)}, tmp_path)


@pytest.mark.parametrize("stack", STACKS)
def test_page_is_whole(stack: str):
    """It holds every resource, loads nothing and names no address but those inside the cluster."""
    page = page_of(stack)

    assert not re.search(
        r"<script|<link(?! rel=\"icon\" href=\"data:,\")|src=|url\(|@import|https?://(?!\S+\.svc:)", page
    )
    for resource in graph_of(stack).resources:
        assert f" {resource.name}" in page


def test_head_tells_place_and_sums():
    """Two nodes of eight GPUs with eight NICs of 400 Gb/s; a price that no list has is named as such."""
    page = page_of("gke-a3-ultra")

    for value in ("GKE", "europe-west1, europe-west1-b", "my-project", "16", "3.2 Tb/s", "6.4 Tb/s"):
        assert f"<dd>{value}</dd>" in page
    assert "<dd>183.89 USD an hour</dd>" in page
    assert "<dd>no public price</dd>" in page_of("gke-a4x")


def test_head_has_the_day_of_the_run():
    """And the same day makes the same page; what a stack names is text, never markup."""
    pool = {"name": "a", "machine": "<b>&", "nodes": 2, "rails": "<i>", "capacity": "spot"}
    summary = Summary((Section("cluster", [{"region": "<u>"}]), Section("pools", [pool])), ())
    day = date(2026, 2, 3)
    pages = {write_page("<s>", summary, None, "<p>", cloud="eks", project="<q>", today=day) for _ in range(2)}

    (page,) = pages
    assert "<dd>2026-02-03</dd>" in page
    assert not re.search("<(b|i|u|s|q)>", page)


@pytest.mark.parametrize(("stack", "solid", "near"), [("eks", True, False), ("aks", False, True), ("gke-a4x", 0, 0)])
def test_lines_say_what_is_known(stack: str, solid: bool, near: bool):
    """A shared root is a solid line, neighbours without one a dashed line, what is not known no line."""
    page = page_of(stack)

    assert ('class="pcie"' in page, 'class="pcie near"' in page) == (solid, near)


def test_command_writes_the_page(tmp_path: Path):
    """`--html` writes it and says where; the same plan makes the same bytes."""
    path = tmp_path / "gke.html"

    assert command("plan", "gke", "--html", str(path)) == (0, "", f"wrote {path}\n")
    assert path.read_text() == page_of("gke")

"""The plan as a page, looked at in a real browser, at the width of a desk and at that of a telephone."""

import json
import re
import shutil
import subprocess
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from tests.cli.commands import command
from tests.stacks import STACKS, graph_of

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

# What only a browser knows: what is wider than the page, text that leaves its drawing, tiles that are cut.
LOOK = """<script>addEventListener("load", () => {
  const texts = [...document.querySelectorAll("svg text")];
  const out = texts.filter(text => {
    const box = text.getBoundingClientRect(), svg = text.closest("svg").getBoundingClientRect();
    return box.left < svg.left - 1 || box.right > svg.right + 1 || box.bottom > svg.bottom + 1;
  });
  document.title = JSON.stringify({
    wide: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
    rails: document.querySelectorAll("[data-rail]").length,
    gpus: document.querySelectorAll("rect.gpu").length,
    outside: out.map(text => text.textContent),
    background: getComputedStyle(document.body).backgroundColor,
  });
})</script>"""


@cache
def page_of(stack: str) -> str:
    """The page's text."""
    path = Path("/dev/shm") / f"rdma-cluster-page-{stack}.html"
    try:
        code, out, err = command("plan", stack, "--html", str(path))

        assert (code, out, err) == (0, "", f"wrote {path}\n")
        return path.read_text()
    finally:
        path.unlink(missing_ok=True)


def looked_at(page: str, folder: Path, width: int, *flags: str) -> dict:
    """What a browser sees of a page, and what it complains of."""
    path = folder / "page.html"
    path.write_text(page.replace("</body>", f"{LOOK}</body>"))
    words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=2000"]
    words += [f"--user-data-dir={folder}", f"--window-size={width},900", *flags, "--dump-dom", str(path)]
    done = subprocess.run([str(BROWSER), *words], capture_output=True, text=True, timeout=120)
    (title,) = re.findall("<title>(.*?)</title>", done.stdout)
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return {**json.loads(unescape(title)), "complaints": complaints}


@pytest.mark.skipif(BROWSER is None, reason="no browser here: apt-get install chromium")
@pytest.mark.parametrize("width", [1280, 500])
@pytest.mark.parametrize("stack", STACKS)
def test_page_in_a_browser(stack: str, width: int, tmp_path: Path):
    """No complaint in the console, nothing beyond the edge, every rail and GPU of the machine drawn."""
    plan = json.loads(command("plan", stack, "--json")[1])
    (rails,) = plan["rails"].values()
    gpus = {gpu for row in rails for gpu in str(row["gpu"]).split(", ")} - {"-"}
    seen = looked_at(page_of(stack), tmp_path, width)

    assert (seen["complaints"], seen["wide"], seen["outside"]) == ([], 0, [])
    assert (seen["rails"], seen["gpus"]) == (len(rails), len(gpus))


@pytest.mark.skipif(BROWSER is None, reason="no browser here: apt-get install chromium")
def test_page_follows_light_and_dark(tmp_path: Path):
    """As the reader's system is."""
    light = looked_at(page_of("gke"), tmp_path, 800)["background"]
    dark = looked_at(page_of("gke"), tmp_path, 800, "--force-dark-mode", "--blink-settings=preferredColorScheme=0")

    assert light == "rgb(255, 255, 255)"
    assert dark["background"] != light


@pytest.mark.parametrize("stack", STACKS)
def test_page_is_whole(stack: str):
    """It holds every resource and loads nothing from elsewhere; the same plan makes the same bytes."""
    page = page_of(stack)

    assert not re.search(r"<script|<link(?! rel=\"icon\" href=\"data:,\")|src=|url\(|@import|https?://", page)
    for resource in graph_of(stack).resources:
        assert f" {resource.name}" in page
    page_of.cache_clear()
    assert page == page_of(stack)

"""The site: every page is reached, every link leads somewhere, and machines and keys have a page each."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from rdma_cluster.catalog import machines
from rdma_cluster.common.stack import keys_of
from rdma_cluster.fabrics import fabric_of
from docs.site.__main__ import write_site
from tests.stacks import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make site` builds from."""
    folder = tmp_path_factory.mktemp("site")
    write_site(folder)
    return folder


def reached(navigation: Any) -> set[str]:
    """All pages of a navigation."""
    if isinstance(navigation, str):
        return {navigation}
    below = navigation.values() if isinstance(navigation, dict) else navigation
    return {page for each in below for page in reached(each)}


def test_every_page_is_reached(site: Path):
    """By the navigation, also one that somebody adds to docs tomorrow; and the navigation names nothing else."""
    pages = {str(file.relative_to(site / "pages")) for file in (site / "pages").rglob("*.md")}
    settings = yaml.safe_load((site / "mkdocs.yml").read_text())

    assert reached(settings["nav"]) == pages
    assert {str(file.relative_to(ROOT / "docs")) for file in (ROOT / "docs").rglob("*.md")} <= pages


def test_a_page_a_machine_and_a_key(site: Path):
    """With its drawing, where this library knows the fabric; with every open point; with all below a key."""
    for machine in machines():
        text = (site / "pages" / "machines" / f"{machine.name}.md").read_text()
        assert ('<div class="drawing">' in text) == bool(fabric_of(machine) and machine.gpus and machine.nics)
        assert all(f"- `{field}`: " in text for field in (*machine.unknown, *machine.unverified))
    acceptance = (site / "pages" / "keys" / "rdma-cluster-acceptance.md").read_text()
    (key,) = (each for each in keys_of("gke") if each.path == "acceptance")
    assert all(f"## {each.path.partition('.')[2]}\n" in acceptance for below in key.keys for each in below.walk())


def test_a_drawing_leaves_the_site_alone(site: Path):
    """Its style holds below ``.drawing``, and says nothing of light and dark, which the site chooses."""
    style = (site / "pages" / "drawing.css").read_text()

    assert style.startswith(".drawing {\n")
    assert ":root" not in style
    assert "color-scheme: light dark" not in style


@pytest.mark.thorough
def test_links_lead_somewhere(site: Path):
    """The generator builds all of it and finds no link or anchor that leads nowhere; it would find one."""
    build = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", str(site / "mkdocs.yml")]

    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    html = (site / "html" / "reference" / "gke.html").read_text()
    assert 'id="rdma_cluster.gke.GkeRdmaCluster"' in html

    page = site / "pages" / "gke.md"
    page.write_text(page.read_text() + "\n[nowhere](eks.md#no-such-place)\n")
    assert subprocess.run(build, capture_output=True).returncode != 0

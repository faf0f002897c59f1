"""What pages tell people to type names one repository and one commit, which this history has."""

import re
import subprocess
import tomllib

import pytest
import yaml
from tests.stacks import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
REPOSITORY = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]
PAGES = [ROOT / "CITATION.cff", *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob(".github/**/*.*")]
TEXT = "\n".join(page.read_text("utf-8") for page in PAGES)
CHANGES = (ROOT / "CHANGELOG.md").read_text("utf-8")


def git(*words: str) -> subprocess.CompletedProcess[str]:
    """Git in the clone."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)


def test_every_address_is_the_projects():
    """Another owner or host in one page is what a sweep with `sed` forgets."""
    addresses = set(re.findall(r"(?<![\w./])(?:https://)?(github\.com/\w[\w-]*/rdma-cluster)\b", TEXT))

    assert addresses == {REPOSITORY.removeprefix("https://")}


def test_every_page_installs_one_commit_of_this_history():
    """A commit that was rebased away can be installed by nobody."""
    (commit,) = set(re.findall(r"rdma-cluster(?:/packages/\w+)?@([0-9a-f]{40})\b", TEXT))
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("no history here, as in a source archive: git fetch --unshallow")

    assert git("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0


def test_the_citation_is_of_the_newest_release():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    newest = re.findall(r"^## (\d\S+) - (\S+)$", CHANGES, re.MULTILINE)[0]

    assert (cited["version"], cited["date-released"]) == newest
    assert cited["license"] == PROJECT["project"]["license"]

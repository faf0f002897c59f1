"""The requirement of a new project: what a colleague's machine and CI can install, or words that they cannot."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster import __version__
from rdma_cluster.cli import requirement as module
from rdma_cluster.cli.requirement import requirement

CLONED = "git+https://example.org/acme/rdma-cluster"


class Installed:
    """A distribution that was installed from somewhere."""

    def __init__(self, origin: dict[str, Any] | None):
        self._origin = origin

    def read_text(self, name: str) -> str | None:
        return json.dumps(self._origin) if self._origin and name == "direct_url.json" else None


def git(folder: Path, *words: str) -> str:
    """What git prints in ``folder``."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    return subprocess.run(["git", "-C", str(folder), *who, *words], check=True, stdout=-1, text=True).stdout.strip()


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with one commit, which its remote has."""
    (folder := tmp_path / "a clone").mkdir()
    (folder / "pyproject.toml").touch()
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"], ["remote", "add", "origin", str(folder)]):
        git(folder, *words)
    git(folder, "fetch", "-q", "origin")
    use(monkeypatch, folder, git(folder, "rev-parse", "--short=12", "HEAD"))
    return folder


def use(monkeypatch: pytest.MonkeyPatch, clone: Path, commit: str, origin: dict[str, Any] | None = None) -> None:
    """Run from ``clone``, or as installed from ``origin``, made of this commit."""
    monkeypatch.setattr(module, "_CLONE", clone)
    monkeypatch.setattr(module, "commit", lambda: commit)
    monkeypatch.setattr(module, "distribution", lambda name: Installed(origin))


@pytest.mark.parametrize(
    ("remote", "named"),
    [
        ("https://me:secret@example.org/acme/rdma-cluster", CLONED),
        ("git@example.org:acme/rdma-cluster", CLONED.replace("https://", "ssh://git@")),
        ("ssh://git@example.org/acme/rdma-cluster", CLONED.replace("https://", "ssh://git@")),
    ],
)
@pytest.mark.parametrize("installed", [False, True])
def test_a_clone_whose_commit_is_published_is_named_by_its_repository(
    remote: str, named: str, installed: bool, clone: Path, monkeypatch: pytest.MonkeyPatch
):
    """Without a password, also where the clone was installed as a folder."""
    git(clone, "remote", "set-url", "origin", remote)
    if installed:
        use(monkeypatch, clone.parent, git(clone, "rev-parse", "HEAD")[:12], {"url": clone.as_uri(), "dir_info": {}})

    assert requirement("gke") == f"rdma-cluster[gke] @ {named}@{git(clone, 'rev-parse', 'HEAD')}"


def test_a_clone_that_others_cannot_reach_says_so(clone: Path, monkeypatch: pytest.MonkeyPatch):
    """Its remote is a folder, its commit is nowhere else, or its files are changed."""
    told = [requirement("gke")]
    git(clone, "remote", "set-url", "origin", "https://example.org/acme/rdma-cluster")
    for commit in (f"{git(clone, 'rev-parse', '--short=12', 'HEAD')}-dirty", ""):
        use(monkeypatch, clone, commit)
        told.append(requirement("gke"))
    git(clone, "commit", "-q", "--allow-empty", "-m", "two")
    use(monkeypatch, clone, git(clone, "rev-parse", "--short=12", "HEAD"))
    told.append(requirement("gke"))

    for text in told:
        assert text.startswith("# Only this machine")
        assert text.endswith(f"\n-e {clone}[gke]")


@pytest.mark.parametrize(
    ("origin", "line", "shared"),
    [
        ({"url": "file:///home/me/a%20folder", "dir_info": {}}, "/home/me/a folder[gke]", False),
        (
            {"url": "https://example.org/r.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "rdma-cluster[gke] @ git+https://example.org/r.git@abc",
            True,
        ),
        ({"url": "https://a.example/r.whl", "archive_info": {}}, "rdma-cluster[gke] @ https://a.example/r.whl", True),
        ({"url": "file:///home/me/r.whl", "archive_info": {}}, "rdma-cluster[gke] @ file:///home/me/r.whl", False),
        (None, f"rdma-cluster[gke]=={__version__}", True),
    ],
    ids=["a folder", "a repository", "a wheel", "a wheel on this machine", "an index"],
)
def test_a_project_requires_the_package_that_made_it(
    origin: dict[str, Any] | None, line: str, shared: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    use(monkeypatch, tmp_path, "0123456789ab", origin)

    assert requirement("gke").splitlines()[-1] == line
    assert (requirement("gke") == line) is shared

"""Which commit the command is of: git tells it in a clone, the package's maker elsewhere, or nobody does."""

import re
import subprocess
from pathlib import Path

import pytest
from rdma_cluster import __version__
from rdma_cluster.cli import parser as version
from tests.cli.commands import command


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the command takes for its clone."""
    monkeypatch.setattr(version, "_CLONE", tmp_path)
    return tmp_path


def git(folder: Path, *words: str) -> None:
    """Runs git as somebody whom no configuration of this machine names."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


def test_a_changed_clone_says_so_behind_its_commit(clone: Path):
    git(clone, "init")
    assert version.commit() == ""
    (clone / "file").write_text("a")
    git(clone, "add", "file")
    git(clone, "commit", "-m", "a")
    clean = version.commit()
    (clone / "file").write_text("b")

    assert re.fullmatch("[0-9a-f]{12}", clean) and version.commit() == f"{clean}-dirty"


def test_a_package_tells_the_commit_that_its_maker_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "commit.txt").write_text("0123456789ab\n")
    monkeypatch.setattr(version, "files", lambda name: tmp_path if name == "rdma_cluster" else None)

    assert command("--version") == (0, f"rdma-cluster {__version__} (0123456789ab)\n", "")


def test_without_a_clone_or_without_git_the_release_stands_alone(clone: Path, monkeypatch: pytest.MonkeyPatch):
    assert command("--version") == (0, f"rdma-cluster {__version__}\n", "")
    (clone / ".git").mkdir()
    monkeypatch.setenv("PATH", str(clone))
    assert version.commit() == ""

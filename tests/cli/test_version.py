"""Which commit the command is of: in a clone what git says, elsewhere what the package's maker wrote, or nothing."""

import re
import subprocess
from pathlib import Path

import pytest
from rdma_cluster import __version__
from rdma_cluster.cli import parser as version
from tests.cli.commands import command


def git(folder: Path, *words: str) -> None:
    """As somebody whom no configuration of this machine names."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One without a commit."""
    git(tmp_path, "init")
    monkeypatch.setattr(version, "_CLONE", tmp_path)
    return tmp_path


def test_a_clone(clone: Path):
    """Twelve characters; a changed one says so."""
    (clone / "file").write_text("a")
    git(clone, "add", "file")
    git(clone, "commit", "-m", "a")
    clean = version.commit()
    (clone / "file").write_text("b")

    assert re.fullmatch("[0-9a-f]{12}", clean)
    assert version.commit() == f"{clean}-dirty"


def test_a_clone_without_a_commit(clone: Path):
    """Git has nothing to tell, and nobody hears its error."""
    assert version.commit() == ""


def test_no_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """As in a package that nobody gave a commit: the folder above is not asked."""
    monkeypatch.setattr(version, "_CLONE", tmp_path)

    assert version.commit() == ""


def test_a_package_tells_what_its_maker_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Before any clone around it is asked; the command prints it behind the release."""
    (tmp_path / "commit.txt").write_text("0123456789ab\n")
    monkeypatch.setattr(version, "files", lambda name: tmp_path if name == "rdma_cluster" else None)

    assert version.commit() == "0123456789ab"
    assert command("--version") == (0, f"rdma-cluster {__version__} (0123456789ab)\n", "")


def test_a_release_without_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Stands alone; so it does in a clone on a machine without git."""
    monkeypatch.setattr(version, "_CLONE", tmp_path)
    assert command("--version") == (0, f"rdma-cluster {__version__}\n", "")

    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert version.commit() == ""

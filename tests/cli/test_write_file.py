"""Files that a verb writes: whether it may, and that nothing is left half."""

import os
from pathlib import Path

import pytest
from rdma_cluster.cli.write_file import can_write, write_file


def denying(monkeypatch: pytest.MonkeyPatch, *denied: Path) -> None:
    """Makes a machine where these may not be written to; whoever runs the tests may be root."""
    monkeypatch.setattr(os, "access", lambda path, mode: not (mode == os.W_OK and Path(path) in denied))


def test_a_file_can_be_written_where_it_and_its_folder_may_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A pipe keeps its name, and so its folder need not take a new one."""
    os.mkfifo(pipe := tmp_path / "pipe")
    (file := tmp_path / "file").touch()
    new = tmp_path / "new"
    assert [can_write(each) for each in (file, new, pipe, tmp_path, tmp_path / "no" / "x")] == [True] * 3 + [False] * 2
    for denied, left in ((file, [new, pipe]), (pipe, [file, new]), (tmp_path, [pipe])):
        denying(monkeypatch, denied)
        assert [each for each in (file, new, pipe) if can_write(each)] == [
            each for each in (file, new, pipe) if each in left
        ]


def test_a_file_that_may_not_be_changed_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It does so although a new file could take its name."""
    (file := tmp_path / "file").write_text("old")
    denying(monkeypatch, file)

    with pytest.raises(PermissionError) as error:
        write_file(file, "new")
    assert (error.value.filename, file.read_text()) == (str(file), "old")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_folder_is_no_file(tmp_path: Path):
    (folder := tmp_path / "folder").mkdir()

    with pytest.raises(OSError, match=str(folder)):
        write_file(folder, "text")
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]

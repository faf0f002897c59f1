"""Files that a verb writes: whether it may, and that nothing is left half."""

import os
from pathlib import Path

import pytest
from rdma_cluster.cli.write_file import can_write, write_file


def denying(monkeypatch: pytest.MonkeyPatch, *denied: Path) -> None:
    """A machine where these may not be written to; whoever runs the tests may be root."""
    monkeypatch.setattr(os, "access", lambda path, mode: not (mode == os.W_OK and Path(path) in denied))


def test_where_one_may_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """In a folder that takes new names, over a file that may be changed; a pipe has no name of its own to be given."""
    os.mkfifo(pipe := tmp_path / "pipe")
    (file := tmp_path / "file").touch()
    new = tmp_path / "new"
    assert [can_write(each) for each in (file, new, pipe, tmp_path, tmp_path / "no" / "x")] == [True] * 3 + [False] * 2
    denying(monkeypatch, file)
    assert [can_write(each) for each in (file, new, pipe)] == [False, True, True]
    denying(monkeypatch, pipe)
    assert [can_write(each) for each in (file, new, pipe)] == [True, True, False]
    denying(monkeypatch, tmp_path)
    assert [can_write(each) for each in (file, new, pipe)] == [False, False, True]


def test_a_file_that_may_not_be_changed_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Although a new one could take its name."""
    (file := tmp_path / "file").write_text("old")
    denying(monkeypatch, file)

    with pytest.raises(PermissionError) as error:
        write_file(file, "new")
    assert (error.value.filename, file.read_text()) == (str(file), "old")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_new_file_is_whole(tmp_path: Path):
    """In UTF-8, with the longest name that there can be beside it; modes of old files stay, whatever they are."""
    file = tmp_path / ("n" * 250)
    write_file(file, "é")
    assert file.read_bytes() == "é".encode()
    file.chmod(0o604)
    write_file(file, "é2")

    assert (file.read_bytes(), file.stat().st_mode & 0o7777) == ("é2".encode(), 0o604)
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


def test_a_folder_is_no_file(tmp_path: Path):
    """It is named, and nothing is left in the folder above."""
    (folder := tmp_path / "folder").mkdir()

    with pytest.raises(OSError, match="folder") as error:
        write_file(folder, "text")
    assert error.value.filename == str(folder)
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_a_pipe_is_written_to(tmp_path: Path):
    """Whoever reads it gets the text."""
    os.mkfifo(pipe := tmp_path / "pipe")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, "é")

    assert os.read(reader, 10) == "é".encode()
    os.close(reader)

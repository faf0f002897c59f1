"""Folders and archives: each test by itself, and no archive takes more than logs would."""

import contextlib
import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Literal

import pytest
from nccl_verdict import collection
from nccl_verdict.collection import judge_each
from nccl_verdict.files import NotReadableError
from tests.nccl import render
from tests.nccl.test_report import report

GOOD = render.joined(render.log())
SLOW = render.joined(render.log(busbw=(100.0, 101.0)))
FILES = {"a/good.log": GOOD, "a/two.out": GOOD + SLOW, "empty.txt": b"", "README.md": b"no log"}
SEEN = {"a/good.log": True, "a/two.out #1": True, "a/two.out #2": False, "empty.txt": False}


def seen(path: Path) -> dict[str, bool]:
    return {name: verdict.passed for name, verdict in judge_each([path], render.want())}


def tar(path: Path, files: dict[str, bytes], mode: Literal["w", "w:gz"] = "w") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return path


def packed(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_a_folder(tmp_path: Path) -> None:
    """Every log in it and below, a test each; what is no log by its name is passed over."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text)
    assert seen(tmp_path) == SEEN


def test_archives(tmp_path: Path) -> None:
    """The same of each kind."""
    assert seen(tar(tmp_path / "x.tar", FILES)) == SEEN
    for name in ("x.tar.gz", "x.tgz"):
        assert seen(tar(tmp_path / name, FILES, "w:gz")) == SEEN
    assert seen(packed(tmp_path / "x.zip", FILES)) == SEEN


def test_a_report_stands_with_its_log(tmp_path: Path) -> None:
    """By the name; alone it would prove no fabric."""
    (tmp_path / "run.log").write_bytes(render.joined(render.log(busbw=[325.72])))
    (tmp_path / "run.json").write_text(json.dumps(report()))
    assert seen(tmp_path) == {"run.json": True}


def test_nothing_is_written_and_no_link_followed(tmp_path: Path) -> None:
    """Names that lead elsewhere are names, and links are no logs."""
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as archive:
        link = tarfile.TarInfo("link.log")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        for name in ("../../out.log", "/tmp/out.log", "\x1b]0;x\x07.log"):
            member = tarfile.TarInfo(name)
            member.size = len(GOOD)
            archive.addfile(member, io.BytesIO(GOOD))
    assert seen(path) == {"../../out.log": True, "/tmp/out.log": True, "\\u001b]0;x\\u0007.log": True}
    assert [each.name for each in tmp_path.iterdir()] == ["x.tar"]


def bomb(tmp_path: Path) -> list[Path]:
    zeros = {"zero.log": b"\0" * (8 << 20)}
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 8 << 20  # a name that fills the memory
    (tmp_path / "names.tar.gz").write_bytes(gzip.compress(header.tobuf() + b"\0" * (8 << 20)))
    return [
        tar(tmp_path / "x.tar.gz", zeros, "w:gz"), packed(tmp_path / "x.zip", zeros), tmp_path / "names.tar.gz"
    ]  # fmt: skip


def test_bombs_are_refused(tmp_path: Path) -> None:
    """By what they unpack to."""
    for path in bomb(tmp_path):
        with pytest.raises(NotReadableError, match="unpacks to more than is read"):
            seen(path)


def test_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of folders and archives alike."""
    monkeypatch.setattr(collection, "MOST_FILES", 3)
    many = {f"{number}.log": b"" for number in range(60)}
    (tmp_path / "folder").mkdir()
    for name in many:
        (tmp_path / "folder" / name).touch()
    for path in (tar(tmp_path / "x.tar", many), packed(tmp_path / "x.zip", many), tmp_path / "folder"):
        with pytest.raises(NotReadableError, match="more than 3 "):
            seen(path)


@pytest.mark.parametrize("name", ["x.tar", "x.tar.gz", "x.zip"])
@pytest.mark.parametrize(
    "text", [b"", b"x" * 2000, b"\x1f\x8b" + b"x" * 99, b"PK\x05\x06" + b"\xff" * 30, b"PK\x03\x04"]
)
def test_what_is_no_archive(tmp_path: Path, name: str, text: bytes) -> None:
    """One line, no traceback; an empty archive holds no log."""
    (tmp_path / name).write_bytes(text)
    try:
        assert not list(judge_each([tmp_path / name], render.want()))
    except NotReadableError as error:
        assert str(tmp_path / name) in str(error)


def test_archives_that_are_cut(tmp_path: Path) -> None:
    """Wherever."""
    for path in (tar(tmp_path / "x.tar.gz", FILES, "w:gz"), packed(tmp_path / "x.zip", FILES)):
        whole = path.read_bytes()
        for length in range(0, len(whole), len(whole) // 40):
            path.write_bytes(whole[:length])
            with contextlib.suppress(NotReadableError):
                assert set(seen(path)) <= set(SEEN)


@pytest.mark.parametrize(
    ("name", "several"),
    [("x.tar", True), ("x.tar.gz", True), ("X.TGZ", True), ("x.Zip", True), ("x.gz", False), ("x.log", False)],
)
def test_what_holds_several_logs(tmp_path: Path, name: str, several: bool) -> None:
    """A folder, and an archive by its name, however it is written; anything else is a log."""
    assert collection.is_collection(tmp_path)
    assert collection.is_collection(tmp_path / name) is several
    if several:
        write = packed if name.lower().endswith("zip") else tar
        assert seen(write(tmp_path / name, FILES)) == SEEN


def test_logs_by_their_names(tmp_path: Path) -> None:
    """What ends in .log, .out, .txt or .json is one, in any letters; names are told in order, folder after folder."""
    names = ["b.LOG", "a.out", "c.Txt", "d.json", "a/z.log", "a/b/y.log", "e.logs", "log", "f.log.gz"]
    for name in names:
        (tmp_path / "logs" / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / "logs" / name).write_bytes(GOOD)
    (tmp_path / "logs" / "no.log").mkdir()

    assert list(seen(tmp_path / "logs")) == ["a.out", "b.LOG", "c.Txt", "d.json", "a/z.log", "a/b/y.log"]
    for path in (
        tar(tmp_path / "x.tar", dict.fromkeys(names, GOOD)),
        packed(tmp_path / "x.zip", dict.fromkeys(names, GOOD)),
    ):
        assert list(seen(path)) == names[:6]


def test_folders_in_order(tmp_path: Path) -> None:
    """However the disk lists them."""
    for name in "dhbfaegc":
        (tmp_path / name / name).mkdir(parents=True)
        (tmp_path / name / name / "x.log").touch()
    assert list(seen(tmp_path)) == [f"{name}/{name}/x.log" for name in "abcdefgh"]


def test_a_report_of_another_folder_is_a_test_of_its_own(tmp_path: Path) -> None:
    """Only a log beside it, and of the same name, is its twin; waivers hold for every test."""
    (tmp_path / "a").mkdir()
    (tmp_path / "run.log").write_bytes(render.joined(render.log(busbw=[325.72])))
    for name in ("other.json", "a/run.json"):
        (tmp_path / name).write_text(json.dumps(report()))
    assert seen(tmp_path) == {"other.json": False, "run.log": True, "a/run.json": False}
    waived = judge_each([tmp_path], render.want(), iter(["socket", "transport", "nics", "gdr"]))
    assert {each.name: each.verdict.passed for each in waived} == {
        "other.json": True,
        "run.log": True,
        "a/run.json": True,
    }


def test_several_paths(tmp_path: Path) -> None:
    """A log stands by its path, what is in a folder or an archive by its name in it; no evidence names a log twice."""
    (tmp_path / "x.log").write_bytes(GOOD)
    (tmp_path / "two").write_bytes(GOOD + SLOW)
    archive = packed(tmp_path / "x.zip", {"in.log": GOOD})
    found = list(judge_each([tmp_path / "two", archive, tmp_path / "x.log"], render.want()))
    assert [(each.name, each.verdict.passed) for each in found] == [
        (f"{tmp_path}/two #1", True), (f"{tmp_path}/two #2", False), ("in.log", True), (f"{tmp_path}/x.log", True),
    ]  # fmt: skip
    assert {gate.source for each in found for gate in each.verdict.gates} == {""}

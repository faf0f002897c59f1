"""Folders and archives are judged test by test, and no archive takes more memory or time than logs would."""

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
from nccl_verdict.reader import LONGEST
from tests.nccl import render
from tests.nccl.reports import report

GOOD = render.joined(render.log())
SLOW = render.joined(render.log(busbw=(100.0, 101.0)))
FILES = {"a/good.log": GOOD, "a/two.OUT": GOOD + SLOW, "empty.Txt": b"", "README.md": b"no log", "x.log.gz": b"no log"}
SEEN = {"a/good.log": True, "a/two.OUT #1": True, "a/two.OUT #2": False, "empty.Txt": False}


def seen(path: Path) -> dict[str, bool]:
    return {name: verdict.passed for name, verdict, _ in judge_each([path], render.want())}


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


def folder(path: Path, files: dict[str, bytes]) -> Path:
    for name, text in files.items():
        (path / name).parent.mkdir(exist_ok=True, parents=True)
        (path / name).write_bytes(text)
    return path


def test_a_folder_and_every_archive_are_judged_alike(tmp_path: Path) -> None:
    """What is a log by its name counts, in any letters; other files are passed over."""
    assert seen(folder(tmp_path / "logs", FILES)) == SEEN
    assert seen(tar(tmp_path / "x.tar", FILES)) == SEEN
    for name in ("x.tar.gz", "X.TGZ"):
        assert seen(tar(tmp_path / name, FILES, "w:gz")) == SEEN
    assert seen(packed(tmp_path / "x.Zip", FILES)) == SEEN
    assert [collection.is_collection(tmp_path / name) for name in ("x.tar", "x.gz", "x.log")] == [True, False, False]


def test_logs_of_a_folder_are_judged_in_order(tmp_path: Path) -> None:
    """Folder after folder, however the disk lists them."""
    (tmp_path / "no.log").mkdir()
    for name in "dbac":
        folder(tmp_path, {f"{name}/{name}/x.log": b"", f"{name}.log": b""})

    assert list(seen(tmp_path)) == [*(f"{name}.log" for name in "abcd"), *(f"{name}/{name}/x.log" for name in "abcd")]


def test_a_report_stands_with_the_log_of_its_name(tmp_path: Path) -> None:
    """One of another name or folder is a test of its own; waivers hold for every test."""
    text = json.dumps(report()).encode()
    log = render.joined(render.log(busbw=[325.72]))
    folder(tmp_path, {"run.log": log, "run.json": text, "other.json": text, "a/run.json": text})
    waived = judge_each([tmp_path], render.want(), iter(["socket", "transport", "nics", "gdr"]))

    assert seen(tmp_path) == {"other.json": False, "run.json": True, "a/run.json": False}
    assert [each.verdict.passed for each in waived] == [True] * 3


def test_nothing_is_written_and_no_link_is_followed(tmp_path: Path) -> None:
    """Names that lead elsewhere are names."""
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


def test_a_bomb_is_refused_by_what_it_unpacks_to(tmp_path: Path) -> None:
    """One bomb holds zeros, another a name that fills the memory."""
    zeros = {"zero.log": b"\0" * (8 << 20)}
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 8 << 20
    (tmp_path / "names.tar.gz").write_bytes(gzip.compress(header.tobuf() + b"\0" * (8 << 20)))
    bombs = [tar(tmp_path / "x.tar.gz", zeros, "w:gz"), packed(tmp_path / "x.zip", zeros), tmp_path / "names.tar.gz"]

    for path in bombs:
        with pytest.raises(NotReadableError, match="unpacks to more than is read"):
            seen(path)


@pytest.mark.parametrize(("files", "refused"), [(3, False), (4, True), (60, True)])
def test_as_many_files_are_read_as_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int, refused: bool
) -> None:
    monkeypatch.setattr(collection, "MOST_FILES", 3)
    many = {f"{number}.log": b"" for number in range(files)}
    logs = folder(tmp_path / "folder", {**many, "no log": b""})
    for path in (tar(tmp_path / "x.tar", many), packed(tmp_path / "x.zip", many), logs):
        with pytest.raises(NotReadableError, match=f"^{path}: more than 3 ") if refused else contextlib.nullcontext():
            assert seen(path) == dict.fromkeys(many, False)


@pytest.mark.parametrize("size", [b"\0\0\0\1", b"\xff\xff\xff\0", b"\0\0\x4f\0"])
def test_a_table_of_files_that_claims_to_be_long_is_refused(tmp_path: Path, size: bytes) -> None:
    """Its size stands in the last record of a ZIP, in four bytes, the lowest first."""
    path = packed(tmp_path / "x.zip", {"a.log": b""})
    whole = path.read_bytes()
    end = whole.rindex(b"PK\x05\x06")
    path.write_bytes(whole[: end + 12] + size + whole[end + 16 :])
    with pytest.raises(NotReadableError, match="more than 10000 files"):
        seen(path)


@pytest.mark.parametrize(("name", "kept"), [("MOST_BYTES", len(GOOD) * 2), ("MOST_RATIO", 200)])
def test_logs_of_a_zip_unpack_to_no_more_than_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kept: int
) -> None:
    """All of them together, and so many times what each is packed to; other files in it do not count."""
    monkeypatch.setattr(collection, "_HEAD", 0)
    path = packed(tmp_path / "x.zip", {"a.log": GOOD, "big.bin": GOOD * 9, "b/": b"", "b/c.log": GOOD})
    monkeypatch.setattr(collection, name, kept)
    assert seen(path) == {"a.log": True, "b/c.log": True}
    monkeypatch.setattr(collection, name, kept - 1 if name == "MOST_BYTES" else 2)
    with pytest.raises(NotReadableError, match=r"\.log unpacks to more"):
        seen(path)


def test_the_documents_say_the_limits() -> None:
    docs = Path(__file__).parents[2] / "docs"
    verdict, security = (" ".join((docs / name).read_text().split()) for name in ("verdict.md", "security.md"))
    files, size, ratio = f"{collection.MOST_FILES:,}", collection.MOST_BYTES / (1 << 30), collection.MOST_RATIO
    assert f"more than {files} files, or that unpacks to more than {size:g} GiB or {ratio} times its size" in verdict
    assert f"telling lines up to {LONGEST / 1024:g} KiB" in security

"""How much of folders and archives is read: each limit, what just keeps to it, and what is one beyond."""

import contextlib
import io
from pathlib import Path

import pytest
from nccl_verdict import collection
from nccl_verdict.files import NotReadableError
from nccl_verdict.reader import LONGEST
from tests.nccl.test_collection import GOOD, packed, seen, tar


@pytest.mark.parametrize(("files", "refused"), [(3, False), (4, True)])
def test_how_many_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int, refused: bool) -> None:
    """As many as are allowed, whatever is in them, and not one more."""
    monkeypatch.setattr(collection, "MOST_FILES", 3)
    many = {f"{number}.log": b"" for number in range(files)}
    (tmp_path / "folder").mkdir()
    for name in (*many, "no log"):
        (tmp_path / "folder" / name).touch()
    for path in (tar(tmp_path / "x.tar", many), packed(tmp_path / "x.zip", many), tmp_path / "folder"):
        if refused:
            with pytest.raises(NotReadableError) as error:
                seen(path)
            assert str(error.value) == f"{path}: more than 3 {'logs' if path.is_dir() else 'files'}"
        else:
            assert seen(path) == dict.fromkeys(many, False)


def test_a_long_table_of_files_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """512 bytes for each file that is allowed: a longer table of contents costs memory before a file is seen."""
    monkeypatch.setattr(collection, "MOST_FILES", 3)
    for length, refused in ((3 * 512 - 46, False), (3 * 512 - 45, True)):
        path = packed(tmp_path / "x.zip", {"x" * (length - 4) + ".log": b""})
        with pytest.raises(NotReadableError, match="more than 3 files") if refused else contextlib.nullcontext():
            assert len(seen(path)) == 1


@pytest.mark.parametrize(("most", "refused"), [(len(GOOD) * 2, False), (len(GOOD) * 2 - 1, True)])
def test_how_much_an_archive_may_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, refused: bool
) -> None:
    """All logs of a ZIP together; other files in it do not count."""
    monkeypatch.setattr(collection, "MOST_BYTES", most)
    path = packed(tmp_path / "x.zip", {"a.log": GOOD, "big.bin": GOOD * 9, "b/": b"", "b/c.log": GOOD})
    with pytest.raises(NotReadableError, match=r"c\.log unpacks to more") if refused else contextlib.nullcontext():
        assert seen(path) == {"a.log": True, "b/c.log": True}


@pytest.mark.parametrize(
    ("held", "most", "allowed"),
    [(None, 1000, 14), (None, 12, 12), (b"x", 1000, 6), (b"xxx", 1000, 10), (b"x" * 9, 1000, 14), (b"x" * 9, 13, 13)],
)
def test_how_much_a_stream_may_give(
    monkeypatch: pytest.MonkeyPatch, held: bytes | None, most: int, allowed: int
) -> None:
    """What is allowed and a head more, twice what is packed and a head more, and never more than all logs together."""
    for name, value in (("_HEAD", 4), ("MOST_RATIO", 2), ("MOST_BYTES", most)):
        monkeypatch.setattr(collection, name, value)
    source = None if held is None else io.BytesIO(held)
    if source:
        source.seek(0, io.SEEK_END)
    bounded = collection._Bounded(io.BytesIO(b"y" * 99), source)
    bounded.allow(10)

    assert bounded.read(allowed - 1) == b"y" * (allowed - 1) and bounded.read(1) == b"y"
    with pytest.raises(NotReadableError, match=r"^it unpacks to more than is read$"):
        bounded.read(1)


def test_more_may_be_allowed_on_the_way() -> None:
    """From what was given so far."""
    bounded = collection._Bounded(io.BytesIO(b"y" * (4 << 20)), None)
    for _ in range(3):
        bounded.allow(1 << 20)
        assert len(bounded.read(1 << 20)) == 1 << 20


@pytest.mark.parametrize("size", [b"\0\0\0\1", b"\xff\xff\xff\0", b"\0\0\x4f\0"])
def test_a_table_of_files_that_claims_to_be_long(tmp_path: Path, size: bytes) -> None:
    """The size of the table of contents stands in the last record of a ZIP, in four bytes, the lowest first."""
    path = packed(tmp_path / "x.zip", {"a.log": b""})
    whole = path.read_bytes()
    end = whole.rindex(b"PK\x05\x06")
    path.write_bytes(whole[: end + 12] + size + whole[end + 16 :])
    with pytest.raises(NotReadableError, match="more than 10000 files"):
        seen(path)


def test_the_documents_say_the_limits() -> None:
    """A person reads there how much is read."""
    docs = Path(__file__).parents[2] / "docs"
    verdict, security = (" ".join((docs / name).read_text().split()) for name in ("verdict.md", "security.md"))
    files, size, ratio = f"{collection.MOST_FILES:,}", collection.MOST_BYTES / (1 << 30), collection.MOST_RATIO
    assert f"more than {files} files, or that unpacks to more than {size:g} GiB or {ratio} times its size" in verdict
    assert f"telling lines up to {LONGEST / 1024:g} KiB" in security


@pytest.mark.parametrize(("ratio", "refused"), [(200, False), (2, True)])
def test_how_much_a_file_of_a_zip_unpacks_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ratio: int, refused: bool
) -> None:
    """So many times what it is packed to, beside a head; a log packs to between a half and a 200th."""
    for name, value in (("_HEAD", 0), ("MOST_RATIO", ratio)):
        monkeypatch.setattr(collection, name, value)
    path = packed(tmp_path / "x.zip", {"a.log": GOOD})
    with pytest.raises(NotReadableError, match=r"a\.log unpacks to more") if refused else contextlib.nullcontext():
        assert seen(path) == {"a.log": True}

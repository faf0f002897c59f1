"""Folders and archives of logs, whose tests are judged each by itself. Nothing is written, and pods do not need it."""

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from .expectation import Expectation
from .files import NotReadableError, read_log, read_stream
from .reader import Readable
from .run import Run, without_twins
from .verdict import Verdict, judge
from .visible import visible

LOGS = (".log", ".out", ".txt", ".json")
"""What a log's name ends in; other files are passed over."""
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".zip")
MOST_FILES = 10_000
MOST_BYTES = 8 << 30
"""The most bytes of all files of one archive, unpacked."""
MOST_RATIO = 200
"""Bytes unpacked for each packed one: our own choice, far above what text packs to."""
_HEAD = 1 << 20
"""Bytes between two files of an archive: names and padding."""


class Judged(NamedTuple):
    """One test of a collection."""

    name: str
    """Its file, and its place where the file has several tests."""
    verdict: Verdict
    run: Run | None = None


def is_collection(path: Path) -> bool:
    """Whether a path is a folder or an archive."""
    return path.is_dir() or path.name.lower().endswith(ARCHIVES)


def judge_each(paths: Iterable[Path], want: Expectation, waive: Iterable[str] = ()) -> Iterator[Judged]:
    """The verdict of each test, by its file. Raises ``NotReadableError`` for what cannot be read or is too much."""
    waivers = tuple(waive)
    for name, runs in (each for path in paths for each in _files(path)):
        alone = without_twins(runs)
        for place, run in enumerate(alone):
            run.source = ""
            yield Judged(f"{name} #{place + 1}" if len(alone) > 1 else name, judge([run], want, waivers), run)
        if not alone:
            yield Judged(name, judge([], want, waivers))


def _files(path: Path) -> Iterator[tuple[str, list[Run]]]:
    """Name and tests of each log; a report stands with the log of the same name."""
    if path.is_dir():
        yield from _folder(path)
    elif not is_collection(path):
        yield visible(str(path)), read_log(path)
    else:
        try:
            with path.open("rb") as file:
                yield from _zip(file) if path.name.lower().endswith(".zip") else _tar(file)
        except NotReadableError as error:
            raise NotReadableError(f"{path}: {error}") from None
        except (OSError, EOFError, ValueError, RuntimeError, tarfile.TarError, zipfile.BadZipFile) as error:
            raise NotReadableError(f"{path}: {visible(str(getattr(error, 'strerror', None) or error))}") from None


def _folder(path: Path) -> Iterator[tuple[str, list[Run]]]:
    found: dict[str, list[Path]] = {}
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            log = Path(folder, name)
            if log.suffix.lower() in LOGS and log.is_file():
                found.setdefault(str(log.with_suffix("")), []).append(log)
        if len(found) > MOST_FILES:
            raise NotReadableError(f"{path}: more than {MOST_FILES} logs")
    for logs in found.values():
        yield visible(str(logs[0].relative_to(path))), [run for log in logs for run in read_log(log)]


def _tar(file: BinaryIO) -> Iterator[tuple[str, list[Run]]]:
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    bounded = _Bounded(cast(Readable, gzip.GzipFile(fileobj=file)) if packed else file, file if packed else None)
    bounded.allow(_HEAD)
    with tarfile.open(fileobj=cast(BinaryIO, bounded), mode="r|") as archive:
        for number, member in enumerate(archive):
            _count(number)
            bounded.allow(member.size + _HEAD)
            stream = archive.extractfile(member) if member.isreg() and _is_log(member.name) else None
            if stream:
                yield visible(member.name), read_stream(cast(Readable, stream), visible(member.name))


def _zip(file: BinaryIO) -> Iterator[tuple[str, list[Run]]]:
    file.seek(-min(file.seek(0, os.SEEK_END), 1 << 16), os.SEEK_END)
    end = file.read().rpartition(b"PK\x05\x06")[2]
    if int.from_bytes(end[8:12], "little") > MOST_FILES * 512:
        raise NotReadableError(f"more than {MOST_FILES} files")
    with zipfile.ZipFile(file) as archive:
        total = 0
        for number, member in enumerate(archive.infolist()):
            _count(number)
            if not member.is_dir() and _is_log(member.filename):
                total, name = total + member.file_size, visible(member.filename)
                if total > MOST_BYTES or member.file_size > _HEAD + member.compress_size * MOST_RATIO:
                    raise NotReadableError(f"{name} unpacks to more than is read")
                with archive.open(member) as stream:
                    yield name, read_stream(cast(Readable, stream), name)


def _is_log(name: str) -> bool:
    return name.lower().endswith(LOGS)


def _count(number: int) -> None:
    if number >= MOST_FILES:
        raise NotReadableError(f"more than {MOST_FILES} files")


class _Bounded(io.RawIOBase):
    """A stream that ends with an error where it gives more than an archive of logs would."""

    def __init__(self, stream: Readable, packed: BinaryIO | None) -> None:
        self._stream, self._packed = stream, packed
        self._given = self._allowed = 0

    def allow(self, more: int) -> None:
        """So many bytes until this is called again."""
        self._allowed = self._given + more

    def read(self, size: int = -1, /) -> bytes:
        """Some bytes. Raises ``NotReadableError`` beyond what is allowed."""
        chunk = self._stream.read(size)
        self._given += len(chunk)
        most = MOST_BYTES if self._packed is None else min(MOST_BYTES, _HEAD + self._packed.tell() * MOST_RATIO)
        if self._given > min(self._allowed + _HEAD, most):
            raise NotReadableError("it unpacks to more than is read")
        return chunk

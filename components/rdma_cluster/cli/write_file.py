"""Files that a verb writes: as they were or as they shall be, never half."""

import errno
import os
from pathlib import Path
from secrets import token_hex

from .signals import Signals


def can_write(path: Path) -> bool:
    """Whether ``write_file`` may write there, as far as permissions say."""
    place = path.resolve()
    beside = [] if _is_special(place) else [place.parent]
    return not place.is_dir() and all(os.access(each, os.W_OK) for each in (*beside, *([place] * place.exists())))


def write_file(path: Path, text: str) -> None:
    """As ``write_file_bytes``, a text."""
    write_file_bytes(path, text.encode("utf-8"))


def write_file_bytes(path: Path, data: bytes) -> None:
    """Write a file beside its place, and give it the name once it is whole. Raises ``OSError`` that names ``path``.

    A pipe or a device is written to as it is.
    """
    place = path.resolve()  # a link stays one
    try:
        if _is_special(place):
            place.write_bytes(data)
            return
        if place.exists() and not os.access(place, os.W_OK):  # a new name would take no notice of it
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        beside = place.with_name(f".{place.name[:100]}.{token_hex(8)}")
        with Signals():
            try:
                beside.write_bytes(data)
                if place.exists():
                    beside.chmod(place.stat().st_mode & 0o777)
                beside.replace(place)
            except BaseException:
                beside.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _is_special(place: Path) -> bool:
    return place.exists() and not place.is_file() and not place.is_dir()

"""The browser of this machine, or one that an index carries: `python -m tools.browser.found` fetches it.

The npm package @sparticuz/chromium (MIT) has Chromium in its archive; puppeteer and playwright bring a program that
downloads it from a place of its own. Neither its JavaScript nor a script of npm's runs: the archive is held against the
digest below, and three files of it are unpacked, into a cache that clones share.
"""

import base64
import hashlib
import json
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from ctypes.util import find_library
from functools import cache
from pathlib import Path

from pulumi_offline.frozen import frozen
from rdma_rehearsal.controlplane.servers import cache_folder
from tests.controlplane.build import locked
from tools.browser.npm import node, npm, refused

PACKAGE = "@sparticuz/chromium"
VERSION = "153.0.0"
"""Named, because npm else takes what its own Node.js can run, 147.0.0 with 20; what is unpacked here needs none."""
INTEGRITY = "sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
"""What `npm view @sparticuz/chromium@153.0.0 dist.integrity` said on 2026-11-23."""
MISSING = (
    "no browser: apt-get install chromium, or make thorough on Linux (x86-64) where pip and npm find their indexes"
)
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_INFLATE = "process.stdin.pipe(require('zlib').createBrotliDecompress()).pipe(process.stdout)"
_LIBRARIES = ("expat", "nspr4", "nss3")


class NotFetchedError(Exception):
    """No browser comes from the index here; the message says why."""


@frozen
class Browser:
    """A program, and what it needs in its environment."""

    program: Path
    environment: Mapping[str, str]


@cache
def browser() -> Browser | None:
    """The one on PATH; else the fetched one; else none."""
    if on_path := next(filter(None, map(shutil.which, _NAMES)), None):
        return Browser(Path(on_path), {})
    if not (folder := _folder()).exists():
        return None
    lacking = [name for name in _LIBRARIES if find_library(name) is None]
    libraries = {"LD_LIBRARY_PATH": str(folder / "lib")} if lacking else {}
    return Browser(folder / "chromium", {"FONTCONFIG_FILE": str(folder / "own.conf"), **libraries})


def fetch() -> Path:
    """The folder with the browser, which is fetched if nobody has yet."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise NotFetchedError(f"{PACKAGE} is made for Linux on x86-64")
    folder = _folder()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.parent / "lock"):
        if not folder.exists():
            partial = folder.with_name(folder.name + ".partial")
            shutil.rmtree(partial, ignore_errors=True)  # of one that was cut short
            partial.mkdir()
            unpack(_packed(partial), partial)
            partial.rename(folder)
    return folder


def unpack(archive: Path, folder: Path) -> None:
    """Lay the program, its libraries and its fonts into ``folder``, in place of the archive."""
    if digest(archive) != INTEGRITY:
        raise NotFetchedError(f"{archive.name}: its digest is not the pinned one")
    with tarfile.open(archive) as whole:
        for name in ("chromium", "al2023.tar", "fonts.tar"):
            packed = whole.extractfile(f"package/bin/{name}.br")
            assert packed is not None
            with (folder / name).open("wb") as file:
                inflate = subprocess.Popen([node(), "-e", _INFLATE], stdin=subprocess.PIPE, stdout=file)
                assert inflate.stdin is not None
                with inflate.stdin:
                    shutil.copyfileobj(packed, inflate.stdin)
                assert inflate.wait() == 0
    archive.unlink()
    for tar in folder.glob("*.tar"):
        with tarfile.open(tar) as files:
            files.extractall(folder, filter="data")
        tar.unlink()
    (folder / "chromium").chmod(0o755)
    # The package's own names the places of its cloud. Nothing of the machine's: a page looks the same everywhere.
    own = '<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>\n'
    (folder / "own.conf").write_text(own)


def digest(archive: Path) -> str:
    """As registries of npm tell it."""
    with archive.open("rb") as file:
        return "sha512-" + base64.b64encode(hashlib.file_digest(file, "sha512").digest()).decode()


def _packed(folder: Path) -> Path:
    """The package's archive, from the registry that npm is told of."""
    done = npm("pack", f"{PACKAGE}@{VERSION}", "--json", folder=folder)
    if done.returncode != 0:
        raise NotFetchedError(f"npm: {refused(done)}")
    return folder / json.loads(done.stdout)[0]["filename"]


def _folder() -> Path:
    return cache_folder().parent / "browser" / f"chromium-{VERSION}"


if __name__ == "__main__":
    try:
        if browser() is None:
            print(f"fetching a browser into {fetch()}", file=sys.stderr)
    except NotFetchedError as error:
        print(f"{error}; tests of pages are skipped ({MISSING})", file=sys.stderr)

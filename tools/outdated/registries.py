"""What the registries say: those that pip, Go and npm use."""

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

from packaging.version import InvalidVersion, Version
from pulumi_offline.frozen import frozen
from tools.browser.npm import npm, refused
from .pins import GO_MODULES, Pin

PYTHON_INDEX = "https://pypi.org/simple"
"""Where pip looks unless it is told otherwise."""
_SIMPLE = "application/vnd.pypi.simple.v1+json"
_SECONDS = 60


class Unreachable(Exception):
    """A registry that does not answer, in its own words."""


@frozen
class Release:
    """The newest that a registry tells, and when the pinned version came out."""

    newest: str
    pinned_on: date | None
    """`None` where the registry does not say."""


def of_python(pin: Pin) -> Release:
    """From the index's page of a package (PEP 691, with the dates of PEP 700)."""
    request = urllib.request.Request(f"{_index()}/{pin.name}/", headers={"Accept": _SIMPLE})
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            return read_index(answer.read(), pin)
    except (OSError, ValueError) as error:
        raise Unreachable(f"{type(error).__name__}: {error}") from None


def read_index(page: bytes, pin: Pin) -> Release:
    """Raises ``ValueError`` where the index answers in another form."""
    data = json.loads(page)
    files = [each for each in data["files"] if not each.get("yanked")]
    versions = {version for each in files if (version := _version_of(each["filename"])) is not None}
    newest = max((each for each in versions if not each.is_prerelease), default=None)
    if newest is None:
        raise ValueError("the index names no version")
    own = Version(pin.version)
    days = [each["upload-time"] for each in files if "upload-time" in each and _version_of(each["filename"]) == own]
    return Release(str(newest), date.fromisoformat(min(days)[:10]) if days else None)


def _version_of(filename: str) -> Version | None:
    """Of a wheel or of an archive with sources."""
    parts = filename.removesuffix(".tar.gz").removesuffix(".zip").split("-")
    try:
        return Version(parts[1] if filename.endswith(".whl") else parts[-1])
    except (InvalidVersion, IndexError):
        return None


def _index() -> str:
    """The address that pip would use; credentials in it stay in it."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    told = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return (os.environ.get("PIP_INDEX_URL") or told or PYTHON_INDEX).rstrip("/")


def of_go(pin: Pin) -> Release:
    """From Go's own list of a module's versions."""
    folder = GO_MODULES / Path(pin.where[0]).parent.name
    versions = json.loads(_go("list", "-m", "-versions", "-json", pin.name, folder=folder)).get("Versions", [])
    info = json.loads(_go("list", "-m", "-json", f"{pin.name}@{pin.version}", folder=folder))
    newest = newest_of_line(versions, pin.line)
    if newest is None:
        raise Unreachable(f"the proxy names no version {pin.line}")
    return Release(newest, date.fromisoformat(info["Time"][:10]) if "Time" in info else None)


def _go(*words: str, folder: Path) -> str:
    done = subprocess.run(
        ["go", *words], cwd=folder, capture_output=True, text=True, env=os.environ | {"GOFLAGS": "-mod=readonly"}
    )
    if done.returncode != 0:
        raise Unreachable(refusal(done.stderr.splitlines()))
    return done.stdout


def refusal(lines: Sequence[str]) -> str:
    """What Go says, without the addresses that it asked."""
    return re.sub(r"https?://\S+", "the proxy", " ".join(line.strip() for line in lines)) or "no answer"


def of_npm(pin: Pin) -> Release:
    """From npm, which prints no address."""
    done = npm("view", pin.name, "dist-tags.latest", "time", "--json")
    if done.returncode != 0:
        raise Unreachable(refused(done))
    told = json.loads(done.stdout)
    return Release(told["dist-tags.latest"], date.fromisoformat(told["time"][pin.version][:10]))


def newest_of_line(versions: Iterable[str], line: str) -> str | None:
    """The newest whole version of those that begin with ``line``."""
    whole = (each for each in versions if each.startswith(line) and "-" not in each)
    return max(whole, key=lambda each: Version(each.removeprefix("v").partition("+")[0]), default=None)

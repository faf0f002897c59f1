"""The archive of a trial: one file with all that a run on metal has shown, and no name in it.

Its form is an interface: members and keys are added, never renamed. Who reads one takes it for somebody else's file.
"""

import io
import json
import re
import tarfile
from collections.abc import Mapping, Sequence
from datetime import date
from gzip import GzipFile
from typing import Any, NotRequired

from pulumi_offline.errors import refusal
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ..conform.snapshot import Snapshot, as_text, read as read_snapshot

FORM = "rdma-cluster/trial/1"
LONGEST = 64 << 20
"""Bytes of all members together, unpacked."""
_MOST = 256  # members
_LOG = re.compile(r"logs/\d{1,3}\.log")


class Phase(TypedDict):
    """A part of the run, in seconds since the first began."""

    phase: str
    of: str
    begin: int
    end: int


class About(TypedDict):
    """What is told of the run as a whole."""

    form: str
    made_by: str
    cloud: str
    on: str
    """The day, ISO 8601."""
    phases: list[Phase]
    versions: NotRequired[dict[str, str]]
    """Of NCCL and its plugins, as the logs print them."""


@frozen
class Trial:
    """An archive's content."""

    about: About
    snapshot: Snapshot
    report: Mapping[str, Any]
    logs: Sequence[str]
    """Of the test's pods, one each container."""


def write(trial: Trial) -> bytes:
    """The bytes of the file: the same trial gives the same bytes."""
    texts = {"trial.json": json.dumps(trial.about, indent=1) + "\n", "snapshot.json": as_text(trial.snapshot)}
    texts["report.json"] = json.dumps(trial.report, indent=1) + "\n"
    texts |= {f"logs/{i}.log": text for i, text in enumerate(trial.logs)}
    packed = io.BytesIO()
    with (
        GzipFile(fileobj=packed, mode="wb", filename="", mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, text in texts.items():
            member = tarfile.TarInfo(name)  # no owner, no time
            member.size = len(data := text.encode())
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


def read(data: bytes, name: str) -> Trial:
    """The trial in a file. Raises ``Refused`` for any other."""
    remedy = "`rdma-cluster trial STACK --gather FILE` writes one"
    try:
        texts = _members(data)
        about, report = _about(json.loads(texts["trial.json"])), json.loads(texts["report.json"])
        report.keys()
    except (tarfile.TarError, OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise refusal(f"is no archive of the form {FORM}, or larger than {LONGEST >> 20} MiB; {remedy}", name) from None
    snapshot = read_snapshot(texts.get("snapshot.json", "").encode(), f"{name}: snapshot.json")
    return Trial(about, snapshot, report, [text for each, text in texts.items() if _LOG.fullmatch(each)])


def _about(told: Any) -> About:
    """What is told of a run, in its form; any other value raises what comes of it."""
    if told["form"] != FORM:
        raise ValueError
    phases = [
        Phase(phase=str(each["phase"]), of=str(each["of"]), begin=int(each["begin"]), end=int(each["end"]))
        for each in told["phases"]
    ]
    on = date.fromisoformat(told["on"]).isoformat()
    about = About(form=FORM, made_by=str(told["made_by"]), cloud=str(told["cloud"]), on=on, phases=phases)
    if versions := told.get("versions"):
        about["versions"] = {str(part): str(version) for part, version in versions.items()}
    return about


def _members(data: bytes) -> dict[str, str]:
    """The texts by name; nothing is written to a disk."""
    with GzipFile(fileobj=io.BytesIO(data)) as stream:
        plain = stream.read(LONGEST + 1)
    if len(plain) > LONGEST:
        raise ValueError
    with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
        texts: dict[str, str] = {}
        for member in archive:
            if not member.isfile() or len(texts) >= _MOST or (file := archive.extractfile(member)) is None:
                raise ValueError
            texts[member.name] = file.read().decode("utf-8", "replace")
    return texts

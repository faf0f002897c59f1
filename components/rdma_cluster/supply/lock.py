"""The lock of a stack: what a registry answered for each artifact, and the digests that plans use from then on.

It lies beside the stack's file, ``artifacts.<stack>.lock``, and is committed with it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from pulumi_offline.errors import ErrorList, InputError, Refused, show
from pulumi_offline.frozen import frozen
from pulumi_offline.json_file import read_json
from pulumi_offline.written import to_json
from ..base.args import to_camel
from ..base.config import NAMESPACE, value

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_KINDS = ("image", "chart", "helm")


@frozen
class Locked:
    """One artifact as its registry had it."""

    reference: str
    """What was asked for: an image or an OCI chart with its tag; of a Helm repository ``REPO NAME VERSION``."""
    kind: str
    """``image``, ``chart`` for one in a registry, ``helm`` for a chart in a Helm repository."""
    digest: str
    size_bytes: int
    """Of all layers for the processors of the stack, or of the archive."""
    media_type: str
    platforms: Mapping[str, str]
    """Digests by processor, where the image is built for several."""
    signature: str = ""
    """How it is signed, as far as the registry shows; empty where nothing was seen."""
    licenses: str = ""
    """What its publisher says in a label or annotation; empty where nothing is said. By OCI's rule an SPDX expression,
    but a free text."""
    holds: bool = True
    """Whether what fetches it can be held to the digest: not where a node completes the tag, nor in a Helm repository,
    of which Helm takes names and versions alone."""


@frozen
class Lock:
    """All of a stack, sorted by reference."""

    stack: str
    date: str
    artifacts: tuple[Locked, ...]

    @property
    def digests(self) -> dict[str, str]:
        """The same as lines of ``registries``: each reference that can be held, with its digest."""
        return {
            each.reference: f"{each.reference}@{each.digest}"
            for each in self.artifacts
            if each.holds and "@" not in each.reference
        }

    def to_text(self) -> str:
        """The file: JSON, a key a line, so that a change of one digest is a change of one line."""
        names = [each.name for each in fields(Locked)]
        rows = [{to_camel(name): getattr(each, name) for name in names} for each in self.artifacts]
        return json.dumps({"stack": self.stack, "date": self.date, "artifacts": rows}, indent=1) + "\n"


def lock_file(folder: Path, stack: str) -> Path:
    """Where a stack's lock lies: beside its file."""
    return folder / f"artifacts.{stack}.lock"


def read_lock(path: Path) -> Lock | None:
    """A stack's lock; ``None`` where there is none. Raises ``Refused`` for what is no lock."""
    try:
        data = read_json(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Refused([InputError((path.name,), f"cannot be read: {error}; {_AGAIN}")]) from None
    rows = data.get("artifacts") if isinstance(data, dict) else None
    if not isinstance(rows, list):
        raise Refused([InputError((path.name,), f"no lock: it lists no artifacts; {_AGAIN}")])
    errors = ErrorList((path.name, "artifacts"))
    locked = [_locked(row, errors.at(i)) for i, row in enumerate(rows)]
    if errors:
        raise Refused(errors.found())
    return Lock(str(data.get("stack")), str(data.get("date")), tuple(filter(None, locked)))


_AGAIN = "take the committed one back, or remove it and run `rdma-cluster lock`"


def _locked(row: Any, errors: ErrorList) -> Locked | None:
    if not isinstance(row, dict):
        errors.add(f"got {show(row)}; expected an object; {_AGAIN}")
        return None
    wrong = {
        "reference": not isinstance(row.get("reference"), str) or not row["reference"],
        "kind": row.get("kind") not in _KINDS,
        "digest": not isinstance(row.get("digest"), str) or not _DIGEST.fullmatch(row["digest"]),
        "sizeBytes": not isinstance(row.get("sizeBytes"), int),
        "platforms": not isinstance(row.get("platforms"), dict),
        "holds": not isinstance(row.get("holds"), bool),
    }
    for key in (key for key, is_wrong in wrong.items() if is_wrong):
        errors.at(key).add(f"got {show(row.get(key))}; {_AGAIN}")
    return None if errors else Locked(**{each.name: row.get(to_camel(each.name), "") for each in fields(Locked)})


def with_lock(config: Mapping[str, str], folder: Path, stack: str) -> dict[str, str]:
    """A stack's configuration, with the digests of its lock among its ``registries``.

    One that is no mapping stays as it is, and is refused where args are read.
    """
    lock = read_lock(lock_file(folder, stack))
    key = f"{NAMESPACE}:registries"
    registries = value(config[key]) if key in config else {}
    if lock is None or not isinstance(registries, dict):
        return dict(config)
    return {**config, key: to_json({**registries, **lock.digests})}


@frozen
class Moved:
    """One difference between a lock and what registries answer now."""

    reference: str
    what: str

    def __str__(self) -> str:
        return f"{self.reference}: {self.what}"


def compare(lock: Lock, now: Mapping[str, Locked | str]) -> list[Moved]:
    """What is otherwise than a lock says; ``now`` has an answer, or why there is none, by reference."""
    before = {each.reference: each for each in lock.artifacts}
    moved = []
    for reference in sorted({*before, *now}):
        was, found = before.get(reference), now.get(reference)
        if was is None:
            moved.append(Moved(reference, "fetched, and not in the lock; run `rdma-cluster lock` again"))
        elif found is None:
            moved.append(Moved(reference, "in the lock, and fetched no more"))
        elif isinstance(found, str):
            moved.append(Moved(reference, found))
        elif was.digest != found.digest:
            held = f"pods still take {was.digest}" if was.holds else "nothing holds it to what it was"
            moved.append(Moved(reference, f"moved from {was.digest} to {found.digest}; {held}"))
        elif gone := sorted(set(was.platforms) - set(found.platforms)):
            moved.append(Moved(reference, f"no longer built for {', '.join(gone)}"))
    return moved

"""``rdma-cluster lock``: the digests that registries have for a stack's artifacts, written down or compared."""

import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from ..errors import InputError, Refused
from ..lazy import needed_for
from ..offline.project import stack_folder
from ..supply.fetched import fetched
from ..supply.lock import Lock, Locked, compare, lock_file, read_lock
from .output import as_json
from .preview import built
from .stack_file import read_stack
from .write_file import write_file


def lock_stack(stack: str, file: Path | None, overrides: Sequence[str], check: bool, json: bool) -> int:
    """Write a stack's lock, or compare it. Returns 1 where an artifact cannot be had, or has moved.

    Raises ``Refused``; ``MissingLibrary`` where those that ask registries are not installed.
    """
    root, settings = read_stack(stack, file, overrides)
    path = lock_file(stack_folder(root), stack)
    before = read_lock(path)
    if check and before is None:
        raise Refused([InputError((), f"no {path.name} to compare with; write it with `rdma-cluster lock {stack}`")])
    graph = built(root, settings)
    if graph is None:
        return 2
    found = _ask(fetched(graph))
    if check and before is not None:
        return _compare(before, found, json)
    locked = tuple(each for each in found.values() if isinstance(each, Locked))
    if missing := len(found) - len(locked):
        for reference, reason in found.items():
            if isinstance(reason, str):
                print(f"{reference}: {reason}", file=sys.stderr)
        print(f"{missing} of {len(found)} artifacts cannot be locked; {path.name} is as it was", file=sys.stderr)
        return 1
    lock = Lock(stack, f"{date.today():%Y-%m-%d}", locked)
    if before is not None and before.artifacts == lock.artifacts:
        lock = before  # nothing has moved, so nothing is written otherwise
    write_file(path, lock.to_text())
    if json:
        print(lock.to_text(), end="")
        return 0
    held = sum(each.holds for each in locked)
    signed = sum(bool(each.signature) for each in locked)
    print(
        f"{path.name}: {len(locked)} artifacts, {held} held by digest, {signed} seen signed; commit it with the stack"
    )
    for each in locked:
        if not each.holds:
            why = "Helm takes it by name and version" if each.kind == "helm" else "the node completes its tag"
            print(f"  not held: {each.reference} ({why})")
    return 0


def _compare(before: Lock, found: dict[str, Locked | str], json: bool) -> int:
    moved = compare(before, found)
    if json:
        print(as_json([{"reference": each.reference, "what": each.what} for each in moved]))
    else:
        for each in moved:
            print(each)
        print(f"{len(before.artifacts)} artifacts locked on {before.date}, {len(moved) or 'none'} otherwise now")
    return 1 if moved else 0


def _ask(wanted: Sequence) -> dict[str, Locked | str]:
    with needed_for("asking registries"):
        from ..supply.registry import ask
    return ask(wanted)

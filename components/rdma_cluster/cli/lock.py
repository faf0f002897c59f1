"""``rdma-cluster lock``: the digests that registries have for a stack's artifacts, written down or compared."""

import sys
from datetime import date

from pulumi_offline.errors import refusal
from pulumi_offline.project import stack_folder
from ..base.lazy import needed_for
from ..supply.fetched import fetched
from ..supply.lock import Lock, Locked, compare, lock_file, read_lock
from .options import option
from .output import as_json
from .preview import run_program
from .stack_file import StackVerb
from .write_file import write_file


class LockStack(StackVerb):
    """Write a stack's lock, or compare it. Returns 1 where an artifact cannot be had, or has moved.

    Raises ``Refused``; ``MissingLibrary`` where those that ask registries are not installed.
    """

    check: bool = option("--check", "say what has moved since, and write nothing")

    def run(self) -> int:
        stack = self.stack
        root, settings = self.read()
        path = lock_file(stack_folder(root), stack)
        before = read_lock(path)
        if self.check and before is None:
            raise refusal(f"no {path.name} to compare with; write it with `rdma-cluster lock {stack}`")
        wanted = fetched(run_program(root, settings))
        with needed_for("asking registries"):
            from ..supply.registry import ask
        found = ask(wanted)
        if self.check and before is not None:
            return _compare(before, found, self.json)
        locked = tuple(each for each in found.values() if isinstance(each, Locked))
        if missing := [f"{name}: {reason}" for name, reason in found.items() if isinstance(reason, str)]:
            count = f"{len(missing)} of {len(found)} artifacts cannot be locked; {path.name} is as it was"
            print(*missing, count, sep="\n", file=sys.stderr)
            return 1
        lock = Lock(stack, f"{date.today():%Y-%m-%d}", locked)
        if before is not None and before.artifacts == lock.artifacts:
            lock = before  # nothing has moved, so nothing is written otherwise
        write_file(path, lock.to_text())
        if self.json:
            print(lock.to_text(), end="")
            return 0
        held = sum(each.holds for each in locked)
        signed = sum(bool(each.signature) for each in locked)
        counts = f"{len(locked)} artifacts, {held} held by digest, {signed} seen signed"
        print(f"{path.name}: {counts}; commit it with the stack")
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
        count = f"{len(before.artifacts)} artifacts locked on {before.date}, {len(moved) or 'none'} otherwise now"
        print(*moved, count, sep="\n")
    return 1 if moved else 0

"""Prints every pin with the newest, its age, and whether it is supported. Exit code 1 where one is late or without
support, or nobody answers for it."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version
from pulumi_offline.frozen import frozen
from rdma_cluster.catalog.artifact import Chart, Image
from tools.outdated.newest import newest_of
from .held import HELD
from .pins import Pin, artifact_pins, go_pins, npm_pins, python_pins
from .registries import Release, Unreachable, of_go, of_npm, of_python
from .support import clouds, of_addons, support_of

MOST_DAYS = 120


@frozen
class Line:
    """One pin, judged."""

    pin: Pin
    newest: str
    days: int | None
    """Since the pinned version came out; of what a list in the catalogue tells, since somebody read that list."""
    behind: bool
    reason: str = ""
    trouble: str = ""
    """Why it could not be compared."""
    support: str = ""
    """What its publisher says of its support, where that is not whole."""
    ended: bool = False
    """Whether it has none any more."""

    @property
    def late(self) -> bool:
        """Whether somebody has to do something."""
        if self.trouble or self.ended:
            return not self.reason
        return self.behind and not self.reason and (self.days is None or self.days > MOST_DAYS)

    def __str__(self) -> str:
        age = "" if self.days is None else f"{self.days} d"
        said = "LATE" if self.late else "held" if self.reason else "behind" if self.behind else ""
        why = ": ".join(filter(None, (said, self.support, self.trouble, self.reason)))
        return f"{self.pin.name[-58:]:58} {self.pin.version[-34:]:34} {self.newest[-34:]:34} {age:>6}  {why}".rstrip()


def judged(pin: Pin, ask: Callable[[Pin], Release], today: date) -> Line:
    """A pin beside what its registry tells."""
    reason = HELD.get(pin.name, "")
    try:
        release = ask(pin)
    except Unreachable as error:
        return Line(pin, "?", None, False, reason, str(error))
    days = (today - release.pinned_on).days if release.pinned_on else None
    behind = is_behind(pin, release.newest)
    support, ended = support_of(pin.name, pin.version)
    return Line(pin, release.newest, days, behind, reason if behind or ended else "", "", support, ended)


def is_behind(pin: Pin, newest: str) -> bool:
    """Whether a newer one is out; of a floor, one that its range leaves out."""
    if pin.allowed:
        return newest not in SpecifierSet(pin.allowed)
    return same(newest) != same(pin.version)


def same(version: str) -> object:
    """What two spellings of one version have in common."""
    try:
        return Version(version.removeprefix("v").partition("+")[0])
    except InvalidVersion:
        return version.removeprefix("v")


def listed(pin: Pin, record: Chart | Image, today: date) -> Line:
    """A chart or an image beside the catalogue's list. A list that nobody has read for long is late, held or not."""
    row = newest_of(pin.name)
    read = date.fromisoformat((row or record).source.seen)
    newest, held = (row.version or pin.version, row.held) if row else ("?", "")
    days = (today - read).days
    if days > MOST_DAYS:
        return Line(pin, newest, days, False, "", f"nobody has read its publisher's list since {read}")
    behind = row is not None and same(newest) != same(pin.version)
    support, ended = support_of(record.name, pin.version) if isinstance(record, Chart) else ("", False)
    return Line(pin, newest, days, behind, held if behind or ended else "", "", support, ended)


def main() -> int:
    today = date.today()
    registries = ((of_python, python_pins), (of_go, go_pins), (of_npm, npm_pins))
    asked = [(pin, ask) for ask, pins in registries for pin in pins()]
    with ThreadPoolExecutor(8) as several:
        lines = list(several.map(lambda each: judged(*each, today), asked))
    lines += [listed(pin, record, today) for pin, record in artifact_pins()]
    lines += [
        Line(pin, newest, None, False, HELD.get(pin.name, ""), "", support, ended)
        for pin, newest, support, ended in (*of_addons(), *clouds(today))
    ]
    print(f"{'pin':58} {'version':34} {'newest':34} {'age':>6}")
    for line in lines:
        print(line)
    late = [line for line in lines if line.late]
    unsupported = sum(line.ended for line in lines)
    print(
        f"{len(lines)} pins, {sum(line.behind for line in lines)} behind, {unsupported} unsupported, {len(late)} late"
    )
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())

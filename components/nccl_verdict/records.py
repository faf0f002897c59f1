"""What a log tells of a failure, as records that other evidence can be laid beside: plain data, decided over elsewhere.

A record says who printed it, when, of which rank and device, and how certain it is. Order is not cause: the rank that
prints a time-out waited for another one.
"""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple


class Certainty(str, Enum):
    """How much a line tells of the cause."""

    CAUSE = "cause"
    """It says what failed, or where."""
    ENDED = "ended"
    """A process ended: that is certain, and why is not."""
    VICTIM = "victim"
    """It waited for others, or was ended by them: the cause is elsewhere."""


class Record(NamedTuple):
    """One line, or one block of them."""

    source: str
    """The program that says so: ``torchrun``, ``PyTorch``, ``NCCL``."""
    what: str
    certainty: Certainty
    stage: str = ""
    """How far the job had come, as ``stages.STAGES`` names it; empty where the line does not tell."""
    line: int = 0
    time: str = ""
    """``2026-11-28 04:57:42`` as the line prints it, of whatever zone; empty where it prints none."""
    host: str = ""
    rank: int | None = None
    """As the source counts: a watchdog's is that of its process group, a worker's that of its engine."""
    device: str = ""
    """NIC and port, or GPU."""
    group: str = ""
    """The process group of a collective that did not end."""
    progress: tuple[int, int] | None = None
    """The last work that the rank enqueued in its group, and the last that was completed."""
    hint: str = ""
    """What to run next, where the line alone tells."""

    @property
    def place(self) -> str:
        """`` on node-1, rank 9``: where it was, as far as it tells."""
        rank = "" if self.rank is None else f", rank {self.rank}"
        return (f" on {self.host}" if self.host else "") + rank


_ORDER = tuple(Certainty)


def most_telling(records: Iterable[Record]) -> Record | None:
    """The first of the most certain ones: by the time that both print, else by the line."""
    return min(records, key=lambda each: (_ORDER.index(each.certainty), each.time or "~", each.line), default=None)


def behind(records: Iterable[Record]) -> tuple[str, str] | None:
    """Ranks of one process group that enqueued less than others, in words, and its name. They did not arrive, or are
    late; why is in their own lines. ``None`` where no two ranks of a group tell."""
    groups: dict[str, dict[int, int]] = {}
    for each in records:
        if each.progress and each.rank is not None:
            groups.setdefault(each.group, {})[each.rank] = each.progress[0]
    for name, enqueued in sorted(groups.items()):
        least, most = min(enqueued.values()), max(enqueued.values())
        late = [rank for rank, work in sorted(enqueued.items()) if work == least]
        if least < most and len(late) * 2 <= len(enqueued):
            shown = ", ".join(map(str, late[:8]))
            return f"rank {shown} enqueued work {least} and no more, the others {most}", name
    return None

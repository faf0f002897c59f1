"""What the catalogue does not know, or is not sure of: the rows of ``rdma-cluster machines --unverified``."""

from collections.abc import Iterator
from typing import NamedTuple

from . import machines
from .machine import Cloud


class Question(NamedTuple):
    """One open point of one machine."""

    machine: str
    field: str
    """The field's name, with a dot below it: ``roots``, ``roots.name``."""
    kind: str
    """``unknown``: nobody published it. ``unverified``: inferred, disputed, or from one source only."""
    reason: str


def open_questions(cloud: Cloud | str | None = None) -> Iterator[Question]:
    """Every open point, in catalogue order."""
    for machine in machines(cloud):
        for field, reason in machine.unknown.items():
            yield Question(machine.name, field, "unknown", reason)
        for field, reason in machine.unverified.items():
            yield Question(machine.name, field, "unverified", reason)

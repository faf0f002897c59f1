"""How each figure of the catalogue is known, and which points are open (``rdma-cluster machines --unverified``)."""

from collections.abc import Iterator
from dataclasses import fields
from typing import NamedTuple

from . import machines
from .machine import Known, Machine, Source

# What a record says about itself: no figures.
_NO_FIGURES = {"cloud", "name", "sources", "evidence", "unknown", "unverified"}


class Question(NamedTuple):
    """One open point of one machine."""

    machine: str
    field: str
    """The field's name, with a dot below it: ``roots``, ``roots.name``."""
    kind: str
    """``unknown``: not found. ``unverified``: inferred, disputed, or from one weak source."""
    reason: str


class Figure(NamedTuple):
    """How one figure of one machine is known."""

    machine: str
    field: str
    """As in ``Question``; a part of a field has a line of its own where something is said of it alone."""
    known: Known
    sources: tuple[Source, ...]
    """What it rests on; empty for an open point."""
    reason: str
    """Why the point is open; empty for a settled one."""


def open_questions(cloud: str | None = None) -> Iterator[Question]:
    """Every open point, in catalogue order."""
    for machine in machines(cloud):
        for field, reason in machine.unknown.items():
            yield Question(machine.name, field, "unknown", reason)
        for field, reason in machine.unverified.items():
            yield Question(machine.name, field, "unverified", reason)


def figures(machine: Machine) -> Iterator[Figure]:
    """Every figure of a machine, in the record's order; what is said of a part follows its field.

    A field that nothing is said of was read in at least one of the row's sources.
    """
    told = {**machine.evidence, **machine.unknown, **machine.unverified}
    for field in (each.name for each in fields(machine) if each.name not in _NO_FIGURES):
        parts = [part for part in told if part.startswith(f"{field}.")]
        for name in (field, *parts):
            yield _figure(machine, name)


def _figure(machine: Machine, name: str) -> Figure:
    if name in machine.unknown:
        return Figure(machine.name, name, Known.UNKNOWN, (), machine.unknown[name])
    if name in machine.unverified:
        return Figure(machine.name, name, Known.INFERRED, (), machine.unverified[name])
    settled = (machine.evidence[name],) if name in machine.evidence else ()
    if name == "thresholds" and machine.thresholds:
        runs = tuple(dict.fromkeys(threshold.source for threshold in machine.thresholds))
        return Figure(machine.name, name, Known.MEASURED, runs + settled, "")
    return Figure(machine.name, name, settled[0].known if settled else Known.PUBLISHED, settled or machine.sources, "")

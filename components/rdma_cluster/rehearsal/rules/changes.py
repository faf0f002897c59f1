"""What cannot change while a resource lives: the provider makes it anew, or the API refuses."""

from ipaddress import IPv4Network
from typing import Any

from ...catalog.immutable import Fixed, fixed
from ...offline.changes import Change, compare
from .record import Broken, Inputs


def replaced_by(token: str, old: Inputs, new: Inputs) -> list[str]:
    """The paths whose change makes a resource anew: ``nodeConfig.taints[0].key``; of an unknown type none."""
    row = known(token)
    return [] if row is None else [change.path for change in compare("", old, new) if is_fixed(row, change)]


def refused_changes(token: str, old: Inputs, new: Inputs) -> list[Broken]:
    """The changes that a provider asks for in place, and the API refuses."""
    return []


def known(token: str) -> Fixed | None:
    """What of a type is fixed; ``None`` where the catalogue has no row."""
    try:
        return fixed(token)
    except KeyError:
        return None


def is_fixed(row: Fixed, change: Change) -> bool:
    """Whether a changed input is one that cannot change in place."""
    return row.holds(change.path) and not (change.path in row.grows and _grows(change.before, change.after))


def _grows(before: Any, after: Any) -> bool:
    """Whether a block of addresses keeps all that it has; one that is not known yet does not."""
    try:
        return IPv4Network(before).subnet_of(IPv4Network(after))
    except (TypeError, ValueError):
        return False

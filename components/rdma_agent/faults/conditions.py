"""Conditions of a node, from the faults that were found. Pure."""

import re
import time
from calendar import timegm
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .readings import Line
from .rules import Finding

WATCHED = "FaultsWatched"
"""Always there: ``True`` while somebody sees all that can be seen of the node."""
_DEAF = "the kernel's log cannot be read: faults that it alone tells are not seen"
CLEAR_SECONDS = 600
"""A fault that is not seen for as long is over: conditions do not flap, whatever a link does."""
MOST_FINDINGS = 64
"""Beyond these a node is broken, whatever else it has."""
STAMP = "%Y-%m-%dT%H:%M:%SZ"
"""How Kubernetes writes a time."""
LONGEST = 1000
"""Characters of a message."""
_SEVERAL = "SeveralFaults"

Condition = dict[str, Any]
Active = Mapping[Finding, float]
"""When each fault was last seen."""


def settle(active: Active, found: Sequence[Finding], now: float) -> dict[Finding, float]:
    """The faults that count: those of now, and those that were there a short while ago."""
    kept = {finding: seen for finding, seen in active.items() if now - seen < CLEAR_SECONDS}
    kept |= dict.fromkeys(found, now)
    newest = sorted(kept, key=lambda finding: (-kept[finding], finding))[:MOST_FINDINGS]
    return {finding: kept[finding] for finding in sorted(newest)}


def conditions(active: Iterable[Finding], types: Sequence[str], log_open: bool) -> list[Condition]:
    """One condition for each of ``types``, without its times."""
    by_type: dict[str, list[Finding]] = {each: [] for each in types}
    for finding in active:
        if finding.condition in by_type:
            by_type[finding.condition].append(finding)
    made = [_condition(type_, found) for type_, found in by_type.items()]
    status, reason, message = ("True", "Watching", "") if log_open else ("False", "KernelLogClosed", _DEAF)
    return [*made, {"type": WATCHED, "status": status, "reason": reason, "message": message}]


def _condition(type_: str, found: Sequence[Finding]) -> Condition:
    if not found:
        return {"type": type_, "status": "False", "reason": "NoFault", "message": ""}
    reasons = {finding.reason for finding in found} - {_SEVERAL}
    texts = [f"{finding.address}: {finding.text}" if finding.address else finding.text for finding in found]
    return {
        "type": type_,
        "status": "True",
        "reason": reasons.pop() if len(reasons) == 1 else _SEVERAL,
        # What an earlier watcher said and what this one sees may be the same.
        "message": _joined(list(dict.fromkeys(texts))),
    }


def _joined(texts: Sequence[str]) -> str:
    shown, length = [], 0
    for text in texts:
        if length + len(text) > LONGEST:
            break
        shown.append(text)
        length += len(text) + 2
    left = len(texts) - len(shown)
    return "; ".join(shown) + (f"; and {left} more" if left else "")


def changed(wanted: Sequence[Condition], held: Sequence[Condition]) -> list[Condition]:
    """The conditions that the node does not have yet, or has otherwise.

    A fault that never was there is written as no condition, so that the node's list stays short.
    """
    there = {each.get("type"): each for each in held}

    def is_new(each: Condition) -> bool:
        if (have := there.get(each["type"])) is None:
            return each["status"] != "False" or each["type"] == WATCHED
        return any(each[key] != have.get(key) for key in ("status", "reason", "message"))

    return [each for each in wanted if is_new(each)]


def stamped(wanted: Sequence[Condition], held: Sequence[Condition], now: str) -> list[Condition]:
    """The conditions with the times that Kubernetes' conditions have."""
    since = {(each.get("type"), each.get("status")): each.get("lastTransitionTime", now) for each in held}
    return [
        {**each, "lastHeartbeatTime": now, "lastTransitionTime": since.get((each["type"], each["status"]), now)}
        for each in wanted
    ]


_PART = re.compile(r"^(?:([0-9a-fA-F]{4}:[0-9a-fA-F:.]+): )?(.+)$")
_XID = re.compile(r"^XID (\d+)$")


def resumed(held: Iterable[Condition], types: Sequence[str], started: float) -> tuple[list[Finding], tuple[Line, ...]]:
    """What the conditions of this start of the node say: findings, and XIDs that its kernel's log may have lost since.

    A watcher that starts anew goes on where another ended, or each of its updates would give a bad node free.
    """
    found, lines = [], []
    for each in held:
        since = each.get("lastTransitionTime")
        if each.get("type") not in types or each.get("status") != "True" or not isinstance(since, str):
            continue
        at = timegm(time.strptime(since, STAMP)) - started
        if at < 0:
            continue
        for part in each.get("message", "").split("; "):
            if (words := _PART.match(part)) and not part.startswith("and "):
                address, text = words[1] or "", words[2]
                found.append(Finding(each["type"], each["reason"], address, text))
                if xid := _XID.match(text):
                    lines.append(Line(at, "xid", address, xid[1], True))
    return found, tuple(lines)

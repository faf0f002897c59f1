"""What one part of a rehearsal showed, in words."""

from dataclasses import dataclass

from .engine import Ran
from .log import Log
from .timeline import Timeline


@dataclass(frozen=True)
class Outcome:
    """What one part of a rehearsal showed."""

    what: str
    wrong: tuple[str, ...] = ()
    """Why it is not as it must be; empty where it is."""
    said: str = ""
    seconds: float = 0.0
    """Real ones."""
    timeline: Timeline | None = None


def why(ran: Ran) -> tuple[str, ...]:
    """The errors of a command; empty where it succeeded."""
    return tuple(ran.errors or [ran.text.strip()[-500:]]) if ran.code else ()


def announced(ran: Ran) -> str:
    """How many resources a preview would create."""
    return next((line.strip() for line in ran.text.splitlines() if "to create" in line), "")


def complaint(ran: Ran) -> str:
    """The first errors, on one line."""
    return " / ".join(ran.errors[:3])


def tally(log: Log) -> str:
    """How many resources were created, changed and deleted since the last call."""
    verbs = [each.verb for each in log.take() if each.done]
    counts = [f"{verbs.count(verb)} {verb}d" for verb in ("create", "update", "delete") if verb in verbs]
    return ", ".join(counts) or "nothing done"

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
    """What went wrong; nothing where nothing did."""
    return tuple(ran.errors or [ran.text.strip()[-500:]]) if ran.code else ()


def announced(ran: Ran) -> str:
    """How much a preview would make."""
    return next((line.strip() for line in ran.text.splitlines() if "to create" in line), "")


def complaint(ran: Ran) -> str:
    """What went wrong first, on one line."""
    return " / ".join(ran.errors[:3])


def tally(log: Log) -> str:
    """How much was made, changed and deleted since somebody asked last."""
    verbs = [each.verb for each in log.take() if each.done]
    return (
        ", ".join(f"{verbs.count(verb)} {verb}d" for verb in ("create", "update", "delete") if verb in verbs)
        or "nothing done"
    )

"""What only a cloud will know: how a preview shows it, and how it is told from what is there now."""

import re
from typing import Any

from .wire import UNKNOWN

_LATER = re.compile(r"\[\w+ of [^]]+\]|\.invalid\b|\[secret\]|\[unknown\]")


def output_of(key: str, *what: object) -> str:
    """An output, by what it will come from: ``[selfLink of gcp:compute/network:Network rail-0]``."""
    return f"[{key} of {' '.join(map(str, what))}]"


def holds_output_of(value: str, *what: object) -> bool:
    """Whether a text holds an output of it."""
    return f" of {' '.join(map(str, what))}]" in value


def host(*labels: str) -> str:
    """A host, in a domain that never resolves (RFC 2606)."""
    return ".".join((*labels, "invalid")).lower()


def known(value: Any) -> bool:
    """Whether a value is there now: no output of something that is not made yet, and no secret."""
    return not isinstance(value, str) or (value != UNKNOWN and _LATER.search(value) is None)

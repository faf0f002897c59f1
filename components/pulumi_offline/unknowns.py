"""Values that only a cloud will know: what a preview shows in their place, and how to tell them from known values."""

import re
from typing import Any

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""The engine's own mark of such a value."""
SECRET = "[secret]"
"""Stands for a value that a stack keeps encrypted: nothing can be said of it here."""
NUMBER = 0
"""Stands for a number that a cloud will know."""
OUTPUT_OF = re.compile(r"\[(\w+) of ([^]]+)\]")
"""What ``output_of`` makes: the output, and the resource."""
_UNKNOWN = re.compile(rf"{OUTPUT_OF.pattern}|\.invalid\b|\[secret\]|\[unknown\]")


def output_of(key: str, *resource: object) -> str:
    """An output, by the resource it will come from: ``[selfLink of gcp:compute/network:Network rail-0]``."""
    return f"[{key} of {' '.join(map(str, resource))}]"


def holds_output_of(value: str, *resource: object) -> bool:
    """Whether a text holds an output of a resource."""
    return f" of {' '.join(map(str, resource))}]" in value


def origin(value: Any) -> str:
    """The resource that an input refers to: ``TYPE NAME`` where a preview shows an output, else the value itself."""
    output = OUTPUT_OF.fullmatch(str(value))
    return output[2] if output else str(value)


def host(*labels: str) -> str:
    """A host in a domain that never resolves (RFC 2606)."""
    return ".".join((*labels, "invalid")).lower()


def known(value: Any) -> bool:
    """Whether a value is known now: no output of a resource that does not exist yet, and no secret."""
    return not isinstance(value, str) or (value != UNKNOWN and _UNKNOWN.search(value) is None)

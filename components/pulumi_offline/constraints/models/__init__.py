"""What the clouds' API models say of every input that our programs set, as data; `python -m tools.api` writes it."""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from ...source import Source
from ..predicates import between, form, length, one_of, required
from ..record import Constraint, Limit

MODELLED = ("aws", "azure-native", "gcp", "oci")


@cache
def _facts(sdk: str) -> dict[str, Any]:
    return json.loads((files(__name__) / f"{sdk}.json").read_text(encoding="utf-8"))


def modelled(token: str) -> tuple[Constraint, ...]:
    """The constraints that a type's model states as data: what is required, choices, forms, sizes."""
    sdk = token.partition(":")[0]
    if sdk not in MODELLED:
        return ()
    model = _facts(sdk)
    return tuple(
        Constraint(f"{limits['of']} {words}", Source(f"{model['source']} {limits['of']}", model["seen"]), limit)
        for path, limits in model["types"].get(token, {}).items()
        for words, limit in _limits(path, limits)
    )


def _limits(path: str, limits: dict[str, Any]) -> Iterator[tuple[str, Limit]]:
    if limits.get("required"):
        yield "is required", required(path)
    if choices := limits.get("choices"):
        yield f"is one of {', '.join(choices)}", one_of(path, choices)
    if pattern := limits.get("pattern"):
        yield f"is of the form {pattern}", form(path, pattern)
    least, most = limits.get("least", 0), limits.get("most", float("inf"))
    if (least, most) != (0, float("inf")):
        what, limit = ("has a length", length) if limits.get("kind") == "length" else ("is a number", between)
        yield f"{what} from {least:g} to {most:g}", limit(path, least, most)

"""What a rule of a cloud is, and what it says of a resource that breaks it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...catalog.machine import Source

Inputs = Mapping[str, Any]
"""A resource's inputs as the engine sees them, camelCase; secrets without their wrapping."""


@dataclass(frozen=True, slots=True)
class Broken:
    """One rule that a resource breaks."""

    path: str
    """Where, in the engine's spelling: ``nodeConfig.taints[0].key``; empty where it is the whole resource."""
    words: str
    """What the API answers, or what its own description says."""
    source: Source


@dataclass(frozen=True, slots=True)
class Made:
    """A resource that a cloud holds, as rules look at it that are about several."""

    type: str
    inputs: Inputs
    called: frozenset[str] = frozenset()
    """By what others call it in their inputs: its name, id, link or ARN."""


Check = Callable[[Inputs, "Iterable[Made]"], Iterable[str]]
"""The paths that break a rule, from a resource's inputs and what else is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What an API does not take."""

    words: str
    source: Source
    check: Check
    accepted: Inputs
    """An example that keeps to it: no more than what it is about."""
    refused: Inputs
    """An example that breaks it."""
    among: tuple[Made, ...] = field(default=())
    """What else is there in both examples."""

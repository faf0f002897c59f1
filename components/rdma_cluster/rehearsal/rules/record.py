"""What a rule of a cloud is, and what it says of a resource that breaks it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...catalog.machine import Source
from .there import Made, There

Inputs = Mapping[str, Any]
"""A resource's inputs as the engine sees them, camelCase; secrets without their wrapping."""

Check = Callable[[Inputs, There], Iterable[str]]
"""The paths that break a rule, from a resource's inputs and what else there is."""


@dataclass(frozen=True, slots=True)
class Broken:
    """One rule that a resource breaks."""

    path: str
    """Where, in the engine's spelling: ``nodeConfig.taints[0].key``; empty where it is the whole resource."""
    words: str
    """What the API answers, or what its own description says."""
    source: Source


@dataclass(frozen=True, slots=True)
class Rule:
    """What an API does not take."""

    words: str
    source: Source
    check: Check
    accepted: Inputs | None = None
    """An example that keeps to it: no more than what the rule is about. None of rules that a model states as data."""
    refused: Inputs | None = None
    """An example that breaks it."""
    among: tuple[Made, ...] = ()
    """What else there is in both examples."""

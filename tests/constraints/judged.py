"""What a constraint says of inputs, found by a part of its words."""

from typing import Any

from pulumi_offline.constraints import Existing, broken
from pulumi_offline.constraints.predicates import inputs_with

LATER = "[id of t:x:Y z]"
"""What a preview shows of an output."""


def paths(token: str, words: str, inputs: dict[str, Any], *others: Existing) -> list[str]:
    """Where inputs, each given by its path, break the constraints that have these words."""
    found = broken(token, inputs_with(*inputs.items()), others)
    return [each.path for each in found if words in each.words]


def there(token: str, *names: str, **inputs: Any) -> Existing:
    """A resource that a cloud holds, with the names by which others refer to it."""
    return Existing(token, inputs, frozenset(names))

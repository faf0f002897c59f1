"""What every component shares: args are judged before the first resource, and faults reach the engine as its own."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pulumi

from .door import Faults, Refused, planned, spell, spelt

T = TypeVar("T")
P = TypeVar("P")


def plan_args(args_shape: type[T], decide: Callable[[T, Faults], P | None], args: Mapping[str, Any]) -> P:
    """The plan of a component's args. Raises ``pulumi.InputPropertiesError`` with every fault and its property path."""
    try:
        return planned(args_shape, decide, args)
    except Refused as refused:
        details = [
            pulumi.InputPropertyErrorDetails(property_path=spell(fault.path), reason=fault.reason)
            for fault in refused.faults
        ]
        raise pulumi.InputPropertiesError(str(refused), details) from None


def inputs(args_shape: type, args: Mapping[str, Any]) -> dict[str, Any]:
    """A component's args as the engine shows them: camelCase keys, whichever language wrote them."""
    return spelt(args_shape, args)

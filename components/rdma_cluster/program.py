"""What the stack programs share: the engine's configuration, read into args, with every fault told cleanly."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import pulumi
from pulumi.runtime import config as engine

from .args import admit
from .config import as_configured, stack_args
from .faults import Faults, Refused

T = TypeVar("T")


def configured(args_shape: type[T], plan: Callable[..., object], stack_keys: Mapping[str, str]) -> T:
    """This stack's args, checked by ``plan``. Raises ``pulumi.RunError`` with every fault: no traceback."""
    values = {**engine.get_config_env(), **engine.CONFIG.get()}
    args = stack_args(values, stack_keys)
    try:
        plan(args, pulumi.get_stack(), camel=True)
    except Refused as refused:
        faults = as_configured(refused, stack_keys)
        raise pulumi.RunError(f"the configuration of stack {pulumi.get_stack()} cannot work:\n{faults}") from None
    admitted = admit(args_shape, args, Faults(), camel=True)
    assert admitted is not None
    return admitted

"""What the stack programs share: the engine's configuration, read into args, with every fault told cleanly."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import pulumi
from pulumi.runtime import config as engine

from .args import admit
from .config import plan_stack, stack_args
from .faults import Faults, Refused

T = TypeVar("T")


def configured(args_shape: type[T], plan: Callable[..., object], stack_keys: Mapping[str, str]) -> T:
    """This stack's args, checked by ``plan``. Raises ``pulumi.RunError`` with every fault: no traceback."""
    values = {**engine.get_config_env(), **engine.CONFIG.get()}
    try:
        plan_stack(values, stack_keys, lambda args: plan(args, pulumi.get_stack(), camel=True))
    except Refused as refused:
        raise pulumi.RunError(f"the configuration of stack {pulumi.get_stack()} cannot work:\n{refused}") from None
    return admit(args_shape, stack_args(values, stack_keys), Faults(), camel=True)

"""What the stack programs share: the engine's configuration as one plan, or every error without a traceback."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import pulumi
from pulumi.runtime import config as engine

from .common.stack import plan_stack
from .errors import Refused

P = TypeVar("P")


def configured(plan: Callable[..., P], stack_keys: Mapping[str, str]) -> P:
    """The plan of this stack's configuration. Raises ``pulumi.RunError`` with every error: no traceback."""
    stack = pulumi.get_stack()
    try:
        return plan_stack(plan, stack_keys, {**engine.get_config_env(), **engine.CONFIG.get()}, stack)
    except Refused as refused:
        raise pulumi.RunError(f"the configuration of stack {stack} cannot work:\n{refused}") from None

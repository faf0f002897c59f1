"""What the stack programs share: the engine's configuration as one plan, or every error without a traceback."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import pulumi
from pulumi.runtime import config as engine

from .common.stack import plan_stack
from .errors import Refused
from .offline.project import stack_folder
from .supply.lock import with_lock

P = TypeVar("P")


def configured(plan: Callable[..., P], stack_keys: Mapping[str, str]) -> P:
    """The plan of this stack's configuration. Raises ``pulumi.RunError`` with every error: no traceback."""
    stack = pulumi.get_stack()
    try:
        config = with_lock({**engine.get_config_env(), **engine.CONFIG.get()}, stack_folder(Path.cwd()), stack)
        return plan_stack(plan, stack_keys, config, stack)
    except Refused as refused:
        raise pulumi.RunError(f"the configuration of stack {stack} cannot work:\n{refused}") from None

"""What the stack programs share: the engine's configuration, read into args, with every fault told cleanly."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pulumi
from pulumi.runtime import config as engine

from .door import Faults, Refused, admit
from .stack import NAMESPACE, stack_args

T = TypeVar("T")


def configured(args_shape: type[T], plan: Callable[..., object], stack_keys: Mapping[str, str]) -> T:
    """This stack's args, checked by ``plan``. Raises ``pulumi.RunError`` with every fault: no traceback."""
    values = {**engine.get_config_env(), **engine.CONFIG.get()}
    config = {key: _value(text) for key, text in values.items() if key.startswith(f"{NAMESPACE}:") or key in stack_keys}
    args = stack_args(config, stack_keys)
    try:
        plan(args, pulumi.get_stack(), camel=True)
    except Refused as refused:
        raise pulumi.RunError(f"the configuration of stack {pulumi.get_stack()} cannot work:\n{refused}") from None
    admitted = admit(args_shape, args, Faults(), camel=True)
    assert admitted is not None
    return admitted


def _value(text: str) -> Any:
    """A value as the stack file had it: the engine hands objects and lists over as JSON, all else as text."""
    return json.loads(text) if text[:1] in ("{", "[") else text

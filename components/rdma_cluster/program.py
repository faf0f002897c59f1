"""What the stack programs share: the engine's configuration as one plan, or every error without a traceback."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import pulumi
from pulumi.runtime import config as engine

from .common.stack import plan_stack
from .conform.report import report, with_proofs
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


def reported(plan: Any, proofs: pulumi.Output[Any]) -> pulumi.Output[dict[str, Any]]:
    """The report of this stack, known once its fabric is proved: what was built, versions, proofs, evidence, phases."""
    package = import_module(type(plan).__module__.rpartition(".")[0])
    told = report(plan, package.summarise(plan), pulumi.get_stack())
    return proofs.apply(lambda known: with_proofs(told, known))

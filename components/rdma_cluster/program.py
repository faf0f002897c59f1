"""What the stack programs share: the engine's configuration as one plan, or every error without a traceback."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pulumi
from pulumi_offline.errors import Refused
from pulumi_offline.project import stack_folder
from .common.stack import StackPlan, plan_stack
from .common.summary import Summary, summarise_plan
from .component.account import configuration
from .conform.report import report, with_proofs
from .supply.lock import with_lock

P = TypeVar("P")
S = TypeVar("S", bound=StackPlan)


def configured(plan: Callable[..., P], stack_keys: Mapping[str, str]) -> P:
    """The plan of this stack's configuration. Raises ``pulumi.RunError`` with every error: no traceback."""
    stack = pulumi.get_stack()
    try:
        config = with_lock(configuration(), stack_folder(Path.cwd()), stack)
        return plan_stack(plan, stack_keys, config, stack)
    except Refused as refused:
        raise pulumi.RunError(f"the configuration of stack {stack} cannot work:\n{refused}") from None


def reported(
    plan: S, proofs: pulumi.Output[Any], summarise: Callable[[S], Summary] = summarise_plan
) -> pulumi.Output[dict[str, Any]]:
    """The report of this stack, known once its fabric is proved: what was built, versions, proofs, evidence, phases."""
    told = report(plan, summarise(plan), pulumi.get_stack())
    return proofs.apply(lambda known: with_proofs(told, known))

"""Nodes that are kept ready, as a stack plans them."""

from typing import TYPE_CHECKING

from pulumi_offline.errors import ErrorList
from rdma_agent.names import PROVER_NAMESPACE
from ..add_on import AddOn, After, Stack
from .args import ReadinessOptions

if TYPE_CHECKING:
    from .plan import ReadinessPlan


def _plan(stack: Stack, options: ReadinessOptions, errors: ErrorList) -> "ReadinessPlan | None":
    """What keeps nodes ready. Errors of its tests stand under ``acceptance``."""
    from .plan import plan_readiness_on

    at, of_tests = errors.at("readiness"), errors.at("acceptance")
    return plan_readiness_on(options, stack.pools, stack.context, stack.choice.acceptance, at, of_tests)


ADD_ON = AddOn(
    "readiness",
    ReadinessOptions,
    _plan,
    After.TESTS,
    namespaces={PROVER_NAMESPACE: "the prover"},
    before_acceptance=True,
)

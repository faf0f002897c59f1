"""Fabric injection, as a stack plans it."""

from typing import TYPE_CHECKING

from pulumi_offline.errors import ErrorList
from ....fabrics import Claims
from ..add_on import AddOn, After, Stack
from .args import InjectionOptions

if TYPE_CHECKING:
    from .plan import InjectionPlan


def _plan(stack: Stack, options: InjectionOptions, errors: ErrorList) -> "InjectionPlan | None":
    """Its policies; ``None`` without an error where the claim templates have errors of their own."""
    from .plan import InjectedPools, plan_injection_on

    if stack.claims is None and any(isinstance(pool.fabric.nic_attachment, Claims) for pool in stack.pools):
        return None
    pools = InjectedPools(stack.pools, stack.workloads, stack.claims)
    claims, of_claims = stack.choice.claims, errors.at("claims")
    return plan_injection_on(options, pools, stack.context, claims, errors.at("injection"), of_claims)


ADD_ON = AddOn("injection", InjectionOptions, _plan, After.CLAIMS)

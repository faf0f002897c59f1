"""Pods that are given their machine's fabric at admission: which, by which engine, and what they are given.

Args have their shape here at once; what plans is imported when somebody wants it.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import FabricInjectionArgs, InjectionChoice, InjectionEngine, InjectionPool, InjectionRules

if TYPE_CHECKING:
    from .plan import (
        GivenPool,
        InjectionPlan,
        check_pools,
        decide_injection,
        given_pool,
        offered_claims,
        plan_injection,
    )

__all__ = [
    "FabricInjectionArgs",
    "GivenPool",
    "InjectionChoice",
    "InjectionEngine",
    "InjectionPlan",
    "InjectionPool",
    "InjectionRules",
    "check_pools",
    "decide_injection",
    "given_pool",
    "offered_claims",
    "plan_injection",
]

__getattr__ = lazy(
    __name__,
    {
        ".plan": [
            "GivenPool",
            "InjectionPlan",
            "check_pools",
            "decide_injection",
            "given_pool",
            "offered_claims",
            "plan_injection",
        ]
    },
)

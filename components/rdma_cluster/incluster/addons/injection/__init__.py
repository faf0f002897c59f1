"""Pods that are given their machine's fabric at admission: which, by which engine, and what they are given.

Args are imported at once; the plan is imported when somebody wants it.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import FabricInjectionArgs, InjectionChoice, InjectionEngine, InjectionRules

if TYPE_CHECKING:
    from .plan import InjectedPools, InjectionPlan, injected_pools, plan_injection

__all__ = [
    "FabricInjectionArgs",
    "InjectedPools",
    "InjectionChoice",
    "InjectionEngine",
    "InjectionPlan",
    "InjectionRules",
    "injected_pools",
    "plan_injection",
]

__getattr__ = lazy(__name__, {".plan": ["InjectedPools", "InjectionPlan", "injected_pools", "plan_injection"]})

"""Pods that are given their machine's fabric at admission: which, by which engine, and what they are given.

Args are imported at once; the plan is imported when somebody wants it.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import FabricInjectionArgs as FabricInjectionArgs
from .args import InjectionChoice as InjectionChoice
from .args import InjectionEngine as InjectionEngine
from .args import InjectionRules as InjectionRules

if TYPE_CHECKING:
    from .plan import InjectedPools as InjectedPools
    from .plan import InjectionPlan as InjectionPlan
    from .plan import injected_pools as injected_pools
    from .plan import plan_injection as plan_injection

__getattr__ = lazy(__name__)

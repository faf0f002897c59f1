"""Pods that are given their machine's fabric at admission: which, by which engine, and what they are given.

Args have their shape here at once; what plans is imported when somebody wants it.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import FabricInjectionArgs as FabricInjectionArgs
from .args import InjectionChoice as InjectionChoice
from .args import InjectionEngine as InjectionEngine
from .args import InjectionPool as InjectionPool
from .args import InjectionRules as InjectionRules

if TYPE_CHECKING:
    from .plan import GivenPool as GivenPool
    from .plan import InjectionPlan as InjectionPlan
    from .plan import check_pools as check_pools
    from .plan import decide_injection as decide_injection
    from .plan import given_pool as given_pool
    from .plan import offered_claims as offered_claims
    from .plan import plan_injection as plan_injection

__getattr__ = lazy(__name__)

"""How a pool's fabric is proved inside `up`: the choice, the expectation, the objects of each carrier."""

from ....fabrics import Carrier
from .args import AcceptanceChoice, AcceptanceImages, NcclAcceptanceArgs
from .expectation import collective_of
from .plan import AcceptancePlan, plan_acceptance
from .pod import PoolTest

__all__ = [
    "AcceptanceChoice",
    "AcceptanceImages",
    "AcceptancePlan",
    "Carrier",
    "NcclAcceptanceArgs",
    "PoolTest",
    "collective_of",
    "plan_acceptance",
]

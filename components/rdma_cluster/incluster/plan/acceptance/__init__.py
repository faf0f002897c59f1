"""How a pool's fabric is proved inside `up`: the choice, the expectation, the objects of each carrier."""

from ....fabrics import Carrier
from .args import AcceptanceChoice, AcceptanceImages, AcceptancePool, NcclAcceptanceArgs
from .plan import AcceptancePlan, collective_of, decide_acceptance
from .pod import PoolTest

__all__ = [
    "AcceptanceChoice",
    "AcceptanceImages",
    "AcceptancePlan",
    "AcceptancePool",
    "Carrier",
    "NcclAcceptanceArgs",
    "PoolTest",
    "collective_of",
    "decide_acceptance",
]

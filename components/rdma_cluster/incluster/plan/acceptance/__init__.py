"""How a pool's fabric is proved inside `up`: the choice, the expectation, the objects of each launcher."""

from ....fabrics import Launcher
from .args import AcceptanceImages, AcceptanceOptions, NcclAcceptanceArgs
from .expectation import collective_of
from .plan import AcceptancePlan, plan_acceptance, plan_acceptance_on
from .pod import PoolTest

__all__ = [
    "AcceptanceImages",
    "AcceptanceOptions",
    "AcceptancePlan",
    "Launcher",
    "NcclAcceptanceArgs",
    "PoolTest",
    "collective_of",
    "plan_acceptance",
    "plan_acceptance_on",
]

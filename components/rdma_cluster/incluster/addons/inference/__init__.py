"""A model that is served from several nodes: the choice, whether it fits, the objects.

Args have their shape here at once; what plans is imported when somebody serves a model.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import DistributedInferenceArgs, InferenceChoice, InferenceSplit, InferenceWeights

if TYPE_CHECKING:
    from .plan import InferencePlan, plan_inference

__all__ = [
    "DistributedInferenceArgs",
    "InferenceChoice",
    "InferencePlan",
    "InferenceSplit",
    "InferenceWeights",
    "plan_inference",
]

__getattr__ = lazy(__name__, {".plan": ["InferencePlan", "plan_inference"]})

"""A model that is served from several nodes: the choice, whether it fits, the objects.

Args have their shape here at once; what plans is imported when somebody serves a model.
"""

from typing import TYPE_CHECKING

from ....lazy import lazy
from .args import DistributedInferenceArgs as DistributedInferenceArgs
from .args import InferenceChoice as InferenceChoice
from .args import InferenceSplit as InferenceSplit
from .args import InferenceWeights as InferenceWeights

if TYPE_CHECKING:
    from .plan import InferencePlan as InferencePlan
    from .plan import plan_inference as plan_inference

__getattr__ = lazy(__name__)

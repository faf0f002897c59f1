"""A model that is served from several nodes: the choice, whether it fits, the objects."""

from .args import DistributedInferenceArgs, InferenceChoice, InferencePool, InferenceSplit, InferenceWeights
from .plan import InferencePlan, decide_inference

__all__ = [
    "DistributedInferenceArgs",
    "InferenceChoice",
    "InferencePlan",
    "InferencePool",
    "InferenceSplit",
    "InferenceWeights",
    "decide_inference",
]

"""What a pod wants of a node, as ResourceClaimTemplates, and the proof that a node can satisfy them. Pure."""

from .generate import offers, templates
from .intent import Gpus, Groups, Intent, Nics, Numa, Pairs, Whole
from .layout import windows
from .proof import Proof, prove
from .refusal import Unsatisfiable
from .target import Target, driver_of, judged_minor, kubernetes_minor
from .template import Constraint, Request, Template

__all__ = [
    "Constraint",
    "Gpus",
    "Groups",
    "Intent",
    "Nics",
    "Numa",
    "Pairs",
    "Proof",
    "Request",
    "Target",
    "Template",
    "Unsatisfiable",
    "Whole",
    "driver_of",
    "judged_minor",
    "kubernetes_minor",
    "offers",
    "prove",
    "templates",
    "windows",
]

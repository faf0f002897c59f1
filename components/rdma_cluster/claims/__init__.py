"""What a pod wants of a node, as ResourceClaimTemplates, and the proof that a node can satisfy them. Pure."""

from .generate import offers, templates
from .intent import Groups, Intent, Nics, Numa, Pairs, Whole
from .layout import windows
from .proof import Proof, prove
from .refusal import Unsatisfiable
from .target import GpuMode, NicDriver, Target, kubernetes_minor, nic_driver_of
from .template import Constraint, Request, Template

__all__ = [
    "Constraint",
    "GpuMode",
    "Groups",
    "Intent",
    "NicDriver",
    "Nics",
    "Numa",
    "Pairs",
    "Proof",
    "Request",
    "Target",
    "Template",
    "Unsatisfiable",
    "Whole",
    "kubernetes_minor",
    "nic_driver_of",
    "offers",
    "prove",
    "templates",
    "windows",
]

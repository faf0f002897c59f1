"""What a pod wants of a node, as ResourceClaimTemplates, and the proof that a node can satisfy them. Pure."""

from .generate import Unsatisfiable, offers, templates
from .intent import Groups, Intent, Nics, Numa, Pairs, Whole
from .layout import windows
from .target import GpuMode, NicDriver, Target
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
    "Request",
    "Target",
    "Template",
    "Unsatisfiable",
    "Whole",
    "offers",
    "templates",
    "windows",
]

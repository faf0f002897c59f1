"""What a pod wants of a node, as ResourceClaimTemplates, and the proof that a node can satisfy them. Pure."""
# ruff: noqa: F401 (other rooms read these names here)

from .generate import offers, templates
from .intent import Gpus, Groups, Intent, Nics, Numa, Pairs, Whole
from .layout import windows
from .refusal import Unsatisfiable
from .solution import Solution, solve
from .target import Target, check_driver, driver_of, judged_minor, kubernetes_minor
from .template import Constraint, Request, Template

"""EKS machine types with Elastic Fabric Adapters."""

from . import gpu, small
from .record import EksMachine, Layout

__all__ = ["MACHINES", "EksMachine", "Layout"]

MACHINES = (*gpu.MACHINES, *small.MACHINES)

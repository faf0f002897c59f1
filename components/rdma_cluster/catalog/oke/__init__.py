"""OKE machine types: bare-metal shapes with an RDMA network."""

from . import grace, hgx, others
from .record import OkeMachine, PoolMode

__all__ = ["MACHINES", "OkeMachine", "PoolMode"]

MACHINES = (*hgx.MACHINES, *grace.MACHINES, *others.MACHINES)

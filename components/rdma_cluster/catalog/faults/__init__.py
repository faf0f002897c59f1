"""Faults of nodes: what each is, and how each fabric shows it. Facts only."""
# ruff: noqa: F401 (other rooms read these names here)

from .record import Cell, Fault, Part, Proof, SeenBy, Taints
from .rows import FAULTS
from .watched import LIMITS, NVLINK5_XIDS, ON_HOST, PCI_IDS, RECOVERY_XID, XIDS, Limit

WATCHED = tuple(fault for fault in FAULTS if fault.usual.seen_by is SeenBy.WATCHER)
"""Those that have a condition of our watcher."""

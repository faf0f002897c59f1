"""What a fault of a node is: its condition, how each fabric shows it, what is tainted, what clears it."""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from pulumi_offline.frozen import frozen
from ..machine import Source, Transport


class SeenBy(str, Enum):
    """Who sees a fault on nodes of a fabric."""

    WATCHER = "our watcher"
    """The DaemonSet of ``NodeReadiness``, from /sys, /proc and the kernel's log."""
    CLOUD = "the cloud's agent"
    """An agent that the cloud brings, with a condition of its own."""
    KUBERNETES = "Kubernetes"
    """The state of pods or of other objects: no fact of a node."""
    NOBODY = "nobody"
    """Nothing that is published on a node of this fabric shows it; ``why`` says where it was looked for."""
    NOT_THERE = "not there"
    """No machine with this fabric has the part."""


class Taints(str, Enum):
    """What is tainted where a fault takes a node out of service."""

    DEVICE = "the device"
    """The one GPU or NIC where claims hand it out and the cluster has DeviceTaintRules; the node elsewhere."""
    NODE = "the node"
    NOTHING = "nothing"
    """The condition is told, and no more: others' faults show in the same way."""


class Part(str, Enum):
    """What of a node is at fault; it decides who repairs."""

    GPU = "GPU"
    NIC = "NIC"
    NODE = "node"


class Proof(str, Enum):
    """What must be proved again before the node takes work."""

    ALL = "NVLink alone, then the fabric with a neighbour"
    FABRIC = "the fabric with a neighbour"
    NONE = "nothing"


@frozen
class Cell:
    """One fault on one fabric."""

    seen_by: SeenBy
    how: str
    """The file, metric, kernel line or condition that shows it; for ``NOBODY`` and ``NOT_THERE`` why there is none."""
    threshold: str = ""
    """From when on it counts, and who says so."""
    sources: tuple[Source, ...] = ()


@frozen(kw_only=True)
class Fault:
    """One kind of fault."""

    condition: str
    """Type of the node's condition; ``True`` is bad, as with all conditions of problems."""
    meaning: str
    part: Part
    taints: Taints
    clears: str
    """What makes the condition ``False`` again."""
    proof: Proof
    usual: Cell
    """On every fabric that ``cells`` does not name."""
    cells: Mapping[Transport, Cell] = field(default_factory=dict)

    def on(self, transport: Transport) -> Cell:
        """The fault on a fabric."""
        return self.cells.get(transport, self.usual)

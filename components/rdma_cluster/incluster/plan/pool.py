"""A pool of GPU nodes: as args of a component name it, and as every plan inside the cluster reads it."""

from typing import Any, NotRequired

from typing_extensions import TypedDict

from ...args import Choice, args_schema
from ...catalog.machine import Machine
from ...fabrics import Fabric, GpuAllocation
from ...frozen import frozen


@args_schema
class InClusterPool(TypedDict):
    """A GPU pool of a cluster."""

    name: str
    """The pool's name, the value of its node label."""
    machine: str
    """Machine type. Example: ``p5.48xlarge``."""
    nodes: NotRequired[int]
    """Nodes of the pool, at the most. Only ``FabricInjection`` does without."""
    fabric: NotRequired[str]
    """The way in which pods get its NICs. Example: ``gib``. Default: the machine's usual one."""
    gpu_allocation: NotRequired[Choice[GpuAllocation]]
    """Who hands out the pool's GPUs. Default: as is usual with the fabric."""
    disk_gb: NotRequired[int]
    """Disk of a node that images and pods share, GB; a served model is checked against it. Default: not known."""
    skip_reason: NotRequired[str]
    """A reason why `up` cannot test this pool."""
    fingerprint: NotRequired[str]
    """Text that changes when the pool gets other nodes; the acceptance test then runs again."""
    channels: NotRequired[bool]
    """Whether a ComputeDomain gives its pods IMEX channels: the acceptance test then also tests NVLink between nodes,
    where a run of two nodes over it is published. Default: false."""


@frozen
class ProvisioningClass:
    """How a job asks an autoscaler for all its nodes at once."""

    name: str
    """Of its ProvisioningRequests."""
    node_label: str
    """The label by which the nodes of one request are known."""
    detail: str
    """The detail of a request that has the label's value."""


@frozen
class GpuPool:
    """A pool of GPU nodes, with its machine and its fabric."""

    name: str
    machine: Machine
    nodes: int
    """At the most; 0 where nobody counts them."""
    fabric: Fabric
    allocation: GpuAllocation
    skip_reason: str = ""
    """Why `up` cannot test it, where it cannot."""
    fingerprint: str = ""
    """Text that changes when the pool gets other nodes."""
    levels: tuple[str, ...] = ()
    """Node labels in which its cloud writes a node's place in the network, the widest first."""
    scales_from_zero: bool = False
    """Whether it has no nodes until a pod asks for them."""
    provisioning: ProvisioningClass | None = None
    """By which alone it gets nodes; ``None`` where it asks nobody."""
    disk_gb: int | None = None
    """Disk of a node that images and pods share, GB; ``None`` where it is not known."""
    channels: bool = False
    """Whether a ComputeDomain gives its pods IMEX channels."""

    def as_args(self, *further: str) -> InClusterPool:
        """The pool as args name it, with those of the ``further`` keys for which it has a value."""
        args = InClusterPool(
            name=self.name, machine=self.machine.name, fabric=self.fabric.name, gpu_allocation=self.allocation
        )
        values: dict[str, Any] = {
            "nodes": self.nodes,
            "disk_gb": self.disk_gb,
            "skip_reason": self.skip_reason or None,
            "fingerprint": self.fingerprint or None,
            "channels": self.channels or None,
        }
        return InClusterPool(**args, **{key: values[key] for key in further if values[key] is not None})

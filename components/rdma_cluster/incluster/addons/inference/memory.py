"""Whether a model fits: its weights, and the keys and values of one request, against the memory of the GPUs."""

from math import ceil

from ....catalog.machine import Machine
from ....frozen import frozen

MEMORY_SHARE = 0.90
"""Of each GPU's memory, for weights, keys and values; the rest is for what vLLM computes with."""
_FREE_DISK = (
    0.9  # nodefs.available<10% evicts pods (kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction)
)
_IMAGES_GB = 40  # two generations of an image of 20 GB


@frozen
class Load:
    """What every copy of a model takes, bytes."""

    weights: int
    request: int
    """Keys and values of the longest request; 0 where the model's layers are not known."""
    tokens: int
    """Of that request."""

    @property
    def total(self) -> int:
        """All of it."""
        return self.weights + self.request

    def least_nodes(self, machine: Machine) -> int | None:
        """How many nodes hold it; ``None`` where the GPU's memory is not known."""
        one = memory(machine, 1)
        return None if one is None else ceil(self.total / one)

    def against(self, machine: Machine, nodes: int) -> str:
        """The arithmetic, for people."""
        assert machine.gpu is not None
        held = memory(machine, nodes) or 0
        parts = f"{gb(self.weights)} GB of weights"
        if self.request:
            parts += f" and {gb(self.request)} GB of keys and values of one request of {self.tokens} tokens"
        return (
            # Rounded down: what is a little too large would else be said to be as large.
            f"{parts}, against {held // 10**9} GB: {nodes} x {machine.gpus} GPUs of {machine.gpu.memory_gib} GiB, "
            f"{MEMORY_SHARE:.0%} of each"
        )


def memory(machine: Machine, nodes: int) -> int | None:
    """Bytes that the GPUs of some nodes have for a model; ``None`` where their memory is not known."""
    if machine.gpu is None or machine.gpu.memory_gib is None:
        return None
    return int(nodes * machine.gpus * machine.gpu.memory_gib * (1 << 30) * MEMORY_SHARE)


def room_gb(disk_gb: int) -> int:
    """What weights may take of a node's disk, beside images, before the node evicts pods."""
    return int(disk_gb * _FREE_DISK) - _IMAGES_GB


def gb(count: int) -> int:
    """Bytes as whole GB, rounded up."""
    return ceil(count / 1e9)

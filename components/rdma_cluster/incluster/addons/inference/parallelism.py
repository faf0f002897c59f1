"""Which pool serves a model, over how many of its nodes, and whether it fits there."""

from collections.abc import Sequence
from math import ceil

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ....catalog.machine import Machine
from ....catalog.models import Model
from ...plan.pool import GpuPool
from ...plan.resolve import check_fit
from .args import InferenceOptions, InferenceWeights

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


_LONGEST = 32_768


def choose_pool(options: InferenceOptions, pools: Sequence[GpuPool | None], errors: ErrorList) -> GpuPool | None:
    """The pool that serves; ``None`` with an error, or where it may be one that could not be planned."""
    names = ["" if pool is None else pool.name for pool in pools]
    if None in pools and options.get("pool") not in names:
        return None
    if not names:
        errors.at("pools").add("empty; list the pool that serves")
        return None
    if "pool" in options and options["pool"] not in names:
        errors.at("pool").add(f"got {options['pool']!r}; choose one of {', '.join(names)}")
        return None
    if "pool" not in options and len(names) != 1:
        errors.at("pool").add(f"missing; say which serves: {', '.join(names)}")
        return None
    i = names.index(options["pool"]) if "pool" in options else 0
    pool = pools[i]
    return pool if pool and _can_serve(pool, errors.at("pools", i), errors.at("pool")) else None


def _can_serve(pool: GpuPool, at: ErrorList, chosen: ErrorList) -> bool:
    """Whether vLLM can run on the pool; ``chosen`` collects errors of the choice, which a stack makes elsewhere."""
    machine = pool.machine
    if machine.gpu is None or not machine.gpus:
        chosen.add(f"{machine.name} has no GPUs whose fabric NCCL speaks; name another pool")
    elif not machine.gpu.model.startswith("NVIDIA"):
        chosen.add(f"{machine.name} has {machine.gpu.model}, which vLLM's images here do not know; name another pool")
    elif check_fit(pool, at):
        if not machine.is_rack:
            return True
        chosen.add(
            f"{machine.name} shares NVLink between nodes, which takes a ComputeDomain that serving does not ask for; "
            "name another pool"
        )
    return False


def load_of(options: InferenceOptions, model: Model | None, errors: ErrorList) -> Load | None:
    """What a copy of the model takes; ``None`` where its size is not known, with an error."""
    weights = options.get("weights", InferenceWeights())
    tokens = options.get("max_model_len", min(_LONGEST, model.longest if model else _LONGEST))
    if tokens < 1:
        errors.at("max_model_len").add(f"got {tokens}; must be 1 or more")
    elif model is not None and tokens > model.longest:
        errors.at("max_model_len").add(f"got {tokens}; {model.name} knows {model.longest} tokens at the most")
    if model is None and "gb" not in weights:
        if not errors.at("model"):
            errors.at("weights", "gb").add(
                f"missing; the size of {options['model']} is not known here: add up its *.safetensors on Hugging Face"
            )
        return None
    size = weights["gb"] * 10**9 if "gb" in weights else model.weights_bytes if model else 0
    # How many copies of a key there are follows from the split, which never makes them fewer.
    return Load(size, model.token_bytes * tokens if model else 0, tokens)


def nodes_for(options: InferenceOptions, pool: GpuPool, load: Load | None, errors: ErrorList) -> int | None:
    """How many nodes hold the model, where the pool has them and their GPUs the memory."""
    at, machine = errors.at("nodes"), pool.machine
    least = None if load is None else load.least_nodes(machine)
    nodes = options.get("nodes", max(2, least or 0))
    if nodes < 1:
        at.add(f"got {nodes}; must be 2 or more")
        return None
    if nodes == 1:
        at.add(
            f"got {nodes}; a model on one node needs none of this, nor the fabric: serve it there with a Deployment "
            "of vLLM"
        )
        return None
    got = f"got {nodes}; " if "nodes" in options else ""
    has = f"pool {pool.name} has {pool.nodes}, raise its nodes"
    short = nodes > pool.nodes
    if load is not None and least is not None and min(nodes, pool.nodes) < least:
        held = load.against(machine, min(nodes, max(1, pool.nodes)))
        at.add(f"{got}{options['model']} takes {held}; it takes {max(2, least)} nodes{f', and {has}' if short else ''}")
    elif short:
        at.add(f"{got or f'{nodes} at the least; '}{has}")
    return nodes

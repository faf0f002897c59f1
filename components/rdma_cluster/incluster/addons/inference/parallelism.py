"""Which pool serves a model, and over how many of its nodes."""

from collections.abc import Sequence

from ....catalog.models import Model
from ....errors import ErrorList
from ...plan.pool import GpuPool
from ...plan.resolve import check_fit, resolve
from .args import DistributedInferenceArgs, InferenceWeights
from .memory import Load

_LONGEST = 32_768


def choose_pool(
    args: DistributedInferenceArgs, errors: ErrorList, pools: Sequence[GpuPool] | None, *, all_planned: bool
) -> GpuPool | None:
    """The pool that serves; ``None`` with an error, or where it may be one that could not be planned."""
    names = [pool["name"] for pool in args["pools"]]
    if not all_planned and args.get("pool") not in names:
        return None
    if not names:
        errors.at("pools").add("empty; list the pool that serves")
        return None
    if "pool" in args and args["pool"] not in names:
        errors.at("pool").add(f"got {args['pool']!r}; choose one of {', '.join(names)}")
        return None
    if "pool" not in args and len(names) != 1:
        errors.at("pool").add(f"missing; say which serves: {', '.join(names)}")
        return None
    i = names.index(args["pool"]) if "pool" in args else 0
    pool = pools[i] if pools is not None else resolve(args["pools"][i], errors.at("pools", i))
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


def load_of(args: DistributedInferenceArgs, model: Model | None, errors: ErrorList) -> Load | None:
    """What a copy of the model takes; ``None`` where its size is not known, with an error."""
    weights = args.get("weights", InferenceWeights())
    tokens = args.get("max_model_len", min(_LONGEST, model.longest if model else _LONGEST))
    if tokens < 1:
        errors.at("max_model_len").add(f"got {tokens}; must be 1 or more")
    elif model is not None and tokens > model.longest:
        errors.at("max_model_len").add(f"got {tokens}; {model.name} knows {model.longest} tokens at the most")
    if model is None and "gb" not in weights:
        if not errors.at("model"):
            errors.at("weights", "gb").add(
                f"missing; the size of {args['model']} is not known here: add up its *.safetensors on Hugging Face"
            )
        return None
    size = weights["gb"] * 10**9 if "gb" in weights else model.weights_bytes if model else 0
    # How many copies of a key there are follows from the split, which never makes them fewer.
    return Load(size, model.token_bytes * tokens if model else 0, tokens)


def nodes_for(args: DistributedInferenceArgs, pool: GpuPool, load: Load | None, errors: ErrorList) -> int | None:
    """How many nodes hold the model, where the pool has them and their GPUs the memory."""
    at, machine = errors.at("nodes"), pool.machine
    least = None if load is None else load.least_nodes(machine)
    nodes = args.get("nodes", max(2, least or 0))
    if nodes < 1:
        at.add(f"got {nodes}; must be 2 or more")
        return None
    if nodes == 1:
        at.add(
            f"got {nodes}; a model on one node needs none of this, nor the fabric: serve it there with a Deployment "
            "of vLLM"
        )
        return None
    got = f"got {nodes}; " if "nodes" in args else ""
    has = f"pool {pool.name} has {pool.nodes}, raise its nodes"
    short = nodes > pool.nodes
    if load is not None and least is not None and min(nodes, pool.nodes) < least:
        held = load.against(machine, min(nodes, max(1, pool.nodes)))
        at.add(f"{got}{args['model']} takes {held}; it takes {max(2, least)} nodes{f', and {has}' if short else ''}")
    elif short:
        at.add(f"{got or f'{nodes} at the least; '}{has}")
    return nodes

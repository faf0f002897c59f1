"""How far a model extends: what a copy of it takes, over how many nodes of its pool, and whether it can be cut so."""

import re

from ....catalog.models import MODELS, Model
from ....faults import Faults
from .args import DistributedInferenceArgs, InferenceWeights
from .pool import ServingPool
from .sizes import Load

_LONGEST = 32_768
_MODEL = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)


def known_model(name: str, faults: Faults) -> Model | None:
    """What is known of a model, or ``None``; a fault where the name is none of Hugging Face."""
    if not _MODEL.fullmatch(name):
        faults.add(f"got {name!r}; write ORGANISATION/MODEL as on Hugging Face, e.g. {next(iter(MODELS))}")
    return MODELS.get(name)


def load_of(args: DistributedInferenceArgs, model: Model | None, faults: Faults) -> Load | None:
    """What a copy of the model takes; ``None`` where its size is not known, with a fault."""
    weights = args.get("weights", InferenceWeights())
    asked = args.get("max_model_len", min(_LONGEST, model.longest if model else _LONGEST))
    if asked < 1:
        faults.at("max_model_len").add(f"got {asked}; must be 1 or more")
    elif model is not None and asked > model.longest:
        faults.at("max_model_len").add(f"got {asked}; {model.name} knows {model.longest} tokens at the most")
    if model is None and "gb" not in weights:
        if not faults.at("model"):
            faults.at("weights", "gb").add(
                f"missing; the size of {args['model']} is not known here: add up its *.safetensors on Hugging Face"
            )
        return None
    size = weights["gb"] * 10**9 if "gb" in weights else model.weights_bytes if model else 0
    # How many copies of a key there are follows from the split, which never makes them fewer.
    return Load(size, model.token_bytes * asked if model else 0, asked)


def nodes_for(args: DistributedInferenceArgs, pool: ServingPool, load: Load | None, faults: Faults) -> int | None:
    """How many nodes hold the model, where the pool has them and their GPUs the memory."""
    at, machine = faults.at("nodes"), pool.machine
    least = None if load is None else load.least_nodes(machine)
    asked = args.get("nodes", max(2, least or 0))
    if asked < 1:
        at.add(f"got {asked}; must be 2 or more")
        return None
    if asked == 1:
        at.add(
            f"got {asked}; a model on one node needs none of this, nor the fabric: serve it there with a Deployment "
            "of vLLM"
        )
        return None
    got = f"got {asked}; " if "nodes" in args else ""
    has = f"pool {pool.args['name']} has {pool.args['nodes']}, raise its nodes"
    short = asked > pool.args["nodes"]
    if load is not None and least is not None and min(asked, pool.args["nodes"]) < least:
        held = load.against(machine, min(asked, max(1, pool.args["nodes"])))
        at.add(f"{got}{args['model']} takes {held}; it takes {max(2, least)} nodes{f', and {has}' if short else ''}")
    elif short:
        at.add(f"{got or f'{asked} at the least; '}{has}")
    return asked


def check_heads(model: Model, gpus: int, faults: Faults) -> None:
    """Tensor parallelism gives every GPU that shares a layer as many attention heads."""
    if model.heads % gpus:
        faults.add(f"{model.name} has {model.heads} attention heads, which {gpus} GPUs do not share evenly")


def check_layers(model: Model, parts: int, faults: Faults) -> None:
    """Each part that layers are cut into has one."""
    if parts > model.layers:
        faults.add(f"got {parts}; {model.name} has {model.layers} layers, and a node without one would hold nothing")

"""Which pool serves a model, over how many nodes, and whether it fits there; then the objects."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pulumi_offline.errors import ErrorList, show
from pulumi_offline.frozen import frozen
from ....catalog.artifact import mirrored
from ....catalog.images import JUDGE_PYTHON
from ....catalog.models import MODELS, Model
from ....claims import Template
from ....fabrics import ConfigFile
from ...plan.context import ClusterContext, context_of
from ...plan.dra_drivers import InstalledBy
from ...plan.full_node import full_node_templates
from ...plan.pool import GpuPool
from ...plan.resolve import check_cluster, resolve
from ...plan.workload import workload_on
from .args import DistributedInferenceArgs, InferenceOptions, InferenceSplit, InferenceWeights
from .lws import Controller, controller
from .objects import Objects, objects
from .parallelism import Load, choose_pool, gb, load_of, memory, nodes_for, room_gb
from .serving import Serving
from .validation import check_choice


@frozen
class InferencePlan:
    """What ``DistributedInference`` makes."""

    name: str
    """Name of the LeaderWorkerSet: the model's name, as DNS takes it."""
    model: str
    pool: str
    split: str
    """For people."""
    memory: str
    """The arithmetic, for people."""
    namespace: str
    controller: Controller | None
    """``None`` where the cluster has one."""
    templates: tuple[Template, ...]
    files: tuple[ConfigFile, ...]
    """What its pods read, where this component brings it."""
    objects: Objects
    endpoint: str
    """Inside the cluster."""
    warnings: tuple[str, ...]


def plan_inference(args: DistributedInferenceArgs, errors: ErrorList) -> InferencePlan | None:
    """Plan ``DistributedInference`` used alone. Returns ``None`` when an error was added."""
    check_cluster(args, errors)
    pools = [resolve(pool, errors.at("pools", i)) for i, pool in enumerate(args["pools"])]
    brought = args.get("pod_files", InstalledBy.INSTALLED)
    return plan_inference_on(args, pools, context_of(args), errors, waive=args.get("waive", []), pod_files=brought)


def plan_inference_on(
    options: InferenceOptions,
    pools: Sequence[GpuPool | None],
    context: ClusterContext,
    errors: ErrorList,
    *,
    waive: Sequence[str],
    pod_files: InstalledBy,
) -> InferencePlan | None:
    """Plan a model that one of ``pools`` serves; a pool that is ``None`` has errors of its own, and may be the one.

    ``waive`` names gates of the check that may fail, and ``pod_files`` says who brings the files that pods read.
    Returns ``None`` when an error was added.
    """
    check_choice(options, waive, errors)
    weights = options.get("weights", InferenceWeights())
    model = MODELS.get(options["model"])
    load = load_of(options, model, errors)
    pool = choose_pool(options, pools, errors)
    if pool is None:
        return None
    nodes = nodes_for(options, pool, load, errors)
    image = _image(options, pool, context, errors.at("image"))
    if load is not None:
        _check_room(weights, pool, load, errors.at("weights"))
    # Every machine that serves can hold the claims of a whole node.
    claims = full_node_templates(pool.machine, pool.fabric, pool.allocation, context.version)
    if errors or nodes is None or load is None:
        return None
    claims = tuple(replace(each, name=f"{_name(options['model'])}-{each.name}") for each in claims)
    serving = _serving(options, context, pool, nodes, load, claims)
    serving = replace(serving, image=image, waive=tuple(waive))
    if model is not None:
        _check_shared(options, model, serving, pool, errors)
    if errors:
        return None
    installed = options.get("controller", InstalledBy.INSTALLED) is InstalledBy.INSTALLED
    return InferencePlan(
        name=serving.name,
        model=options["model"],
        pool=pool.name,
        split=f"{serving.tensor} GPUs a layer, {serving.pipeline} parts one after the other",
        memory=load.against(pool.machine, nodes) if memory(pool.machine, nodes) else "not known",
        namespace=serving.namespace,
        controller=controller(context.registries) if installed else None,
        templates=claims,
        files=serving.workload.adds.files if pod_files is InstalledBy.INSTALLED else (),
        objects=objects(serving),
        endpoint=serving.endpoint,
        warnings=tuple(_warnings(serving, pool, load, options.get("split"))),
    )


def _check_shared(options: InferenceOptions, model: Model, serving: Serving, pool: GpuPool, errors: ErrorList) -> None:
    """The GPUs share the model's heads, and the nodes its layers."""
    gpus, parts = serving.tensor, serving.pipeline
    # Tensor parallelism gives every GPU that shares a layer as many attention heads.
    if model.heads % gpus:
        errors.at("split" if "split" in options else "model").add(
            f"got {show(options.get('split', model.name))}; {model.name} has {model.heads} attention heads, which "
            f"{gpus} GPUs do not share evenly: {_other_split(options, model.heads, pool)}"
        )
    if parts > model.layers:
        errors.at("nodes").add(
            f"got {parts}; {model.name} has {model.layers} layers, and a node without one would hold nothing"
        )


def _other_split(options: InferenceOptions, heads: int, pool: GpuPool) -> str:
    """What shares the heads evenly instead."""
    if options.get("split") is InferenceSplit.TENSOR:
        fitting = [str(nodes) for nodes in range(2, pool.nodes + 1) if heads % (nodes * pool.machine.gpus) == 0]
        if fitting:
            return f"take nodes: {' or '.join(fitting)}, or split: {InferenceSplit.PIPELINE.value}"
        if heads % pool.machine.gpus == 0:
            return f"take split: {InferenceSplit.PIPELINE.value}"
    return "name a pool of another machine, or another model"


def _serving(
    options: InferenceOptions,
    context: ClusterContext,
    pool: GpuPool,
    nodes: int,
    load: Load,
    claims: Sequence[Template],
) -> Serving:
    """The model on some nodes of a pool."""
    gpus, weights = pool.machine.gpus, options.get("weights", InferenceWeights())
    model = MODELS.get(options["model"])
    secret = weights.get("token_secret") or ("hf-token" if model and model.gated and "claim" not in weights else "")
    one_layer_on_all = options.get("split") is InferenceSplit.TENSOR
    return Serving(
        name=_name(options["model"]),
        model=options["model"],
        namespace=options.get("namespace", "default"),
        nodes=nodes,
        tensor=nodes * gpus if one_layer_on_all else gpus,
        pipeline=1 if one_layer_on_all else nodes,
        judge_image=mirrored(JUDGE_PYTHON.image, context.registries),
        network=pool.fabric.acceptance.network,
        tokens=load.tokens,
        weights=weights,
        weights_gb=gb(load.weights),
        token_secret=secret,
        api_key_secret=options.get("api_key_secret", ""),
        start_seconds=60 * options.get("start_minutes", 60),
        words=tuple(options.get("vllm_args", [])),
        workload=workload_on(pool, context, [each.name for each in claims]),
    )


def _image(options: InferenceOptions, pool: GpuPool, context: ClusterContext, errors: ErrorList) -> str:
    """The user's own image, or the pinned one of the fabric where a mirror holds it."""
    if "image" in options:
        return options["image"]
    machine, fabric = pool.machine, pool.fabric
    pinned = next((each for each in fabric.serving if machine.architecture in each.architectures), None)
    if pinned is None:
        known = f"none for {machine.architecture}" if fabric.serving else "none"
        errors.add(f"missing; of vLLM's images {known} is known to speak {machine.transport.value}: name one that does")
        return ""
    return mirrored(pinned.image, context.registries)


def _check_room(weights: InferenceWeights, pool: GpuPool, load: Load, errors: ErrorList) -> None:
    """The disk or the volume holds the weights."""
    needed = gb(load.weights)
    if "claim" in weights:
        if (size := weights.get("claim_gb")) is not None and size * 10**9 < load.weights:
            if weights.get("storage"):
                errors.at("storage").add(f"it holds {size} GB, and the weights are {needed} GB; make it larger")
            else:
                errors.at("claim_gb").add(f"got {size}; the weights are {needed} GB, take a larger volume")
        return
    if weights.get("storage"):
        return  # the stack has no storage with a claim, which is an error of its own
    if (disk := pool.disk_gb) is not None and (room := room_gb(disk)) * 10**9 < load.weights:
        errors.add(
            f"each node of {pool.name} downloads {needed} GB, and of its disk of {disk} GB {max(room, 0)} GB "
            "are for it: a tenth stays free and images take 40 GB; give the pool a larger disk, or name a volume in "
            "weights.claim"
        )


def _name(model: str) -> str:
    """A model's name as DNS takes it: ``llama-3-1-405b-instruct``; LeaderWorkerSet names a Service by it."""
    slug = re.sub(r"[^a-z0-9]+", "-", model.rpartition("/")[2].lower()).strip("-")
    return (slug if slug[:1].isalpha() else f"model-{slug}")[:40].rstrip("-")


def _warnings(serving: Serving, pool: GpuPool, load: Load, split: InferenceSplit | None) -> Sequence[str]:
    warnings = []
    one = memory(pool.machine, 1)
    if one is None:
        warnings.append(
            f"inference: the memory of {pool.machine.name}'s GPUs is not known: whether it holds is not checked"
        )
    elif load.total <= one:
        warnings.append(
            f"inference: one node of {pool.machine.name} holds {serving.model} ({load.against(pool.machine, 1)}): "
            "a Deployment of vLLM on one node needs none of this"
        )
    if not load.request:
        warnings.append(
            f"inference: the layers of {serving.model} are not known: that its weights fit is checked, and not the "
            "keys and values of requests"
        )
    if split is InferenceSplit.TENSOR:
        warnings.append(
            "inference.split is tensor: every layer of every token waits twice for the fabric, where pipeline hands a "
            "token on once a node"
        )
    if serving.token_secret:
        warnings.append(
            f"inference: pods wait for Secret {serving.token_secret} with key token in namespace {serving.namespace}"
        )
    if "claim" in serving.weights and "claim_gb" not in serving.weights and not serving.weights.get("storage"):
        warnings.append(
            f"inference: whether claim {serving.weights['claim']} holds {gb(load.weights)} GB is not checked; say its "
            "size in weights.claimGb"
        )
    elif "claim" not in serving.weights and pool.disk_gb is None:
        warnings.append(
            f"inference: each node downloads {gb(load.weights)} GB onto its own disk, whose size is not known"
        )
    return warnings

"""``rdma-cluster job --for any --check STACK...``: whether each stack could run the job, before it is submitted."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pulumi_offline.errors import Refused
from pulumi_offline.frozen import frozen
from ..claims import Unsatisfiable
from ..fabrics import GpuAllocation
from ..incluster.addons.injection.plan import InjectionPlan
from ..incluster.addons.queues.plan import QueuesPlan
from ..incluster.plan.in_cluster import InClusterPlan
from ..incluster.plan.job import Training
from ..injection import Pod, inject, pods_in
from ..injection.device_requests import GPU
from ..injection.pattern import IMAGE_ANNOTATION, MACHINE_LABEL, SOURCE_ANNOTATION
from ..supply.artifacts import image_of
from .output import as_json
from .stack_file import in_cluster_of, read_stack

_ON = ("injection.enabled=true", "injection.engine=kyverno")
_UNPLACED = (
    "queue {} places jobs in a topology, where Kueue counts nvidia.com/gpu by what nodes show, and nodes whose GPUs "
    "are claimed show none: a job by claims (`rdma-cluster job STACK`) is placed, this one perhaps not"
)
"""By Kueue's source (kueue@v0.19.2 pkg/scheduler/flavorassigner/tas_flavorassigner.go, NewRequestsFromPodSpec); not
run."""
_OFF = "injection is off; set injection: {enabled: true}, which gives the job its NICs"


@frozen
class Answer:
    """Whether a stack could run the job."""

    stack: str
    machine: str = ""
    reasons: tuple[str, ...] = ()
    """Why it could not; none where it could."""
    notes: tuple[str, ...] = ()
    """What cannot be seen from here."""


def show_answers(
    stacks: Sequence[str],
    overrides: Sequence[str],
    training: Training,
    manifests: Sequence[Mapping[str, Any]],
    json: bool,
) -> int:
    """Print an answer for each stack, with ``overrides`` over its file. Returns 1 where one says no."""
    for stack in stacks:
        read_stack(stack, None, overrides)  # a stack that is not there is wrong input, and no answer
    (pod,) = [each for each in pods_in(list(manifests)) if GPU in str(each)]
    answers = [_answer(stack, overrides, training, pod) for stack in stacks]
    if json:
        print(as_json({"stacks": [{**asdict(each), "fits": not each.reasons} for each in answers]}))
    else:
        for each in answers:
            print(f"{each.stack}: {'no' if each.reasons else 'yes'}{f', on {each.machine}' if each.machine else ''}")
            for line in (*each.reasons, *(f"note: {note}" for note in each.notes)):
                print(f"  {line}")
    return int(any(each.reasons for each in answers))


def _answer(stack: str, overrides: Sequence[str], training: Training, pod: Pod) -> Answer:
    off = []
    try:
        in_cluster = in_cluster_of(stack, overrides, "the job")
        if in_cluster.addons.injection is None:  # what else is wrong is said, too
            off, in_cluster = [_OFF], in_cluster_of(stack, [*overrides, *_ON], "the job")
    except Refused as refused:
        return Answer(stack, reasons=tuple(map(str, refused.errors)))
    except Unsatisfiable as refusal:
        return Answer(stack, reasons=(refusal.explain(),))
    queues, injection = in_cluster.addons.queues, in_cluster.addons.injection
    assert injection is not None  # the overrides put it there
    plan = injection.plan
    reasons = [*off, *_namespace(training, plan), *_queue(training, queues.plan if queues else None)]
    injected = inject(pod, plan.patterns, plan.scope)
    if injected.refusals:
        return Answer(stack, reasons=(*reasons, *injected.refusals))
    machine = injected.pod["metadata"]["labels"][MACHINE_LABEL]
    of_pools = {name: each.machine for name, each in in_cluster.workloads.items() if each.machine}
    pools = {name: each for name, each in of_pools.items() if each.name == machine}
    reasons += _nodes(training, in_cluster, list(pools))
    architecture = next(iter(pools.values())).architecture
    known = image_of(training.image)
    if known is not None and architecture not in known.architectures:
        built = " and ".join(known.architectures)
        reasons.append(f"image {training.image} is built for {built}, and {machine} is {architecture}; take another")
    annotations = injected.pod["metadata"]["annotations"]
    notes = []
    if (needs := annotations.get(IMAGE_ANNOTATION)) and known is None:
        notes.append(f"the image has to bring {needs}; what {training.image} holds is not known")
    claimed = [name for name in pools if in_cluster.workloads[name].allocation == GpuAllocation.DRA]
    if training.queue and queues and any(map(queues.plan.levels.get, claimed)):
        notes.append(_UNPLACED.format(training.queue))
    if script := annotations.get(SOURCE_ANNOTATION):
        notes.append(f"NCCL is tuned where the program sources {script} first")
    return Answer(stack, machine, tuple(reasons), tuple(notes))


def _namespace(training: Training, plan: InjectionPlan) -> list[str]:
    if training.namespace in plan.scope.namespaces:
        return []
    known = ", ".join(plan.scope.namespaces)
    return [f"namespace {training.namespace} gets no fabric; choose from {known}"]


def _nodes(training: Training, in_cluster: InClusterPlan, pools: Sequence[str]) -> list[str]:
    nodes = sum(each.nodes for each in in_cluster.pools if each.name in pools)
    if training.nodes <= nodes:
        return []
    have = f"{pools[0]} has {nodes}" if len(pools) == 1 else f"{', '.join(pools)} have {nodes} together"
    return [f"the job asks for {training.nodes} nodes, and {have}, so that it would wait for ever"]


def _queue(training: Training, queues: QueuesPlan | None) -> list[str]:
    """Whether the job's queue is there, and has a quota for it."""
    if not training.queue:
        return []
    if queues is None:
        return [f"no queue {training.queue}: the stack installs none; set queues: {{enabled: true}}"]
    gpus = {**queues.gpus, **(queues.worker.gpus if queues.worker else {})}
    if training.queue not in gpus:
        return [f"no queue {training.queue}; its queues are {', '.join(gpus) or 'none'}"]
    quota = gpus[training.queue]
    wanted = training.nodes * training.node.gpus
    return [f"the job asks for {wanted} GPUs, and queue {training.queue} has {quota}"] if wanted > quota else []

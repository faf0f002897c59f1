"""``rdma-cluster job``: a training job of whole nodes as a manifest, with claims, pod patch, queue and topology.

``--for any`` prints one that names no cloud: injection brings the fabric, wherever it runs.
"""

import re
import sys
from collections.abc import Sequence
from typing import Any

from ..catalog import find, machines, unknown
from ..claims import Target, Unsatisfiable
from ..common.pools import GPU_TAINT
from ..errors import ErrorList, InputError, Refused
from ..fabrics import Claims, fabric_of
from ..frozen import frozen
from ..incluster.plan.claim_templates import check_namespace
from ..incluster.plan.full_node import full_node_templates
from ..incluster.plan.images import check_image
from ..incluster.plan.in_cluster import InClusterPlan
from ..incluster.plan.job import Training, any_node, full_node_claims, node_of, objects
from ..incluster.plan.workload import Workload
from ..injection.pattern import INSTANCE_TYPE
from ..kubernetes_names import is_domain
from .job_check import show_answers
from .output import as_json, as_yaml
from .stack_file import in_cluster_of

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
"""A Service is called by it, too. Kinds put numbers and words behind it, and a pod's host name has 63 characters."""
_LONGEST_QUEUE = 63  # a LocalQueue's name stands in a label of a job
_MOST_NODES = 100_000
"""Pods of an indexed Job (kubernetes@v1.34.4 pkg/apis/batch/validation/validation.go, maxParallelismForIndexedJob)."""
_USUAL_GPUS = 8
"""Of a node."""
_OPERATORS = {
    "jobset": "JobSet, which a stack with queues installs",
    "mpijob": "Kubeflow's MPI operator 0.8, which you bring: a stack's own looks after the proof alone",
    "trainjob": "Kubeflow Trainer 2.3, which you bring",
}


@frozen
class _Request:
    """What the options say of the job."""

    name: str
    nodes: int
    pool: str
    """A pool of the stack, or a machine."""
    program: tuple[str, ...]
    queue: str | None
    namespace: str | None
    image: str | None


def show_job(  # one parameter for each option
    pool: str | None,
    nodes: int,
    target: str | None,
    gpus_per_node: int | None,
    check: Sequence[str],
    kind: str,
    queue: str | None,
    stack: str | None,
    name: str,
    namespace: str | None,
    image: str | None,
    program: Sequence[str],
    overrides: Sequence[str],
    json: bool,
) -> int:
    """Print the manifest. Returns 1 where no node can satisfy its claims, or a stack of ``check`` could not run it.

    Raises ``Refused`` for wrong input.
    """
    request = _Request(name, nodes, pool or "", tuple(program) or ("nvidia-smi", "-L"), queue, namespace, image)
    errors = ErrorList()
    _check_target(request, target, stack, gpus_per_node, check, errors)
    if overrides and stack is None and not check:
        errors.at("--set").add("lays values over a stack's configuration; name the --stack")
    _check_values(request, errors)
    if errors:
        raise Refused(errors.found())
    try:
        if target is not None:
            needs, training = [], _anywhere(request, gpus_per_node or _USUAL_GPUS)
        elif stack is None:
            needs, training = _on_machine(request)
        else:
            needs, training = [], _on_pool(stack, overrides, request)
    except Unsatisfiable as refusal:
        print(refusal.explain())
        return 1
    manifests = [*needs, *objects(kind, training)]
    if check:
        return show_answers(check, overrides, training, manifests, json)
    if kind in _OPERATORS:
        print(f"needs {_OPERATORS[kind]}", file=sys.stderr)
    print(as_json(manifests) + "\n" if json else as_yaml(manifests), end="")
    return 0


def _check_target(
    request: _Request,
    target: str | None,
    stack: str | None,
    gpus_per_node: int | None,
    check: Sequence[str],
    errors: ErrorList,
) -> None:
    """Refuse a job for nothing, or for two things, and what goes with the other."""
    if target is None:
        if not request.pool:
            errors.add("name a machine, a pool of a --stack, or --for any")
        for option, value in (("--gpus-per-node", gpus_per_node), ("--check", check)):
            if value:
                errors.at(option).add("goes with --for any; a machine or pool says it itself")
        return
    if request.pool or stack is not None:
        errors.at("--for").add("any is every cluster; leave out the machine and --stack, or ask with --check STACK")
    if request.image is None:
        errors.at("--image").add("missing; no image holds every fabric's libraries, so name your own")
    most = max(machine.gpus for machine in machines())
    if gpus_per_node is not None and not 1 <= gpus_per_node <= most:
        errors.at("--gpus-per-node").add(f"got {gpus_per_node}; must be 1 to {most}, the most of any machine")


def _check_values(request: _Request, errors: ErrorList) -> None:
    """Refuse what Kubernetes takes on no cluster."""
    if not 1 <= request.nodes <= _MOST_NODES:
        errors.at("--nodes").add(f"got {request.nodes}; must be 1 to {_MOST_NODES}, the most pods of a Job")
    if not _NAME.fullmatch(request.name):
        errors.at("--name").add(
            f"got {request.name!r}; a job's name is 1 to 40 lower-case letters, digits and hyphens, a letter first and "
            "no hyphen last"
        )
    if (queue := request.queue) is not None and (not is_domain(queue) or len(queue) > _LONGEST_QUEUE):
        errors.at("--queue").add(
            f"got {queue!r}; a queue's name is 1 to {_LONGEST_QUEUE} lower-case letters, digits, hyphens and dots, "
            "with a letter or digit first, last and on both sides of a dot"
        )
    if request.namespace is not None:
        check_namespace(request.namespace, [], errors.at("--namespace"))
    if request.image is not None:
        check_image(request.image, errors.at("--image"))


def _anywhere(request: _Request, gpus: int) -> Training:
    """A job for nodes of which only the number of GPUs is said."""
    return Training(
        name=request.name,
        nodes=request.nodes,
        program=request.program,
        namespace=request.namespace or "default",
        node=any_node(gpus),
        claims=(),
        image=request.image or "",
        queue=request.queue or "",
    )


def _on_pool(stack: str, overrides: Sequence[str], request: _Request) -> Training:
    """A job for a pool of a stack, which has its templates, its pod patch and its queue."""
    in_cluster = in_cluster_of(stack, overrides, "what is printed")
    workload = in_cluster.workloads.get(request.pool)
    if workload is None or (machine := workload.machine) is None:
        pools = ", ".join(in_cluster.workloads)
        raise Refused([InputError((), f"no pool {request.pool!r} in stack {stack}; its pools are {pools}")])
    queues = in_cluster.addons.queues.plan if in_cluster.addons.queues else None
    pool_queue = queues.queues.get(request.pool, "") if queues else ""
    namespaces = _namespaces(in_cluster)
    claims: tuple[str, ...] | None = ()
    if isinstance(workload.fabric.nic_attachment, Claims):
        offers = in_cluster.claims.plan.by_machine[machine.name] if in_cluster.claims else ()
        claims = full_node_claims(offers, workload.allocation)
    errors = ErrorList()
    nodes = sum(each["nodes"] for each in in_cluster.acceptance.args["pools"] if each["name"] == request.pool)
    if request.nodes > nodes:
        errors.at("--nodes").add(f"got {request.nodes}; the pool has {nodes}, so that it would wait for ever")
    if request.queue is not None and queues is not None and request.queue != pool_queue:
        which = f"the pool's queue is {pool_queue}" if pool_queue else "the pool has none"
        errors.at("--queue").add(f"got {request.queue!r}; {which}, leave the option out")
    if request.namespace is not None and namespaces and request.namespace not in namespaces:
        known = ", ".join(namespaces)
        errors.at("--namespace").add(f"{request.namespace} has none of what it needs; choose from {known}")
    if claims is None:
        errors.add(f"the stack offers no claim for a whole {machine.name}; remove claims.whole and claims.nics")
    if errors or claims is None:
        raise Refused(errors.found())
    if request.queue is not None and queues is None:
        print(f"needs Kueue and its queue {request.queue}, which you bring: the stack installs none", file=sys.stderr)
    domains = in_cluster.drivers is not None and in_cluster.drivers.args.get("compute_domains", False)
    channels = machine.is_rack and domains
    return Training(
        name=request.name,
        nodes=request.nodes,
        program=request.program,
        namespace=request.namespace or next(iter(namespaces), "default"),
        node=node_of(workload, bool(claims) or channels),
        claims=claims,
        image=request.image or workload.pod_patch()["imageHint"],
        queue=request.queue or pool_queue,
        levels=queues.levels.get(request.pool, ()) if queues else (),
        channels=channels,
    )


def _namespaces(in_cluster: InClusterPlan) -> list[str]:
    """Where the stack's claims are, or its queues where it has no claims."""
    if in_cluster.claims is not None:
        return list(in_cluster.claims.plan.namespaces)
    return in_cluster.addons.queues.args.get("namespaces", []) if in_cluster.addons.queues else []


def _on_machine(request: _Request) -> tuple[list[dict[str, Any]], Training]:
    """A job for nodes of a machine of which nothing else is known, and the objects that it needs in its namespace."""
    if (machine := find(request.pool)) is None:
        raise Refused([InputError((), f"{unknown(request.pool)}, or name a pool of a --stack")])
    if (fabric := fabric_of(machine)) is None or not machine.gpus:
        raise Refused([InputError((), f"no fabric is built for {request.pool}")])
    allocation, namespace = fabric.default_allocation, request.namespace or "default"
    claims = full_node_templates(machine, fabric, allocation)
    own_class = Target(fabric.nic_attachment).own_class if isinstance(fabric.nic_attachment, Claims) else None
    needs = [*([own_class] if own_class else []), *(template.manifest(namespace) for template in claims)]
    workload = Workload(
        fabric, node_selector={INSTANCE_TYPE: machine.name}, taint=GPU_TAINT[:2], machine=machine, allocation=allocation
    )
    needs += [file.manifest(namespace) for file in workload.adds.files]
    return needs, Training(
        name=request.name,
        nodes=request.nodes,
        program=request.program,
        namespace=namespace,
        node=node_of(workload, bool(claims) or machine.is_rack),
        claims=tuple(template.name for template in claims),
        image=request.image or workload.pod_patch()["imageHint"],
        queue=request.queue or "",
        channels=machine.is_rack,
    )

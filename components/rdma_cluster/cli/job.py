"""``rdma-cluster job``: a training job of whole nodes as a manifest, with claims, fragment, queue and topology."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..catalog import find, unknown
from ..claims import Target, Unsatisfiable
from ..clouds.pools import GPU_TAINT
from ..fabrics import Claims, fabric_of
from ..faults import Fault, Faults, Refused
from ..incluster.addons.queues.objects import HOSTNAME
from ..incluster.plan.claim_templates import check_namespace
from ..incluster.plan.images import check_image
from ..incluster.plan.job import Training, objects, whole_claims
from ..incluster.plan.whole import WholePlan
from ..incluster.plan.whole_node import whole_templates
from ..incluster.plan.workload import Workload
from ..injection.pattern import INSTANCE_TYPE
from ..kubernetes_names import is_domain
from .output import as_json, as_yaml
from .stack_file import whole_of

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
"""A Service is called by it, too. Kinds put numbers and words behind it, and a pod's host name has 63 characters."""
_LONGEST_QUEUE = 63  # a LocalQueue's name stands in a label of a job
_MOST_NODES = 100_000
"""Pods of an indexed Job (kubernetes@v1.34.4 pkg/apis/batch/validation/validation.go, maxParallelismForIndexedJob)."""
_OPERATORS = {
    "jobset": "JobSet, which a stack with queues installs",
    "mpijob": "Kubeflow's MPI operator 0.8, which you bring: a stack's own looks after the proof alone",
    "trainjob": "Kubeflow Trainer 2.3, which you bring",
}


@dataclass(frozen=True)
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
    pool: str,
    nodes: int,
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
    """Print the manifest. Returns 1 where no node can satisfy its claims. Raises ``Refused`` for wrong input."""
    request = _Request(name, nodes, pool, tuple(program) or ("nvidia-smi", "-L"), queue, namespace, image)
    faults = Faults()
    if overrides and stack is None:
        faults.at("--set").add("lays values over a stack's configuration; name the --stack")
    _check_values(request, faults)
    if faults:
        raise Refused(faults.found())
    try:
        needs, training = _on_machine(request) if stack is None else ([], _on_pool(stack, overrides, request))
    except Unsatisfiable as refusal:
        print(refusal.explain())
        return 1
    manifests = [*needs, *objects(kind, training)]
    if kind in _OPERATORS:
        print(f"needs {_OPERATORS[kind]}", file=sys.stderr)
    print(as_json(manifests) + "\n" if json else as_yaml(manifests), end="")
    return 0


def _check_values(request: _Request, faults: Faults) -> None:
    """Refuse what Kubernetes takes on no cluster."""
    if not 1 <= request.nodes <= _MOST_NODES:
        faults.at("--nodes").add(f"got {request.nodes}; must be 1 to {_MOST_NODES}, the most pods of a Job")
    if not _NAME.fullmatch(request.name):
        faults.at("--name").add(
            f"got {request.name!r}; a job's name is 1 to 40 lower-case letters, digits and hyphens, a letter first and "
            "no hyphen last"
        )
    if (queue := request.queue) is not None and (not is_domain(queue) or len(queue) > _LONGEST_QUEUE):
        faults.at("--queue").add(
            f"got {queue!r}; a queue's name is 1 to {_LONGEST_QUEUE} lower-case letters, digits, hyphens and dots, "
            "with a letter or digit first, last and on both sides of a dot"
        )
    if request.namespace is not None:
        check_namespace(request.namespace, [], faults.at("--namespace"))
    if request.image is not None:
        check_image(request.image, faults.at("--image"))


def _on_pool(stack: str, overrides: Sequence[str], request: _Request) -> Training:
    """A job for a pool of a stack, which has its templates, its fragment and its queue."""
    whole = whole_of(stack, overrides, "what is printed")
    workload = whole.workloads.get(request.pool)
    if workload is None or (machine := workload.machine) is None:
        pools = ", ".join(whole.workloads)
        raise Refused([Fault((), f"no pool {request.pool!r} in stack {stack}; its pools are {pools}")])
    queues = whole.addons.queues.plan if whole.addons.queues else None
    pool_queue = queues.queues.get(request.pool, "") if queues else ""
    namespaces = _namespaces(whole)
    claims: tuple[str, ...] | None = ()
    if isinstance(workload.fabric.exposure, Claims):
        offers = whole.claims.plan.by_machine[machine.name] if whole.claims else ()
        claims = whole_claims(offers, workload.allocation)
    faults = Faults()
    nodes = sum(each["nodes"] for each in whole.acceptance.args["pools"] if each["name"] == request.pool)
    if request.nodes > nodes:
        faults.at("--nodes").add(f"got {request.nodes}; the pool has {nodes}, so that it would wait for ever")
    if request.queue is not None and queues is not None and request.queue != pool_queue:
        which = f"the pool's queue is {pool_queue}" if pool_queue else "the pool has none"
        faults.at("--queue").add(f"got {request.queue!r}; {which}, leave the option out")
    if request.namespace is not None and namespaces and request.namespace not in namespaces:
        known = ", ".join(namespaces)
        faults.at("--namespace").add(f"{request.namespace} has none of what it needs; choose from {known}")
    if claims is None:
        faults.add(f"the stack offers no claim for a whole {machine.name}; remove claims.whole and claims.nics")
    if faults or claims is None:
        raise Refused(faults.found())
    if request.queue is not None and queues is None:
        print(f"needs Kueue and its queue {request.queue}, which you bring: the stack installs none", file=sys.stderr)
    return Training(
        name=request.name,
        nodes=request.nodes,
        program=request.program,
        namespace=request.namespace or next(iter(namespaces), "default"),
        workload=workload,
        claims=claims,
        image=request.image or workload.fragment()["imageHint"],
        queue=request.queue or pool_queue,
        levels=queues.levels.get(request.pool, ()) if queues else (),
        channels=machine.is_rack and whole.drivers is not None and whole.drivers.args.get("compute_domains", False),
    )


def _namespaces(whole: WholePlan) -> list[str]:
    """Where the stack's claims are, or its queues where it has no claims."""
    if whole.claims is not None:
        return list(whole.claims.plan.namespaces)
    return whole.addons.queues.args.get("namespaces", []) if whole.addons.queues else []


def _on_machine(request: _Request) -> tuple[list[dict[str, Any]], Training]:
    """A job for nodes of a machine of which nothing else is known, and the objects that it needs in its namespace."""
    if (machine := find(request.pool)) is None:
        raise Refused([Fault((), f"{unknown(request.pool)}, or name a pool of a --stack")])
    if (fabric := fabric_of(machine)) is None or not machine.gpus:
        raise Refused([Fault((), f"no fabric is built for {request.pool}")])
    allocation, namespace = fabric.default_allocation, request.namespace or "default"
    claims = whole_templates(machine, fabric, allocation)
    own_class = Target(fabric.exposure).own_class if isinstance(fabric.exposure, Claims) else None
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
        workload=workload,
        claims=tuple(template.name for template in claims),
        image=request.image or workload.fragment()["imageHint"],
        queue=request.queue or "",
        levels=(HOSTNAME,) if request.queue else (),
        channels=machine.is_rack,
    )

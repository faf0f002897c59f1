"""``rdma-cluster job``: a training job of whole nodes as a manifest, with claims, fragment, queue and topology."""

import re
import sys
from collections.abc import Sequence
from typing import Any

from ..catalog import find, unknown
from ..claims import Target, Unsatisfiable
from ..clouds.pools import GPU_TAINT
from ..clouds.stack import plan_of
from ..fabrics import Claims, fabric_of
from ..faults import Fault, Faults, Refused
from ..incluster.addons.queues import HOSTNAME
from ..incluster.plan.claim_templates import check_namespace
from ..incluster.plan.images import check_image
from ..incluster.plan.job import Training, objects, whole_claims
from ..incluster.plan.whole import WholePlan
from ..incluster.plan.whole_node import whole_templates
from ..incluster.plan.workload import Workload
from ..injection.pattern import INSTANCE_TYPE
from ..kubernetes_names import is_domain
from .output import as_json

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
"""A Service is called by it, too. Kinds put numbers and words behind it, and a pod's host name has 63 characters."""
_LONGEST_QUEUE = 63
"""A LocalQueue's name stands in a label of a job."""
_MOST_NODES = 100_000
"""Pods of an indexed Job (kubernetes@v1.34.4 pkg/apis/batch/validation/validation.go, maxParallelismForIndexedJob)."""
_OPERATORS = {
    "jobset": "JobSet, which a stack with queues installs",
    "mpijob": "Kubeflow's MPI operator 0.8, which you bring: a stack's own looks after the proof alone",
    "trainjob": "Kubeflow Trainer 2.3, which you bring",
}


def show_job(
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
    faults = Faults()
    if overrides and stack is None:
        faults.at("--set").add("lays values over a stack's configuration; name the --stack")
    _check_words(nodes, name, queue, namespace, image, faults)
    if faults:
        raise Refused(faults.found())
    said = {"name": name, "nodes": nodes, "program": tuple(program) or ("nvidia-smi", "-L")}
    try:
        if stack is not None:
            before, training = [], _on_pool(stack, overrides, pool, queue, namespace, image, said)
        else:
            before, training = _on_machine(pool, queue or "", namespace or "default", image, said)
    except Unsatisfiable as refusal:
        print(refusal.explain())
        return 1
    manifests = [*before, *objects(kind, training)]
    if kind in _OPERATORS:
        print(f"needs {_OPERATORS[kind]}", file=sys.stderr)
    if json:
        print(as_json(manifests))
    else:
        from yaml import safe_dump_all

        print(safe_dump_all(manifests, sort_keys=False, width=1000), end="")
    return 0


def _check_words(
    nodes: int, name: str, queue: str | None, namespace: str | None, image: str | None, faults: Faults
) -> None:
    """What Kubernetes takes nowhere."""
    if not 1 <= nodes <= _MOST_NODES:
        faults.at("--nodes").add(f"got {nodes}; must be 1 to {_MOST_NODES}, the most pods of a Job")
    if not _NAME.fullmatch(name):
        faults.at("--name").add(
            f"got {name!r}; a job's name is 1 to 40 lower-case letters, digits and hyphens, a letter first and no "
            "hyphen last"
        )
    if queue is not None and (not is_domain(queue) or len(queue) > _LONGEST_QUEUE):
        faults.at("--queue").add(
            f"got {queue!r}; a queue's name is 1 to {_LONGEST_QUEUE} lower-case letters, digits, hyphens and dots, "
            "with a letter or digit first, last and on both sides of a dot"
        )
    if namespace is not None:
        check_namespace(namespace, [], faults.at("--namespace"))
    if image is not None:
        check_image(image, faults.at("--image"))


def _on_pool(
    stack: str,
    overrides: Sequence[str],
    pool: str,
    queue: str | None,
    namespace: str | None,
    image: str | None,
    said: dict[str, Any],
) -> Training:
    """A job for a pool of a stack, which has its templates, its fragment and its queue."""
    from .stack_file import cloud_of, read_stack

    _, settings = read_stack(stack, None, overrides)
    plan = plan_of(cloud_of(settings), settings.config, settings.stack)
    whole: WholePlan | None = getattr(plan, "whole", None)
    if whole is None:
        raise Refused(
            [Fault(("--stack",), f"stack {stack} has no Kubernetes, which runs what is printed; name another")]
        )
    if (workload := whole.workloads.get(pool)) is None or (machine := workload.machine) is None:
        raise Refused([Fault((), f"no pool {pool!r} in stack {stack}; its pools are {', '.join(whole.workloads)}")])
    queues = whole.addons.queues.plan if whole.addons.queues else None
    has = sum(each["nodes"] for each in whole.acceptance.args["pools"] if each["name"] == pool)
    namespaces = whole.addons.queues.args.get("namespaces", []) if whole.addons.queues else []
    if whole.claims is not None:
        namespaces = list(whole.claims.plan.namespaces)
    faults = []
    if said["nodes"] > has:
        faults.append(Fault(("--nodes",), f"got {said['nodes']}; the pool has {has}, so that it would wait for ever"))
    own = queues.queues.get(pool, "") if queues else ""
    if queue is not None and queues is not None and queue != own:
        which = f"the pool's queue is {own}" if own else "the pool has none"
        faults.append(Fault(("--queue",), f"got {queue!r}; {which}, leave the option out"))
    if namespace is not None and namespaces and namespace not in namespaces:
        faults.append(
            Fault(("--namespace",), f"{namespace} has none of what it needs; choose from {', '.join(namespaces)}")
        )
    claims: tuple[str, ...] | None = ()
    if isinstance(workload.fabric.exposure, Claims):
        offers = whole.claims.plan.by_machine[machine.name] if whole.claims else ()
        claims = whole_claims(offers, workload.allocation)
    if claims is None:
        faults.append(
            Fault((), f"the stack offers no claim for a whole {machine.name}; remove claims.whole and claims.nics")
        )
    if faults or claims is None:
        raise Refused(faults)
    if queue is not None and queues is None:
        print(f"needs Kueue and its queue {queue}, which you bring: the stack installs none", file=sys.stderr)
    return Training(
        **said,
        namespace=namespace or next(iter(namespaces), "default"),
        workload=workload,
        claims=claims,
        image=image or workload.fragment()["imageHint"],
        queue=queue or own,
        levels=queues.levels.get(pool, ()) if queues else (),
        channels=machine.is_rack and _has_channels(whole),
    )


def _has_channels(whole: WholePlan) -> bool:
    return whole.drivers is not None and whole.drivers.args.get("compute_domains", False)


def _on_machine(
    name: str, queue: str, namespace: str, image: str | None, said: dict[str, Any]
) -> tuple[list[dict[str, Any]], Training]:
    """A job for nodes of a machine of which nothing else is known, and what it names in its namespace."""
    if (machine := find(name)) is None:
        raise Refused([Fault((), f"{unknown(name)}, or name a pool of a --stack")])
    if (fabric := fabric_of(machine)) is None or not machine.gpus:
        raise Refused([Fault((), f"no fabric is built for {name}")])
    allocation = fabric.default_allocation
    claims = whole_templates(machine, fabric, allocation)
    own_class = Target(fabric.exposure).own_class if isinstance(fabric.exposure, Claims) else None
    needs = [*([own_class] if own_class else []), *(template.manifest(namespace) for template in claims)]
    workload = Workload(
        fabric,
        node_selector={INSTANCE_TYPE: machine.name},
        taint=GPU_TAINT[:2],
        machine=machine,
        allocation=allocation,
    )
    needs += [file.manifest(namespace) for file in workload.adds.files]
    return needs, Training(
        **said,
        namespace=namespace,
        workload=workload,
        claims=tuple(template.name for template in claims),
        image=image or workload.fragment()["imageHint"],
        queue=queue,
        levels=(HOSTNAME,) if queue else (),
        channels=machine.is_rack,
    )

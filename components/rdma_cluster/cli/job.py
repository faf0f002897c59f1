"""``rdma-cluster job``: a training job of whole nodes as a manifest, with claims, pod patch, queue and topology.

``--for any`` prints one that names no cloud: injection brings the fabric, wherever it runs.
"""

import argparse
import re
import sys
from dataclasses import replace
from typing import Any

from pulumi_offline.errors import ErrorList, Refused, refusal
from ..base.kubernetes_names import is_domain
from ..catalog import find, machines, unknown
from ..claims import Target, Unsatisfiable
from ..common.pools import GPU_TAINT
from ..fabrics import Claims, fabric_of
from ..incluster.plan.claim_templates import check_namespace
from ..incluster.plan.full_node import full_node_templates
from ..incluster.plan.images import check_image
from ..incluster.plan.in_cluster import InClusterPlan
from ..incluster.plan.job import Node, Training, any_node, full_node_claims, node_of, objects
from ..incluster.plan.workload import Workload
from .job_check import show_answers
from .options import Verb, json_option, option, overrides_option
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


class Job(Verb):
    """Print the manifest. Returns 1 where no node can satisfy its claims, or a stack of ``check`` could not run it.

    Raises ``Refused`` for wrong input.
    """

    pool: str | None = option(
        "MACHINE", "a machine type of any cloud, or with --stack one of its pools; none with --for any", nargs="?"
    )
    nodes: int = option("--nodes N", "how many nodes; each runs one pod", required=True)
    target: str | None = option(
        "--for", "any: a job that names no cloud, for every cluster with injection", choices=("any",)
    )
    gpus_per_node: int | None = option("--gpus-per-node N", "with --for any: GPUs of each node; default 8")
    check: list[str] = option(
        "--check STACK",
        "with --for any: print whether each of these stacks could run it, in place of the job",
        nargs="+",
    )
    stack: str | None = option("--stack STACK", "a stack of this project, with its pools, claims and queues")
    overrides: list[str] = overrides_option()
    queue: str | None = option("--queue QUEUE", "the queue to wait in; by default the pool's, where it has one")
    kind: str = option("--kind", "default job", default="job", choices=("job", "jobset", "mpijob", "trainjob"))
    name: str = option("--name", "the job's name; default train", default="train")
    namespace: str | None = option("--namespace", "by default the stack's first, or default")
    image: str | None = option("--image IMAGE", "image of the pods; by default the one of the fabric with nccl-tests")
    program: list[str] = option(
        "--run WORD",
        "the program of each pod, the last option of all; by default nvidia-smi -L",
        nargs=argparse.REMAINDER,
    )
    json: bool = json_option()

    def run(self) -> int:
        stack, kind, check = self.stack, self.kind, self.check
        errors = ErrorList()
        _check_target(self, errors)
        if self.overrides and stack is None and not check:
            errors.at("--set").add("lays values over a stack's configuration; name the --stack")
        _check_values(self, errors)
        errors.refuse()
        try:
            if self.target is not None:
                needs, training = [], self.training(any_node(self.gpus_per_node or _USUAL_GPUS))
            elif stack is None:
                needs, training = _on_machine(self)
            else:
                needs, training = [], _on_pool(stack, self)
        except Unsatisfiable as impossible:
            print(impossible.explain())
            return 1
        manifests = [*needs, *objects(kind, training)]
        if check:
            return show_answers(check, self.overrides, training, manifests, self.json)
        if kind in _OPERATORS:
            print(f"needs {_OPERATORS[kind]}", file=sys.stderr)
        print(as_json(manifests) + "\n" if self.json else as_yaml(manifests), end="")
        return 0

    def training(self, node: Node, image: str = "") -> Training:
        """The job on such a node, as far as the options say it."""
        return Training(
            name=self.name,
            nodes=self.nodes,
            program=tuple(self.program) or ("nvidia-smi", "-L"),
            namespace=self.namespace or "default",
            node=node,
            claims=(),
            image=self.image or image,
            queue=self.queue or "",
        )


def _check_target(options: Job, errors: ErrorList) -> None:
    """Refuse a job for nothing, or for two things, and options of the one beside the other."""
    gpus_per_node = options.gpus_per_node
    if options.target is None:
        if not options.pool:
            errors.add("name a machine, a pool of a --stack, or --for any")
        for name, value in (("--gpus-per-node", gpus_per_node), ("--check", options.check)):
            if value:
                errors.at(name).add("goes with --for any; a machine or pool says it itself")
        return
    if options.pool or options.stack is not None:
        errors.at("--for").add("any is every cluster; leave out the machine and --stack, or ask with --check STACK")
    if options.image is None:
        errors.at("--image").add("missing; no image holds every fabric's libraries, so name your own")
    most = max(machine.gpus for machine in machines())
    if gpus_per_node is not None and not 1 <= gpus_per_node <= most:
        errors.at("--gpus-per-node").add(f"got {gpus_per_node}; must be 1 to {most}, the most of any machine")


def _check_values(options: Job, errors: ErrorList) -> None:
    """Refuse what Kubernetes takes on no cluster."""
    if not 1 <= options.nodes <= _MOST_NODES:
        errors.at("--nodes").add(f"got {options.nodes}; must be 1 to {_MOST_NODES}, the most pods of a Job")
    if not _NAME.fullmatch(options.name):
        errors.at("--name").add(
            f"got {options.name!r}; a job's name is 1 to 40 lower-case letters, digits and hyphens, a letter first and "
            "no hyphen last"
        )
    if (queue := options.queue) is not None and (not is_domain(queue) or len(queue) > _LONGEST_QUEUE):
        errors.at("--queue").add(
            f"got {queue!r}; a queue's name is 1 to {_LONGEST_QUEUE} lower-case letters, digits, hyphens and dots, "
            "with a letter or digit first, last and on both sides of a dot"
        )
    if options.namespace is not None:
        check_namespace(options.namespace, [], errors.at("--namespace"))
    if options.image is not None:
        check_image(options.image, errors.at("--image"))


def _on_pool(stack: str, options: Job) -> Training:
    """A job for a pool of a stack, which has its templates, its pod patch and its queue."""
    in_cluster = in_cluster_of(stack, options.overrides, "what is printed")
    pool = options.pool or ""
    workload = in_cluster.workloads.get(pool)
    if workload is None or (machine := workload.machine) is None:
        pools = ", ".join(in_cluster.workloads)
        raise refusal(f"no pool {pool!r} in stack {stack}; its pools are {pools}")
    queues = in_cluster.addons.queues.plan if in_cluster.addons.queues else None
    pool_queue = queues.queues.get(pool, "") if queues else ""
    namespaces = _namespaces(in_cluster)
    claims: tuple[str, ...] | None = ()
    if isinstance(workload.fabric.nic_attachment, Claims):
        offers = in_cluster.claims.plan.by_machine[machine.name] if in_cluster.claims else ()
        claims = full_node_claims(offers, workload.allocation)
    errors = ErrorList()
    nodes = sum(each.nodes for each in in_cluster.pools if each.name == pool)
    if options.nodes > nodes:
        errors.at("--nodes").add(f"got {options.nodes}; the pool has {nodes}, so that it would wait for ever")
    if options.queue is not None and queues is not None and options.queue != pool_queue:
        which = f"the pool's queue is {pool_queue}" if pool_queue else "the pool has none"
        errors.at("--queue").add(f"got {options.queue!r}; {which}, leave the option out")
    if options.namespace is not None and namespaces and options.namespace not in namespaces:
        known = ", ".join(namespaces)
        errors.at("--namespace").add(f"{options.namespace} has none of what it needs; choose from {known}")
    if claims is None:
        errors.add(f"the stack offers no claim for a whole {machine.name}; remove claims.whole and claims.nics")
    if errors or claims is None:
        raise Refused(errors.found())
    if options.queue is not None and queues is None:
        print(f"needs Kueue and its queue {options.queue}, which you bring: the stack installs none", file=sys.stderr)
    domains = in_cluster.drivers is not None and in_cluster.drivers.plan.compute_domains
    channels = machine.is_rack and domains
    return replace(
        options.training(node_of(workload, bool(claims) or channels), workload.pod_patch()["imageHint"]),
        namespace=options.namespace or next(iter(namespaces), "default"),
        claims=claims,
        queue=options.queue or pool_queue,
        levels=queues.levels.get(pool, ()) if queues else (),
        channels=channels,
    )


def _namespaces(in_cluster: InClusterPlan) -> list[str]:
    """Where the stack's claims are, or its queues where it has no claims."""
    if in_cluster.claims is not None:
        return list(in_cluster.claims.plan.namespaces)
    return list(in_cluster.addons.queues.plan.namespaces) if in_cluster.addons.queues else []


def _on_machine(options: Job) -> tuple[list[dict[str, Any]], Training]:
    """A job for nodes of a machine of which nothing else is known, and the objects that it needs in its namespace."""
    name = options.pool or ""
    if (machine := find(name)) is None:
        raise refusal(f"{unknown(name)}, or name a pool of a --stack")
    if (fabric := fabric_of(machine)) is None or not machine.gpus:
        raise refusal(f"no fabric is built for {name}")
    allocation, namespace = fabric.default_allocation, options.namespace or "default"
    claims = full_node_templates(machine, fabric, allocation)
    own_class = Target(fabric.nic_attachment).own_class if isinstance(fabric.nic_attachment, Claims) else None
    needs = [*([own_class] if own_class else []), *(template.manifest(namespace) for template in claims)]
    workload = Workload(
        fabric, node_selector=machine.node_labels, taint=GPU_TAINT[:2], machine=machine, allocation=allocation
    )
    needs += [file.manifest(namespace) for file in workload.adds.files]
    training = options.training(node_of(workload, bool(claims) or machine.is_rack), workload.pod_patch()["imageHint"])
    return needs, replace(training, claims=tuple(template.name for template in claims), channels=machine.is_rack)

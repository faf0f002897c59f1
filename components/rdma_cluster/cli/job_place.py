"""Where a job runs, a pool of a stack or a machine of which nothing else is known, and what its pods take of a node."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pulumi_offline.errors import ErrorList, Refused, refusal
from ..catalog import Machine, find, unknown
from ..catalog.releases import KUBERNETES
from ..claims import Gpus, Target
from ..common.pools import GPU_TAINT
from ..fabrics import Claims, fabric_of
from ..incluster.plan.claim_templates import Offer, usual_claims
from ..incluster.plan.full_node import full_node_templates
from ..incluster.plan.in_cluster import InClusterPlan
from ..incluster.plan.job import Training, full_node_claims, node_of
from ..incluster.plan.workload import Workload
from ..injection.device_requests import DeviceRequest, device_requests, parts_by
from .stack_file import in_cluster_of

if TYPE_CHECKING:
    from .job import Job

NCCL_TEST = "nccl-test"
"""The kind whose program is nccl-tests."""
_NO_RAILS = (
    "no claim of this fabric names rails, leave it out; --kind nccl-test --env 'NCCL_TESTS_SPLIT=MOD {}' runs each"
)


def on_pool(stack: str, pool: str, options: "Job") -> Training:
    """A job for a pool of a stack, which has its templates, pod patch and queue; by default for the only pool."""
    in_cluster = in_cluster_of(stack, options.overrides, "what is printed")
    if not pool and len(in_cluster.workloads) == 1:
        (pool,) = in_cluster.workloads
    workload = in_cluster.workloads.get(pool)
    if workload is None or (machine := workload.machine) is None:
        pools = ", ".join(in_cluster.workloads)
        which = f"no pool {pool!r} in stack {stack}" if pool else f"stack {stack} has several pools"
        raise refusal(f"{which}; choose from {pools}")
    queues = in_cluster.addons.queues.plan if in_cluster.addons.queues else None
    pool_queue = queues.queues.get(pool, "") if queues else ""
    namespaces = _namespaces(in_cluster)
    claims: tuple[str, ...] | None = ()
    offers: Sequence[Offer] = ()
    if isinstance(workload.fabric.nic_attachment, Claims):
        offers = in_cluster.claims.plan.by_machine[machine.name] if in_cluster.claims else ()
        claims = full_node_claims(offers, workload.allocation)
    errors = ErrorList()
    part = _part(options, workload, machine, offers, errors)
    claims = part.claims if part is not None else claims
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
        options.training(node_of(workload, bool(claims) or channels, part), workload),
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


def on_machine(name: str, options: "Job") -> tuple[list[dict[str, Any]], Training]:
    """A job for nodes of a machine of which nothing else is known, and the objects that it needs in its namespace."""
    if (machine := find(name)) is None:
        raise refusal(unknown(name))
    if (fabric := fabric_of(machine)) is None or not machine.gpus:
        raise refusal(f"no fabric is built for {name}")
    allocation, namespace = fabric.default_allocation, options.namespace or "default"
    claims = full_node_templates(machine, fabric, allocation)
    errors = ErrorList()
    offers: Sequence[Offer] = ()
    if isinstance(fabric.nic_attachment, Claims) and options.takes_part:
        usual = usual_claims(machine, fabric.nic_attachment.driver, allocation, KUBERNETES, ErrorList())
        offers = usual.by_machine[machine.name] if usual is not None else ()
    workload = Workload(
        fabric, node_selector=machine.node_labels, taint=GPU_TAINT[:2], machine=machine, allocation=allocation
    )
    part = _part(options, workload, machine, offers, errors)
    errors.refuse()
    if part is not None:
        offered = {each.name: each for offer in offers for window in offer.windows for each in window}
        claims = tuple(offered[each] for each in part.claims)
    own_class = Target(fabric.nic_attachment).own_class if isinstance(fabric.nic_attachment, Claims) else None
    needs = [*([own_class] if own_class else []), *(template.manifest(namespace) for template in claims)]
    needs += [file.manifest(namespace) for file in workload.adds.files]
    training = options.training(node_of(workload, bool(claims) or machine.is_rack, part), workload)
    return needs, replace(training, claims=tuple(template.name for template in claims), channels=machine.is_rack)


def _part(
    options: "Job", workload: Workload, machine: Machine, offers: Sequence[Offer], errors: ErrorList
) -> DeviceRequest | None:
    """What each pod takes of its node, as injection would give it; ``None`` for the whole node, and for errors."""
    gpus, rails, fabric = options.gpus_per_node, options.rails, workload.fabric
    if options.kind == NCCL_TEST and fabric.acceptance.test_on(machine.architecture) is None:
        errors.at("--kind").add(f"no image with nccl-tests is known for {fabric.name} on {machine.architecture}")
    if not options.takes_part or (gpus == machine.gpus and rails is None):
        return None
    windows = [offer.windows for offer in offers if not isinstance(offer.intent, Gpus)]
    served = device_requests(machine, fabric, workload.allocation, windows)
    numbers = list(dict.fromkeys(each.gpus for each in served))
    names = [each.window for each in served if each.window]
    if gpus is not None and gpus not in numbers:
        known = ", ".join(map(str, numbers)) or f"{machine.gpus}"
        instead = f"; its fabric {other} serves parts of a node, too" if (other := parts_by(machine, fabric)) else ""
        errors.at("--gpus-per-node").add(
            f"got {gpus}; a pod on {machine.name} gets {known} GPUs with their NICs{instead}"
        )
    if rails is not None and rails not in names:
        known = f"choose from {', '.join(names)}" if names else f"{_NO_RAILS.format(machine.gpus)} rail apart"
        errors.at("--rails").add(f"got {rails!r}; {known}")
    if errors:
        return None
    found = [each for each in served if each.window == (rails or "") and gpus in (None, each.gpus)]
    if not found:
        (held,) = {each.gpus for each in served if each.window == rails}
        errors.at("--rails").add(
            f"{rails} has {held} of a node's GPUs, --gpus-per-node says {gpus}; leave one of them out"
        )
    return next(iter(found), None)

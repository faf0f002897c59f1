"""Queues, as a stack plans them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pulumi_offline.errors import ErrorList
from ....fabrics import Claims
from ...plan.context import Part
from ..add_on import AddOn, After, Stack
from .args import QueueOptions

if TYPE_CHECKING:
    from .plan import QueuesPlan

_UNCOUNTED = (
    "queues: Kueue counts what a job's own template claims; claims that injection adds to its pods are not counted: "
    "write them, as `rdma-cluster job` does"
)
_SENT_WITHOUT = (
    "queues.worker: jobs that are sent here name no cloud, and without injection their pods get GPUs and no NIC: set "
    "injection.enabled"
)
_SERVED_BESIDE = (
    "queues: the nodes that serve a model are not taken off the quota of their pool, so that jobs may be let go onto "
    "them, and wait; serve from a pool of its own"
)


def _plan(stack: Stack, options: QueueOptions, errors: ErrorList) -> "QueuesPlan | None":
    from .plan import check_not_kept, of_one_queue, plan_queues_on

    check_not_kept(stack.namespaces, errors.at("claims", "namespaces"))
    at = errors.at("queues")
    for _, why in of_one_queue([pool.name for pool in stack.pools]):
        at.add(f"pools {why}")
    return plan_queues_on(options, stack.pools, stack.context, stack.namespaces, at, new=stack.makes_namespaces)


def _warnings(stack: Stack, part: "Part[QueueOptions, QueuesPlan]") -> Iterator[str]:
    """Warnings of its own plan, and of what other add-ons do beside it."""
    yield from part.plan.warnings
    injected = stack.addons.injection is not None
    if injected and any(isinstance(pool.fabric.nic_attachment, Claims) for pool in stack.pools):
        yield _UNCOUNTED
    if part.plan.worker and not injected:
        yield _SENT_WITHOUT
    if stack.addons.inference:
        yield _SERVED_BESIDE


ADD_ON = AddOn(
    "queues",
    QueueOptions,
    _plan,
    After.CLAIMS,
    namespaces={"jobset-system": "JobSet", "kueue-system": "Kueue"},
    warnings=_warnings,
)

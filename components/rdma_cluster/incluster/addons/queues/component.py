"""Queues in which jobs wait for a pool's GPUs, NICs and place in the network."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ....component import inputs, outputs, plan_args, waiting_for
from ....key_docs import with_keys
from ...charts import install, make_namespace
from ...on_cluster import on_cluster
from .args import QueuesArgs
from .plan import QueuesPlan, plan_queues

_ANEW = pulumi.ResourceOptions(replace_on_changes=["value"], delete_before_replace=True)
"""A priority's value is immutable, and its name is what jobs say."""


@with_keys
class Queues(pulumi.ComponentResource):
    """Kueue and JobSet, pinned, and a queue of every pool; at most one on a cluster."""

    queues: pulumi.Output[dict[str, str]]
    """Names of the queues by pool; the same in every namespace."""

    def __init__(
        self, name: str, args: QueuesArgs, opts: pulumi.ResourceOptions | None = None, *, plan: QueuesPlan | None = None
    ):
        args, plan = plan_args(QueuesArgs, plan_queues, args, plan, warn=self)
        super().__init__("rdma-cluster:index:Queues", name, inputs(QueuesArgs, args), opts)
        child = on_cluster(self, args)
        # Kueue counts the kinds that it finds, so the one of JobSet comes first.
        before: list[pulumi.Resource] = []
        for settings in plan.charts:
            logical = f"{name}-{settings.chart.name}"
            namespace = make_namespace(logical, settings.namespace, child)
            before = [install(logical, settings, [namespace, *before], child)]
        before += [
            k8s.core.v1.Namespace(f"{name}-queues-{namespace}", metadata={"name": namespace}, opts=child)
            for namespace in plan.new_namespaces
        ]
        for priority, value in plan.priorities.items():
            # Of Kubernetes' own kind, which Kueue reads, too; that the scheduler stops no pods for it is Kueue's part.
            k8s.scheduling.v1.PriorityClass(
                f"{name}-{priority}",
                metadata={"name": priority},
                value=value,
                preemption_policy="Never",
                opts=pulumi.ResourceOptions.merge(child, _ANEW),
            )
        # Kueue itself takes the finalizers off, of each kind when nothing of the next names it any longer: so they
        # leave in the reverse of this order, and Kueue last.
        for stage in plan.stages:
            after = waiting_for(child, before)
            before = [_make(name, each, after) for each in stage]
        self.queues = pulumi.Output.from_input(dict(plan.queues))
        self.register_outputs(outputs(self))


def _make(name: str, each: Mapping[str, Any], opts: pulumi.ResourceOptions) -> k8s.apiextensions.CustomResource:
    """An object of Kueue's, of whose kinds no SDK knows."""
    metadata = each["metadata"]
    names = [name, each["kind"].lower(), metadata.get("namespace", ""), metadata["name"]]
    return k8s.apiextensions.CustomResource(
        "-".join(filter(None, names)),
        api_version=each["apiVersion"],
        kind=each["kind"],
        metadata=metadata,
        spec=each["spec"],
        opts=opts,
    )

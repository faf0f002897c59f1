"""A model served from several nodes, and the check that its nodes talk over the fabric."""

from collections.abc import Sequence
from typing import cast

import pulumi
import pulumi_kubernetes as k8s

from ....component import Opts, inputs, outputs, plan_args, waiting_for
from ....key_docs import with_keys
from ....shown import ServedModel
from ...account import account_with
from ...charts import install, make_namespace
from ...claim_templates import REPLACED
from ...on_cluster import on_cluster
from .args import DistributedInferenceArgs
from .lws import NAMESPACE, Controller
from .plan import InferencePlan, plan_inference
from .script_job import ScriptJob


@with_keys
class DistributedInference(pulumi.ComponentResource):
    """Serves a model that one node does not hold; `up` ends when it answers over the fabric, or says why not."""

    endpoint: pulumi.Output[str]
    """Where it is asked, inside the cluster: OpenAI's API below ``/v1``."""
    served: pulumi.Output[ServedModel]
    """The model, its pool, its endpoint, and that it is ``served``."""

    # Longer than 60 lines: each resource once, in the order in which they come and go.
    def __init__(
        self,
        name: str,
        args: DistributedInferenceArgs,
        opts: Opts = None,
        *,
        plan: InferencePlan | None = None,
        after: Sequence[pulumi.Resource] = (),
        acceptance: pulumi.Resource | None = None,
    ):
        """``after`` is what pods wait for: drivers, files, nodes. ``acceptance`` is the test of the pool's fabric; it
        takes the nodes whole: what serves is gone while it runs."""
        args, plan = plan_args(DistributedInferenceArgs, plan_inference, args, plan, warn=self)
        super().__init__("rdma-cluster:index:DistributedInference", name, inputs(DistributedInferenceArgs, args), opts)
        child = on_cluster(self, args)
        objects, namespace = plan.objects, plan.namespace
        needs: list[pulumi.Resource] = [*after, *([acceptance] if acceptance is not None else [])]
        if plan.controller is not None:
            needs.append(_controller(f"{name}-lws", plan.controller, after, child))
        for template in plan.templates:
            claim = k8s.resource.v1.ResourceClaimTemplate(
                f"{name}-{template.name}",
                metadata={"name": template.name, "namespace": namespace},
                spec=cast("k8s.resource.v1.ResourceClaimTemplateSpecArgsDict", template.spec()),
                opts=pulumi.ResourceOptions.merge(child, REPLACED),
            )
            needs.append(claim)
        for file in plan.files:
            needs.append(
                k8s.core.v1.ConfigMap(
                    f"{name}-{file.config_map}",
                    metadata={"name": file.config_map, "namespace": namespace},
                    data={file.name: file.text},
                    opts=child,
                )
            )
        needs.append(
            k8s.networking.v1.NetworkPolicy(
                name,
                metadata={"name": plan.name, "namespace": namespace},
                spec=cast("k8s.networking.v1.NetworkPolicySpecArgsDict", objects.network_policy),
                opts=child,
            )
        )
        again = pulumi.ResourceOptions(
            replace_with=[acceptance] if acceptance is not None else [], delete_before_replace=True
        )
        group = k8s.apiextensions.CustomResource(
            name,
            api_version=objects.leader_worker_set["apiVersion"],
            kind=objects.leader_worker_set["kind"],
            metadata=objects.leader_worker_set["metadata"],
            spec=objects.leader_worker_set["spec"],
            opts=pulumi.ResourceOptions.merge(waiting_for(child, needs), again),
        )
        service = k8s.core.v1.Service(
            name,
            metadata=objects.service["metadata"],
            spec=cast("k8s.core.v1.ServiceSpecArgsDict", objects.service["spec"]),
            opts=child,
        )
        check = _run(f"{name}-check", plan.objects.check, [group, service], child, again)
        self.endpoint = pulumi.Output.from_input(plan.endpoint)
        self.served = check.status.apply(
            lambda status: {
                "model": plan.model,
                "pool": plan.pool,
                "endpoint": plan.endpoint,
                "status": "served" if status and status.succeeded else "not served",
            }
        )
        self.register_outputs(outputs(self))


def _controller(
    name: str, controller: Controller, after: Sequence[pulumi.Resource], child: pulumi.ResourceOptions
) -> pulumi.Resource:
    """The chart, and the Job that ends when its webhook answers. It waits for nodes: a chart's time-out is no good for
    those of a new cluster."""
    namespace = make_namespace(name, NAMESPACE, child)
    release = install(name, controller.settings, [namespace, *after], child)
    again = pulumi.ResourceOptions(delete_before_replace=True)
    return _run(name, controller.waiter, [release], waiting_for(child, [namespace]), again)


def _run(
    name: str,
    script: ScriptJob,
    needs: list[pulumi.Resource],
    child: pulumi.ResourceOptions,
    again: pulumi.ResourceOptions,
) -> k8s.batch.v1.Job:
    """The Job, its account and its files; it starts after ``needs``, and is made anew as ``again`` says."""
    metadata = script.job["metadata"]
    called: k8s.meta.v1.ObjectMetaArgsDict = {"name": script.account, "namespace": metadata["namespace"]}
    binding = account_with(name, script.account, metadata["namespace"], script.rules, child)
    files = k8s.core.v1.ConfigMap(name, metadata=called, data=script.files, opts=child)
    timeouts = pulumi.CustomTimeouts(create=f"{script.seconds}s", update=f"{script.seconds}s")
    return k8s.batch.v1.Job(
        name,
        metadata=metadata,
        spec=cast("k8s.batch.v1.JobSpecArgsDict", script.job["spec"]),
        opts=pulumi.ResourceOptions.merge(
            pulumi.ResourceOptions.merge(waiting_for(child, [*needs, binding, files]), again),
            pulumi.ResourceOptions(custom_timeouts=timeouts),
        ),
    )

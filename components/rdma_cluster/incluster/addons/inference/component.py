"""A model served from several nodes, and the check that its nodes talk over the fabric."""

from collections.abc import Sequence
from typing import cast

import pulumi
import pulumi_kubernetes as k8s
from pulumi_offline.frozen import frozen
from ....base.key_docs import with_keys
from ....component.frame import Opts, PlannedComponent, Shown, behind, in_time, inputs, outputs, plan_args, waiting_for
from ....component.outputs import ServedModel
from ...account import account_with
from ...objects import claim_template, config_map, custom_resource, install as install_chart, make_namespace, replaced
from ...on_cluster import Links, on_cluster
from ...plan.context import Part
from ...plan.statements import statements
from ...site import Outputs, Site
from .args import DistributedInferenceArgs, InferenceOptions
from .lws import NAMESPACE, Controller
from .plan import InferencePlan, plan_inference
from .script_job import ScriptJob


@frozen
class InferenceLinks(Links):
    """What pods that serve a model come after."""

    acceptance: pulumi.Resource | None = None
    """The test of the pool's fabric; it takes the nodes whole: what serves is gone while it runs."""


@with_keys
class DistributedInference(PlannedComponent[InferencePlan, InferenceLinks]):
    """Serves a model that one node does not hold; `up` ends when it answers over the fabric, or says why not."""

    endpoint: pulumi.Output[str]
    """Where it is asked, inside the cluster: OpenAI's API below ``/v1``."""
    served: pulumi.Output[ServedModel]
    """The model, its pool, its endpoint, and that it is ``served``."""

    def __init__(
        self,
        name: str,
        args: DistributedInferenceArgs,
        opts: Opts = None,
        *,
        after: Sequence[pulumi.Resource] = (),
        acceptance: pulumi.Resource | None = None,
    ):
        """``after`` is what pods wait for: drivers, files, nodes. ``acceptance`` is the test of the pool's fabric; it
        takes the nodes whole: what serves is gone while it runs."""
        args, plan = plan_args(DistributedInferenceArgs, plan_inference, args, warn=self)
        links = InferenceLinks(statements(args), after, acceptance)
        self._make(name, plan, links, inputs(DistributedInferenceArgs, args), opts)

    # Longer than 60 lines: each resource once, in the order in which they come and go.
    def _make(self, name: str, plan: InferencePlan, links: InferenceLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:DistributedInference", name, shown, opts)
        child = on_cluster(self, links.statements)
        after, acceptance, objects, namespace = links.after, links.acceptance, plan.objects, plan.namespace
        needs: list[pulumi.Resource] = [*after, *([acceptance] if acceptance is not None else [])]
        if plan.controller is not None:
            needs.append(_controller(f"{name}-lws", plan.controller, after, child))
        for template in plan.templates:
            logical, fixed = f"{name}-{template.name}", replaced(child, "spec")
            needs.append(claim_template(logical, template.name, namespace, template.spec(), fixed))
        for file in plan.files:
            needs.append(config_map(f"{name}-{file.config_map}", file, namespace, child))
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
        late = pulumi.ResourceOptions.merge(waiting_for(child, needs), again)
        group = custom_resource(name, objects.leader_worker_set, late)
        service = k8s.core.v1.Service(
            name, metadata=objects.service["metadata"], spec=objects.service["spec"], opts=child
        )
        check = _run(f"{name}-check", plan.objects.check, [group, service], child, again)
        self.endpoint = behind(plan.endpoint, [check])
        self.served = check.status.apply(
            lambda status: {
                "model": plan.model,
                "pool": plan.pool,
                "endpoint": plan.endpoint,
                "status": "served" if status and status.succeeded else "not served",
            }
        )
        self.register_outputs(outputs(self))


def install(name: str, part: Part[InferenceOptions, InferencePlan], site: Site) -> Outputs:
    """Serve a model of a stack, once the fabric of its pool is proved."""
    test = site.acceptance.tests.get(part.plan.pool) if site.acceptance is not None else None
    links, opts = InferenceLinks(part.statements, site.after, test), waiting_for(site.on_cluster, site.named)
    shown = inputs(InferenceOptions, part.options)
    return {"inference": DistributedInference.planned(name, part.plan, links, shown, opts).served}


def _controller(
    name: str, controller: Controller, after: Sequence[pulumi.Resource], child: pulumi.ResourceOptions
) -> pulumi.Resource:
    """The chart, and the Job that ends when its webhook answers. It waits for nodes: a chart's time-out is no good for
    those of a new cluster."""
    namespace = make_namespace(name, NAMESPACE, child)
    release = install_chart(name, controller.settings, [namespace, *after], child)
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
    opts = pulumi.ResourceOptions.merge(waiting_for(child, [*needs, binding, files]), again)
    return k8s.batch.v1.Job(name, metadata=metadata, spec=script.job["spec"], opts=in_time(opts, script.seconds))

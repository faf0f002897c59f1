"""The ResourceClaimTemplates that pods name to get aligned GPUs and NICs."""

from typing import cast

import pulumi
import pulumi_kubernetes as k8s

from ..component import Opts, inputs, outputs, plan_args, waiting_for
from ..key_docs import with_keys
from .on_cluster import on_cluster
from .plan.claim_templates import ClaimTemplatesArgs, ClaimTemplatesPlan, plan_claim_templates

REPLACED = pulumi.ResourceOptions(replace_on_changes=["spec"], delete_before_replace=True)
"""A template's spec is immutable, and pods know it by its name: with a new spec it is replaced under that name."""


@with_keys
class ClaimTemplates(pulumi.ComponentResource):
    """Every aligned shape of some machines, in the namespaces that need them."""

    names: pulumi.Output[dict[str, list[str]]]
    """Names of the templates by machine; the same in every namespace."""

    def __init__(
        self, name: str, args: ClaimTemplatesArgs, opts: Opts = None, *, plan: ClaimTemplatesPlan | None = None
    ):
        args, plan = plan_args(ClaimTemplatesArgs, plan_claim_templates, args, plan)
        super().__init__("rdma-cluster:index:ClaimTemplates", name, inputs(ClaimTemplatesArgs, args), opts)
        child = on_cluster(self, args)
        new = {
            namespace: k8s.core.v1.Namespace(f"{name}-{namespace}", metadata={"name": namespace}, opts=child)
            for namespace in plan.new_namespaces
        }
        self.namespaces: list[pulumi.Resource] = list(new.values())
        """Those that are made here, for what else goes into them."""
        for namespace in plan.namespaces:
            after = [new[namespace]] if namespace in new else []
            opts = pulumi.ResourceOptions.merge(waiting_for(child, after), REPLACED)
            for machine in plan.by_machine:
                for template in plan.templates(machine):
                    k8s.resource.v1.ResourceClaimTemplate(
                        f"{name}-{namespace}-{template.name}",
                        metadata={"name": template.name, "namespace": namespace},
                        # The API's own form: what `claims` proves is what is applied, with no second spelling between.
                        spec=cast("k8s.resource.v1.ResourceClaimTemplateSpecArgsDict", template.spec()),
                        opts=opts,
                    )
        self.names = pulumi.Output.from_input(
            {machine: [template.name for template in plan.templates(machine)] for machine in plan.by_machine}
        )
        self.register_outputs(outputs(self))

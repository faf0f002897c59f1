"""The ResourceClaimTemplates that pods name to get aligned GPUs and NICs."""

import pulumi
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, behind, inputs, outputs, plan_args, waiting_for
from .objects import claim_template, make_namespace, replaced
from .on_cluster import Links, on_cluster
from .plan.claim_templates import ClaimTemplatesArgs, ClaimTemplatesPlan, plan_claim_templates
from .plan.statements import statements


@with_keys
class ClaimTemplates(PlannedComponent[ClaimTemplatesPlan, Links]):
    """Every aligned shape of some machines, in the namespaces that need them."""

    names: pulumi.Output[dict[str, list[str]]]
    """Names of the templates by machine; the same in every namespace."""

    def __init__(self, name: str, args: ClaimTemplatesArgs, opts: Opts = None):
        args, plan = plan_args(ClaimTemplatesArgs, plan_claim_templates, args)
        self._make(name, plan, Links(statements(args)), inputs(ClaimTemplatesArgs, args), opts)

    def _make(self, name: str, plan: ClaimTemplatesPlan, links: Links, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:ClaimTemplates", name, shown, opts)
        child = on_cluster(self, links.statements)
        new = {each: make_namespace(f"{name}-{each}", each, child) for each in plan.new_namespaces}
        self.namespaces: list[pulumi.Resource] = list(new.values())
        """Those that are made here, for what else goes into them."""
        self.ready: list[pulumi.Resource] = []
        for namespace in plan.namespaces:
            after = [new[namespace]] if namespace in new else []
            inside = replaced(waiting_for(child, after), "spec")
            for machine in plan.by_machine:
                for template in plan.templates(machine):
                    logical = f"{name}-{namespace}-{template.name}"
                    self.ready.append(claim_template(logical, template.name, namespace, template.spec(), inside))
        names = {machine: [template.name for template in plan.templates(machine)] for machine in plan.by_machine}
        self.names = behind(names, self.ready)
        self.register_outputs(outputs(self))

"""The IAM policies of a cluster's nodes."""

from string import Template

import pulumi
import pulumi_oci as oci
from ..base.key_docs import with_keys
from ..component.account import further_provider
from ..component.frame import Opts, PlannedComponent, Shown, inputs, outputs, plan_args, replaceable
from . import lookups
from .plan.identity import IdentityPlan, OkeIdentityPoliciesArgs, plan_policies

_SCHEMA = "urn:ietf:params:scim:schemas:oracle:idcs:DynamicResourceGroup"


@with_keys
class OkeIdentityPolicies(PlannedComponent[IdentityPlan, pulumi.Input[str]]):
    """A dynamic group of the nodes and the policies that they need, written in the tenancy's home region."""

    statements: pulumi.Output[list[str]]
    """The statements, made or to be made by hand."""

    def __init__(self, name: str, args: OkeIdentityPoliciesArgs, opts: Opts = None):
        args, plan = plan_args(OkeIdentityPoliciesArgs, plan_policies, args)
        self._make(name, plan, args["cluster"], inputs(OkeIdentityPoliciesArgs, args), opts)

    def _make(self, name: str, plan: IdentityPlan, links: pulumi.Input[str], shown: Shown, opts: Opts) -> None:
        """``links`` is the OCID of the cluster."""
        super().__init__("rdma-cluster:index:OkeIdentityPolicies", name, shown, opts)
        self.policies: list[pulumi.Resource] = []
        """Nodes that start before these exist cannot join the cluster."""
        group: pulumi.Input[str] = "<dynamic group>"
        if plan.make:
            region = plan.home_region or lookups.home_region(plan.tenancy, self)
            home = further_provider(self, f"{name}-home", oci.Provider, "oci", region=region)
            # Names are unique in the tenancy, and a policy stops working once its group is gone.
            child = replaceable(pulumi.ResourceOptions(parent=self, provider=home, delete_before_replace=True))
            if plan.dynamic_group is not None:
                group = pulumi.Output.format("id {0}", plan.dynamic_group)
            elif plan.makes_group:
                group = _dynamic_group(name, plan, child)
        known = {"group": group, "cluster": links, "compartment": plan.compartment}
        texts = [
            pulumi.Output.all(**known, host_group=each.host_group).apply(Template(each.text).substitute)
            for each in plan.statements
        ]
        for in_tenancy, suffix, compartment in ((False, "nodes", plan.compartment), (True, "tenancy", plan.tenancy)):
            pairs = zip(texts, plan.statements, strict=True)
            statements = [text for text, each in pairs if plan.make and each.in_tenancy is in_tenancy]
            if statements:
                self.policies.append(
                    oci.identity.Policy(
                        f"{name}-{suffix}",
                        compartment_id=compartment,
                        name=f"{name}-{suffix}",
                        description=f"Nodes of OKE cluster {name}",
                        statements=statements,
                        opts=child,
                    )
                )
        self.statements = pulumi.Output.all(*texts).apply(list)
        self.register_outputs(outputs(self))


def _dynamic_group(name: str, plan: IdentityPlan, child: Opts) -> pulumi.Output[str]:
    """The new group of the nodes, as a policy names it."""
    description = f"Nodes of OKE cluster {name}"
    if (domain := plan.domain) is not None:
        resource = oci.identity.DomainsDynamicResourceGroup(
            f"{name}-nodes",
            idcs_endpoint=domain["url"],
            schemas=[_SCHEMA],
            display_name=f"{name}-nodes",
            description=description,
            matching_rule=plan.matching_rule,
            opts=child,
        )
        return pulumi.Output.format("'{0}'/'{1}'", domain["name"], resource.display_name)
    # Dynamic groups stand in the tenancy itself.
    return oci.identity.DynamicGroup(
        f"{name}-nodes",
        compartment_id=plan.tenancy,
        name=f"{name}-nodes",
        description=description,
        matching_rule=plan.matching_rule,
        opts=child,
    ).name

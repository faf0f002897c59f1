"""The IAM policies of a cluster's nodes."""

from string import Template

import pulumi
import pulumi_oci as oci

from ..component import Opts, inputs, outputs, plan_args, replaceable
from ..key_docs import with_keys
from . import lookups
from .plan.identity import IdentityPlan, OkeIdentityPoliciesArgs, plan_policies

_SCHEMA = "urn:ietf:params:scim:schemas:oracle:idcs:DynamicResourceGroup"


@with_keys
class OkeIdentityPolicies(pulumi.ComponentResource):
    """A dynamic group of the nodes and the policies that they need, written in the tenancy's home region."""

    statements: pulumi.Output[list[str]]
    """The statements, made or to be made by hand."""

    def __init__(
        self, name: str, args: OkeIdentityPoliciesArgs, opts: Opts = None, *, plan: IdentityPlan | None = None
    ):
        args, plan = plan_args(OkeIdentityPoliciesArgs, plan_policies, args, plan)
        super().__init__("rdma-cluster:index:OkeIdentityPolicies", name, inputs(OkeIdentityPoliciesArgs, args), opts)
        self.policies: list[pulumi.Resource] = []
        """Nodes that start before these exist cannot join the cluster."""
        group: pulumi.Input[str] = "<dynamic group>"
        child = replaceable(pulumi.ResourceOptions(parent=self))
        if plan.make:
            home = oci.Provider(
                f"{name}-home", region=plan.home_region or lookups.home_region(args["tenancy"], self), opts=child
            )
            # Names are unique in the tenancy, and a policy stops working once its group is gone.
            child = replaceable(pulumi.ResourceOptions(parent=self, provider=home, delete_before_replace=True))
            if "dynamic_group" in args:
                group = pulumi.Output.format("id {0}", args["dynamic_group"])
            elif plan.makes_group:
                group = self._group(name, args, plan, child)
        values = pulumi.Output.all(group=group, cluster=args["cluster"], compartment=args["compartment"])
        texts = [
            values.apply(lambda known, text=each.text: Template(text).substitute(known)) for each in plan.statements
        ]
        if plan.make:
            for in_tenancy, suffix, compartment in (
                (False, "nodes", args["compartment"]),
                (True, "tenancy", args["tenancy"]),
            ):
                statements = [
                    text for text, each in zip(texts, plan.statements, strict=True) if each.in_tenancy is in_tenancy
                ]
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

    def _group(
        self, name: str, args: OkeIdentityPoliciesArgs, plan: IdentityPlan, child: pulumi.ResourceOptions
    ) -> pulumi.Output[str]:
        """The group of the nodes, as a policy names it."""
        description = f"Nodes of OKE cluster {name}"
        if "domain" in args:
            domain = args["domain"]
            resource = oci.identity.DomainsDynamicResourceGroup(
                f"{name}-nodes",
                idcs_endpoint=domain["url"],
                schemas=[_SCHEMA],
                display_name=f"{name}-nodes",
                description=description,
                matching_rule=plan.matching_rule,
                opts=child,
            )
            return resource.display_name.apply(lambda group: f"'{domain['name']}'/'{group}'")
        # Dynamic groups stand in the tenancy itself.
        return oci.identity.DynamicGroup(
            f"{name}-nodes",
            compartment_id=args["tenancy"],
            name=f"{name}-nodes",
            description=description,
            matching_rule=plan.matching_rule,
            opts=child,
        ).name

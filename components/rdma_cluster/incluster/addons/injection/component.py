"""The policies by which pods that only ask for GPUs are given their machine's fabric at admission."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from ....base.key_docs import with_keys
from ....component.frame import Opts, PlannedComponent, Shown, behind, inputs, outputs, plan_args, waiting_for
from ....injection import GROUP, MACHINE_LABEL
from ...objects import custom_resource
from ...on_cluster import Links, make_part, on_cluster
from ...plan.context import Part
from ...plan.statements import statements
from ...site import Outputs, Site
from .args import FabricInjectionArgs, InjectionOptions
from .plan import InjectionPlan, plan_injection


@with_keys
class FabricInjection(PlannedComponent[InjectionPlan, Links]):
    """Changes pods that ask for their machine's fabric, and refuses those that cannot have it."""

    machines: pulumi.Output[list[str]]
    """Machine types whose pods are served."""

    def __init__(self, name: str, args: FabricInjectionArgs, opts: Opts = None):
        args, plan = plan_args(FabricInjectionArgs, plan_injection, args, warn=self)
        self._make(name, plan, Links(statements(args)), inputs(FabricInjectionArgs, args), opts)

    def _make(self, name: str, plan: InjectionPlan, links: Links, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:FabricInjection", name, shown, opts)
        child = on_cluster(self, links.statements)
        made: list[pulumi.Resource] = []
        for each in plan.policies:
            # A binding stands behind its policy, and leaves before it.
            after = made[-1:] if "policyName" in each["spec"] else []
            made.append(_make(name, each, waiting_for(child, after)))
        self.machines = behind(list(dict.fromkeys(each["labels"][MACHINE_LABEL] for each in plan.patterns)), made)
        self.register_outputs(outputs(self))


def install(name: str, part: Part[InjectionOptions, InjectionPlan], site: Site) -> Outputs:
    """Install the policies of a stack."""
    make_part(FabricInjection, InjectionOptions, name, part, waiting_for(site.on_cluster, site.named))
    return {}


def _make(name: str, each: Mapping[str, Any], opts: pulumi.ResourceOptions) -> pulumi.Resource:
    """A policy or binding of Kubernetes' own, or a policy of Kyverno's, whose kind no SDK has."""
    kind, metadata = each["kind"], each["metadata"]
    logical = f"{name}-{metadata['name']}"
    group, _, version = each["apiVersion"].rpartition("/")
    if group != GROUP:
        return custom_resource(logical, each, opts)
    made: Any = getattr(getattr(k8s.admissionregistration, version), kind)
    return made(logical, metadata=metadata, spec=each["spec"], opts=opts)

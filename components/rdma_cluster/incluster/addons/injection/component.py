"""The policies by which pods that only ask for GPUs are given their machine's fabric at admission."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ....component import Opts, inputs, outputs, plan_args
from ....injection import GROUP, MACHINE_LABEL
from ....key_docs import with_keys
from ...on_cluster import on_cluster
from .args import FabricInjectionArgs
from .plan import InjectionPlan, plan_injection


@with_keys
class FabricInjection(pulumi.ComponentResource):
    """Changes pods that ask for their machine's fabric, and refuses those that cannot have it."""

    machines: pulumi.Output[list[str]]
    """Machine types whose pods are served."""

    def __init__(self, name: str, args: FabricInjectionArgs, opts: Opts = None, *, plan: InjectionPlan | None = None):
        args, plan = plan_args(FabricInjectionArgs, plan_injection, args, plan, warn=self)
        super().__init__("rdma-cluster:index:FabricInjection", name, inputs(FabricInjectionArgs, args), opts)
        child = on_cluster(self, args)
        made: list[pulumi.Resource] = []
        for each in plan.policies:
            # A binding stands behind its policy, and leaves before it.
            after = pulumi.ResourceOptions(depends_on=made[-1:] if "policyName" in each["spec"] else [])
            made.append(_make(name, each, pulumi.ResourceOptions.merge(child, after)))
        self.machines = pulumi.Output.from_input(
            list(dict.fromkeys(each["labels"][MACHINE_LABEL] for each in plan.patterns))
        )
        self.register_outputs(outputs(self))


def _make(name: str, each: Mapping[str, Any], opts: pulumi.ResourceOptions) -> pulumi.Resource:
    """A policy or binding of Kubernetes' own, or a policy of Kyverno's, whose kind no SDK has."""
    kind, metadata = each["kind"], each["metadata"]
    logical = f"{name}-{metadata['name']}"
    group, _, version = each["apiVersion"].rpartition("/")
    if group != GROUP:
        return k8s.apiextensions.CustomResource(
            logical, api_version=each["apiVersion"], kind=kind, metadata=metadata, spec=each["spec"], opts=opts
        )
    made: Any = getattr(getattr(k8s.admissionregistration, version), kind)
    return made(logical, metadata=metadata, spec=each["spec"], opts=opts)

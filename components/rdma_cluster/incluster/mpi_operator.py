"""Kubeflow's MPI operator, which runs MPIJobs."""

from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, inputs, outputs, plan_args, waiting_for
from .account import cluster_binding, policy_rules, role_binding
from .objects import make_namespace
from .on_cluster import on_cluster
from .plan.mpi_operator import (
    CRD,
    JOB_RULES,
    LEADER_RULES,
    OPERATOR,
    PRIORITY_RULES,
    MpiOperatorArgs,
    MpiOperatorPlan,
    crd,
    plan_mpi_operator,
)


@with_keys
class MpiOperator(PlannedComponent[MpiOperatorPlan, "pulumi.Input[str] | None"]):
    """The operator, pinned, with no right that it does not use; at most one on a cluster."""

    namespace: pulumi.Output[str]
    """Where the operator runs."""

    def __init__(self, name: str, args: MpiOperatorArgs, opts: Opts = None):
        args, plan = plan_args(MpiOperatorArgs, plan_mpi_operator, args)
        self._make(name, plan, args.get("watch"), inputs(MpiOperatorArgs, args), opts)

    def _make(
        self, name: str, plan: MpiOperatorPlan, links: pulumi.Input[str] | None, shown: Shown, opts: Opts
    ) -> None:
        """``links`` is the one namespace whose jobs it runs, or ``None``."""
        super().__init__("rdma-cluster:index:MpiOperator", name, shown, opts)
        child = on_cluster(self, [])
        kind = k8s.apiextensions.v1.CustomResourceDefinition(
            name,
            metadata={"name": CRD},
            spec=cast("k8s.apiextensions.v1.CustomResourceDefinitionSpecArgsDict", _underscored(crd())),
            opts=child,
        )
        namespace = make_namespace(name, plan.namespace, child)
        inside = waiting_for(child, [namespace])
        leader_name = f"{OPERATOR}-leader"
        leads: k8s.meta.v1.ObjectMetaArgsDict = {"name": leader_name, "namespace": plan.namespace}
        own: k8s.meta.v1.ObjectMetaArgsDict = {"name": OPERATOR, "namespace": plan.namespace}
        account = k8s.core.v1.ServiceAccount(name, metadata=own, opts=inside)

        jobs = _cluster_role(name, OPERATOR, JOB_RULES, child)
        priorities = _cluster_role(f"{name}-priorities", f"{OPERATOR}-priorities", PRIORITY_RULES, child)
        leader = k8s.rbac.v1.Role(name, metadata=leads, rules=policy_rules(LEADER_RULES), opts=inside)
        subject = (OPERATOR, plan.namespace)
        after = waiting_for(child, [jobs, account])
        over_jobs: pulumi.Resource
        if links is not None:
            # One namespace: its secrets are that namespace's, and no others.
            watched: k8s.meta.v1.ObjectMetaArgsDict = {"name": OPERATOR, "namespace": links}
            over_jobs = role_binding(f"{name}-jobs", watched, "ClusterRole", OPERATOR, subject, after)
        else:
            over_jobs = cluster_binding(f"{name}-jobs", OPERATOR, *subject, after)
        after = waiting_for(child, [priorities, account])
        over_priorities = cluster_binding(f"{name}-priorities", f"{OPERATOR}-priorities", *subject, after)
        over_leader = role_binding(name, leads, "Role", leader_name, subject, waiting_for(inside, [leader, account]))
        # The kubelet, which looks after it, may always; nobody else has a reason.
        heard = k8s.networking.v1.NetworkPolicy(
            name, metadata=own, spec={"pod_selector": {}, "policy_types": ["Ingress"]}, opts=inside
        )
        k8s.apps.v1.Deployment(
            name,
            metadata=own,
            spec=cast("k8s.apps.v1.DeploymentSpecArgsDict", plan.deployment(links)),
            # Without the kind, or a right that it reads with, it ends at its start.
            opts=waiting_for(inside, [heard, kind, over_jobs, over_priorities, over_leader]),
        )
        self.namespace = namespace.metadata["name"]
        self.register_outputs(outputs(self))


def _cluster_role(
    name: str, called: str, rules: list[dict[str, Any]], opts: pulumi.ResourceOptions
) -> k8s.rbac.v1.ClusterRole:
    return k8s.rbac.v1.ClusterRole(name, metadata={"name": called}, rules=policy_rules(rules), opts=opts)


def _underscored(value: Any) -> Any:
    """Pulumi's own spelling of keys with hyphens."""
    if isinstance(value, dict):
        return {key.replace("-", "_"): _underscored(of) for key, of in value.items()}
    return [_underscored(of) for of in value] if isinstance(value, list) else value

"""What keeps the nodes of a cluster ready."""

from collections.abc import Sequence
from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s

from ....component import Opts, inputs, outputs, plan_args, waiting_for
from ....key_docs import with_keys
from ...account import cluster_binding, policy_rules, role_binding
from ...fault_watcher import fault_watcher
from ...on_cluster import on_cluster
from ...plan.acceptance.pod import NAMESPACE as TESTS
from . import registration
from .args import NodeReadinessArgs
from .plan import ReadinessPlan, plan_readiness
from .prover import NAMESPACE, PRIORITY, PRIORITY_VALUE, PROVER, Prover

_RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}


@with_keys
class NodeReadiness(pulumi.ComponentResource):
    """Nodes take work only while their fabric is proven; at most one on a cluster, beside ``NcclAcceptance``."""

    fingerprints: pulumi.Output[dict[str, str]]
    """Of what a node shows that passes, by pool: the value of its label ``rdma-cluster/fabric``."""

    def __init__(
        self,
        name: str,
        args: NodeReadinessArgs,
        opts: Opts = None,
        *,
        plan: ReadinessPlan | None = None,
        after: Sequence[pulumi.Resource] = (),
    ):
        """``after`` is what the prover alone waits for: the objects that its tests name."""
        args, plan = plan_args(NodeReadinessArgs, plan_readiness, args, plan, warn=self)
        super().__init__("rdma-cluster:index:NodeReadiness", name, inputs(NodeReadinessArgs, args), opts)
        child = on_cluster(self, args)
        if plan.registration is not None:
            _taint_on_join(f"{name}-{registration.NAME}", plan.registration, child)
        if plan.prover is not None:
            _install(f"{name}-{PROVER}", plan.prover, after, child)
        fault_watcher(name, plan.watcher, child)
        self.fingerprints = pulumi.Output.from_input(plan.fingerprints)
        self.register_outputs(outputs(self))


def _taint_on_join(name: str, spec: dict[str, Any], child: pulumi.ResourceOptions) -> None:
    """For nothing that is on the cluster: the sooner it is there, the more nodes have it."""
    admission = k8s.admissionregistration.v1
    policy = admission.MutatingAdmissionPolicy(
        name,
        metadata={"name": registration.NAME},
        spec=cast("k8s.admissionregistration.v1.MutatingAdmissionPolicySpecArgsDict", spec),
        opts=child,
    )
    admission.MutatingAdmissionPolicyBinding(
        name,
        metadata={"name": registration.NAME},
        spec={"policy_name": registration.NAME},
        opts=waiting_for(child, [policy]),
    )


def _install(name: str, prover: Prover, after: Sequence[pulumi.Resource], child: pulumi.ResourceOptions) -> None:
    namespace = k8s.core.v1.Namespace(name, metadata={"name": NAMESPACE, "labels": _RESTRICTED}, opts=child)
    inside = waiting_for(child, [namespace])
    own: k8s.meta.v1.ObjectMetaArgsDict = {"name": PROVER, "namespace": NAMESPACE}
    files = k8s.core.v1.ConfigMap(name, metadata=own, data=prover.files, opts=inside)
    priority = k8s.scheduling.v1.PriorityClass(
        name,
        metadata={"name": PRIORITY},
        value=PRIORITY_VALUE,
        preemption_policy="Never",
        # A priority's value is immutable, and its name is what its pods say.
        opts=pulumi.ResourceOptions.merge(
            child, pulumi.ResourceOptions(replace_on_changes=["value"], delete_before_replace=True)
        ),
    )
    account = k8s.core.v1.ServiceAccount(name, metadata=own, opts=inside)
    needs = [files, priority, account, *_rights(name, prover, waiting_for(inside, [account, *after])), *after]
    # A pod reads its files at its start alone.
    anew = {"rdma-cluster/files": prover.digest}
    template = prover.deployment["template"]
    spec = {**prover.deployment, "template": {**template, "metadata": {**template["metadata"], "annotations": anew}}}
    k8s.apps.v1.Deployment(
        name, metadata=own, spec=cast("k8s.apps.v1.DeploymentSpecArgsDict", spec), opts=waiting_for(inside, needs)
    )


def _rights(name: str, prover: Prover, inside: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """What the prover may do: of nodes as much as the policies let it, and its own tests."""
    bound: list[pulumi.Resource] = []
    for policy, spec in prover.policies.items():
        admission = k8s.admissionregistration.v1
        held = admission.ValidatingAdmissionPolicy(
            f"{name}-{policy}",
            metadata={"name": policy},
            spec=cast("k8s.admissionregistration.v1.ValidatingAdmissionPolicySpecArgsDict", spec),
            opts=inside,
        )
        bound.append(
            admission.ValidatingAdmissionPolicyBinding(
                f"{name}-{policy}",
                metadata={"name": policy},
                spec={"policy_name": policy, "validation_actions": ["Deny"]},
                opts=waiting_for(inside, [held]),
            )
        )
    role = k8s.rbac.v1.ClusterRole(
        name, metadata={"name": PROVER}, rules=policy_rules(prover.cluster_rules), opts=inside
    )
    # It has the right only while the policies hold it.
    made: list[pulumi.Resource] = [
        cluster_binding(name, PROVER, PROVER, NAMESPACE, waiting_for(inside, [role, *bound]))
    ]
    places = {
        PROVER: (NAMESPACE, prover.own_rules),
        f"{PROVER}-tests": (TESTS, prover.test_rules),
        f"{PROVER}-events": ("default", prover.event_rules),
    }
    for role_name, (namespace, rules) in places.items():
        logical, metadata = f"{name}-{namespace}", {"name": role_name, "namespace": namespace}
        within = cast("k8s.meta.v1.ObjectMetaArgsDict", metadata)
        own = k8s.rbac.v1.Role(logical, metadata=within, rules=policy_rules(rules), opts=inside)
        made.append(role_binding(logical, within, "Role", role_name, (PROVER, NAMESPACE), waiting_for(inside, [own])))
    return made

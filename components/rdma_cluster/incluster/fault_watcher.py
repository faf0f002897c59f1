"""The watcher of faults as resources: files, pods, rights, and the policies that hold them."""

from typing import cast

import pulumi
import pulumi_kubernetes as k8s

from ..component import waiting_for
from .account import cluster_binding, policy_rules, role_binding
from .addons.readiness.watcher import EVENT_RULES, NAME, NAMESPACE, WatcherPlan
from .addons.readiness.watcher_policy import binding, policies


def fault_watcher(name: str, plan: WatcherPlan, child: pulumi.ResourceOptions) -> k8s.apps.v1.DaemonSet:
    """Installs the watcher; ``child`` names parent and provider."""
    name = f"{name}-faults"
    metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": NAME, "namespace": NAMESPACE}
    files = k8s.core.v1.ConfigMap(name, metadata=metadata, data=plan.files, opts=child)
    account = k8s.core.v1.ServiceAccount(name, metadata=metadata, opts=child)
    role = k8s.rbac.v1.ClusterRole(name, metadata={"name": NAME}, rules=policy_rules(plan.rules), opts=child)
    in_default: k8s.meta.v1.ObjectMetaArgsDict = {"name": NAME, "namespace": "default"}
    events = k8s.rbac.v1.Role(name, metadata=in_default, rules=policy_rules(EVENT_RULES), opts=child)
    # It has the rights only while the policies hold it.
    held = _policies(name, plan, child)
    rights = [
        cluster_binding(name, NAME, NAME, NAMESPACE, waiting_for(child, [account, role, *held])),
        role_binding(name, in_default, "Role", NAME, (NAME, NAMESPACE), waiting_for(child, [account, events, *held])),
    ]
    return k8s.apps.v1.DaemonSet(
        name,
        # Who only watches keeps no `up` waiting.
        metadata={**metadata, "annotations": {"pulumi.com/skipAwait": "true"}},
        spec=cast("k8s.apps.v1.DaemonSetSpecArgsDict", plan.spec),
        opts=waiting_for(child, [files, *rights]),
    )


def _policies(name: str, plan: WatcherPlan, child: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    admission = k8s.admissionregistration.v1
    made: list[pulumi.Resource] = []
    for called, spec in policies(plan.acts).items():
        suffix = called.removeprefix(NAME)
        policy = admission.ValidatingAdmissionPolicy(
            f"{name}{suffix}",
            metadata={"name": called},
            spec=cast("k8s.admissionregistration.v1.ValidatingAdmissionPolicySpecArgsDict", spec),
            opts=child,
        )
        bound = admission.ValidatingAdmissionPolicyBinding(
            f"{name}{suffix}",
            metadata={"name": called},
            spec=cast("k8s.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpecArgsDict", binding(called)),
            opts=waiting_for(child, [policy]),
        )
        made.append(bound)
    return made

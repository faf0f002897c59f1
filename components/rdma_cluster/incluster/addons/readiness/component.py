"""What keeps the nodes of a cluster ready."""

from collections.abc import Sequence
from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s
from rdma_agent.names import PROVER, PROVER_NAMESPACE, PROVER_PRIORITY, TESTS_NAMESPACE
from ....base.key_docs import with_keys
from ....component.frame import Opts, PlannedComponent, Shown, behind, inputs, outputs, plan_args, waiting_for
from ...account import Admission, confined_account, policy_rules, role_binding
from ...objects import priority_class
from ...on_cluster import Links, make_part, on_cluster
from ...plan.context import Part
from ...plan.statements import statements
from ...site import Outputs, Site
from .args import NodeReadinessArgs, ReadinessOptions
from .plan import ReadinessPlan, plan_readiness
from .policies import REGISTRATION, watcher_policies
from .prover import PRIORITY_VALUE, Prover
from .watcher import EVENT_RULES, NAME as WATCHER, NAMESPACE as KUBE_SYSTEM, WatcherPlan

_RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}


@with_keys
class NodeReadiness(PlannedComponent[ReadinessPlan, Links]):
    """Nodes take work only while their fabric is proven; at most one on a cluster, beside ``NcclAcceptance``."""

    fingerprints: pulumi.Output[dict[str, str]]
    """Of what a node shows that passes, by pool: the value of its label ``rdma-cluster/fabric``."""

    def __init__(self, name: str, args: NodeReadinessArgs, opts: Opts = None, *, after: Sequence[pulumi.Resource] = ()):
        """``after`` is what the prover alone waits for: the objects that its tests name."""
        args, plan = plan_args(NodeReadinessArgs, plan_readiness, args, warn=self)
        self._make(name, plan, Links(statements(args), after), inputs(NodeReadinessArgs, args), opts)

    def _make(self, name: str, plan: ReadinessPlan, links: Links, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:NodeReadiness", name, shown, opts)
        child = on_cluster(self, links.statements)
        if plan.registration is not None:
            _taint_on_join(f"{name}-{REGISTRATION}", plan.registration, child)
        ready: list[pulumi.Resource] = [_fault_watcher(name, plan.watcher, child)]
        if plan.prover is not None:
            ready.append(_prover(f"{name}-{PROVER}", plan.prover, links.after, child))
        self.fingerprints = behind(plan.fingerprints, ready)
        self.register_outputs(outputs(self))


def install(name: str, part: Part[ReadinessOptions, ReadinessPlan], site: Site) -> Outputs:
    """Install what keeps the nodes of a stack ready.

    It comes behind the tests: nodes that fail them stay held, and nothing else tests them at the same time.
    """
    tests = [*site.acceptance.prepared, *site.acceptance.tests.values()] if site.acceptance is not None else []
    make_part(NodeReadiness, ReadinessOptions, name, part, site.on_cluster, [*site.after, *tests])
    return {}


def _taint_on_join(name: str, spec: dict[str, Any], child: pulumi.ResourceOptions) -> None:
    """For nothing that is on the cluster: the sooner it is there, the more nodes have it."""
    admission = k8s.admissionregistration.v1
    policy = admission.MutatingAdmissionPolicy(
        name,
        metadata={"name": REGISTRATION},
        spec=cast("k8s.admissionregistration.v1.MutatingAdmissionPolicySpecArgsDict", spec),
        opts=child,
    )
    admission.MutatingAdmissionPolicyBinding(
        name, metadata={"name": REGISTRATION}, spec={"policy_name": REGISTRATION}, opts=waiting_for(child, [policy])
    )


def _prover(
    name: str, prover: Prover, after: Sequence[pulumi.Resource], child: pulumi.ResourceOptions
) -> k8s.apps.v1.Deployment:
    namespace = k8s.core.v1.Namespace(name, metadata={"name": PROVER_NAMESPACE, "labels": _RESTRICTED}, opts=child)
    inside = waiting_for(child, [namespace])
    own: k8s.meta.v1.ObjectMetaArgsDict = {"name": PROVER, "namespace": PROVER_NAMESPACE}
    files = k8s.core.v1.ConfigMap(name, metadata=own, data=prover.files, opts=inside)
    priority = priority_class(name, PROVER_PRIORITY, PRIORITY_VALUE, child)
    account = (PROVER, PROVER_NAMESPACE)
    held = [Admission(each, f"-{each}", spec) for each, spec in prover.policies.items()]
    confined = confined_account(name, account, prover.cluster_rules, held, inside, after)
    # Its own tests, wherever their objects are.
    within = waiting_for(inside, [confined.account, *after])
    needs = [files, priority, confined.account, confined.rights, *_roles(name, prover, within), *after]
    spec = cast("k8s.apps.v1.DeploymentSpecArgsDict", prover.deployment)
    return k8s.apps.v1.Deployment(name, metadata=own, spec=spec, opts=waiting_for(inside, needs))


def _roles(name: str, prover: Prover, inside: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """What the prover may do in some namespaces, the tests' own among them."""
    made: list[pulumi.Resource] = []
    places = {
        PROVER: (PROVER_NAMESPACE, prover.own_rules),
        f"{PROVER}-tests": (TESTS_NAMESPACE, prover.test_rules),
        f"{PROVER}-events": ("default", prover.event_rules),
    }
    for role_name, (namespace, rules) in places.items():
        logical, metadata = f"{name}-{namespace}", {"name": role_name, "namespace": namespace}
        within = cast("k8s.meta.v1.ObjectMetaArgsDict", metadata)
        own = k8s.rbac.v1.Role(logical, metadata=within, rules=policy_rules(rules), opts=inside)
        made.append(
            role_binding(logical, within, "Role", role_name, (PROVER, PROVER_NAMESPACE), waiting_for(inside, [own]))
        )
    return made


def _fault_watcher(name: str, plan: WatcherPlan, child: pulumi.ResourceOptions) -> k8s.apps.v1.DaemonSet:
    """Installs the watcher; ``child`` names parent and provider."""
    name = f"{name}-faults"
    metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": WATCHER, "namespace": KUBE_SYSTEM}
    files = k8s.core.v1.ConfigMap(name, metadata=metadata, data=plan.files, opts=child)
    in_default: k8s.meta.v1.ObjectMetaArgsDict = {"name": WATCHER, "namespace": "default"}
    events = k8s.rbac.v1.Role(name, metadata=in_default, rules=policy_rules(EVENT_RULES), opts=child)
    policies = watcher_policies(plan.acts)
    held = [Admission(each, each.removeprefix(WATCHER), spec) for each, spec in policies.items()]
    account = (WATCHER, KUBE_SYSTEM)
    watcher = confined_account(name, account, plan.rules, held, child)
    # It has this right, too, only while the policies hold it.
    after = waiting_for(child, [watcher.account, events, *watcher.bound])
    rights = [watcher.rights, role_binding(name, in_default, "Role", WATCHER, account, after)]
    return k8s.apps.v1.DaemonSet(
        name,
        # Who only watches keeps no `up` waiting.
        metadata={**metadata, "annotations": {"pulumi.com/skipAwait": "true"}},
        spec=cast("k8s.apps.v1.DaemonSetSpecArgsDict", plan.spec),
        opts=waiting_for(child, [files, *rights]),
    )

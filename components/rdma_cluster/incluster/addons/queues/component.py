"""Queues in which jobs wait for a pool's GPUs, NICs and place in the network."""

from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from pulumi_offline.frozen import frozen
from ....base.key_docs import with_keys
from ....component.frame import (
    Opts,
    PlannedComponent,
    Shown,
    behind,
    inputs,
    outputs,
    plan_args,
    waiting_for,
    with_more,
)
from ...account import cluster_binding, policy_rules, role_binding
from ...objects import custom_resource, install as install_chart, make_namespace, priority_class
from ...on_cluster import Links, on_cluster
from ...plan.context import Part
from ...plan.statements import statements
from ...site import Outputs, Site
from .args import DispatchCluster, QueueOptions, QueuesArgs
from .dispatch import DispatchPlan, cluster_queue_of, gpus_of, secret_name, target_of
from .plan import QueuesPlan, plan_queues
from .worker import ACCOUNT, NAMESPACE, WorkerPlan, token_kubeconfig

_OUTPUT = "dispatch"
"""Of a stack that takes jobs."""


@frozen
class QueueLinks(Links):
    """How this cluster and others are reached."""

    kubeconfig: pulumi.Input[str] = ""
    """A kubeconfig of this cluster, for a manager."""
    clusters: Sequence[DispatchCluster] = ()
    """The clusters to which jobs go."""


@with_keys
class Queues(PlannedComponent[QueuesPlan, QueueLinks]):
    """Kueue and JobSet, pinned, and a queue of every pool; at most one on a cluster."""

    queues: pulumi.Output[dict[str, str]]
    """Names of the queues by pool; the same in every namespace."""
    target: pulumi.Output[str]
    """What a manager needs to send jobs here, as JSON; secret, and empty without ``worker``. Not called ``dispatch`` as
    the output of a whole is: an input has this name, and mocks hand inputs back as outputs."""

    def __init__(self, name: str, args: QueuesArgs, opts: Opts = None):
        args, plan = plan_args(QueuesArgs, plan_queues, args, warn=self)
        clusters = args["dispatch"]["clusters"] if "dispatch" in args else []
        links = QueueLinks(statements(args), kubeconfig=args.get("kubeconfig", ""), clusters=clusters)
        self._make(name, plan, links, inputs(QueuesArgs, args), opts)

    def _make(self, name: str, plan: QueuesPlan, links: QueueLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:Queues", name, shown, opts)
        child = on_cluster(self, links.statements)
        # Kueue counts the kinds that it finds, so the one of JobSet comes first.
        before: list[pulumi.Resource] = []
        namespaces: list[pulumi.Resource] = []
        for settings in plan.charts:
            logical = f"{name}-{settings.chart.name}"
            namespaces.append(namespace := make_namespace(logical, settings.namespace, child))
            before = [install_chart(logical, settings, [namespace, *before], child)]
        before += [make_namespace(f"{name}-queues-{namespace}", namespace, child) for namespace in plan.new_namespaces]
        # Of Kubernetes' own kind, which Kueue reads, too; that the scheduler stops no pods for it is Kueue's part.
        priorities = [priority_class(f"{name}-{each}", each, of, child) for each, of in plan.priorities.items()]
        # Kueue itself takes the finalizers off, of each kind when nothing of the next names it any longer: so they
        # leave in the reverse of this order, and Kueue last.
        for stage in plan.stages:
            after = waiting_for(child, before)
            before = [_make(name, each, after) for each in stage]
        over_clusters = waiting_for(child, [*namespaces, *before])
        if plan.dispatch is not None:
            _send_jobs(name, plan.dispatch, links.clusters, over_clusters)
        self.target = pulumi.Output.from_input("")
        if plan.worker is not None:
            self.target = _take_jobs(name, plan.worker, links.kubeconfig, over_clusters)
        self.queues = behind(dict(plan.queues), [*priorities, *before])
        self.register_outputs(outputs(self))


def install(name: str, part: Part[QueueOptions, QueuesPlan], site: Site) -> Outputs:
    """Install the queues of a stack, on system nodes: what runs on those of the pools is not needed for it."""
    clusters = part.options["dispatch"]["clusters"] if "dispatch" in part.options else []
    links = QueueLinks(part.statements, kubeconfig=site.kubeconfig, clusters=clusters)
    opts = waiting_for(site.on_cluster, site.named)
    return {"dispatch": Queues.planned(name, part.plan, links, inputs(QueueOptions, part.options), opts).target}


def _take_jobs(
    name: str, plan: WorkerPlan, kubeconfig: pulumi.Input[str], after: pulumi.ResourceOptions
) -> pulumi.Output[str]:
    """The shared queues, and an account for the manager; returns what it needs, secret.

    Its token has no end: only the API server's TokenRequest gives one that has, which no resource of Pulumi's asks for,
    and Kueue would not ask for the next. It ends with the Secret: replace that, and then update the manager.
    """
    rights: list[pulumi.Resource] = [_make(name, each, after) for each in plan.local_queues]
    metadata: k8s.meta.v1.ObjectMetaArgsDict = {"name": ACCOUNT, "namespace": NAMESPACE}
    called = f"{name}-{ACCOUNT}"
    account = k8s.core.v1.ServiceAccount(called, metadata=metadata, automount_service_account_token=False, opts=after)
    with_account = waiting_for(after, [account])
    seen = k8s.rbac.v1.ClusterRole(
        called, metadata={"name": ACCOUNT}, rules=policy_rules(plan.everywhere), opts=with_account
    )
    rights.append(cluster_binding(called, ACCOUNT, ACCOUNT, NAMESPACE, waiting_for(after, [seen])))
    for namespace in plan.namespaces:
        inside: k8s.meta.v1.ObjectMetaArgsDict = {"name": ACCOUNT, "namespace": namespace}
        role = k8s.rbac.v1.Role(
            f"{called}-{namespace}", metadata=inside, rules=policy_rules(plan.within), opts=with_account
        )
        subject, after_role = (ACCOUNT, NAMESPACE), waiting_for(after, [role])
        rights.append(role_binding(f"{called}-{namespace}", inside, "Role", ACCOUNT, subject, after_role))
    secret = k8s.core.v1.Secret(
        called,
        metadata={**metadata, "annotations": {"kubernetes.io/service-account.name": ACCOUNT}},
        type="kubernetes.io/service-account-token",
        opts=with_more(with_account, additional_secret_outputs=["data"], delete_before_replace=True),
    )
    token = secret.data.apply(lambda data: b64decode((data or {}).get("token", "")).decode())
    reached = behind(pulumi.Output.all(kubeconfig, token), rights).apply(lambda both: token_kubeconfig(*both))
    return pulumi.Output.secret(pulumi.Output.json_dumps({"kubeconfig": reached, "gpus": dict(plan.gpus)}))


def _send_jobs(
    name: str, plan: DispatchPlan, clusters: Sequence[DispatchCluster], after: pulumi.ResourceOptions
) -> None:
    """What Kueue needs to reach the clusters, then the queues whose jobs go there."""
    targets = {cluster["name"]: _target(name, cluster, after) for cluster in clusters}
    before: list[pulumi.Resource] = [
        k8s.core.v1.Secret(
            f"{name}-{secret_name(cluster)}",
            metadata={"name": secret_name(cluster), "namespace": NAMESPACE},
            string_data={"kubeconfig": target.apply(lambda known: target_of(known)[0])},
            opts=after,
        )
        for cluster, target in targets.items()
    ]
    queues = [
        cluster_queue_of(queue, plan.namespaces, _gpus(queue, {each: targets[each] for each in names}))
        for queue, names in plan.queues.items()
    ]
    for stage in (*plan.stages, queues, plan.local_queues):
        later = waiting_for(after, before)
        before = [_make(name, each, later) for each in stage]


def _target(name: str, cluster: DispatchCluster, after: pulumi.ResourceOptions) -> pulumi.Output[str]:
    """A cluster's output ``dispatch``."""
    if "dispatch" in cluster:
        return pulumi.Output.secret(cluster["dispatch"])
    opts = pulumi.ResourceOptions(parent=after.parent)
    reference = pulumi.StackReference(f"{name}-{cluster['name']}", cluster.get("stack"), opts=opts)
    return reference.require_output(_OUTPUT)


def _gpus(queue: str, targets: Mapping[str, pulumi.Output[str]]) -> pulumi.Output[str]:
    """A queue's quota: a number of GPUs, which is no secret though it comes with one."""
    return pulumi.Output.unsecret(pulumi.Output.all(**targets).apply(lambda known: gpus_of(queue, known)))


def _make(name: str, each: Mapping[str, Any], opts: pulumi.ResourceOptions) -> k8s.apiextensions.CustomResource:
    """An object of Kueue's, of whose kinds no SDK knows."""
    metadata = each["metadata"]
    names = [name, each["kind"].lower(), metadata.get("namespace", ""), metadata["name"]]
    return custom_resource("-".join(filter(None, names)), each, opts)

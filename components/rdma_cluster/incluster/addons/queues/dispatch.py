"""A cluster that sends jobs to others: Kueue's objects of its queues, in the API's own form."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from pulumi_offline.strict_yaml import read
from rdma_agent.names import GPU
from ....base.kubernetes_names import check_value, is_domain
from .args import DispatchCluster, QueueDispatch, framework_of
from .objects import GROUP, in_namespaces, local_queue_of, make_object
from .worker import check_queue_name, kinds_of

_FLAVOR = "dispatched"
"""Of all that runs elsewhere: flavors of nodes are the workers' own."""
_LOST_MINUTES = 15  # Kueue's own default (kueue@v0.19.2 apis/config/v1beta2/configuration_types.go)
_MOST_MINUTES = 7 * 24 * 60
# "a stack name may only contain alphanumeric, hyphens, underscores, or periods" (github.com/pulumi/pulumi,
# ParseStackName, 2026-11-23)
_STACK = re.compile(r"[\w.-]{1,100}(/[\w.-]{1,100}){0,2}", re.ASCII)
_MOST_CLUSTERS = 20  # of a MultiKueueConfig (kueue@v0.19.2 apis/kueue/v1beta2/multikueue_types.go)


@frozen
class DispatchPlan:
    """What a manager makes."""

    clusters: tuple[str, ...]
    """Names of those to which jobs go; each has a Secret of the same name with the prefix of ``secret_name``."""
    queues: Mapping[str, tuple[str, ...]]
    """Names of clusters by queue, the preferred first."""
    stages: tuple[tuple[Mapping[str, Any], ...], ...]
    """Objects: those of a stage name those of the one before. The cluster queues come after them, when the clusters
    have told their GPUs, and the local queues last."""
    local_queues: tuple[Mapping[str, Any], ...]
    namespaces: tuple[str, ...]
    frameworks: tuple[str, ...]
    """The kinds of jobs, as Kueue's configuration names them."""
    configuration: Mapping[str, Any]
    """What Kueue's configuration says of it."""


def plan_dispatch(
    dispatch: QueueDispatch, own: Sequence[str], namespaces: Sequence[str], errors: ErrorList
) -> DispatchPlan | None:
    """The plan, or ``None`` with errors; ``own`` are the names of queues that this cluster has besides."""
    check_value(dispatch["manager"], errors.at("manager"))
    if not dispatch["manager"]:
        errors.at("manager").add("empty; write a name, e.g. that of this stack")
    _check_clusters(dispatch["clusters"], errors.at("clusters"))
    _check_queues(dispatch, own, errors)
    kinds = kinds_of(dispatch.get("kinds"), errors.at("kinds"))
    if not 1 <= (minutes := dispatch.get("lost_minutes", _LOST_MINUTES)) <= _MOST_MINUTES:
        errors.at("lost_minutes").add(f"got {minutes}; must be 1 to {_MOST_MINUTES}, a week")
    if errors:
        return None
    names = [cluster["name"] for cluster in dispatch["clusters"]]
    return DispatchPlan(
        clusters=tuple(names),
        queues={queue: tuple(clusters) for queue, clusters in dispatch["queues"].items()},
        stages=(
            (make_object("ResourceFlavor", _FLAVOR, spec={}), *map(_cluster, names)),
            tuple(_config(queue, clusters) for queue, clusters in dispatch["queues"].items()),
            tuple(map(_check, dispatch["queues"])),
        ),
        local_queues=tuple(
            local_queue_of(queue, queue, namespace) for namespace in namespaces for queue in dispatch["queues"]
        ),
        namespaces=tuple(namespaces),
        frameworks=tuple(map(framework_of, kinds)),
        configuration={"origin": dispatch["manager"], "workerLostTimeout": f"{minutes}m"},
    )


def _check_clusters(clusters: Sequence[DispatchCluster], errors: ErrorList) -> None:
    names = [cluster["name"] for cluster in clusters]
    for i, cluster in enumerate(clusters):
        at = errors.at(i)
        if not is_domain(cluster["name"]):
            at.at("name").add(
                "a cluster's name is lower-case letters, digits, hyphens and dots, a letter or digit first and last"
            )
        elif cluster["name"] in names[:i]:
            at.at("name").add(f"{cluster['name']} is listed twice; name each cluster once")
        if "stack" in cluster and "dispatch" in cluster:
            at.at("dispatch").add("not allowed with stack, whose output it is; remove one of the two")
        elif "stack" not in cluster and "dispatch" not in cluster:
            at.at("stack").add("missing; name the stack that has an output dispatch, or pass that as dispatch")
        if not _STACK.fullmatch(cluster.get("stack", "a")):
            at.at("stack").add(
                "a stack is ORGANIZATION/PROJECT/NAME, or its end: letters, digits, hyphens, underscores, dots"
            )
        if isinstance(target := cluster.get("dispatch"), str):
            _check_target(target, at.at("dispatch"))


def _check_target(target: str, errors: ErrorList) -> None:
    """Refuses what Kueue's pod can do nothing with, and shows none of it."""
    try:
        kubeconfig, gpus = target_of(target)
        config = read(kubeconfig, "kubeconfig", "kubeconfig")
        users = [each["user"] for each in config["users"]]
        clusters = [each["cluster"] for each in config["clusters"]]
        servers = [str(each["server"]) for each in clusters]
    except Exception:  # whatever a text is that is no target
        errors.add("is not what a cluster's output dispatch is: JSON of a kubeconfig, and of GPUs by shared queue")
        return
    if any("exec" in user or "auth-provider" in user for user in users):
        errors.add(
            "asks a plugin for its credentials, and Kueue's image holds none; take the output dispatch of the cluster, "
            "which has a token"
        )
    files = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
    if any(key in part for part in (*users, *clusters) for key in files):
        errors.add("names files, which are not in Kueue's pod; write their content, as `kubectl config view --flatten`")
    if any(not server.startswith("https://") for server in servers):
        errors.add("has a server that is no https:// address; Kueue would send its token in the open")
    if any(count < 1 for count in gpus.values()):
        errors.add("has a queue of no GPUs; write 1 or more, or leave the queue out")


def _check_queues(dispatch: QueueDispatch, own: Sequence[str], errors: ErrorList) -> None:
    if not dispatch["queues"]:
        errors.at("queues").add("empty; name at least one queue, e.g. {train: [CLUSTER]}")
    targets = {cluster["name"]: cluster.get("dispatch") for cluster in dispatch["clusters"]}
    for queue, clusters in dispatch["queues"].items():
        at = errors.at("queues", queue)
        check_queue_name(queue, at)
        if queue in own:
            at.add(f"{queue} is a queue of this cluster's own; take another name")
        if not 1 <= len(clusters) <= _MOST_CLUSTERS:
            at.add(f"got {len(clusters)} clusters; must be 1 to {_MOST_CLUSTERS}")
        for i, cluster in enumerate(clusters):
            if cluster not in targets:
                at.at(i).add(f"got {cluster!r}; not one of clusters, which are {', '.join(targets) or 'none'}")
            elif cluster in clusters[:i]:
                at.at(i).add(f"{cluster} is listed twice; list each cluster once")
            elif isinstance(target := targets[cluster], str) and not errors.at("clusters"):
                _check_takes(queue, cluster, target_of(target)[1], at.at(i))
    used = {cluster for clusters in dispatch["queues"].values() for cluster in clusters}
    for i, cluster in enumerate(dispatch["clusters"]):
        if cluster["name"] not in used:
            errors.at("clusters", i, "name").add(
                f"no queue names {cluster['name']}; add it to one of queues, or remove it"
            )


def _check_takes(queue: str, cluster: str, gpus: Mapping[str, int], errors: ErrorList) -> None:
    if queue not in gpus:
        errors.add(_takes_others(queue, cluster, gpus))


def _takes_others(queue: str, cluster: str, gpus: Mapping[str, int]) -> str:
    return f"{cluster} takes jobs of {', '.join(gpus)} alone; add {queue} to its worker.queues, or remove it here"


def target_of(target: str) -> tuple[str, dict[str, int]]:
    """Kubeconfig and GPUs by shared queue of a cluster's output ``dispatch``."""
    known = json.loads(target)
    return known["kubeconfig"], {queue: int(gpus) for queue, gpus in known["gpus"].items()}


def gpus_of(queue: str, targets: Mapping[str, str]) -> str:
    """GPUs of a queue on all its clusters, as a quota; ``targets`` are the outputs ``dispatch`` by cluster.

    Raises ``ValueError`` where one does not take jobs of this queue.
    """
    total = 0
    for name, target in targets.items():
        _, gpus = target_of(target)
        if queue not in gpus:
            raise ValueError(f"dispatch.queues.{queue}: {_takes_others(queue, name, gpus)}")
        total += gpus[queue]
    return str(total)


def cluster_queue_of(queue: str, namespaces: Sequence[str], gpus: Any) -> dict[str, Any]:
    """A queue whose jobs run elsewhere. It counts GPUs alone: NICs are given where a job runs, by that cluster."""
    resources = [{"name": GPU, "nominalQuota": gpus}]
    spec = {
        "namespaceSelector": in_namespaces(namespaces),
        "queueingStrategy": "BestEffortFIFO",
        "resourceGroups": [{"coveredResources": [GPU], "flavors": [{"name": _FLAVOR, "resources": resources}]}],
        "admissionChecksStrategy": {"admissionChecks": [{"name": _check_name(queue)}]},
    }
    return make_object("ClusterQueue", queue, spec=spec)


def secret_name(cluster: str) -> str:
    """Name of the Secret, in Kueue's namespace, by which Kueue reaches a cluster."""
    return f"dispatch-{cluster}"


def _cluster(name: str) -> dict[str, Any]:
    source = {"kubeConfig": {"locationType": "Secret", "location": secret_name(name)}}
    return make_object("MultiKueueCluster", name, spec={"clusterSource": source})


def _config(queue: str, clusters: Sequence[str]) -> dict[str, Any]:
    return make_object("MultiKueueConfig", _check_name(queue), spec={"clusters": list(clusters)})


def _check(queue: str) -> dict[str, Any]:
    parameters = {"apiGroup": GROUP, "kind": "MultiKueueConfig", "name": _check_name(queue)}
    spec = {"controllerName": f"{GROUP}/multikueue", "parameters": parameters}
    return make_object("AdmissionCheck", _check_name(queue), spec=spec)


def _check_name(queue: str) -> str:
    return f"dispatch-{queue}"

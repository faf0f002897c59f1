"""What every Kubernetes object of a graph must keep to."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from rdma_cluster.offline import Graph

DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
RELEASE = "kubernetes:helm.sh/v3:Release"
GKE_POOL = "gcp:container/nodePool:NodePool"
K8S_PROVIDER = "pulumi:providers:kubernetes"

_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_LEAST_SHARE = 0.1


class Pool(NamedTuple):
    """GPU nodes, of whatever cloud."""

    name: str
    nodes: int
    taints: list[dict[str, str]]


def daemon_sets_reach_their_nodes(graph: Graph) -> Iterator[str]:
    """A DaemonSet names pools that there are, and tolerates every taint of each."""
    if not (pools := {pool.name: pool for pool in _gpu_pools(graph)}):
        return
    for daemon_set in graph.of_type(DAEMON_SET):
        pod = daemon_set.inputs["spec"]["template"]["spec"]
        chosen = _values(pod.get("affinity", {}))
        if not chosen:
            yield f"{daemon_set.name}: runs on no pool in particular"
        for name in chosen:
            if name not in pools:
                yield f"{daemon_set.name}: runs on {name}, which is no GPU pool"
                continue
            for taint in pools[name].taints:
                if not any(_tolerates(toleration, taint) for toleration in pod.get("tolerations", [])):
                    yield f"{daemon_set.name}: does not tolerate {taint['key']} of {name}"


def daemon_sets_roll_in_waves(graph: Graph) -> Iterator[str]:
    """One node at a time takes hours: a tenth of the nodes or more are updated at once."""
    nodes = sum(pool.nodes for pool in _gpu_pools(graph))
    for daemon_set in graph.of_type(DAEMON_SET):
        strategy = daemon_set.inputs["spec"].get("updateStrategy", {})
        most = strategy.get("rollingUpdate", {}).get("maxUnavailable", 1)
        share = int(most[:-1]) / 100 if str(most).endswith("%") else int(most) / max(nodes, 1)
        if strategy.get("type") != "RollingUpdate" or share < _LEAST_SHARE:
            yield f"{daemon_set.name}: rolls {most} at a time"


def charts_are_pinned(graph: Graph) -> Iterator[str]:
    """A chart has one version, a namespace, a time-out, and is never rolled back as a whole."""
    for release in graph.of_type(RELEASE):
        if not re.fullmatch(r"v?\d+\.\d+\.\d+(-[\w.]+)?", release.inputs.get("version", "")):
            yield f"{release.name}: version {release.inputs.get('version')!r} is not one version"
        for key in ("namespace", "timeout"):
            if not release.inputs.get(key):
                yield f"{release.name}: has no {key}"
        if release.inputs.get("atomic"):
            yield f"{release.name}: is atomic"


def charts_wait_long_enough(graph: Graph) -> Iterator[str]:
    """A chart's time-out grows with the nodes: 15 s for each on top of Helm's own five minutes."""
    nodes = sum(pool.nodes for pool in _gpu_pools(graph))
    for release in graph.of_type(RELEASE):
        if (timeout := release.inputs.get("timeout", 0)) < (least := min(300 + 15 * nodes, 2400)):
            yield f"{release.name}: waits {timeout} s for {nodes} nodes, least is {least}"


def objects_are_on_the_cluster(graph: Graph) -> Iterator[str]:
    """Every Kubernetes object names the one provider of the cluster, whose identifier is known from the start."""
    providers = graph.of_type(K8S_PROVIDER)
    if len(providers) != 1:
        yield f"{len(providers)} Kubernetes providers"
    for provider in providers:
        identifier = str(provider.inputs.get("clusterIdentifier", ""))
        if not identifier or "[" in identifier:
            yield f"{provider.name}: cluster identifier {identifier!r} is not known before the cluster"
        if not re.search(r":index:\w+Cluster::", provider.parent or ""):
            yield f"{provider.name}: is not a child of the cluster"
    own = {provider.urn for provider in providers}
    for resource in graph.resources:
        if resource.type.startswith("kubernetes:") and resource.provider not in own:
            yield f"{resource.name}: under provider {resource.provider}"


def namespaces_come_first(graph: Graph) -> Iterator[str]:
    """An object waits for its namespace where the program makes it."""
    made = {each.inputs["metadata"]["name"]: each.urn for each in graph.of_type("kubernetes:core/v1:Namespace")}
    for resource in graph.resources:
        namespace = resource.inputs.get("metadata", resource.inputs).get("namespace")
        waits = namespace not in made or made[namespace] in resource.dependencies
        if resource.type.startswith("kubernetes:") and not waits:
            yield f"{resource.name}: does not wait for namespace {namespace}"


def _gpu_pools(graph: Graph) -> list[Pool]:
    """The GPU pools of the clouds that are known here."""
    found = []
    for pool in graph.of_type(GKE_POOL):
        node = pool.inputs["nodeConfig"]
        if node.get("guestAccelerators"):
            nodes = pool.inputs.get("nodeCount") or pool.inputs["autoscaling"]["totalMaxNodeCount"]
            found.append(Pool(pool.inputs["name"], nodes, node.get("taints", [])))
    return found


def _values(affinity: dict[str, Any]) -> list[str]:
    """The pools a node affinity names."""
    required = affinity.get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    terms = required.get("nodeSelectorTerms", [])
    return [value for term in terms for each in term.get("matchExpressions", []) for value in each.get("values", [])]


def _tolerates(toleration: dict[str, str], taint: dict[str, str]) -> bool:
    if toleration.get("effect") not in (None, _EFFECTS[taint["effect"]]):
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in (None, taint["key"])
    return toleration.get("key") == taint["key"] and toleration.get("value") == taint["value"]

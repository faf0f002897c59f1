"""What every Kubernetes object of a graph must keep to."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pulumi_offline import Graph, Resource
from rdma_agent.names import STARTUP_TAINT
from rdma_cluster.incluster.addons.readiness import policies
from .expressions import undeclared
from .readers import chart_of, chart_pods, chosen, gpu_pools

DAEMON_SET = "kubernetes:apps/v1:DaemonSet"
RELEASE = "kubernetes:helm.sh/v3:Release"
K8S_PROVIDER = "pulumi:providers:kubernetes"
VOLUME = "kubernetes:core/v1:PersistentVolume"
CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"

# Kinds that make, change or place pods of work.
_WORK = ("LeaderWorkerSet", "ResourceFlavor", "MutatingAdmissionPolicy", "MutatingPolicy", "ValidatingPolicy")
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_LEAST_SHARE = 0.1
_GPU_TAINT = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
# What charts tolerate that are told nothing of it.
_TOLERATED = {
    "dra-driver-nvidia-gpu": [_GPU_TAINT],
    "dranet": [{"operator": "Exists"}],
    "nvidia-device-plugin": [_GPU_TAINT],
}
# Their own pods run beside the system's. What they put onto nodes is in values and objects of their own, and judged by
# the policies of the cloud that has them.
_OPERATORS = ("gpu-operator", "network-operator", "jobset", "kueue", "lws")
# On every node whose system its chart knows; it tolerates taints of GPU and spot nodes, and rolls a tenth at once
# (kubernetes-sigs/azurelustre-csi-driver charts/README.md, node.tolerations, node.updateStrategy, 2026-11-22).
_EVERYWHERE = ("azurelustre-csi-driver",)
# Kinds alone: it runs nothing.
_WITHOUT_PODS = ("prometheus-operator-crds",)
# It rolls one by one and cannot be told: its time-out allows it.
_OWN_ROLL = ("dranet",)


def drivers_reach_their_nodes(graph: Graph) -> Iterator[str]:
    """What runs on GPU nodes names pools that there are, and tolerates every taint of each."""
    if not (pools := {pool.name: pool for pool in gpu_pools(graph)}):
        return
    for what, pod in _on_nodes(graph):
        if not (names := chosen(pod)):
            yield f"{what}: runs on no pool in particular"
        for name in names:
            if name not in pools:
                yield f"{what}: runs on {name}, which is no GPU pool"
                continue
            for taint in pools[name].taints:
                if not any(_tolerates(toleration, taint) for toleration in pod.get("tolerations", [])):
                    yield f"{what}: does not tolerate {taint['key']} of {name}"


def work_waits_until_nodes_are_proven(graph: Graph) -> Iterator[str]:
    """What a user's pods get, by paste, by injection or as a served model, does not tolerate the start-up taint; nor do
    queues say that their jobs do."""
    if STARTUP_TAINT in json.dumps(graph.outputs.get("workloads", {})):
        yield "workloads: tolerate the start-up taint"
    for resource in graph.resources:
        if resource.name.endswith(policies.REGISTRATION):  # it sets the taint, and is about nodes
            continue
        if resource.type.rpartition(":")[2] in _WORK and STARTUP_TAINT in json.dumps(resource.inputs):
            yield f"{resource.name}: tolerates the start-up taint"


def gpu_nodes_are_tainted(graph: Graph) -> Iterator[str]:
    """Pods without GPUs stay away from nodes with them, and what tolerates the taint on one cloud does on all."""
    for pool in gpu_pools(graph):
        if [taint for taint in pool.taints if taint["key"] == _GPU_TAINT["key"]] != [
            {"key": _GPU_TAINT["key"], "value": "present", "effect": "NO_SCHEDULE"}
        ]:
            yield f"{pool.name}: taints {pool.taints}"


def drivers_roll_in_waves(graph: Graph) -> Iterator[str]:
    """One node at a time takes hours: a tenth of the nodes or more are updated at once."""
    nodes = sum(pool.nodes for pool in gpu_pools(graph))
    rolled = [(each.name, each.inputs["spec"]) for each in graph.of_type(DAEMON_SET)]
    rolled += [
        (each.name, _rolls(each))
        for each in graph.of_type(RELEASE)
        if chart_of(each) not in (*_OWN_ROLL, *_OPERATORS, *_EVERYWHERE, *_WITHOUT_PODS)
    ]
    for name, spec in rolled:
        strategy = spec.get("updateStrategy", {})
        most = strategy.get("rollingUpdate", {}).get("maxUnavailable", 1)
        share = int(most[:-1]) / 100 if str(most).endswith("%") else int(most) / max(nodes, 1)
        if strategy.get("type") != "RollingUpdate" or share < _LEAST_SHARE:
            yield f"{name}: rolls {most} at a time"


def drivers_leave_before_their_nodes(graph: Graph) -> Iterator[str]:
    """What has finalizers on nodes waits for every GPU pool, so that a destroy takes it away first."""
    pools = {pool.resource.urn for pool in gpu_pools(graph)}
    for name in ("DraDrivers", "DevicePlugins", "NcclInstaller"):
        for component in graph.of_type(f"rdma-cluster:index:{name}"):
            if not pools <= set(component.dependencies):
                yield f"{component.urn}: does not wait for {sorted(pools - set(component.dependencies))}"


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
    """A chart's time-out grows with the nodes, 15 s for each on top of Helm's own five minutes, or is five a wave."""
    nodes = sum(pool.nodes for pool in gpu_pools(graph))
    for release in graph.of_type(RELEASE):
        if (timeout := release.inputs.get("timeout", 0)) < (least := min(300 + 15 * nodes, _all_waves(release))):
            yield f"{release.name}: waits {timeout} s for {nodes} nodes, least is {least}"


def jobs_are_awaited_to_their_end(graph: Graph) -> Iterator[str]:
    """What runs in a job ends by itself and says why, then the job's deadline, and then the wait for it."""
    for job in graph.of_type("kubernetes:batch/v1:Job"):
        if "pulumi.com/skipAwait" in job.inputs["metadata"].get("annotations", {}):
            continue
        spec = job.inputs["spec"]
        containers = spec["template"]["spec"]["containers"]
        words = [str(word) for each in containers for word in (*each.get("command", ()), *each.get("args", ()))]
        own = max((int(word) for word in words if re.fullmatch(r"[1-9]\d{2,}", word)), default=0)
        deadline = spec.get("activeDeadlineSeconds", 0)
        waits = {key: int(value.rstrip("s")) for key, value in (job.options.get("customTimeouts") or {}).items()}
        if not own < deadline or not {"create"} <= waits.keys() or not deadline <= min(waits.values()):
            yield f"{job.name}: {own} s by itself, {deadline} s as a job, and is awaited for {waits}"


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


def metadata_has_nothing_empty(graph: Graph) -> Iterator[str]:
    """An API server drops an empty map or list in metadata, and each preview would want it back."""
    for resource in graph.resources:
        if resource.type.startswith("kubernetes:"):
            yield from (f"{resource.name}: {path} is empty" for path in _empty_in_metadata(resource.inputs))


def namespaces_come_first(graph: Graph) -> Iterator[str]:
    """An object, or a component above it, waits for its namespace where the program makes it."""
    by_urn = {each.urn: each for each in graph.resources}
    made = {each.inputs["metadata"]["name"]: each.urn for each in graph.of_type("kubernetes:core/v1:Namespace")}
    for resource in graph.resources:
        namespace = resource.inputs.get("metadata", resource.inputs).get("namespace")
        waits = namespace not in made or any(made[namespace] in each.dependencies for each in _line(resource, by_urn))
        if resource.type.startswith("kubernetes:") and not waits:
            yield f"{resource.name}: does not wait for namespace {namespace}"


def volumes_have_a_claim_each(graph: Graph) -> Iterator[str]:
    """A volume of ours is of one claim, which names it and is made anew with it; no two have one handle, of which a
    node mounts one; and nothing deletes what it holds."""
    claims = {
        (each.inputs["metadata"]["namespace"], each.inputs["metadata"]["name"]): each for each in graph.of_type(CLAIM)
    }
    handles: set[str] = set()
    for volume in graph.of_type(VOLUME):
        spec = volume.inputs["spec"]
        claim = claims.pop((spec["claimRef"]["namespace"], spec["claimRef"]["name"]), None)
        if claim is None or claim.inputs["spec"]["volumeName"] != volume.inputs["metadata"]["name"]:
            yield f"{volume.name}: is claimed by nobody"
        elif volume.urn not in claim.options.get("replaceWith", []):
            yield f"{volume.name}: its claim stays bound to what it was"
        if spec["csi"]["volumeHandle"] in handles:
            yield f"{volume.name}: has the handle of another"
        handles.add(spec["csi"]["volumeHandle"])
        if spec["persistentVolumeReclaimPolicy"] != "Retain":
            yield f"{volume.name}: what it holds goes with its claim"
    for namespace, name in claims:
        yield f"claim {name} of {namespace}: is of no volume"


def what_is_made_anew_by_wish_frees_its_name(graph: Graph) -> Iterator[str]:
    """The provider deletes first what it replaces itself and what keeps its name; of a replacement that the program
    asks for it knows nothing, and the new object would meet the old one (pulumi-kubernetes
    provider/pkg/provider/provider.go, Diff, 2026-07-01)."""
    for resource in graph.resources:
        asked = resource.options.get("replaceOnChanges") or resource.options.get("replaceWith")
        named = resource.inputs.get("metadata", {}).get("name")
        meets = not resource.options.get("deleteBeforeReplace")
        if resource.type.startswith("kubernetes:") and asked and named and meets:
            yield f"{resource.name}: is made beside the old {named}"


def _empty_in_metadata(value: Any, path: str = "", inside: bool = False) -> Iterator[str]:
    """Paths of empty maps and lists in the metadata of an object, and of what is made by its templates."""
    if inside and value in ({}, []):
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _empty_in_metadata(each, f"{path}.{key}".strip("."), inside or key == "metadata")


def _line(resource: Resource, by_urn: dict[str, Resource]) -> Iterator[Resource]:
    """A resource and the components above it."""
    above: Resource | None = resource
    while above is not None:
        yield above
        above = by_urn.get(above.parent or "")


def _rolls(release: Resource) -> dict[str, Any]:
    """The values that say how a chart's DaemonSet rolls: NVIDIA's have them one level down."""
    values = release.inputs.get("values", {})
    found: dict[str, Any] = values.get("kubeletPlugin", values)
    return found


def _all_waves(release: Resource) -> int:
    """Seconds that a share of the nodes at a time takes; Helm's longest where the chart tells no share."""
    strategy = _rolls(release).get("updateStrategy", {})
    share = re.fullmatch(r"(\d+)%", str(strategy.get("rollingUpdate", {}).get("maxUnavailable", "")))
    return 300 * -(-100 // int(share[1])) if share else 2400


def _on_nodes(graph: Graph) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and pod of everything that is meant for GPU nodes; a chart's values, with what it says itself."""
    for daemon_set in graph.of_type(DAEMON_SET):
        yield daemon_set.name, daemon_set.inputs["spec"]["template"]["spec"]
    for release in graph.of_type(RELEASE):
        if (chart := chart_of(release)) not in (*_OPERATORS, *_EVERYWHERE, *_WITHOUT_PODS):
            yield release.name, {"tolerations": _TOLERATED.get(chart, []), **chart_pods(release)}
    for resource in graph.resources:
        if resource.type.endswith((":Job", ":MPIJob")):
            for template in _templates(resource.inputs["spec"]):
                if chosen(template["spec"]):
                    yield f"{resource.type} {resource.name}", template["spec"]


def _templates(spec: dict[str, Any]) -> list[dict[str, Any]]:
    replicas = spec.get("mpiReplicaSpecs", {}).values()
    return [each["template"] for each in replicas] if replicas else [spec["template"]]


def _tolerates(toleration: dict[str, str], taint: dict[str, str]) -> bool:
    if toleration.get("effect") not in (None, _EFFECTS[taint["effect"]]):
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in (None, taint["key"])
    return toleration.get("key") == taint["key"] and toleration.get("value") == taint["value"]


def expressions_name_what_is_declared(graph: Graph) -> Iterator[str]:
    """Of policies of admission: the API server takes no other."""
    for resource in graph.resources:
        if resource.type.rpartition(":")[2].endswith(("AdmissionPolicy", "MutatingPolicy")):
            for wrong in undeclared(resource.inputs["spec"]):
                yield f"{resource.name}: {wrong}"

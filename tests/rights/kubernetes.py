"""Rights inside a cluster: what accounts may ask of the API, and what pods have of their hosts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pulumi_offline import Graph
from tests.policies.readers import chart_of
from .charts import recorded
from .right import Right

REASONS = Path(__file__).with_name("kubernetes.yaml")
CLUSTER = "the cluster"
_POD_KINDS = ("DaemonSet", "Deployment", "Job", "MPIJob", "LeaderWorkerSet")
Manifest = Mapping[str, Any]
Rule = Mapping[str, Any]


def rights(graph: Graph) -> Iterator[Right]:
    """All of a graph's, those of the charts that it installs included."""
    manifests = [
        {"kind": each.type.rpartition(":")[2], **each.inputs}
        for each in graph.resources
        if each.type.startswith("kubernetes:")
    ]
    yield from of_manifests(manifests)
    for release in graph.of_type("kubernetes:helm.sh/v3:Release"):
        chart, version = chart_of(release), release.inputs["version"]
        found = recorded().get(chart)
        if found is None or found.version != version:
            yield Right(f"chart {chart}", f"what version {version} gives it, at which nobody has looked", CLUSTER)
        else:
            yield from found.rights


def of_manifests(
    manifests: Iterable[Manifest], namespace: str = "", matters: Callable[[Rule], bool] = bool
) -> Iterator[Right]:
    """Of objects in the API's form, and of the rules of roles those that ``matters`` says.

    ``namespace`` is where those are that name none.
    """
    held = list(manifests)
    roles = {(each["kind"], each["metadata"]["name"]): each.get("rules") or [] for each in held if _is_role(each)}
    for each in held:
        kind = each["kind"]
        if kind in ("RoleBinding", "ClusterRoleBinding"):
            where = each["metadata"].get("namespace", namespace) if kind == "RoleBinding" else CLUSTER
            yield from _bound(each, roles, where, matters)
        elif kind in _POD_KINDS:
            yield from _of_pods(each)
        elif kind == "Namespace":
            labels = each["metadata"].get("labels") or {}
            for label in ("pod-security.kubernetes.io/enforce", "resource.kubernetes.io/admin-access"):
                if label in labels:
                    yield Right("pods", f"{label}: {labels[label]}", each["metadata"]["name"])


def _is_role(manifest: Manifest) -> bool:
    return manifest["kind"] in ("Role", "ClusterRole")


def _bound(binding: Manifest, roles: Mapping[Any, Any], where: str, matters: Callable[[Rule], bool]) -> Iterator[Right]:
    role = binding["roleRef"]
    rules = roles.get((role["kind"], role["name"]))
    for subject in binding["subjects"]:
        who = subject["name"]
        if rules is None:
            yield Right(who, f"what role {role['name']} lets", where)
        for rule in filter(matters, rules or ()):
            kinds = rule.get("resources") or rule.get("nonResourceURLs")
            named = f" named {', '.join(rule['resourceNames'])}" if rule.get("resourceNames") else ""
            yield Right(who, f"{', '.join(sorted(rule['verbs']))} {', '.join(sorted(kinds))}{named}", where)


def _of_pods(manifest: Manifest) -> Iterator[Right]:
    spec, name = manifest["spec"], _name(manifest)
    if manifest["kind"] == "MPIJob":
        for role, replicas in spec["mpiReplicaSpecs"].items():
            yield from _of_pod(f"{name} {role.lower()}", replicas["template"])
    elif manifest["kind"] == "LeaderWorkerSet":
        for role in ("leaderTemplate", "workerTemplate"):
            yield from _of_pod(name, spec["leaderWorkerTemplate"][role])
    else:
        yield from _of_pod(name, spec["template"])


def _name(manifest: Manifest) -> str:
    """What a workload is, rather than which one: the name that its pods say of their program, or its own."""
    spec = manifest["spec"]
    template = spec.get("template", {})
    labels = template.get("metadata", {}).get("labels") or {}
    kind = manifest["kind"]
    if kind in ("MPIJob", "LeaderWorkerSet"):
        return {"MPIJob": "acceptance", "LeaderWorkerSet": "inference"}[kind]
    return (
        labels.get("app.kubernetes.io/component")
        or labels.get("app.kubernetes.io/name")
        or manifest["metadata"]["name"]
    )


def _of_pod(who: str, template: Manifest) -> Iterator[Right]:
    pod = template["spec"]
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(key):
            yield Right(who, key, "its node")
    folders = {each["name"]: each["hostPath"]["path"] for each in pod.get("volumes") or () if "hostPath" in each}
    for container in (*(pod.get("initContainers") or ()), *(pod.get("containers") or ())):
        program = f"{who}: {container['name']}"
        context = container.get("securityContext") or {}
        if context.get("privileged"):
            known = "" if "@sha256:" in container["image"] else ", by an image known by its tag alone"
            yield Right(program, f"privileged{known}", "its node")
        for capability in (context.get("capabilities") or {}).get("add") or ():
            yield Right(program, capability, "itself")
        for mount in container.get("volumeMounts") or ():
            if mount["name"] in folders:
                yield Right(program, "reads" if mount.get("readOnly") else "writes", f"host {folders[mount['name']]}")
    for key, value in ((template.get("metadata") or {}).get("annotations") or {}).items():
        if key.startswith("devices.gke.io/container."):
            devices = ", ".join(line.removeprefix("- path: ") for line in value.splitlines())
            yield Right(f"{who}: {key.rpartition('.')[2]}", "opens devices", devices)

"""What every pod of a graph, and whatever gives pods rights, must keep to."""

from collections.abc import Iterator
from typing import Any

from pulumi_offline import Graph

# https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb, without those of
# users, groups, signers and policies, which nobody here needs.
_VERBS = {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
_ROLES = ("kubernetes:rbac.authorization.k8s.io/v1:Role", "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")

# Google's plugin of containerd: it looks at the host's devices, and speaks to a socket of root's, as long as pods come.
# And its daemon of bare-metal NICs: it changes the host's interfaces, as long as they are in use.
_DAEMONS = ("nri-device-injector", "asapd-lite")
# NVIDIA's exporter where a host has no runtime of NVIDIA's: nobody hands it the devices.
_WATCHES_GPUS = "gpu-exporter-plugged"


def only_installers_are_privileged(graph: Graph) -> Iterator[str]:
    """A container that writes drivers to its host, and what works in its network, whose devices nobody hands out.

    None beside them; whoever is no root never becomes it.
    """
    for name, pod, owner in _pods(graph):
        uses_host = owner in ("MPIJob", "LeaderWorkerSet") and pod.get("hostNetwork")
        for kind in ("initContainers", "containers"):
            for container in pod.get(kind, []):
                context = container.get("securityContext", {})
                may_stay = uses_host or container["name"] in _DAEMONS or name.endswith(_WATCHES_GPUS)
                if context.get("privileged") and kind != "initContainers" and not may_stay:
                    yield f"{name}: {container['name']} is privileged, and runs for ever"
                if context.get("runAsNonRoot") and context.get("allowPrivilegeEscalation") is not False:
                    yield f"{name}: {container['name']} is no root and may become it"


def what_writes_to_a_host_is_privileged(graph: Graph) -> Iterator[str]:
    """Whether it installs and ends, or stays: COS lets no other container write to a folder of the host."""
    for name, pod, owner in _pods(graph):
        folders = {volume["name"] for volume in pod.get("volumes", []) if "hostPath" in volume}
        for container in [*pod.get("initContainers", []), *pod.get("containers", [])] if owner == "DaemonSet" else []:
            mounts = container.get("volumeMounts", [])
            writes = {each["name"] for each in mounts if not each.get("readOnly")} & folders
            if writes and not container.get("securityContext", {}).get("privileged"):
                yield f"{name}: {container['name']} writes to {sorted(writes)} and is not privileged"


def containers_gain_no_rights(graph: Graph) -> Iterator[str]:
    """Who is not privileged begins with no right but those that it names, gets no more, and is held to the runtime's
    profile."""
    for name, pod, _ in _pods(graph):
        # A sidecar of a fabric is as its maker publishes it.
        own = [each for each in pod.get("initContainers", ()) if each.get("restartPolicy") != "Always"]
        for container in (*pod["containers"], *own):
            context = container.get("securityContext", {})
            confined = (
                context.get("allowPrivilegeEscalation") is False
                and context.get("capabilities", {}).get("drop") == ["ALL"]
                and context.get("seccompProfile") == {"type": "RuntimeDefault"}
            )
            if not context.get("privileged") and not confined:
                yield f"{name}: {container['name']} may gain rights: {context}"


def no_service_becomes_a_variable(graph: Graph) -> Iterator[str]:
    """A Service ``nccl-a`` would be variables ``NCCL_A_...`` of pods beside it, which programs take for settings."""
    for name, pod, _ in _pods(graph):
        if pod.get("enableServiceLinks"):
            yield f"{name}: its pods have variables of all Services"


def volumes_and_mounts_agree(graph: Graph) -> Iterator[str]:
    """A mount without a volume is refused by the API; a volume that nobody mounts is a mount forgotten."""
    for name, pod, _ in _pods(graph):
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        containers = [*pod.get("initContainers", []), *pod.get("containers", [])]
        mounts = {mount["name"] for container in containers for mount in container.get("volumeMounts", [])}
        if volumes != mounts:
            yield f"{name}: volumes {sorted(volumes)}, mounted {sorted(mounts)}"


def rights_are_spelt(graph: Graph) -> Iterator[str]:
    """A verb that Kubernetes does not know, or a rule without group or resource, grants nothing and says nothing."""
    for token in _ROLES:
        for role in graph.of_type(token):
            for rule in role.inputs["rules"]:
                if not rule.get("apiGroups") or not rule.get("resources") or not rule.get("verbs"):
                    yield f"{role.name}: {rule} is about nothing"
                if wrong := set(rule.get("verbs", [])) - _VERBS:
                    yield f"{role.name}: verbs {sorted(wrong)} are none"


def _pods(graph: Graph) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Name, pod and kind of everything that makes pods."""
    for resource in graph.resources:
        kind = resource.type.rpartition(":")[2]
        if resource.type.startswith("kubernetes:") and kind in ("DaemonSet", "Deployment", "Job", "MPIJob"):
            spec = resource.inputs["spec"]
            replicas = spec.get("mpiReplicaSpecs", {"": spec})
            for each in replicas.values():
                yield resource.name, each["template"]["spec"], kind
        if kind == "LeaderWorkerSet":
            group = resource.inputs["spec"]["leaderWorkerTemplate"]
            for role in ("leaderTemplate", "workerTemplate"):
                yield f"{resource.name} {role}", group[role]["spec"], kind

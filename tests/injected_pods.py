"""Pods of users as hypothesis makes them: what they ask for, and what of their own they bring."""

from typing import Any

from hypothesis import strategies as st
from rdma_cluster.catalog.machine import INSTANCE_TYPE
from rdma_cluster.injection import SWITCH
from rdma_cluster.injection.device_requests import GPU
from rdma_cluster.injection.expressions import RAILS

Pod = dict[str, Any]

_ENV = st.lists(st.sampled_from(["NCCL_NET", "NCCL_NET_PLUGIN", "LD_LIBRARY_PATH", "HOME"]), unique=True, max_size=3)
# Each source of a variable that is a set of keys within a set of keys.
_VALUES = st.sampled_from(
    [
        *({"value": "mine"}, {"value": "mine"}, {}),
        {"valueFrom": {"fieldRef": {"fieldPath": "status.hostIP", "apiVersion": "v1"}}},
        {"valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}},
        {"valueFrom": {"configMapKeyRef": {"name": "mine", "key": "a", "optional": True}}},
        {"valueFrom": {"secretKeyRef": {"name": "mine", "key": "a"}}},
    ]
)
_MOUNTS = st.lists(st.sampled_from(["/dev/shm", "/data", "/etc/nccl.conf", "/usr/local/gib"]), unique=True, max_size=2)
_MOUNTED = st.sampled_from([{}, {"readOnly": True, "mountPropagation": "HostToContainer"}])
_CONTEXT = st.sampled_from(
    [
        None,
        {},
        {"runAsUser": 1000, "seccompProfile": {"type": "RuntimeDefault"}},
        {"capabilities": {"add": ["IPC_LOCK"]}},
        {"capabilities": {"add": ["SYS_PTRACE"], "drop": ["NET_RAW"]}},
        {"capabilities": {"add": ["ALL"]}},
        {"capabilities": {"drop": ["ALL"]}},
        {"allowPrivilegeEscalation": False},
        {"privileged": False},
        {"privileged": True},
    ]
)

_IMAGES = st.sampled_from(
    [
        *["registry.example/train:1"] * 6,
        "vllm/vllm-openai",
        f"docker.io/vllm/vllm-openai@sha256:{'0' * 64}",
        "registry.example/vllm/vllm-openai:1",
        "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1",
        "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1-efa",
    ]
)


_NICS = st.sampled_from(
    [
        *("vpc.amazonaws.com/efa", "rdma/ib", "rdma/hca_shared_devices_a", "nvidia.com/sriov-rdma-vf"),
        *("networking.gke.io.networks/rdma-0", "networking.gke.io.networks/vpc1.IP", "networking.gke.io.networks/mine"),
    ]
)
_NETWORKS = st.sampled_from(
    [
        {"networking.gke.io/interfaces": '[{"interfaceName": "eth1", "network": "vpc1"}]'},
        {"networking.gke.io/interfaces": '[{"interfaceName": "eth1", "network": "mine"}]'},
        {"k8s.v1.cni.cncf.io/networks": "default/rdma-vf,default/rdma-vf"},
    ]
)


@st.composite
def _containers(draw: st.DrawFn, prefix: str, least: int, gpus: list[str], templates: list[str]) -> list[Pod]:
    found = []
    for number in range(draw(st.integers(least, least + 2))):
        container: Pod = {"name": f"{prefix}-{number}", "image": draw(_IMAGES)}
        if names := draw(_ENV):
            container["env"] = [{"name": name, **draw(_VALUES)} for name in names]
        if paths := draw(_MOUNTS):
            container["volumeMounts"] = [
                {"name": "mine", "mountPath": path, "subPath": path[1:], **draw(_MOUNTED)} for path in paths
            ]
        if (context := draw(_CONTEXT)) is not None:
            container["securityContext"] = context
        limits = {}
        if (asked := draw(st.sampled_from(["0", *gpus]))) != "0":
            limits[GPU] = asked
        if draw(st.booleans()):
            limits["cpu"] = "4"
        if draw(st.integers(0, 5)) == 0:
            limits[draw(_NICS)] = "1"
        resources: Pod = {"limits": limits} if limits else {}
        if "cpu" in limits and draw(st.booleans()):
            resources["requests"] = {"cpu": "1500m"}
        elif resources and draw(st.integers(0, 3)) == 0:
            resources["requests"] = None
        if templates and draw(st.integers(0, 3)) == 0:
            resources["claims"] = [{"name": "mine"}]
        if resources:
            container["resources"] = resources
        found.append(container)
    return found


@st.composite
def pods(draw: st.DrawFn, machines: list[str], pool_label: str, templates: list[str]) -> Pod:
    """A pod that is valid by itself. ``templates`` are names of claim templates, of the pool's or of others."""
    gpus = ["1", "2", "3", "8", "8", "8", "16"]
    spec: Pod = {
        "automountServiceAccountToken": False,
        "containers": draw(_containers("main", 1, gpus, templates)),
        "volumes": [{"name": "mine", "emptyDir": {}}],
    }
    if draw(st.integers(0, 7)) == 0:
        spec["volumes"].append({"name": "devices", "hostPath": {"path": "/dev/infiniband"}})
    if draw(st.integers(0, 3)) == 0:
        spec["initContainers"] = draw(_containers("init", 0, gpus, templates))
    if any("claims" in each.get("resources", {}) for each in [*spec["containers"], *spec.get("initContainers", [])]):
        spec["resourceClaims"] = [{"name": "mine", "resourceClaimTemplateName": draw(st.sampled_from(templates))}]
    if draw(st.integers(0, 7)) == 0:
        spec["hostNetwork"] = True
    if draw(st.integers(0, 3)) == 0:
        spec["dnsPolicy"] = draw(st.sampled_from(["Default", "ClusterFirst", "ClusterFirstWithHostNet"]))
    machine = draw(st.sampled_from(machines))
    named = {
        "type": {"nodeSelector": {INSTANCE_TYPE: machine}},
        "pool": {"nodeSelector": {pool_label: machine.lower().replace("_", "-"), "disk": "fast"}},
        "affinity": {"affinity": _affinity([[(INSTANCE_TYPE, "In", [machine])]])},
        "several": {"affinity": _affinity([[(INSTANCE_TYPE, "In", machines)]])},
        "either": {"affinity": _affinity([[(INSTANCE_TYPE, "In", [machine])], [("disk", "Exists", [])]])},
        "not": {"affinity": _affinity([[(INSTANCE_TYPE, "NotIn", [machine])]])},
        "other": {"nodeSelector": {INSTANCE_TYPE: "m5.large"}},
        "none": {},
    }
    spec |= named[draw(st.sampled_from(["type", "type", "type", *named]))]
    tolerations = [
        [],
        [{"key": GPU, "operator": "Exists"}],
        [{"operator": "Exists"}],
        [{"key": GPU, "operator": "Equal", "value": "other", "effect": "NoSchedule"}],
    ]
    if chosen := draw(st.sampled_from(tolerations)):
        spec["tolerations"] = chosen
    annotations = {**draw(_NETWORKS)} if draw(st.integers(0, 5)) == 0 else {}
    if (switch := draw(st.sampled_from(["true", "true", "true", "replace", "false", ""]))) != "":
        annotations[SWITCH] = switch
    if draw(st.integers(0, 4)) == 0:
        annotations[RAILS] = draw(st.sampled_from(["rails-2-3", "rail-7", "rails-0-7", "x"]))
    metadata: Pod = {"name": "pod", "annotations": annotations}
    if draw(st.booleans()):
        metadata["labels"] = {"app": "train"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _affinity(terms: list[list[tuple[str, str, list[str]]]]) -> Pod:
    made = [
        {
            "matchExpressions": [
                {"key": key, "operator": operator, **({"values": values} if values else {})}
                for key, operator, values in term
            ]
        }
        for term in terms
    ]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": made}}}

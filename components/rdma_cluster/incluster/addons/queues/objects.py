"""Kueue's objects for a pool, in the API's own form: what of it is counted, and how Kueue can tell a full node."""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from rdma_agent.names import GPU
from ....catalog.machine import Machine
from ....fabrics import Claims, ExtendedResource, GpuAllocation
from ....fabrics.rollout import tolerations
from ...plan.context import ClusterContext
from ...plan.pool import GpuPool, ProvisioningClass
from ...plan.workload import Workload

HOSTNAME = "kubernetes.io/hostname"
"""The lowest level of every topology: with it alone Kueue heeds taints, and takes another node for one that failed."""
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
GROUP = "kueue.x-k8s.io"
API_VERSION = f"{GROUP}/v1beta2"
NIC, CHANNEL = "rdma-cluster/nic", "rdma-cluster/imex-channel"
"""What quotas count beside GPUs, which have one name whoever hands them out, so that a queue has one number of them."""
_PODS_A_NODE = 110
"""The kubelet's default. A job's every pod must use something that is counted, or it gets no node of its pool; this
much of it no job of GPUs reaches."""


def quotas_of(pool: GpuPool) -> dict[str, int]:
    """What the whole pool has of everything that is counted."""
    machine, nic_attachment = pool.machine, pool.fabric.nic_attachment
    each = {"pods": _PODS_A_NODE, GPU: machine.gpus}
    match nic_attachment:
        case Claims():
            each[NIC] = machine.nics
        case ExtendedResource():
            whole = Workload(pool.fabric, machine=machine, allocation=pool.allocation).pod_patch()["resources"][
                "limits"
            ]
            each[nic_attachment.resource] = int(whole[nic_attachment.resource])
    if machine.is_rack:
        each[CHANNEL] = machine.gpus
    return {name: count * pool.nodes for name, count in each.items()}


def full_node_cpu(machine: Machine, allocation: GpuAllocation) -> str:
    """CPUs that a pod with a whole node asks for, so that Kueue counts one such pod a node; empty where GPUs do that.

    Kueue places pods by what they ask of their nodes, and sees no claim there (kueue#10548): two pods that each ask for
    more than half of the CPUs do not fit on one.
    """
    return part_cpu(machine, allocation, machine.gpus)


def part_cpu(machine: Machine, allocation: GpuAllocation, gpus: int) -> str:
    """The same of a pod with some of the node's GPUs: as many such pods fit on a node as it has GPUs for."""
    if machine.vcpus is None or allocation != GpuAllocation.DRA:
        return ""
    pods = machine.gpus // gpus if gpus else 1
    return str(machine.vcpus // (pods + 1) + 1)


def countable(pool: GpuPool) -> bool:
    """Whether Kueue can tell how many pods of whole nodes a node holds."""
    return pool.allocation == GpuAllocation.DEVICE_PLUGIN or bool(full_node_cpu(pool.machine, pool.allocation))


def queue_name(pool: str) -> str:
    """The queue of a pool, as Kubernetes takes it for a name."""
    return pool.lower().replace("_", "-")


def topology_name(levels: Sequence[str]) -> str:
    """Kueue takes no other levels for a topology that is there, so other levels make another topology."""
    return "hosts" if tuple(levels) == (HOSTNAME,) else f"network-{_digest(list(levels))}"


def topology(name: str, levels: Sequence[str]) -> dict[str, Any]:
    return make_object("Topology", name, spec={"levels": [{"nodeLabel": label} for label in levels]})


def flavor(pool: GpuPool, levels: Sequence[str], context: ClusterContext) -> dict[str, Any]:
    """The pool's nodes. A flavor with a topology cannot change, so its name tells its content."""
    spec: dict[str, Any] = {"nodeLabels": {context.pool_label: pool.name}}
    key, value = context.taint
    if key:
        spec["nodeTaints"] = [{"key": key, "value": value, "effect": "NoSchedule"}]
    if taints := context.taints:
        # Here and not only on pods: Kueue looks for room before webhooks have seen the pods.
        spec["tolerations"] = tolerations(taints)
    if levels:
        spec["topologyName"] = topology_name(levels)
    return make_object("ResourceFlavor", f"{queue_name(pool.name)}-{_digest(spec)}", spec=spec)


def check_name(asked: ProvisioningClass) -> str:
    """The check's name and its configuration's, which may have no dots (kueue@v0.19.2 admissioncheck_types.go)."""
    return asked.name.replace(".", "-")


def provisioning_config(asked: ProvisioningClass) -> dict[str, Any]:
    """What Kueue writes into the ProvisioningRequest of a job, and which nodes its pods then select."""
    label = {"key": asked.node_label, "valueFromProvisioningClassDetail": asked.detail}
    spec = {"provisioningClassName": asked.name, "managedResources": [GPU], "podSetUpdates": {"nodeSelector": [label]}}
    return make_object("ProvisioningRequestConfig", check_name(asked), spec=spec)


def admission_check(asked: ProvisioningClass) -> dict[str, Any]:
    """Lets a job start when its nodes are promised."""
    config = {"apiGroup": GROUP, "kind": "ProvisioningRequestConfig", "name": check_name(asked)}
    spec = {"controllerName": "kueue.x-k8s.io/provisioning-request", "parameters": config}
    return make_object("AdmissionCheck", check_name(asked), spec=spec)


def cluster_queue(pool: GpuPool, flavor: str, namespaces: Sequence[str], preemption: bool) -> dict[str, Any]:
    quotas = quotas_of(pool)
    resources = [{"name": name, "nominalQuota": str(count)} for name, count in quotas.items()]
    spec = {
        "namespaceSelector": in_namespaces(namespaces),
        "queueingStrategy": "BestEffortFIFO",
        "preemption": {"withinClusterQueue": "LowerPriority" if preemption else "Never"},
        "resourceGroups": [{"coveredResources": list(quotas), "flavors": [{"name": flavor, "resources": resources}]}],
    }
    if pool.provisioning is not None:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": check_name(pool.provisioning)}]}
    return make_object("ClusterQueue", queue_name(pool.name), spec=spec)


def local_queue(pool: GpuPool, namespace: str) -> dict[str, Any]:
    """The pool's queue, as jobs of a namespace name it."""
    return local_queue_of(queue_name(pool.name), queue_name(pool.name), namespace)


def local_queue_of(name: str, cluster_queue: str, namespace: str) -> dict[str, Any]:
    """A name by which jobs of a namespace wait in a cluster's queue."""
    return make_object("LocalQueue", name, namespace=namespace, spec={"clusterQueue": cluster_queue})


def in_namespaces(namespaces: Sequence[str]) -> dict[str, Any]:
    """Selects some namespaces by name."""
    named = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(namespaces)}
    return {"matchExpressions": [named]}


def make_object(kind: str, name: str, namespace: str = "", **rest: Any) -> dict[str, Any]:
    """An object of Kueue's."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, **rest}


def _digest(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:6]

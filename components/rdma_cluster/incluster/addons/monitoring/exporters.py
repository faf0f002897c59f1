"""The pods that publish what GPUs and NICs of a node say, as specs of DaemonSets."""

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_offline.frozen import frozen
from rdma_agent.payload import script
from ....catalog import images
from ....catalog.artifact import mirrored
from ....catalog.hosts import HostOs
from ....claims.layout import has_nvidia_gpus
from ....fabrics import DriverCounters, GpuAllocation, PortCounters
from ....fabrics.rollout import IN_WAVES
from ...plan.host_ports import NIC_METRICS
from ...plan.pool import GpuPool
from ...plan.security import as_root, unprivileged

NAMESPACE = "rdma-monitoring"
GPU_CLAIM = "every-gpu"
"""Claim template by which the exporter sees a node's GPUs beside those that use them."""
GPU_ACCOUNT = "gpu-exporter"
NAME_LABEL = "app.kubernetes.io/name"
"""Says of a pod which exporter it is."""
_GPU_PORT = 9400
_CRITICAL = "system-node-critical"
_WRITTEN = {"tmp": "/tmp", "logs": "/var/log"}
"""Folders of the GPU exporter's container in which it keeps files."""


@frozen
class Exporter:
    """A program on every node of some pools."""

    name: str
    spec: Mapping[str, Any]
    """Of its DaemonSet."""


def gpu_exporters(
    pools: Sequence[GpuPool], label: str, host: HostOs, registries: Mapping[str, str]
) -> tuple[Exporter, ...]:
    """NVIDIA's DCGM exporter, one DaemonSet for each way in which it comes to the GPUs."""
    exporters = []
    image = mirrored(images.DCGM_EXPORTER.image, registries)
    for allocation in GpuAllocation:
        if on := [pool for pool in pools if has_nvidia_gpus(pool.machine) and pool.allocation == allocation]:
            claims = allocation == GpuAllocation.DRA
            name = "gpu-exporter" if claims else "gpu-exporter-plugged"
            exporters.append(_exporter(name, on, label, _gpu_pod(host, claims, image)))
    return tuple(exporters)


def nic_exporters(pools: Sequence[GpuPool], label: str, registries: Mapping[str, str]) -> tuple[Exporter, ...]:
    """Prometheus' node exporter for RDMA devices alone; beside it, where a driver has counters of its own, a reader."""
    exporters = []
    image = mirrored(images.NODE_EXPORTER.image, registries)
    for name, counters in (("nic-exporter", PortCounters), ("nic-exporter-driver", DriverCounters)):
        if on := [pool for pool in pools if isinstance(pool.fabric.counters, counters)]:
            exporters.append(_exporter(name, on, label, _nic_pod(image, reads=counters is DriverCounters)))
    return tuple(exporters)


def _exporter(name: str, on: Sequence[GpuPool], label: str, pod: Mapping[str, Any]) -> Exporter:
    """``pod`` on every node of the pools ``on``, which ``label`` names."""
    labels = {NAME_LABEL: name, "app.kubernetes.io/managed-by": "rdma-cluster"}
    term = {"matchExpressions": [{"key": label, "operator": "In", "values": [pool.name for pool in on]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return Exporter(
        name,
        {
            "selector": {"matchLabels": labels},
            "updateStrategy": IN_WAVES,
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    # A node that is full of work is still watched.
                    "priorityClassName": _CRITICAL,
                    "affinity": {"nodeAffinity": required},
                    # A node that is marked as broken, too.
                    "tolerations": [{"operator": "Exists"}],
                    **pod,
                },
            },
        },
    )


def _gpu_pod(host: HostOs, claims: bool, image: str) -> dict[str, Any]:
    """With claims the driver gives it GPUs and libraries; without, NVIDIA's runtime does, by the image's own variables.

    On a host without that runtime it is privileged, since nobody hands it the devices, and has the driver's folder
    (github.com/GoogleCloudPlatform/prometheus-engine@03303cc examples/nvidia-dcgm/exporter.yaml).
    """
    from_host = not claims and not host.nvidia_runtime
    env: list[dict[str, Any]] = [
        {"name": "DCGM_EXPORTER_LISTEN", "value": f":{_GPU_PORT}"},
        # Says which pod a GPU serves.
        {"name": "DCGM_EXPORTER_KUBERNETES", "value": "true"},
        {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
    ]
    mounts: list[dict[str, Any]] = [
        {"name": "pod-resources", "mountPath": "/var/lib/kubelet/pod-resources", "readOnly": True},
        # Its publisher's chart has the root read-only where these are volumes (NVIDIA/dcgm-exporter@d5e5f51 deployment/
        # values.yaml): the exporter and DCGM inside of it write there alone.
        *({"name": name, "mountPath": path} for name, path in _WRITTEN.items()),
    ]
    volumes: list[dict[str, Any]] = [
        *({"name": name, "emptyDir": {"sizeLimit": "64Mi"}} for name in _WRITTEN),
        {"name": "pod-resources", "hostPath": {"path": "/var/lib/kubelet/pod-resources", "type": "Directory"}},
    ]
    if claims:
        env.append({"name": "KUBERNETES_ENABLE_DRA", "value": "true"})
    if from_host:
        env.append({"name": "LD_LIBRARY_PATH", "value": "/usr/local/nvidia/lib64"})
        mounts.append({"name": "nvidia", "mountPath": "/usr/local/nvidia", "readOnly": True})
        volumes.append({"name": "nvidia", "hostPath": {"path": host.driver_root, "type": "Directory"}})
    # DCGM's profiling counters ask for it (NVIDIA/dcgm-exporter#165).
    confined = as_root("SYS_ADMIN")
    container: dict[str, Any] = {
        "name": "gpu-exporter",
        "image": image,
        "args": ["-f", "/etc/dcgm-exporter/default-counters.csv"],
        "env": env,
        "ports": [{"name": "metrics", "containerPort": _GPU_PORT}],
        "resources": {
            "requests": {"cpu": "100m", "memory": "256Mi"},
            "limits": {"memory": "1Gi"},
            **({"claims": [{"name": "gpus"}]} if claims else {}),
        },
        "securityContext": {
            "runAsUser": 0,
            "readOnlyRootFilesystem": True,
            **({"privileged": True} if from_host else confined),
        },
        "readinessProbe": {"httpGet": {"path": "/health", "port": _GPU_PORT}, "periodSeconds": 15},
        "volumeMounts": mounts,
    }
    pod: dict[str, Any] = {"serviceAccountName": GPU_ACCOUNT, "containers": [container], "volumes": volumes}
    if claims:
        pod["resourceClaims"] = [{"name": "gpus", "resourceClaimTemplateName": GPU_CLAIM}]
    else:
        pod["automountServiceAccountToken"] = False
    return pod


def _nic_pod(image: str, *, reads: bool) -> dict[str, Any]:
    """In its host's network, so that ``/sys`` is the host's: it needs no folder of the host and no right."""
    shared = {"volumeMounts": [{"name": "counters", "mountPath": "/counters"}]} if reads else {}
    flags = [
        f"--web.listen-address=:{NIC_METRICS}",
        "--collector.disable-defaults",
        "--collector.infiniband",
        *(["--collector.textfile", "--collector.textfile.directory=/counters"] if reads else []),
    ]
    exporter = {
        "name": "nic-exporter",
        "image": image,
        "args": flags,
        "ports": [{"name": "metrics", "containerPort": NIC_METRICS}],
        "resources": {"requests": {"cpu": "20m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": unprivileged(),
        "readinessProbe": {"httpGet": {"path": "/", "port": NIC_METRICS}, "periodSeconds": 15},
        **shared,
    }
    reader = {
        "name": "counters",
        "image": image,
        "command": ["/bin/sh", "-c", script("driver_counters.sh")],
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
        "securityContext": unprivileged(),
        **shared,
    }
    return {
        "hostNetwork": True,
        "automountServiceAccountToken": False,
        "containers": [exporter, reader] if reads else [exporter],
        **({"volumes": [{"name": "counters", "emptyDir": {"medium": "Memory", "sizeLimit": "16Mi"}}]} if reads else {}),
    }

"""What runs on the hosts themselves: installers, which work once, and daemons, which stay."""

from typing import Any

import pytest
import yaml
from rdma_cluster.catalog.clouds.gke import COS
from rdma_cluster.catalog.images import PAUSE
from rdma_cluster.fabrics import FABRICS, HostPlugin
from rdma_cluster.fabrics.gib import ASAPD_LITE
from rdma_cluster.fabrics.gke_pods import DEVICE_INJECTOR
from tests.incluster.installed import called, objects

# With the other tests of that graph.
pytestmark = pytest.mark.xdist_group("installed")


def host_daemon(app: str, pools: list[str], pod: dict[str, Any]) -> dict[str, Any]:
    """A DaemonSet on the hosts of pools, as whatever makes them ready runs: before all taints, in four waves."""
    spec = yaml.safe_load(f"""
        selector:
          matchLabels: &labels {{app.kubernetes.io/name: {app}, app.kubernetes.io/managed-by: rdma-cluster}}
        updateStrategy: {{type: RollingUpdate, rollingUpdate: {{maxUnavailable: 25%}}}}
        template:
          metadata: {{labels: *labels}}
          spec:
            priorityClassName: system-node-critical
            hostNetwork: true
            hostPID: true
            automountServiceAccountToken: false
            affinity:
              nodeAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                  nodeSelectorTerms: [{{matchExpressions: [{{key: pool, operator: In, values: {pools}}}]}}]
            tolerations: [{{operator: Exists}}]
        """)
    spec["template"]["spec"] |= pod
    return spec


PAUSES = {
    "name": "pause",
    "image": PAUSE.image,
    "resources": {"requests": {"cpu": "1m", "memory": "8Mi"}},
    "securityContext": {
        "runAsNonRoot": True,
        "runAsUser": 65535,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    },
}


def folder(name: str, path: str) -> dict[str, Any]:
    """A folder of the host, which is made where it is not there."""
    return {"name": name, "hostPath": {"path": path, "type": "DirectoryOrCreate"}}


def on_hosts(cluster: str, app: str) -> dict[str, Any]:
    """The spec of a DaemonSet on the hosts."""
    return {called(each): each for each in objects(cluster)}[f"DaemonSet kube-system/{app}"].inputs["spec"]


WORKS = {"resources": {"requests": {"cpu": "150m"}}, "securityContext": {"privileged": True}}


def test_installers_work_once_and_pause():
    """NVIDIA's driver and an NCCL plugin, each with the folders of the host that it writes to, on its own pools."""
    kernel, plugin = COS.kernel_installer, FABRICS["gib"].plugin
    assert kernel is not None and isinstance(plugin, HostPlugin)
    driver = {
        **WORKS,
        "name": "nvidia-driver-installer",
        "image": kernel.image.image,
        "imagePullPolicy": "Never",
        "command": ["bash", "-c", kernel.script],
        "env": [{"name": name, "value": value} for name, value in kernel.env.items()],
        "volumeMounts": [
            {"name": "dev", "mountPath": "/dev"},
            {"name": "nvidia", "mountPath": "/usr/local/nvidia"},
            {"name": "vulkan", "mountPath": "/etc/vulkan/icd.d"},
            {"name": "root", "mountPath": "/root"},
            {"name": "cos-tools", "mountPath": "/build/cos-tools"},
        ],
    }
    nccl = {
        **WORKS,
        "name": "install",
        "image": plugin.release.installer,
        "command": ["/bin/sh", "-c", plugin.script],
        "volumeMounts": [
            {"name": "gib", "mountPath": "/usr/local/home/kubernetes/bin/gib"},
            {"name": "nvidia-lib64", "mountPath": "/usr/local/home/kubernetes/bin/nvidia/lib64"},
        ],
    }

    assert on_hosts("google", "nvidia-driver-installer") == host_daemon(
        "nvidia-driver-installer",
        ["gib"],
        {
            "initContainers": [driver],
            "containers": [PAUSES],
            "volumes": [
                folder("dev", "/dev"),
                folder("nvidia", "/home/kubernetes/bin/nvidia"),
                folder("vulkan", "/home/kubernetes/bin/nvidia/vulkan/icd.d"),
                folder("root", "/"),
                folder("cos-tools", "/var/lib/cos-tools"),
            ],
        },
    )
    assert on_hosts("google", "nccl-installer-gib") == host_daemon(
        "nccl-installer-gib",
        ["gib", "nics"],
        {
            "initContainers": [nccl],
            "containers": [PAUSES],
            "volumes": [
                folder("gib", "/home/kubernetes/bin/gib"),
                folder("nvidia-lib64", "/home/kubernetes/bin/nvidia/lib64"),
            ],
        },
    )


def test_daemons_that_stay():
    """One that asks for nothing but its folders, and one with a script, variables, huge pages and a health check."""
    healthy = {"httpGet": {"path": "/healthz", "port": 19540}}
    injector = {
        **WORKS,
        "name": "nri-device-injector",
        "image": DEVICE_INJECTOR.image,
        "volumeMounts": [{"name": "dev", "mountPath": "/dev"}, {"name": "nri", "mountPath": "/var/run/nri"}],
    }
    asapd = {
        "name": "asapd-lite",
        "image": ASAPD_LITE.image,
        "command": ["/bin/bash", "-c", ASAPD_LITE.script],
        "env": [{"name": "LD_LIBRARY_PATH", "value": "/asapd-lite/controller"}],
        "resources": {"requests": {"cpu": "150m"}, "limits": {"hugepages-2Mi": "8192Mi", "memory": "1024Mi"}},
        "securityContext": {"privileged": True},
        "readinessProbe": healthy,
        "livenessProbe": {**healthy, "initialDelaySeconds": 60},
        "volumeMounts": [
            *({"name": name, "mountPath": path} for name, path in ASAPD_LITE.host_paths.items()),
            {"name": "huge-pages", "mountPath": "/hugepages-2Mi"},
        ],
    }

    assert on_hosts("google", "nri-device-injector") == host_daemon(
        "nri-device-injector",
        ["named"],
        {"containers": [injector], "volumes": [folder("dev", "/dev"), folder("nri", "/var/run/nri")]},
    )
    assert on_hosts("metal", "asapd-lite") == host_daemon(
        "asapd-lite",
        ["metal"],
        {
            "containers": [asapd],
            "volumes": [
                *(folder(name, path) for name, path in ASAPD_LITE.host_paths.items()),
                {"name": "huge-pages", "emptyDir": {"medium": "HugePages-2Mi"}},
            ],
        },
    )

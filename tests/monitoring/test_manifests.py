"""Exporters and monitors, key by key, and who brings what."""

from typing import Any

import pytest
import yaml
from pulumi_offline.errors import ErrorList
from rdma_agent.payload import script
from rdma_cluster.catalog import images
from rdma_cluster.catalog.clouds import HOSTS
from rdma_cluster.incluster.addons.monitoring.args import MonitoringArgs
from rdma_cluster.incluster.addons.monitoring.exporters import gpu_exporters, nic_exporters
from rdma_cluster.incluster.addons.monitoring.plan import MonitoringPlan, plan_monitoring_on
from rdma_cluster.incluster.plan.context import context_of
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.pools import EFA, GIB, NAMED, NICS, PLUGGED, PLUGIN, pool

ARGS = MonitoringArgs(pools=[], pool_label="cloud.example/gpu-pool", host="cos")
AMD = pool("amd", "Standard_ND96isr_MI300X_v5", "infiniband", PLUGIN)


def planned(*pools: GpuPool, **args: Any) -> MonitoringPlan:
    """The plan of these pools, handed over as a stack does."""
    given: Any = {**ARGS, **args}
    errors = ErrorList()
    made = plan_monitoring_on(given, pools, context_of(given), errors, given.get("renew_seconds"))
    assert made is not None, errors.found()
    return made


def daemon_set(name: str, pools: list[str], pod: dict[str, Any]) -> dict[str, Any]:
    """On every node of these pools, full or broken, a quarter of them at a time."""
    spec = yaml.safe_load(f"""
        selector:
          matchLabels: &labels {{app.kubernetes.io/name: {name}, app.kubernetes.io/managed-by: rdma-cluster}}
        updateStrategy: {{type: RollingUpdate, rollingUpdate: {{maxUnavailable: 25%}}}}
        template:
          metadata: {{labels: *labels}}
          spec:
            priorityClassName: system-node-critical
            affinity:
              nodeAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                  nodeSelectorTerms: [{{matchExpressions: [{{key: l, operator: In, values: {pools}}}]}}]
            tolerations: [{{operator: Exists}}]
        """)
    spec["template"]["spec"] |= pod
    return spec


def gpu_pod(host: str, *, claims: bool) -> dict[str, Any]:
    """The exporter of GPUs as its publisher's chart has it, with devices by claims, by a runtime or of the host."""
    pod = yaml.safe_load("""
        serviceAccountName: gpu-exporter
        containers:
        - name: gpu-exporter
          args: [-f, /etc/dcgm-exporter/default-counters.csv]
          env:
          - {name: DCGM_EXPORTER_LISTEN, value: ":9400"}
          - {name: DCGM_EXPORTER_KUBERNETES, value: "true"}
          - {name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
          ports: [{name: metrics, containerPort: 9400}]
          resources: {requests: {cpu: 100m, memory: 256Mi}, limits: {memory: 1Gi}}
          securityContext:
            runAsUser: 0
            readOnlyRootFilesystem: true
            allowPrivilegeEscalation: false
            capabilities: {drop: [ALL], add: [SYS_ADMIN]}
            seccompProfile: {type: RuntimeDefault}
          readinessProbe: {httpGet: {path: /health, port: 9400}, periodSeconds: 15}
          volumeMounts:
          - {name: pod-resources, mountPath: /var/lib/kubelet/pod-resources, readOnly: true}
          - {name: tmp, mountPath: /tmp}
          - {name: logs, mountPath: /var/log}
        volumes:
        - {name: tmp, emptyDir: {sizeLimit: 64Mi}}
        - {name: logs, emptyDir: {sizeLimit: 64Mi}}
        - {name: pod-resources, hostPath: {path: /var/lib/kubelet/pod-resources, type: Directory}}
        """)
    (container,) = pod["containers"]
    container["image"] = images.DCGM_EXPORTER.image
    if claims:
        container["env"].append({"name": "KUBERNETES_ENABLE_DRA", "value": "true"})
        container["resources"]["claims"] = [{"name": "gpus"}]
        return {**pod, "resourceClaims": [{"name": "gpus", "resourceClaimTemplateName": "every-gpu"}]}
    if host == "cos":
        folder = {"path": "/home/kubernetes/bin/nvidia", "type": "Directory"}
        container["env"].append({"name": "LD_LIBRARY_PATH", "value": "/usr/local/nvidia/lib64"})
        container["volumeMounts"].append({"name": "nvidia", "mountPath": "/usr/local/nvidia", "readOnly": True})
        container["securityContext"] = {"runAsUser": 0, "readOnlyRootFilesystem": True, "privileged": True}
        pod["volumes"].append({"name": "nvidia", "hostPath": folder})
    return {**pod, "automountServiceAccountToken": False}


@pytest.mark.parametrize("host", ["cos", "al2023"])
def test_exporters_of_gpus(host: str):
    """One for each way in which it comes to them; AMD's GPUs have none."""
    made = gpu_exporters([NICS, GIB, AMD, EFA], "l", HOSTS[host], {})

    assert {each.name: each.spec for each in made} == {
        "gpu-exporter": daemon_set("gpu-exporter", ["gib", "efa"], gpu_pod(host, claims=True)),
        "gpu-exporter-plugged": daemon_set("gpu-exporter-plugged", ["nics"], gpu_pod(host, claims=False)),
    }
    assert [each.name for each in gpu_exporters([GIB], "l", HOSTS[host], {})] == ["gpu-exporter"]
    assert gpu_exporters([AMD], "l", HOSTS[host], {}) == ()


NIC_POD: dict[str, Any] = yaml.safe_load("""
    hostNetwork: true
    automountServiceAccountToken: false
    containers:
    - name: nic-exporter
      args: ["--web.listen-address=:19100", --collector.disable-defaults, --collector.infiniband]
      ports: [{name: metrics, containerPort: 19100}]
      resources: {requests: {cpu: 20m, memory: 32Mi}, limits: {memory: 256Mi}}
      securityContext: &confined
        runAsNonRoot: true
        runAsUser: 65534
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
        seccompProfile: {type: RuntimeDefault}
      readinessProbe: {httpGet: {path: /, port: 19100}, periodSeconds: 15}
    - name: counters
      resources: {requests: {cpu: 10m, memory: 16Mi}, limits: {memory: 64Mi}}
      securityContext: *confined
      volumeMounts: [{name: counters, mountPath: /counters}]
    volumes: [{name: counters, emptyDir: {medium: Memory, sizeLimit: 16Mi}}]
    """)


def test_exporters_of_nics():
    """In the host's network and without rights; a driver's own counters come by a file that a reader writes."""
    exporter, reader = NIC_POD["containers"]
    exporter["image"] = reader["image"] = images.NODE_EXPORTER.image
    reader["command"] = ["/bin/sh", "-c", script("driver_counters.sh")]
    read = {
        **exporter,
        "args": [*exporter["args"], "--collector.textfile", "--collector.textfile.directory=/counters"],
        "volumeMounts": reader["volumeMounts"],
    }
    plain = {key: value for key, value in NIC_POD.items() if key != "volumes"} | {"containers": [exporter]}

    made = nic_exporters([NAMED, EFA, GIB, PLUGGED], "l", {})

    assert {each.name: each.spec for each in made} == {
        "nic-exporter": daemon_set("nic-exporter", ["gib"], plain),
        "nic-exporter-driver": daemon_set(
            "nic-exporter-driver", ["efa", "plugged"], {**NIC_POD, "containers": [read, reader]}
        ),
    }
    assert nic_exporters([NAMED], "l", {}) == ()


def test_images_come_from_a_mirror():
    """Those of both exporters, and of the reader."""
    mirrors = {"nvcr.io": "m.example", "quay.io": "m.example"}
    made = [*gpu_exporters([GIB, NICS], "l", HOSTS["cos"], mirrors), *nic_exporters([EFA], "l", mirrors)]
    found = [box["image"] for each in made for box in each.spec["template"]["spec"]["containers"]]

    assert len(found) == 4 and all(image.startswith("m.example/") for image in found)


def monitor(job: str, namespace: str, selector: str) -> dict[str, Any]:
    """A PodMonitor whose series get the node and its pool."""
    return yaml.safe_load(f"""
        namespaceSelector: {{matchNames: [{namespace}]}}
        selector: {selector}
        attachMetadata: {{node: true}}
        podMetricsEndpoints:
        - port: metrics
          interval: 30s
          relabelings:
          - {{sourceLabels: [__meta_kubernetes_pod_node_name], targetLabel: node}}
          - {{sourceLabels: [__meta_kubernetes_node_label_cloud_example_gpu_pool], targetLabel: pool}}
          - {{targetLabel: job, replacement: {job}}}
        """)


GPUS = "{matchExpressions: [{key: app.kubernetes.io/name, operator: In, values: [gpu-exporter, gpu-exporter-plugged]}]}"
NIC = "{matchExpressions: [{key: app.kubernetes.io/name, operator: In, values: [nic-exporter]}]}"
BROUGHT: Any = {"namespace": "gpu-operator", "labels": {"app": "dcgm"}}


def test_monitors():
    """Of the exporters that there are, of one that somebody brings, and of the prover."""
    made = planned(GIB, NICS, renew_seconds=0)
    brought = planned(GIB, managed_exporter=BROUGHT)

    assert made.monitors == {
        "rdma-cluster-gpus": monitor("rdma-cluster-gpus", "rdma-monitoring", GPUS),
        "rdma-cluster-nics": monitor("rdma-cluster-nics", "rdma-monitoring", NIC),
        "rdma-cluster-proofs": yaml.safe_load("""
            namespaceSelector: {matchNames: [rdma-readiness]}
            selector: {matchLabels: {app.kubernetes.io/name: rdma-prover}}
            podMetricsEndpoints:
            - port: metrics
              interval: 30s
              relabelings: [{targetLabel: job, replacement: rdma-cluster-proofs}]
            """),
    }
    assert brought.monitors == {
        "rdma-cluster-gpus": monitor("rdma-cluster-gpus", "gpu-operator", "{matchLabels: {app: dcgm}}"),
        "rdma-cluster-nics": monitor("rdma-cluster-nics", "rdma-monitoring", NIC),
    }
    assert list(planned(AMD).monitors) == ["rdma-cluster-nics"]

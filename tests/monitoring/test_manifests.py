"""Exporters and monitors, key by key, and who brings what."""

from typing import Any

import pytest
import yaml
from rdma_cluster.catalog import images
from rdma_cluster.catalog.hosts import HOSTS
from rdma_cluster.errors import ErrorList
from rdma_cluster.incluster import in_pod
from rdma_cluster.incluster.addons.monitoring.args import MonitoringArgs
from rdma_cluster.incluster.addons.monitoring.exporters import gpu_exporters, nic_exporters
from rdma_cluster.incluster.addons.monitoring.plan import MonitoringPlan, plan_monitoring
from rdma_cluster.incluster.plan.dra_drivers import InstalledBy
from rdma_cluster.incluster.plan.pool import GpuPool

from tests.incluster.pools import EFA, GIB, NAMED, NICS, PLUGGED, PLUGIN, pool

ARGS = MonitoringArgs(pools=[], pool_label="cloud.example/gpu-pool", host="cos")
AMD = pool("amd", "Standard_ND96isr_MI300X_v5", "infiniband", PLUGIN)


def planned(*pools: GpuPool, **args: Any) -> MonitoringPlan:
    """The plan of these pools, handed over as a stack does."""
    given: Any = {**ARGS, **args}
    errors = ErrorList()
    made = plan_monitoring(given, errors, pools)
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
    reader["command"] = ["/bin/sh", "-c", in_pod.script("driver_counters.sh")]
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


@pytest.mark.parametrize(
    ("some", "args", "claim", "exports"),
    [
        ((GIB,), {}, True, True),
        ((NICS, GIB), {}, True, True),
        ((NICS,), {}, False, True),
        ((AMD,), {}, False, False),
        ((GIB,), {"managed_exporter": BROUGHT}, False, False),
    ],
)
def test_the_claim_of_every_gpu(some: tuple[GpuPool, ...], args: dict[str, Any], claim: bool, exports: bool):
    """Beside those who use them, where some pool's are claimed and the exporter is ours."""
    made = planned(*some, **args)

    asked = {"deviceClassName": "gpu.nvidia.com", "allocationMode": "All", "adminAccess": True}
    assert made.claim == ({"spec": {"devices": {"requests": [{"name": "gpus", "exactly": asked}]}}} if claim else None)
    assert made.exports_gpus == exports


@pytest.mark.parametrize(("host", "pods"), [("cos", 2 * (2 + 3)), ("al2023", 0)])
def test_critical_pods_are_admitted(host: str, pods: int):
    """GKE asks for a quota: two exporters on each of five nodes."""
    assert planned(GIB, NICS, host=host).critical_pods == pods


@pytest.mark.parametrize(
    ("args", "exports", "errors", "warned"),
    [
        ({}, True, True, 1),
        ({"managed_exporter": BROUGHT}, False, True, 1),
        ({"managed_exporter": {**BROUGHT, "errors": True}}, False, True, 1),
        # One that says less is taken only where it is asked for.
        ({"managed_exporter": {**BROUGHT, "errors": False}}, True, True, 1),
        ({"managed_exporter": {**BROUGHT, "errors": False}, "gpu_exporter": "installed"}, True, True, 1),
        ({"managed_exporter": {**BROUGHT, "errors": False}, "gpu_exporter": "managed"}, False, False, 2),
        ({"gpu_exporter": "installed"}, True, True, 1),
    ],
)
def test_whose_exporter_of_gpus(args: dict[str, Any], exports: bool, errors: bool, warned: int):
    """Ours, or one that says as much; alerts on what it does not say are left out, which is warned of."""
    made = planned(GIB, **args)
    told = {rule.get("alert") for group in made.rules for rule in group["rules"]}

    assert (made.exports_gpus, "GpuXid" in told, len(made.warnings)) == (exports, errors, warned)


@pytest.mark.parametrize(
    ("some", "needs"), [(GIB, ", and kube-state-metrics 2.20.0 or later for pods that wait for claims"), (NAMED, "")]
)
def test_what_reads_it_all_is_the_users(some: GpuPool, needs: str):
    """The Prometheus Operator, and what publishes claims where pods have some."""
    (warning,) = planned(some).warnings

    assert warning == (
        "monitoring: exporters, alerts and a dashboard are installed and no Prometheus; who reads them needs the "
        f"Prometheus Operator{needs}"
    )


def test_the_kinds_of_the_prometheus_operator():
    """Two of ten, which stay when the chart goes; from a mirror, or not at all where they are there."""
    made = planned(GIB, registries={"prometheus-community.github.io": "m.example"}).definitions
    off = "alertmanagerconfigs alertmanagers probes prometheusagents prometheuses scrapeconfigs servicemonitors"

    assert made is not None and made.values == {
        "crds": {
            "annotations": {"helm.sh/resource-policy": "keep"},
            **{each: {"enabled": False} for each in (*off.split(), "thanosrulers")},
        }
    }
    assert (made.namespace, made.timeout_seconds) == ("rdma-monitoring", 1200)
    assert made.chart.repo == "https://m.example/helm-charts"
    assert planned(GIB, definitions=InstalledBy.INSTALLED).definitions is not None
    assert planned(GIB, definitions=InstalledBy.EXISTING).definitions is None


def test_labels_and_names():
    """What a Prometheus selects by, and where all of it is."""
    made = planned(GIB, labels={"release": "prometheus", "team": ""})

    assert (made.namespace, made.labels, list(made.dashboards)) == (
        "rdma-monitoring",
        {"release": "prometheus", "team": ""},
        ["rdma-fabric.json"],
    )
    assert planned(GIB).labels == {}


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({}, ""),
        ({"pools": []}, "pools"),
        ({"pool_label": "a b"}, "pool_label"),
        ({"host": "windows"}, "host"),
        ({"registries": {"x y": "z"}}, "registries.x y"),
        ({"labels": {"a b": "c"}}, "labels.a b"),
        ({"labels": {"a": "c d"}}, "labels.a"),
    ],
)
def test_a_component_of_its_own(wrong: dict[str, Any], path: str):
    """It checks what a stack checks by other keys, each by itself; a stack's label is not judged here."""
    given: Any = {**ARGS, "pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 2}], **wrong}
    errors = ErrorList()
    made = plan_monitoring(given, errors)

    assert (made is None) == bool(path)
    assert [str(each).partition(": ")[0] for each in errors.found()] == [path] * bool(path)

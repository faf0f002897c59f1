"""Each pool is watched by the exporters that can see its devices."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_agent.names import PROVER_NAMESPACE as READINESS
from rdma_agent.payload import script
from rdma_cluster.incluster.addons.readiness.prover import prover
from tests.monitoring.plans import LABEL, plan_of

GKE = {"namespace": "gke-managed-system", "labels": {"app": "x"}, "errors": False}
OPERATOR = {"namespace": "gpu-operator", "labels": {"app": "nvidia-dcgm-exporter"}}


def pods(*machines: str, **args: Any) -> dict[str, dict[str, Any]]:
    """The specs of the exporters' pods by their names."""
    return {each.name: each.spec["template"]["spec"] for each in plan_of(*machines, **args).exporters}


def test_claimed_gpus_are_seen_beside_those_who_use_them():
    """An administrator's claim of all takes no GPU from anybody, and needs no privileged container."""
    plan = plan_of("a4-highgpu-8g")
    pod = pods("a4-highgpu-8g")["gpu-exporter"]
    asked = (plan.claim or {})["spec"]["devices"]["requests"][0]["exactly"]

    assert asked == {"deviceClassName": "gpu.nvidia.com", "allocationMode": "All", "adminAccess": True}
    assert pod["resourceClaims"][0]["resourceClaimTemplateName"] == "every-gpu"
    assert "privileged" not in pod["containers"][0]["securityContext"]


def test_gpus_of_a_device_plugin_come_by_the_hosts_means():
    """NVIDIA's runtime hands them over where there is one; on COS the driver's folder does."""
    cos = pods("a3-highgpu-8g")["gpu-exporter-plugged"]
    eks = pods("p5.48xlarge", host="al2023", pools=[_plugged("p5.48xlarge")])["gpu-exporter-plugged"]

    assert cos["containers"][0]["securityContext"]["privileged"]
    assert {"name": "nvidia", "hostPath": {"path": "/home/kubernetes/bin/nvidia", "type": "Directory"}} in cos[
        "volumes"
    ]
    assert not eks["containers"][0]["securityContext"].get("privileged")
    assert [volume["name"] for volume in eks["volumes"]] == ["tmp", "logs", "pod-resources"]
    assert plan_of("a3-highgpu-8g").claim is None


def _plugged(machine: str) -> dict[str, Any]:
    return {
        "name": "p",
        "machine": machine,
        "nodes": 2,
        "fabric": "efa-device-plugin",
        "gpu_allocation": "device-plugin",
    }


def test_nics_are_read_where_they_are_counted():
    """EFA's own counters need a reader beside the exporter; NICs that pods hold need no exporter on the host."""
    efa = pods("p5.48xlarge")["nic-exporter-driver"]

    assert [each["name"] for each in efa["containers"]] == ["nic-exporter", "counters"]
    assert [each["name"] for each in pods("a4-highgpu-8g")["nic-exporter"]["containers"]] == ["nic-exporter"]
    assert not [name for name in pods("a3-highgpu-8g") if name.startswith("nic")]


def test_an_exporter_runs_on_its_own_pools_even_where_nodes_are_broken():
    for name, pools in (("nic-exporter", ["a4-highgpu-8g"]), ("nic-exporter-driver", ["p5.48xlarge"])):
        pod = pods("a4-highgpu-8g", "p5.48xlarge", "a3-highgpu-8g")[name]
        term = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

        assert term == [{"matchExpressions": [{"key": LABEL, "operator": "In", "values": pools}]}]
        assert pod["tolerations"] == [{"operator": "Exists"}] and pod["priorityClassName"] == "system-node-critical"


def test_series_are_labelled_with_node_and_pool():
    """The alerts group by both; Prometheus spells a node's label with underscores."""
    for monitor in plan_of("a4-highgpu-8g").monitors.values():
        targets = {each["targetLabel"]: each for each in monitor["podMetricsEndpoints"][0]["relabelings"]}

        assert monitor["attachMetadata"] == {"node": True}
        assert targets["pool"]["sourceLabels"] == ["__meta_kubernetes_node_label_cloud_google_com_gke_nodepool"]
        assert targets["node"]["sourceLabels"] == ["__meta_kubernetes_pod_node_name"]


def test_the_provers_pod_is_read_by_its_labels_and_port():
    """Node and pool of a series are not those of the prover's pod."""
    monitor = plan_of("a4-highgpu-8g", renew_seconds=0).monitors["rdma-cluster-proofs"]
    pod = prover({"pools": []}, "python", slices=False, mpi=False).deployment["template"]
    (port,) = pod["spec"]["containers"][0]["ports"]
    (endpoint,) = monitor["podMetricsEndpoints"]

    assert monitor["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    assert monitor["namespaceSelector"] == {"matchNames": [READINESS]}
    assert (endpoint["port"], endpoint["interval"]) == (port["name"], "30s")
    assert [each["targetLabel"] for each in endpoint["relabelings"]] == ["job"]
    assert "rdma-cluster-proofs" not in plan_of("a4-highgpu-8g").monitors


def test_an_operators_exporter_is_read_and_none_beside_it():
    """A cloud's exporter that knows no XIDs is read only where somebody asks for it."""
    brought = plan_of("Standard_ND96isr_H100_v5", host="ubuntu-operator", managed_exporter=OPERATOR)
    cloud = plan_of("a4-highgpu-8g", managed_exporter=GKE)
    asked = plan_of("a4-highgpu-8g", managed_exporter=GKE, gpu_exporter="managed")
    told = {rule.get("alert") for group in asked.rules for rule in group["rules"]}

    assert not brought.exports_gpus and cloud.exports_gpus and not asked.exports_gpus
    monitor = brought.monitors["rdma-cluster-gpus"]
    assert monitor["namespaceSelector"] == {"matchNames": ["gpu-operator"]}
    assert monitor["selector"] == {"matchLabels": {"app": "nvidia-dcgm-exporter"}}
    assert "GpusMissing" in told and told.isdisjoint({"GpuXid", "GpuRowRemapFailed"})
    assert any("no XIDs" in warning for warning in asked.warnings)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({"gpu_exporter": "existing"}, "gpu_exporter: got 'existing'"),
        ({"gpu_exporter": "managed"}, "gpu_exporter: got managed; neither"),
        ({"gpu_exporter": "installed", "managed_exporter": OPERATOR}, "and never both"),
        ({"definitions": "managed"}, "definitions: got 'managed'"),
        ({"labels": {"a b": "c"}}, "labels"),
        ({"labels": {"a": "b c"}}, "up to 63 letters"),
        ({"host": "windows"}, "host: got 'windows'; known are cos"),
        ({"pools": []}, "pools: empty"),
        ({"pools": [{"name": "a", "machine": "a4", "nodes": 1}]}, "unknown machine 'a4'"),
        ({"pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 1, "fabric": "efa"}]}, "choose one of gib"),
    ],
)
def test_monitoring_that_cannot_work_is_refused(args: dict[str, Any], says: str):
    with pytest.raises(Refused) as refused:
        plan_of("a4-highgpu-8g", **args)

    assert says in str(refused.value)


def test_the_reader_writes_every_counter_of_a_driver_at_once(tmp_path: Path):
    """A text that is no number, and a number that is no count, stay out."""
    files = {"rx_bytes": "17\n", "tx_bytes": "4\n", "lifespan": "12\n", "odd": "N/A\n"}
    for device in ("rdmap0s1", "rdmap0s2"):
        folder = tmp_path / f"class/infiniband/{device}/ports/1/hw_counters"
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text)
    env = os.environ | {"SYSFS": str(tmp_path), "COUNTERS": str(tmp_path), "ONCE": "1"}
    subprocess.run(["sh", "-c", script("driver_counters.sh")], env=env, check=True)

    assert [line for line in (tmp_path / "driver.prom").read_text().splitlines() if line[0] != "#"] == [
        f'rdma_driver_counter_total{{device="{device}",port="1",counter="{counter}"}} {value}'
        for device in ("rdmap0s1", "rdmap0s2")
        for counter, value in (("rx_bytes", 17), ("tx_bytes", 4))
    ]
    assert not (tmp_path / "driver.partial").exists()


def test_a_host_without_such_devices_has_no_counters(tmp_path: Path):
    env = os.environ | {"SYSFS": str(tmp_path), "COUNTERS": str(tmp_path), "ONCE": "1"}
    subprocess.run(["sh", "-c", script("driver_counters.sh")], env=env, check=True)

    assert (tmp_path / "driver.prom").read_text().count("rdma_driver_counter_total{") == 0

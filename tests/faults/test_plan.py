"""The plan of the watcher: what it knows of its pools, how its pods run, and what it says of repairs."""

from typing import Any

import pytest
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.clouds import CLOUD_FACTS
from rdma_cluster.incluster.addons.readiness.args import NodeReadinessArgs
from rdma_cluster.incluster.addons.readiness.plan import ReadinessPlan, plan_readiness
from rdma_cluster.incluster.addons.readiness.watcher import watched
from tests.incluster.pools import GIB, NICS, pool

HOSTS = {
    "cos": "a4-highgpu-8g",
    "al2023": "p5.48xlarge",
    "ubuntu-aks": "Standard_ND96isr_H100_v5",
    "ubuntu-oke": "BM.GPU.H100.8",
}
"""A machine of each cloud."""


def plan_of(host: str, **args: Any) -> ReadinessPlan:
    """A plan of one pool on a cloud."""
    pool = {"name": "a", "machine": HOSTS[host], "nodes": 2}
    taint = {"key": "nvidia.com/gpu", "value": "present"}
    asked = {"pools": [pool], "pool_label": "pool", "taint": taint, "host": host, **args}
    return plan_from(NodeReadinessArgs, plan_readiness, asked)


def test_a_watcher_that_only_observes_may_taint_nothing():
    rights = [rule["resources"] for rule in plan_of("cos").watcher.rules]

    assert rights == [["nodes"], ["nodes/status"]]
    assert ["nodes"] in [rule["resources"] for rule in plan_of("cos", on_fault="quarantine").watcher.rules[2:]]


def test_the_pod_has_one_right_of_its_host():
    """It reads the kernel's log; it is on the host's network, and finds the API server by the cluster's names."""
    pod = plan_of("cos").watcher.spec["template"]["spec"]
    (container,) = pod["containers"]

    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["SYSLOG"]}
    assert not container["securityContext"].get("privileged") and "hostPID" not in pod
    assert all("hostPath" not in volume for volume in pod["volumes"])
    assert (pod["hostNetwork"], pod["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")


@pytest.mark.parametrize("host", HOSTS)
def test_a_warning_names_the_clouds_own_switch_for_repairs(host: str):
    """It says what becomes of a reservation, too."""
    (warning,) = (each for each in plan_of(host, on_fault="repair").warnings if "repair" in each)
    repair = next(facts.repair for cloud, facts in CLOUD_FACTS.items() if cloud.upper() in warning)

    assert repair.reserved in warning and repair.switch in warning
    assert not any("repair" in each for each in plan_of(host, on_fault="quarantine").warnings)


def test_a_sound_node_has_what_the_catalogue_says():
    """Nothing is read of AMD's GPUs, and NICs that pods hold are not on the host."""
    gib = watched(GIB)["expected"]
    amd = watched(pool("amd", "Standard_ND96isr_MI300X_v5", "infiniband", NICS.allocation))["expected"]
    bare = watched(pool("bare", "a3-highgpu-8g", "tcpx", NICS.allocation))["expected"]

    assert (gib["gpus"], gib["nics"], len(gib["rails"]), gib["on_host"], gib["xids"]["79"]) == (
        8,
        8,
        8,
        True,
        "GpuLost",
    )
    assert (amd["gpus"], amd["nics"], amd["xids"]) == (0, 8, {})
    assert (bare["rails"], bare["on_host"]) == ([], False)

"""What the watcher is told of its pools, how its pods run, and what a user is told of repairs."""

from typing import Any

import pytest
from rdma_agent.faults import taints as fault_taints
from rdma_agent.names import FABRIC_LABEL, FAULT_TAINT
from rdma_agent.prover import cluster_state
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog import Transport
from rdma_cluster.catalog.clouds import CLOUD_FACTS
from rdma_cluster.incluster.addons.readiness.args import NodeReadinessArgs
from rdma_cluster.incluster.addons.readiness.plan import ReadinessPlan, plan_readiness
from tests.faults.made_up import MACHINES, config_of

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


@pytest.mark.parametrize("transport", MACHINES)
def test_counts_are_the_catalogues(transport: Transport):
    """GPUs and rails of the machine; the names of rails where they are published."""
    expected = config_of(MACHINES[transport])["pools"][MACHINES[transport].lower()]["expected"]

    assert expected["gpus"] == 8 and expected["nics"] in (4, 8, 16)
    assert bool(expected["rails"]) is (transport not in (Transport.TCPX, Transport.TCPXO))


def test_who_only_observes_may_taint_nothing():
    """The rights follow the choice."""
    rights = [rule["resources"] for rule in plan_of("cos").watcher.rules]

    assert rights == [["nodes"], ["nodes/status"]]
    assert ["nodes"] in [rule["resources"] for rule in plan_of("cos", on_fault="quarantine").watcher.rules[2:]]


def test_the_pod_has_one_right_of_its_host():
    """To read the kernel's log; it is on the host's network, and finds the API server by the cluster's names."""
    pod = plan_of("cos").watcher.spec["template"]["spec"]
    (container,) = pod["containers"]

    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["SYSLOG"]}
    assert not container["securityContext"].get("privileged") and "hostPID" not in pod
    assert all("hostPath" not in volume for volume in pod["volumes"])
    assert (pod["hostNetwork"], pod["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")


def test_the_prover_leaves_a_node_with_a_fault_alone():
    """A test there would wait for ever: its pods do not tolerate the taint."""
    taint = {"key": FAULT_TAINT, "value": "GpuLost", "effect": "NoSchedule"}
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-23T09:00:00Z"}
    node = {"metadata": {"name": "n"}, "spec": {"taints": [taint]}, "status": {"conditions": [ready]}}

    pool = {"name": "a", "slices": {}}
    assert cluster_state._node(node, pool, ()).waits_for == "a fault of it is not over"
    assert cluster_state._node({**node, "spec": {}}, pool, ()).waits_for == ""


def test_a_pool_that_nobody_proves_is_not_held():
    """Its nodes would wait for ever."""
    taint = {"key": FAULT_TAINT, "value": "GpuLost", "effect": "NoSchedule"}
    node = {"metadata": {"resourceVersion": "1"}, "spec": {"taints": [taint]}}
    patch = fault_taints.node_patch(node, "", "NoSchedule", None, FABRIC_LABEL)

    assert patch["spec"]["taints"] == []


@pytest.mark.parametrize("host", HOSTS)
def test_a_repair_is_told_before_it_is_counted_on(host: str):
    """By each cloud: its switch, and what becomes of a reservation."""
    (warning,) = (each for each in plan_of(host, on_fault="repair").warnings if "repair" in each)
    repair = next(facts.repair for cloud, facts in CLOUD_FACTS.items() if cloud.upper() in warning)

    assert repair.reserved in warning and repair.switch in warning
    assert not any("repair" in each for each in plan_of(host, on_fault="quarantine").warnings)

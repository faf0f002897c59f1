"""What the operators' component makes beside the charts: namespaces, objects of their kinds, and the memory lock."""

from functools import cache
from typing import Any

import pytest
from pulumi_offline import Graph
from rdma_cluster.aks.plan.operators import AksOperatorsArgs, plan_operators
from rdma_cluster.base.args import plan_from
from tests.aks.plans import built, made

ARGS: dict[str, Any] = {
    "machines": ["Standard_ND96isr_H100_v5"],
    "nodes": {"label": "l", "values": ["a"], "nodes": 2},
    "gpu_allocation": "device-plugin",
    "memory_lock": "node",
}


@cache
def operators() -> Graph:
    """Both operators, and what lifts the limit of locked memory."""
    return built("AksOperators", ARGS)


@pytest.mark.parametrize("name", ["gpu-operator", "network-operator"])
def test_namespace_of_an_operator(name: str):
    """Whose pods write to the host."""
    inputs, _, _ = made(operators(), "Namespace", f"aks-{name}")

    assert inputs["metadata"] == {"name": name, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}}
    assert made(operators(), "Release", f"aks-{name}")[2] >= {f"Namespace aks-{name}"}


def test_objects_of_the_network_operator():
    """The rule after the chart that brings its kind, and the policy after both, until drivers are built."""
    rule, of_rule, after_chart = made(operators(), "NodeFeatureRule", "aks-infiniband")
    policy, of_policy, after = made(operators(), "NicClusterPolicy", "aks-infiniband")

    assert (rule["apiVersion"], rule["metadata"], of_rule) == ("nfd.k8s-sigs.io/v1alpha1", {"name": "infiniband"}, {})
    assert (policy["apiVersion"], policy["metadata"]) == (
        "mellanox.com/v1alpha1",
        {"name": "nic-cluster-policy", "annotations": {"pulumi.com/waitFor": "jsonpath={.status.state}=ready"}},
    )
    assert policy["spec"] == plan_from(AksOperatorsArgs, plan_operators, ARGS).policy
    (labels,) = rule["spec"]["rules"]
    assert labels["labels"] == {"feature.node.kubernetes.io/pci-15b3.present": "true"}
    assert of_policy == {"customTimeouts": {"create": "2700s", "update": "2700s"}}
    assert (after_chart, after) == (
        {"Release aks-network-operator"},
        {"Release aks-network-operator", "NodeFeatureRule aks-infiniband"},
    )


def test_limit_of_locked_memory():
    """A container that may do all, on the host's own root, ends before a pod that only stays."""
    (inputs, _, _) = made(operators(), "DaemonSet", "aks-memory-lock")
    spec = inputs["spec"]["template"]["spec"]
    (first,) = spec["initContainers"]
    shell, flag, text = first.pop("command")

    assert inputs["metadata"]["name"] == "memory-lock" and (shell, flag) == ("sh", "-c")
    assert first == {
        "name": "memory-lock",
        "image": first["image"],
        "resources": {"requests": {"cpu": "10m"}},
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "host", "mountPath": "/host"}],
    }
    assert first["image"].partition(":")[0] == "docker.io/library/python"
    assert spec["containers"][0]["image"].partition(":")[0] == "gke.gcr.io/pause"
    assert [each["hostPath"]["path"] for each in spec["volumes"] if each["name"] == "host"] == ["/"]
    assert "/host/etc/systemd/system/containerd.service.d" in text and "LimitMEMLOCK=infinity" in text
    term = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term == [{"matchExpressions": [{"key": "l", "operator": "In", "values": ["a"]}]}]

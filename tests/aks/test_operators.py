"""NVIDIA's operators on AKS in a program of one's own: namespaces, objects of their kinds, and the memory lock."""

from functools import cache
from typing import Any

from pulumi_offline import Graph
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


def test_an_operator_comes_after_a_namespace_whose_pods_may_write_to_the_host():
    for name in ("gpu-operator", "network-operator"):
        metadata = made(operators(), "Namespace", f"aks-{name}")[0]["metadata"]

        assert metadata == {"name": name, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}}
        assert f"Namespace aks-{name}" in made(operators(), "Release", f"aks-{name}")[2]


def test_the_policy_comes_after_its_rule_and_both_after_their_chart():
    """It is ready when drivers are built on all nodes, and there is only one that the operator looks at."""
    _, _, after_chart = made(operators(), "NodeFeatureRule", "aks-infiniband")
    policy, options, after = made(operators(), "NicClusterPolicy", "aks-infiniband")
    metadata = policy["metadata"]

    assert after_chart == {"Release aks-network-operator"}
    assert after == {"Release aks-network-operator", "NodeFeatureRule aks-infiniband"}
    assert metadata["name"] == "nic-cluster-policy"
    assert metadata["annotations"] == {"pulumi.com/waitFor": "jsonpath={.status.state}=ready"}
    assert options["customTimeouts"]["create"] == options["customTimeouts"]["update"]


def test_the_limit_of_locked_memory_is_lifted_once_on_each_node():
    """A privileged container on the host's root ends before a pod that only stays."""
    spec = made(operators(), "DaemonSet", "aks-memory-lock")[0]["spec"]["template"]["spec"]
    (first,) = spec["initContainers"]
    text = first["command"][-1]
    (term,) = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert first["securityContext"] == {"privileged": True}
    assert first["volumeMounts"] == [{"name": "host", "mountPath": "/host"}]
    assert [each["hostPath"]["path"] for each in spec["volumes"] if each["name"] == "host"] == ["/"]
    assert "/host/etc/systemd/system/containerd.service.d" in text and "LimitMEMLOCK=infinity" in text
    assert [each["values"] for each in term["matchExpressions"]] == [["a"]]

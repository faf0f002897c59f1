"""Who hands out GPUs and EFA devices in the EKS stacks, and what a pod then says."""

from tests.eks.plans import inputs, names
from tests.stacks import graph_of

PLUGIN = "pools[0].gpuAllocation=device-plugin"
UNTESTED = "acceptance={enabled: false}"
BESIDE = "pools[1]={name: b200, machine: p6-b200.48xlarge, nodes: 4, capacity: {spot: true}}"


def test_claims_have_dra_drivers_alone():
    """AWS's build of DraNet on exactly the pool's nodes, past the GPU taint, and no class of ours beside its own."""
    graph = graph_of("eks")
    values = inputs(graph, "Release", "eks-nic")["values"]

    assert names(graph, "Release") == {"eks-gpu", "eks-nic"}
    assert names(graph, "DeviceClass") == set()
    assert inputs(graph, "Release", "eks-nic")["repositoryOpts"] == {"repo": "https://aws.github.io/eks-charts"}
    assert values["tolerations"] == [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    assert values["supportedInstanceLabels"] == {"keys": ["eks.amazonaws.com/nodegroup"], "values": ["p5"]}
    assert values["image"] == {"repository": "602401143452.dkr.ecr.us-east-2.amazonaws.com/eks/dranet"}
    assert inputs(graph, "Release", "eks-gpu")["values"]["nvidiaDriverRoot"] == "/"


def test_device_plugins_have_no_dra_driver_beside_them():
    """Both plugins, MOFED off, and neither driver nor claim."""
    graph = graph_of("eks", PLUGIN)

    assert names(graph, "Release") == {"eks-gpu-plugin", "eks-nic-plugin"}
    assert inputs(graph, "Release", "eks-gpu-plugin")["values"]["mofedEnabled"] is False
    nic = inputs(graph, "Release", "eks-nic-plugin")
    assert (nic["chart"], nic["namespace"]) == ("aws-efa-k8s-device-plugin", "kube-system")
    assert nic["values"]["tolerations"] == [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    assert names(graph, "ResourceClaimTemplate") == set()


def test_both_kinds_of_pool_share_no_node():
    """Each driver on the pools that are its own."""
    graph = graph_of("eks", PLUGIN, BESIDE, UNTESTED)
    charts = {name: inputs(graph, "Release", name)["values"] for name in names(graph, "Release")}

    of_labels = {name: charts[name]["supportedInstanceLabels"]["values"] for name in ("eks-nic", "eks-nic-plugin")}
    assert of_labels == {"eks-nic": ["b200"], "eks-nic-plugin": ["p5"]}
    assert "'p5'" not in str(charts["eks-gpu"]) and "'b200'" not in str(charts["eks-gpu-plugin"])


def test_workload_of_a_device_plugin_pool():
    """The whole node, and no hugepages, which its image may not have; what keeps NCCL from TCP; and no claim."""
    workload = graph_of("eks", PLUGIN).outputs["workloads"]["p5"]

    limits = {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}
    assert workload["resources"] == {"limits": limits}
    assert workload["claimTemplates"] == []
    assert workload["env"] == [{"name": "NCCL_NET", "value": "Libfabric"}, {"name": "NCCL_NET_PLUGIN", "value": "ofi"}]
    assert workload["securityContext"] == {"capabilities": {"add": ["IPC_LOCK"]}}
    assert workload["nodeSelector"] == {"eks.amazonaws.com/nodegroup": "p5"}


def test_workload_of_a_claiming_pool():
    """Claims in place of limits, on either machine of the issue."""
    p5 = graph_of("eks").outputs["workloads"]["p5"]
    b200 = graph_of("eks-b200").outputs["workloads"]["b200"]

    assert p5["resources"] == b200["resources"] == {}
    assert "p5.48xlarge-groups-1x4-1" in p5["claimTemplates"]
    assert "p6-b200.48xlarge-pairs-1" in b200["claimTemplates"]
    assert p5["imageHint"].startswith("public.ecr.aws/hpc-cloud/nccl-tests:")


def test_gb200():
    """IMEX channels are handed out, and no image for x86 is named."""
    pool = (
        "{name: gb200, machine: p6e-gb200.36xlarge, nodes: 18, capacity: {capacityBlock: {id: cr-0123456789abcdef0}}}"
    )
    graph = graph_of("eks", f"pools=[{pool}]", UNTESTED)

    assert inputs(graph, "Release", "eks-gpu")["values"]["resources"]["computeDomains"] == {"enabled": True}
    assert inputs(graph, "NodeGroup", "eks-gb200")["amiType"] == "AL2023_ARM_64_NVIDIA"
    assert graph.outputs["workloads"]["gb200"]["imageHint"] == ""

"""Node pools, addresses and device classes of an AKS graph."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from pulumi_offline import Graph, Resource
from rdma_cluster.catalog.aks import MACHINES, AksMachine
from tests.clouds import Pool

POOL = "azure-native:containerservice:AgentPool"
CLUSTER = "azure-native:containerservice:ManagedCluster"
NETWORK = "azure-native:network:VirtualNetwork"
SUBNET = "azure-native:network:Subnet"
RELEASE = "kubernetes:helm.sh/v3:Release"
POLICY = "kubernetes:mellanox.com/v1alpha1:NicClusterPolicy"
RULE = "kubernetes:nfd.k8s-sigs.io/v1alpha1:NodeFeatureRule"
WHOLE = "rdma-cluster:index:AksRdmaCluster"

_MACHINES = {machine.name: machine for machine in MACHINES}
_EFFECTS = {"NoSchedule": "NO_SCHEDULE", "NoExecute": "NO_EXECUTE", "PreferNoSchedule": "PREFER_NO_SCHEDULE"}
_SPOT = {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NO_SCHEDULE"}


def machine_of(pool: Resource) -> AksMachine | None:
    """The size of a pool's nodes, where it is known."""
    return _MACHINES.get(pool.inputs.get("vmSize", ""))


def gpu_pools(graph: Graph) -> Iterator[Pool]:
    """Every pool beside the cluster's own, with the taint that AKS puts on spot nodes by itself."""
    for pool in graph.of_type(POOL):
        taints = [_taint(text) for text in pool.inputs.get("nodeTaints", [])]
        if pool.inputs.get("scaleSetPriority") == "Spot":
            taints.append(_SPOT)
        yield Pool(pool.inputs["agentPoolName"], pool.inputs["count"], taints, pool)


def ranges(graph: Graph) -> Iterator[tuple[str, IPv4Network]]:
    """The subnets, the pods and the services; of existing networks what the user said of them."""
    for subnet in graph.of_type(SUBNET):
        yield subnet.name, IPv4Network(subnet.inputs["addressPrefix"])
    for whole in graph.of_type(WHOLE):
        for i, cidr in enumerate(whole.inputs.get("network", {}).get("existing", {}).get("cidrs", [])):
            yield f"{whole.name}/existing {i}", IPv4Network(cidr)
    for cluster in graph.of_type(CLUSTER):
        for key in ("podCidr", "serviceCidr"):
            yield f"{cluster.name}/{key}", IPv4Network(cluster.inputs["networkProfile"][key])


def device_classes(graph: Graph) -> Iterator[str]:
    """A user's drivers bring theirs."""
    for whole in graph.of_type(WHOLE):
        for part, name in (("gpu", "gpu.nvidia.com"), ("nic", "dranet")):
            if whole.inputs.get("drivers", {}).get(part) == "existing":
                yield name


def _taint(text: str) -> dict[str, str]:
    """``nvidia.com/gpu=present:NoSchedule`` in its parts."""
    key, _, rest = text.partition("=")
    value, _, effect = rest.partition(":")
    return {"key": key, "value": value, "effect": _EFFECTS.get(effect, effect)}

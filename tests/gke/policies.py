"""What networks and node pools of a GKE graph must keep to."""

from collections.abc import Iterator
from typing import Any

from rdma_cluster.catalog import find
from rdma_cluster.catalog.gke import GkeMachine
from rdma_cluster.offline import Graph, Resource

from tests.gke.readers import CLUSTER, POOL, SUBNET, WHOLE, gpu_pools, ranges

NETWORK = "rdma-cluster:index:GkeHpcNetwork"
FIREWALL = "gcp:compute/firewall:Firewall"
GPU_POOL = "rdma-cluster:index:GkeGpuNodePool"

_SYSTEM_NODES = 10
_RESERVED = 4
_NO_PLUGIN = {"gke-no-default-nvidia-gpu-device-plugin": "true", "nvidia.com/gpu.present": "true"}


def subnets_hold_the_ceiling(graph: Graph) -> Iterator[str]:
    """Every subnet holds as many nodes as the network was told, and the pools fit below that."""
    for network in graph.of_type(NETWORK):
        ceiling = network.inputs.get("maxNodes", 250)
        if (asked := sum(pool.inputs["nodes"] for pool in graph.of_type(GPU_POOL))) > ceiling:
            yield f"{asked} nodes over a ceiling of {ceiling}"
        for name, block in ranges(graph):
            if name.endswith("/services"):
                continue
            system = 0 if "-rail-" in name or name.endswith("-gvnic") else _SYSTEM_NODES
            holds = 2 ** (24 - block.prefixlen) if name.endswith("/pods") else block.num_addresses - _RESERVED
            if holds < ceiling + system:
                yield f"{name} {block} holds {holds} nodes of {ceiling + system}"


def rails_are_in_order(graph: Graph) -> Iterator[str]:
    """A pool attaches the gVNIC network, then every rail in its order: the order of NICs is the order of rails."""
    for pool in _gpu_pools(graph):
        machine = find(pool.inputs["nodeConfig"]["machineType"], "gke")
        assert isinstance(machine, GkeMachine)
        attached = [each["subnetwork"] for each in pool.inputs["networkConfig"].get("additionalNodeNetworkConfigs", [])]
        if len(attached) != machine.gvnic_networks + machine.nics:
            yield f"{pool.name}: {len(attached)} networks"
        if attached != (wanted := _in_order(graph)):
            yield f"{pool.name}: attaches {attached}, not {wanted}"


def gpus_have_one_owner(graph: Graph) -> Iterator[str]:
    """With DRA the platform installs neither driver nor device plugin; with the device plugin it installs both."""
    for pool in _gpu_pools(graph):
        node = pool.inputs["nodeConfig"]
        component = next(each for each in graph.of_type(GPU_POOL) if each.urn == pool.parent)
        by_claim = component.inputs.get("gpuAllocation", "dra") == "dra"
        driver = node["guestAccelerators"][0]["gpuDriverInstallationConfig"]["gpuDriverVersion"]
        if driver != ("INSTALLATION_DISABLED" if by_claim else "DEFAULT"):
            yield f"{pool.name}: driver {driver}"
        for key, value in _NO_PLUGIN.items():
            if (node.get("labels", {}).get(key) == value) is not by_claim:
                yield f"{pool.name}: label {key} is {node.get('labels', {}).get(key)}"


def kernel_driver_has_one_owner(graph: Graph) -> Iterator[str]:
    """Where the platform leaves the kernel driver out, our DaemonSet runs, or somebody else's, and nowhere else."""
    if any(each.inputs.get("drivers", {}).get("kernel") == "existing" for each in graph.of_type(WHOLE)):
        return
    disabled = {
        pool.inputs["name"] for pool in _gpu_pools(graph) if "INSTALLATION_DISABLED" in str(pool.inputs["nodeConfig"])
    }
    served = set()
    for each in graph.of_type("kubernetes:apps/v1:DaemonSet"):
        if each.inputs["metadata"]["name"] == "nvidia-driver-installer":
            affinity = each.inputs["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
            (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
            served |= set(term["matchExpressions"][0]["values"])
    if disabled != served:
        yield f"driver left to us on {sorted(disabled)}, installed on {sorted(served)}"


def capacity_has_one_source(graph: Graph) -> Iterator[str]:
    """Spot, flex-start and a reservation exclude one another; flex-start has no fixed size and no repair."""
    for pool in _gpu_pools(graph):
        node = pool.inputs["nodeConfig"]
        reserved = node.get("reservationAffinity", {}).get("consumeReservationType") == "SPECIFIC_RESERVATION"
        if sum([bool(node.get("spot")), bool(node.get("flexStart")), reserved]) > 1:
            yield f"{pool.name}: more than one capacity source"
        if node.get("flexStart") and (pool.inputs["management"]["autoRepair"] or "nodeCount" in pool.inputs):
            yield f"{pool.name}: flex-start with repair or a fixed size"


def nodes_have_no_public_address(graph: Graph) -> Iterator[str]:
    """Neither the nodes nor the control plane are on the internet."""
    for pool in graph.of_type(POOL):
        if not pool.inputs.get("networkConfig", {}).get("enablePrivateNodes"):
            yield f"{pool.name}: public nodes"
    for cluster in graph.of_type(CLUSTER):
        private = cluster.inputs.get("privateClusterConfig", {})
        by_address = cluster.inputs.get("controlPlaneEndpointsConfig", {}).get("ipEndpointsConfig", {})
        hidden = private.get("enablePrivateEndpoint") or by_address.get("enabled", True) is False
        if not (private.get("enablePrivateNodes") and hidden):
            yield f"{cluster.name}: public nodes or endpoint"


def firewalls_name_their_sources(graph: Graph) -> Iterator[str]:
    """A rule without a source lets everybody in."""
    for rule in graph.of_type(FIREWALL):
        sources = ("sourceRanges", "sourceTags", "sourceServiceAccounts")
        if rule.inputs.get("direction") != "EGRESS" and not any(rule.inputs.get(key) for key in sources):
            yield f"{rule.name}: has no source"


def fixed_names_are_freed_first(graph: Graph) -> Iterator[str]:
    """A cluster's and a pool's name is taken until the old one is gone."""
    for resource in (*graph.of_type(CLUSTER), *graph.of_type(POOL)):
        if resource.inputs.get("name") and not resource.options.get("deleteBeforeReplace"):
            yield f"{resource.name}: is created beside the old one, under its name"


def _gpu_pools(graph: Graph) -> list[Resource]:
    return [pool.resource for pool in gpu_pools(graph)]


def _in_order(graph: Graph) -> list[str]:
    """Names of the additional subnets, gVNIC first: made by us, or as the user listed them."""
    made = [subnet.name for subnet in graph.of_type(SUBNET)]
    if made:
        rails = sorted((name for name in made if "-rail-" in name), key=lambda name: int(name.rpartition("-")[2]))
        return [*(name for name in made if name.endswith("-gvnic")), *rails]
    existing: dict[str, Any] = graph.one(WHOLE).inputs["network"]["existing"]
    return [each["subnetwork"] for each in (existing["gvnic"], *existing["rails"])]

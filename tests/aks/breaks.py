"""Graphs of the AKS stacks that break a policy each; those of all clouds are broken in `tests.policies.common`, too."""

import json
from collections.abc import Callable
from typing import Any

from tests.policies import claims, in_cluster, tree
from tests.policies.breaking import Break, Data, Policy, put, the
from . import policies

ADMIN = "aks-admin-11111111-1111-1111-1111-111111111111"
TOPOLOGY = "aks-default-nccl-topology-ndv5"
GPU, NETWORK = "aks-gpu-operator", "aks-network-operator"
Part = Callable[[Data], Data]
Change = Callable[[Data], object]


def breaking(policy: Policy, *changes: Change) -> list[Break]:
    """Changes that each break a policy."""
    return [(policy, change) for change in changes]


def inputs(token: str, name: str | None = None, *keys: str) -> Part:
    """The inputs of a resource, or what lies below some keys of them."""

    def found(data: Data) -> Data:
        part = the(data, token, name)["inputs"]
        for key in keys:
            part = part[key]
        return part

    return found


def options(token: str) -> Part:
    """The options of a resource."""
    return lambda data: the(data, token)["options"]


def having(part: Part, key: str, value: Any) -> Change:
    """Another value of a key."""
    return lambda data: put(part(data), key, value)


def without(part: Part, key: str) -> Change:
    """No value of a key."""
    return lambda data: part(data).pop(key)


def gone(token: str, name: str | None = None) -> Change:
    """No such resource."""
    return lambda data: data["resources"].remove(the(data, token, name))


def beside(token: str, name: str, **more: Any) -> Change:
    """A second resource like one that is there, but for its name and these inputs."""

    def change(data: Data) -> None:
        first = the(data, token)
        own = {"urn": f"{first['urn']}-{name}", "name": name, "inputs": {**first["inputs"], **more}}
        data["resources"].append({**first, **own})

    return change


def values(name: str, *keys: str) -> Part:
    """What a chart is told."""
    return inputs(":Release", name, "values", *keys)


def workload(data: Data) -> Data:
    """What a pod of the pool adds to its spec."""
    return data["outputs"]["workloads"]["h100"]


def rule(data: Data) -> Data:
    """The rule by which nodes are labelled as nodes with InfiniBand."""
    return the(data, ":NodeFeatureRule")["inputs"]["spec"]["rules"][0]


def plugin(data: Data) -> None:
    """Let the device plugin hand out another resource."""
    told = policy(data)["sriovDevicePlugin"]
    config = json.loads(told["config"])
    config["resourceList"][0]["resourceName"] = "shared_ib"
    told["config"] = json.dumps(config)


def request(number: int) -> Part:
    """A request of the template of two pairs."""
    template = "aks-default-standard-nd96isr-h100-v5-pairs-2-rails-0-1"
    devices = inputs(":ResourceClaimTemplate", template, "spec", "spec", "devices")
    return lambda data: devices(data)["requests"][number]["exactly"]


pool, cluster, subnet, account = (
    inputs(f":{each}") for each in ("AgentPool", "ManagedCluster", "Subnet", "StorageAccount")
)
policy, topology = inputs(":NicClusterPolicy", None, "spec"), inputs(":ConfigMap", TOPOLOGY)
access, profile, upgrades = (
    inputs(":ManagedCluster", None, key) for key in ("apiServerAccessProfile", "networkProfile", "autoUpgradeProfile")
)

BREAKS: dict[str, list[Break]] = {
    "private endpoint": breaking(
        policies.a_private_api_is_found_without_a_zone,
        without(access, "privateDNSZone"),
        having(access, "enablePrivateClusterPublicFQDN", False),
    ),
    "metrics and a registry": breaking(
        policies.metrics_flow_from_what_is_read,
        lambda data: put(the(data, ":DataCollectionRule")["inputs"]["dataFlows"][0], "streams", ["other"]),
        without(inputs(":DataCollectionRule"), "kind"),
    ),
    "aks": [
        *breaking(
            in_cluster.gpu_nodes_are_tainted,
            without(pool, "nodeTaints"),
            having(pool, "nodeTaints", ["nvidia.com/gpu=x:NoExecute"]),
        ),
        *breaking(
            in_cluster.drivers_reach_their_nodes,
            having(pool, "agentPoolName", "other"),
            lambda data: pool(data)["nodeTaints"].append("team=a:NoExecute"),
        ),
        *breaking(
            tree.nothing_is_open_to_the_world, lambda data: access(data)["authorizedIPRanges"].append("0.0.0.0/0")
        ),
        *breaking(tree.subnets_are_disjoint, having(profile, "serviceCidr", "10.224.0.0/24")),
        *breaking(claims.workloads_name_templates_that_exist, lambda data: workload(data)["resources"].clear()),
        *breaking(
            policies.a_pool_is_one_fabric,
            having(pool, "count", 101),
            having(pool, "type", "VirtualMachines"),
            having(pool, "enableAutoScaling", True),
            having(pool, "availabilityZones", ["1", "2"]),
            having(inputs(":AgentPool", None, "upgradeSettings"), "maxSurge", "1"),
            having(pool, "vmSize", "Standard_D8s_v5"),
        ),
        *breaking(
            policies.infiniband_keeps_its_addresses,
            having(profile, "podCidr", "172.16.0.0/14"),
            having(subnet, "addressPrefix", "172.30.0.0/20"),
        ),
        *breaking(
            policies.subnets_hold_the_ceiling,
            having(pool, "count", 251),
            having(subnet, "addressPrefix", "10.224.0.0/24"),
            having(subnet, "addressPrefix", "10.225.0.0/23"),
            having(profile, "podCidr", "10.244.0.0/16"),
        ),
        *breaking(
            policies.driver_has_one_owner,
            having(inputs(":AgentPool", None, "gpuProfile"), "driver", "Install"),
            without(pool, "gpuProfile"),
            having(values(GPU, "driver"), "enabled", False),
            having(values(GPU, "toolkit"), "enabled", False),
            having(values(GPU, "toolkit"), "env", []),
            having(values(GPU, "operator"), "runtimeClass", "nvidia-container-runtime"),
            gone(":Release", GPU),
        ),
        *breaking(
            policies.gpus_have_one_owner,
            having(values(GPU, "devicePlugin"), "enabled", False),
            beside(":Release", "beside", chart="x/dra-driver-nvidia-gpu", values={}),
            beside(":Release", "beside", chart="x/nvidia-device-plugin", values={}),
        ),
        *breaking(
            policies.peermem_is_built_beside_its_driver,
            without(policy, "ofedDriver"),
            having(values(GPU, "driver"), "rdma", {}),
            having(values(GPU, "driver", "rdma"), "useHostMofed", True),
        ),
        *breaking(
            policies.nics_have_one_owner,
            without(policy, "sriovDevicePlugin"),
            lambda data: put(policy(data), "rdmaSharedDevicePlugin", policy(data)["sriovDevicePlugin"]),
            beside(":Release", "beside", chart="x/dranet", values={"args": {"moveIBInterfaces": False}}),
        ),
        *breaking(
            policies.features_are_found_once,
            having(values(GPU, "nfd"), "enabled", True),
            having(values(NETWORK, "nfd"), "enabled", False),
            without(values(NETWORK, "nfd"), "deployNodeFeatureRules"),
            lambda data: rule(data)["matchFeatures"][0]["matchExpressions"].pop("class"),
            gone(":NodeFeatureRule"),
        ),
        *breaking(
            policies.no_job_is_drained_for_a_driver,
            having(inputs(":NicClusterPolicy", None, "spec", "ofedDriver"), "upgradePolicy", {"autoUpgrade": True}),
            having(values(GPU, "driver"), "upgradePolicy", {"autoUpgrade": True}),
        ),
        *breaking(policies.operators_reach_their_nodes, having(pool, "agentPoolName", "other")),
        *breaking(
            policies.operators_leave_before_their_nodes,
            lambda data: put(the(data, ":AksOperators"), "dependencies", []),
        ),
        *breaking(
            policies.workloads_ask_for_what_is_handed_out,
            plugin,
            lambda data: put(workload(data)["resources"]["limits"], "rdma/ib", "1"),
        ),
        *breaking(
            policies.topology_is_where_pods_look,
            gone(":ConfigMap", TOPOLOGY),
            having(topology, "data", {"other.xml": ""}),
            having(pool, "vmSize", "Standard_ND96asr_v4"),
            lambda data: workload(data)["env"].clear(),
        ),
        *breaking(policies.network_policies_are_enforced, having(profile, "networkPolicy", "none")),
        *breaking(
            policies.api_is_closed,
            without(cluster, "apiServerAccessProfile"),
            having(access, "authorizedIPRanges", ["128.0.0.0/1"]),
            without(cluster, "disableLocalAccounts"),
            gone(":RoleAssignment", ADMIN),
        ),
        *breaking(
            policies.nodes_reach_their_api,
            lambda data: access(data)["authorizedIPRanges"].pop(),
            lambda data: the(data, ":NatGateway")["inputs"]["publicIpAddresses"].append({"id": "[id of more]"}),
            without(subnet, "natGateway"),
        ),
        *breaking(
            policies.roles_are_granted_what_is_listed,
            having(inputs(":RoleAssignment", "aks-subnet"), "scope", "/subscriptions/s"),
            having(
                inputs(":RoleAssignment", "aks-kubelet"), "roleDefinitionId", "/x/b24988ac-6180-42a0-ab88-20f7382dd24c"
            ),
            beside(":RoleAssignment", "aks-more"),
        ),
        *breaking(
            policies.nothing_upgrades_by_itself,
            having(upgrades, "nodeOSUpgradeChannel", "NodeImage"),
            having(upgrades, "upgradeChannel", "stable"),
        ),
        *breaking(policies.capacity_has_one_source, having(pool, "scaleSetPriority", "Spot")),
        *breaking(
            policies.nodes_have_no_public_address,
            without(pool, "enableNodePublicIP"),
            without(subnet, "defaultOutboundAccess"),
            without(subnet, "networkSecurityGroup"),
        ),
    ],
    "claims": [
        *breaking(
            claims.pairs_have_their_own_constraint,
            without(request(0), "selectors"),
            lambda data: request(3)(data)["selectors"].pop(),
        ),
        *breaking(policies.driver_has_one_owner, having(values("aks-gpu"), "nvidiaDriverRoot", "/")),
        *breaking(policies.gpus_have_one_owner, having(values(GPU, "devicePlugin"), "enabled", True)),
        *breaking(policies.nics_have_one_owner, without(values("aks-nic", "args"), "moveIBInterfaces")),
        *breaking(policies.features_are_found_once, having(values(GPU, "nfd"), "enabled", False)),
    ],
    "spot": [
        *breaking(policies.capacity_has_one_source, having(pool, "capacityReservationGroupID", "x")),
        *breaking(
            policies.operators_reach_their_nodes,
            without(policy, "tolerations"),
            without(values(GPU, "daemonsets"), "tolerations"),
            without(values(NETWORK, "node-feature-discovery"), "worker"),
        ),
    ],
    "spot by claims": breaking(
        in_cluster.drivers_reach_their_nodes, without(values("aks-gpu", "kubeletPlugin"), "tolerations")
    ),
    "memory locked by the node": breaking(
        in_cluster.drivers_roll_in_waves,
        having(inputs(":DaemonSet", None, "spec"), "updateStrategy", {"type": "OnDelete"}),
    ),
    "405B from Lustre": breaking(
        policies.data_is_closed_and_kept,
        without(options(":AmlFilesystem"), "protect"),
        having(inputs(":AmlFilesystem"), "zones", ["3"]),
        lambda data: put(inputs(":AmlFilesystem")(data), "filesystemSubnet", pool(data)["vnetSubnetID"]),
    ),
    "a container of blobs": [
        *breaking(policies.volumes_have_their_driver, without(cluster, "storageProfile")),
        *breaking(
            policies.data_is_closed_and_kept,
            without(account, "allowBlobPublicAccess"),
            without(account, "allowSharedKeyAccess"),
            without(account, "enableHttpsTrafficOnly"),
            without(options(":StorageAccount"), "protect"),
            without(options(":BlobContainer"), "protect"),
        ),
        *breaking(in_cluster.volumes_have_a_claim_each, gone(":PersistentVolumeClaim")),
    ],
}

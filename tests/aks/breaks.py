"""Graphs of the AKS stacks that break a policy each; those of all clouds are broken in `tests.policies.common`, too."""

import json
from typing import Any

from tests.policies import claims, in_cluster, tree
from tests.policies.breaking import Break, Data, put, the
from . import policies

ADMIN = "aks-admin-11111111-1111-1111-1111-111111111111"


def pool(data: Data, name: str = "aks-h100") -> Data:
    """The GPU pool's inputs."""
    return the(data, ":AgentPool", name)["inputs"]


def cluster(data: Data) -> Data:
    """The cluster's inputs."""
    return the(data, ":ManagedCluster")["inputs"]


def account(data: Data) -> Data:
    """The storage account."""
    return the(data, ":StorageAccount")


def values(data: Data, name: str = "aks-gpu-operator") -> Data:
    """What a chart is told."""
    return the(data, ":Release", name)["inputs"]["values"]


def policy(data: Data) -> Data:
    """What the Network Operator does."""
    return the(data, ":NicClusterPolicy")["inputs"]["spec"]


def rule(data: Data) -> Data:
    """Which nodes are called nodes with InfiniBand."""
    return the(data, ":NodeFeatureRule")["inputs"]["spec"]["rules"][0]


def workload(data: Data, name: str = "h100") -> Data:
    """What a pod adds to its spec."""
    return data["outputs"]["workloads"][name]


def copy(data: Data, token: str, name: str, **inputs: Any) -> None:
    """Add a second resource like one that is there, but for its name and these inputs."""
    first = the(data, token)
    data["resources"].append(
        {**first, "urn": f"{first['urn']}-{name}", "name": name, "inputs": {**first["inputs"], **inputs}}
    )


def plugin(data: Data, **row: Any) -> None:
    """Change what the device plugin is told."""
    told = policy(data)["sriovDevicePlugin"]
    config = json.loads(told["config"])
    config["resourceList"][0].update(row)
    told["config"] = json.dumps(config)


def claim(data: Data) -> Data:
    """The devices of the template of two pairs."""
    found = the(data, ":ResourceClaimTemplate", "aks-default-standard-nd96isr-h100-v5-pairs-2-rails-0-1")
    return found["inputs"]["spec"]["spec"]["devices"]


BREAKS: dict[str, list[Break]] = {
    "private endpoint": [
        (
            policies.a_private_api_is_found_without_a_zone,
            lambda data: the(data, ":ManagedCluster")["inputs"]["apiServerAccessProfile"].pop("privateDNSZone"),
        ),
        (
            policies.a_private_api_is_found_without_a_zone,
            lambda data: put(
                the(data, ":ManagedCluster")["inputs"]["apiServerAccessProfile"],
                "enablePrivateClusterPublicFQDN",
                False,
            ),
        ),
    ],
    "metrics and a registry": [
        (
            policies.metrics_flow_from_what_is_read,
            lambda data: put(the(data, ":DataCollectionRule")["inputs"]["dataFlows"][0], "streams", ["other"]),
        ),
        (policies.metrics_flow_from_what_is_read, lambda data: the(data, ":DataCollectionRule")["inputs"].pop("kind")),
    ],
    "aks": [
        (in_cluster.gpu_nodes_are_tainted, lambda data: pool(data).pop("nodeTaints")),
        (in_cluster.gpu_nodes_are_tainted, lambda data: put(pool(data), "nodeTaints", ["nvidia.com/gpu=x:NoExecute"])),
        (in_cluster.drivers_reach_their_nodes, lambda data: put(pool(data), "agentPoolName", "other")),
        (in_cluster.drivers_reach_their_nodes, lambda data: pool(data)["nodeTaints"].append("team=a:NoExecute")),
        (
            tree.nothing_is_open_to_the_world,
            lambda data: cluster(data)["apiServerAccessProfile"]["authorizedIPRanges"].append("0.0.0.0/0"),
        ),
        (tree.subnets_are_disjoint, lambda data: put(cluster(data)["networkProfile"], "serviceCidr", "10.224.0.0/24")),
        (claims.workloads_name_templates_that_exist, lambda data: workload(data)["resources"].clear()),
        (policies.a_pool_is_one_fabric, lambda data: put(pool(data), "count", 101)),
        (policies.a_pool_is_one_fabric, lambda data: put(pool(data), "type", "VirtualMachines")),
        (policies.a_pool_is_one_fabric, lambda data: put(pool(data), "enableAutoScaling", True)),
        (policies.a_pool_is_one_fabric, lambda data: put(pool(data), "availabilityZones", ["1", "2"])),
        (policies.a_pool_is_one_fabric, lambda data: put(pool(data)["upgradeSettings"], "maxSurge", "1")),
        (policies.a_pool_is_one_fabric, lambda data: put(pool(data), "vmSize", "Standard_D8s_v5")),
        (
            policies.infiniband_keeps_its_addresses,
            lambda data: put(cluster(data)["networkProfile"], "podCidr", "172.16.0.0/14"),
        ),
        (
            policies.infiniband_keeps_its_addresses,
            lambda data: put(the(data, ":Subnet")["inputs"], "addressPrefix", "172.30.0.0/20"),
        ),
        (policies.subnets_hold_the_ceiling, lambda data: put(pool(data), "count", 251)),
        (
            policies.subnets_hold_the_ceiling,
            lambda data: put(the(data, ":Subnet")["inputs"], "addressPrefix", "10.224.0.0/24"),
        ),
        (
            policies.subnets_hold_the_ceiling,
            lambda data: put(the(data, ":Subnet")["inputs"], "addressPrefix", "10.225.0.0/23"),
        ),
        (
            policies.subnets_hold_the_ceiling,
            lambda data: put(cluster(data)["networkProfile"], "podCidr", "10.244.0.0/16"),
        ),
        (policies.driver_has_one_owner, lambda data: put(pool(data)["gpuProfile"], "driver", "Install")),
        (policies.driver_has_one_owner, lambda data: pool(data).pop("gpuProfile")),
        (policies.driver_has_one_owner, lambda data: put(values(data)["driver"], "enabled", False)),
        (policies.driver_has_one_owner, lambda data: put(values(data)["toolkit"], "enabled", False)),
        (policies.driver_has_one_owner, lambda data: put(values(data)["toolkit"], "env", [])),
        (
            policies.driver_has_one_owner,
            lambda data: put(values(data)["operator"], "runtimeClass", "nvidia-container-runtime"),
        ),
        (
            policies.driver_has_one_owner,
            lambda data: data["resources"].remove(the(data, ":Release", "aks-gpu-operator")),
        ),
        (policies.gpus_have_one_owner, lambda data: put(values(data)["devicePlugin"], "enabled", False)),
        (
            policies.gpus_have_one_owner,
            lambda data: copy(data, ":Release", "beside", chart="x/dra-driver-nvidia-gpu", values={}),
        ),
        (
            policies.gpus_have_one_owner,
            lambda data: copy(data, ":Release", "beside", chart="x/nvidia-device-plugin", values={}),
        ),
        (policies.peermem_is_built_beside_its_driver, lambda data: policy(data).pop("ofedDriver")),
        (policies.peermem_is_built_beside_its_driver, lambda data: put(values(data)["driver"], "rdma", {})),
        (
            policies.peermem_is_built_beside_its_driver,
            lambda data: put(values(data)["driver"]["rdma"], "useHostMofed", True),
        ),
        (policies.nics_have_one_owner, lambda data: policy(data).pop("sriovDevicePlugin")),
        (
            policies.nics_have_one_owner,
            lambda data: put(policy(data), "rdmaSharedDevicePlugin", policy(data)["sriovDevicePlugin"]),
        ),
        (
            policies.nics_have_one_owner,
            lambda data: copy(
                data, ":Release", "beside", chart="x/dranet", values={"args": {"moveIBInterfaces": False}}
            ),
        ),
        (policies.features_are_found_once, lambda data: put(values(data)["nfd"], "enabled", True)),
        (
            policies.features_are_found_once,
            lambda data: put(values(data, "aks-network-operator")["nfd"], "enabled", False),
        ),
        (
            policies.features_are_found_once,
            lambda data: values(data, "aks-network-operator")["nfd"].pop("deployNodeFeatureRules"),
        ),
        (
            policies.features_are_found_once,
            lambda data: rule(data)["matchFeatures"][0]["matchExpressions"].pop("class"),
        ),
        (policies.features_are_found_once, lambda data: data["resources"].remove(the(data, ":NodeFeatureRule"))),
        (
            policies.no_job_is_drained_for_a_driver,
            lambda data: put(policy(data)["ofedDriver"], "upgradePolicy", {"autoUpgrade": True}),
        ),
        (
            policies.no_job_is_drained_for_a_driver,
            lambda data: put(values(data)["driver"], "upgradePolicy", {"autoUpgrade": True}),
        ),
        (policies.operators_reach_their_nodes, lambda data: put(pool(data), "agentPoolName", "other")),
        (policies.operators_leave_before_their_nodes, lambda data: put(the(data, ":AksOperators"), "dependencies", [])),
        (policies.workloads_ask_for_what_is_handed_out, lambda data: plugin(data, resourceName="shared_ib")),
        (
            policies.workloads_ask_for_what_is_handed_out,
            lambda data: put(workload(data)["resources"]["limits"], "rdma/ib", "1"),
        ),
        (
            policies.topology_is_where_pods_look,
            lambda data: data["resources"].remove(the(data, ":ConfigMap", "aks-default-nccl-topology-ndv5")),
        ),
        (
            policies.topology_is_where_pods_look,
            lambda data: put(
                the(data, ":ConfigMap", "aks-default-nccl-topology-ndv5")["inputs"], "data", {"other.xml": ""}
            ),
        ),
        (policies.topology_is_where_pods_look, lambda data: put(pool(data), "vmSize", "Standard_ND96asr_v4")),
        (policies.topology_is_where_pods_look, lambda data: workload(data)["env"].clear()),
        (
            policies.network_policies_are_enforced,
            lambda data: put(cluster(data)["networkProfile"], "networkPolicy", "none"),
        ),
        (policies.api_is_closed, lambda data: cluster(data).pop("apiServerAccessProfile")),
        (
            policies.api_is_closed,
            lambda data: put(cluster(data)["apiServerAccessProfile"], "authorizedIPRanges", ["128.0.0.0/1"]),
        ),
        (
            policies.nodes_reach_their_api,
            lambda data: cluster(data)["apiServerAccessProfile"]["authorizedIPRanges"].pop(),
        ),
        (
            policies.nodes_reach_their_api,
            lambda data: the(data, ":NatGateway")["inputs"]["publicIpAddresses"].append({"id": "[id of more]"}),
        ),
        (policies.nodes_reach_their_api, lambda data: the(data, ":Subnet")["inputs"].pop("natGateway")),
        (policies.api_is_closed, lambda data: cluster(data).pop("disableLocalAccounts")),
        (policies.api_is_closed, lambda data: data["resources"].remove(the(data, ":RoleAssignment", ADMIN))),
        (
            policies.roles_are_granted_what_is_listed,
            lambda data: put(the(data, ":RoleAssignment", "aks-subnet")["inputs"], "scope", "/subscriptions/s"),
        ),
        (
            policies.roles_are_granted_what_is_listed,
            lambda data: put(
                the(data, ":RoleAssignment", "aks-kubelet")["inputs"],
                "roleDefinitionId",
                "/x/b24988ac-6180-42a0-ab88-20f7382dd24c",
            ),
        ),
        (policies.roles_are_granted_what_is_listed, lambda data: copy(data, ":RoleAssignment", "aks-more")),
        (
            policies.nothing_upgrades_by_itself,
            lambda data: put(cluster(data)["autoUpgradeProfile"], "nodeOSUpgradeChannel", "NodeImage"),
        ),
        (
            policies.nothing_upgrades_by_itself,
            lambda data: put(cluster(data)["autoUpgradeProfile"], "upgradeChannel", "stable"),
        ),
        (policies.capacity_has_one_source, lambda data: put(pool(data), "scaleSetPriority", "Spot")),
        (policies.nodes_have_no_public_address, lambda data: pool(data).pop("enableNodePublicIP")),
        (
            policies.nodes_have_no_public_address,
            lambda data: the(data, ":Subnet")["inputs"].pop("defaultOutboundAccess"),
        ),
        (
            policies.nodes_have_no_public_address,
            lambda data: the(data, ":Subnet")["inputs"].pop("networkSecurityGroup"),
        ),
    ],
    "claims": [
        (claims.pairs_have_their_own_constraint, lambda data: claim(data)["requests"][0]["exactly"].pop("selectors")),
        (claims.pairs_have_their_own_constraint, lambda data: claim(data)["requests"][3]["exactly"]["selectors"].pop()),
        (policies.driver_has_one_owner, lambda data: put(values(data, "aks-gpu"), "nvidiaDriverRoot", "/")),
        (policies.gpus_have_one_owner, lambda data: put(values(data)["devicePlugin"], "enabled", True)),
        (policies.nics_have_one_owner, lambda data: values(data, "aks-nic")["args"].pop("moveIBInterfaces")),
        (policies.features_are_found_once, lambda data: put(values(data)["nfd"], "enabled", False)),
    ],
    "spot": [
        (policies.capacity_has_one_source, lambda data: put(pool(data), "capacityReservationGroupID", "x")),
        (policies.operators_reach_their_nodes, lambda data: policy(data).pop("tolerations")),
        (policies.operators_reach_their_nodes, lambda data: values(data)["daemonsets"].pop("tolerations")),
        (
            policies.operators_reach_their_nodes,
            lambda data: values(data, "aks-network-operator")["node-feature-discovery"].pop("worker"),
        ),
    ],
    "spot by claims": [
        (in_cluster.drivers_reach_their_nodes, lambda data: values(data, "aks-gpu")["kubeletPlugin"].pop("tolerations"))
    ],
    "memory locked by the node": [
        (
            in_cluster.drivers_roll_in_waves,
            lambda data: put(the(data, ":DaemonSet")["inputs"]["spec"], "updateStrategy", {"type": "OnDelete"}),
        )
    ],
    "405B from Lustre": [
        (policies.data_is_closed_and_kept, lambda data: the(data, ":AmlFilesystem")["options"].pop("protect")),
        (policies.data_is_closed_and_kept, lambda data: put(the(data, ":AmlFilesystem")["inputs"], "zones", ["3"])),
        (
            policies.data_is_closed_and_kept,
            lambda data: put(the(data, ":AmlFilesystem")["inputs"], "filesystemSubnet", pool(data)["vnetSubnetID"]),
        ),
    ],
    "a container of blobs": [
        (policies.volumes_have_their_driver, lambda data: the(data, ":ManagedCluster")["inputs"].pop("storageProfile")),
        (policies.data_is_closed_and_kept, lambda data: account(data)["inputs"].pop("allowBlobPublicAccess")),
        (policies.data_is_closed_and_kept, lambda data: account(data)["inputs"].pop("allowSharedKeyAccess")),
        (policies.data_is_closed_and_kept, lambda data: account(data)["inputs"].pop("enableHttpsTrafficOnly")),
        (policies.data_is_closed_and_kept, lambda data: account(data)["options"].pop("protect")),
        (policies.data_is_closed_and_kept, lambda data: the(data, ":BlobContainer")["options"].pop("protect")),
        (
            in_cluster.volumes_have_a_claim_each,
            lambda data: data["resources"].remove(the(data, ":PersistentVolumeClaim")),
        ),
    ],
}

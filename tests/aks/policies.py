"""What network, pools, operators, roles and endpoints of an AKS graph must keep to."""

import json
import re
from collections.abc import Iterator
from ipaddress import IPv4Network, ip_network
from typing import Any

from pulumi_offline import Graph, Resource
from pulumi_offline.unknowns import known
from tests.aks.readers import CLUSTER, NETWORK, POLICY, POOL, RELEASE, RULE, SUBNET, WHOLE, machine_of, ranges
from tests.policies.in_cluster import VOLUME
from tests.policies.readers import chart_of

ROLE = "azure-native:authorization:RoleAssignment"
NAT = "azure-native:network:NatGateway"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
ACCOUNT = "azure-native:storage:StorageAccount"
BLOBS = "azure-native:storage:BlobContainer"
ENDPOINT = "azure-native:monitor:DataCollectionEndpoint"
RULE_OF_METRICS = "azure-native:monitor:DataCollectionRule"
LUSTRE = "azure-native:storagecache:AmlFilesystem"
STORAGE = "rdma-cluster:index:AksStorage"
OPERATORS = "rdma-cluster:index:AksOperators"
NETWORK_OF_OURS = "rdma-cluster:index:AksHpcNetwork"

# All that is granted, by the end of its name, each with its role and the kind of its scope, and with the reason.
GRANTED = {
    # The control plane puts nodes into the subnet, and no other.
    "subnet": ("4d97b98b-1d4f-4787-a291-c67834d212e7", "/subnets/|:Subnet "),
    # It lets nodes run as the kubelet's identity.
    "kubelet": ("f1a07417-d97a-45cb-824c-7a7467783830", ":UserAssignedIdentity "),
    # It associates scale sets with reservations; AKS asks for this role on their resource group.
    "reservation": ("b24988ac-6180-42a0-ab88-20f7382dd24c", "/resourceGroups/[^/]+$"),
    # It encrypts secrets with a key of this vault.
    "secrets": ("12338af0-0e69-4776-bea7-57ae8d297424", "/vaults/[^/]+$"),
    # Nodes pull images.
    "registry": ("7f951dda-4ed3-4680-a7ca-43fe172d538d", "/registries/"),
    # Nodes mount containers of this account.
    "storage": ("ba92f5b4-2d11-453d-a403-e96b0029c9fe", "/storageAccounts/[^/]+$|:StorageAccount "),
    # People and pipelines that the user names.
    "admin": ("b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b", ":ManagedCluster "),
}
_BROADEST = 8
_RESERVED = 5
_SYSTEM_NODES = 10
_RDMA = IPv4Network("172.16.0.0/16")
_OF_AKS = (IPv4Network("172.30.0.0/16"), IPv4Network("172.31.0.0/16"))


def a_pool_is_one_fabric(graph: Graph) -> Iterator[str]:
    """One scale set of a fixed size in one zone or none, that never has more nodes than a placement group."""
    large = {pool["name"] for whole in graph.of_type(WHOLE) for pool in whole.inputs["pools"] if _large(pool)}
    for pool in graph.of_type(POOL):
        own, machine = pool.inputs, machine_of(pool)
        if machine is None:
            yield f"{pool.name}: no size that is known"
            continue
        most = 300 if own["agentPoolName"] in large and not machine.rack_nodes else machine.max_nodes
        if own["count"] > most:
            yield f"{pool.name}: {own['count']} nodes of {most}"
        if own.get("type") != "VirtualMachineScaleSets" or own.get("enableAutoScaling", True):
            yield f"{pool.name}: no scale set of a fixed size"
        if len(own.get("availabilityZones", [])) > 1:
            yield f"{pool.name}: in zones {own['availabilityZones']}"
        if own.get("upgradeSettings", {}).get("maxSurge") != "0":
            yield f"{pool.name}: surges into a node that may be on another fabric"


def infiniband_keeps_its_addresses(graph: Graph) -> Iterator[str]:
    """Azure numbers the rails in 172.16.0.0/16, and AKS keeps two blocks of its own."""
    for name, block in ranges(graph):
        if any(block.overlaps(taken) for taken in (_RDMA, *_OF_AKS)):
            yield f"{name}: {block} is taken"


def subnets_hold_the_ceiling(graph: Graph) -> Iterator[str]:
    """Nodes and pods of as many nodes as the network was told; the pools fit."""
    for network in graph.of_type(NETWORK_OF_OURS):
        ceiling = network.inputs.get("maxNodes", 250)
        if (asked := sum(pool.inputs["count"] for pool in graph.of_type(POOL))) > ceiling:
            yield f"{asked} nodes over a ceiling of {ceiling}"
        for subnet in graph.of_type(SUBNET):
            block = IPv4Network(subnet.inputs["addressPrefix"])
            holds_nodes = subnet.name.endswith("-nodes")
            around = [IPv4Network(each) for made in graph.of_type(NETWORK) for each in _prefixes(made)]
            if holds_nodes and block.num_addresses - _RESERVED < ceiling + _SYSTEM_NODES:
                yield f"{subnet.name}: {block} for {ceiling} nodes"
            if not any(block.subnet_of(each) for each in around):
                yield f"{subnet.name}: {block} is outside of {around}"
        for cluster in graph.of_type(CLUSTER):
            pods = IPv4Network(cluster.inputs["networkProfile"]["podCidr"])
            if pods.num_addresses // 256 < ceiling + _SYSTEM_NODES:
                yield f"{cluster.name}: pods in {pods} for {ceiling} nodes"


def driver_has_one_owner(graph: Graph) -> Iterator[str]:
    """AKS or the GPU Operator installs NVIDIA's driver on a pool, and the operator's other settings say the same."""
    values = _values(graph, "gpu-operator")
    by_operator = bool(values and values["driver"]["enabled"])
    for pool in graph.of_type(POOL):
        in_pool = pool.inputs.get("gpuProfile", {}).get("driver")
        if (in_pool == "None") is not by_operator:
            yield f"{pool.name}: driver {in_pool}, the operator's {by_operator}"
    if values is None:
        return
    wanted = (by_operator, "nvidia" if by_operator else "nvidia-container-runtime")
    if (values["toolkit"]["enabled"], values["operator"]["runtimeClass"]) != wanted:
        yield f"toolkit and runtime class are not those of a driver by {'operator' if by_operator else 'AKS'}"
    env = values["toolkit"].get("env", [])
    if values["toolkit"]["enabled"] and {"name": "RUNTIME_CONFIG_SOURCE", "value": "file"} not in env:
        yield "the toolkit asks containerd, and ends it"
    root = (_values(graph, "dra-driver-nvidia-gpu") or {}).get("nvidiaDriverRoot")
    if root not in (None, "/run/nvidia/driver" if by_operator else "/"):
        yield f"the DRA driver looks for the driver in {root}"


def gpus_have_one_owner(graph: Graph) -> Iterator[str]:
    """The operator's device plugin, one of its own, or the DRA driver."""
    existing = any(each.inputs.get("drivers", {}).get("gpu") == "existing" for each in graph.of_type(WHOLE))
    owners = [each for each in ("nvidia-device-plugin", "dra-driver-nvidia-gpu") if _values(graph, each) is not None]
    if (_values(graph, "gpu-operator") or {}).get("devicePlugin", {}).get("enabled", False):
        owners.append("gpu-operator")
    if graph.of_type(POOL) and len(owners) != 1 and not (existing and not owners):
        yield f"GPUs are handed out by {owners}"


def peermem_is_built_beside_its_driver(graph: Graph) -> Iterator[str]:
    """nvidia-peermem is NVIDIA's InfiniBand driver's own: both come as the operators' containers, or neither."""
    driver = (_values(graph, "gpu-operator") or {}).get("driver", {})
    rdma = driver.get("rdma", {})
    from_container = any("ofedDriver" in policy.inputs["spec"] for policy in graph.of_type(POLICY))
    if rdma.get("enabled", False) is not (driver.get("enabled", False) and from_container):
        yield f"peermem {rdma.get('enabled', False)}, InfiniBand driver by a container {from_container}"
    if rdma.get("useHostMofed", False):
        yield "the host has no driver to build against"


def nics_have_one_owner(graph: Graph) -> Iterator[str]:
    """One device plugin of the Network Operator, or DraNet, which leaves InfiniBand's interfaces where they are."""
    existing = any(each.inputs.get("drivers", {}).get("nic") == "existing" for each in graph.of_type(WHOLE))
    plugins = {"sriovDevicePlugin", "rdmaSharedDevicePlugin"}
    owners = [key for policy in graph.of_type(POLICY) for key in plugins & policy.inputs["spec"].keys()]
    dranet = _values(graph, "dranet")
    if dranet is not None:
        owners.append("dranet")
        if dranet["args"].get("moveIBInterfaces") is not False:
            yield "DraNet moves interfaces of InfiniBand into pods"
    if graph.of_type(POOL) and len(owners) != 1 and not existing:
        yield f"NICs are handed out by {sorted(owners)}"


def features_are_found_once(graph: Graph) -> Iterator[str]:
    """One NFD, and where the Network Operator is installed its label is on InfiniBand nodes alone."""
    told = [(name, _values(graph, name)) for name in ("gpu-operator", "network-operator")]
    found = [name for name, values in told if values is not None and values["nfd"]["enabled"]]
    if len(found) != min(1, sum(values is not None for _, values in told)):
        yield f"NFD comes with {found}"
    network = dict(told)["network-operator"]
    if network is None:
        return
    if network["nfd"].get("deployNodeFeatureRules", True):
        yield "the operator's own rule labels every node with a Mellanox NIC, Ethernet included"
    rules = [rule for each in graph.of_type(RULE) for rule in each.inputs["spec"]["rules"]]
    for rule in rules:
        matches = [feature["matchExpressions"] for feature in rule["matchFeatures"]]
        if [each.get("class") for each in matches] != [{"op": "In", "value": ["0207"]}]:
            yield f"{rule['name']}: matches more than InfiniBand"
    if len(rules) != 1:
        yield f"{len(rules)} rules"


def no_job_is_drained_for_a_driver(graph: Graph) -> Iterator[str]:
    """Neither operator changes a driver below a job by itself."""
    for policy in graph.of_type(POLICY):
        upgrade = policy.inputs["spec"].get("ofedDriver", {}).get("upgradePolicy", {"autoUpgrade": False})
        if upgrade.get("autoUpgrade", True) or upgrade.get("drain", {}).get("enable"):
            yield f"{policy.name}: {upgrade}"
    values = _values(graph, "gpu-operator")
    driver: dict[str, Any] = (values or {}).get("driver", {})
    if driver.get("enabled") and driver.get("upgradePolicy", {}).get("autoUpgrade", True):
        yield "the GPU Operator upgrades its driver by itself"


def operators_reach_their_nodes(graph: Graph) -> Iterator[str]:
    """The policy names the GPU pools that there are, and what lands on spot nodes tolerates their taint."""
    pools = {pool.inputs["agentPoolName"] for pool in graph.of_type(POOL)}
    spot = any(pool.inputs.get("scaleSetPriority") == "Spot" for pool in graph.of_type(POOL))
    for policy in graph.of_type(POLICY):
        affinity = policy.inputs["spec"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        terms = [each for term in affinity["nodeSelectorTerms"] for each in term["matchExpressions"]]
        named = {name for each in terms if each["key"].endswith("/agentpool") for name in each["values"]}
        if named != pools:
            yield f"{policy.name}: goes to {sorted(named)}, pools are {sorted(pools)}"
        if spot and not _tolerates_spot(policy.inputs["spec"].get("tolerations", [])):
            yield f"{policy.name}: does not reach spot nodes"
    gpu = _values(graph, "gpu-operator")
    if gpu is not None and spot and not _tolerates_spot(gpu["daemonsets"].get("tolerations", [])):
        yield "the GPU Operator's pods do not reach spot nodes"
    for values in (gpu, _values(graph, "network-operator")):
        if values is not None and values["nfd"]["enabled"] and spot:
            worker = values.get("node-feature-discovery", {}).get("worker", {})
            if not _tolerates_spot(worker.get("tolerations", [])):
                yield "NFD does not reach spot nodes"


def operators_leave_before_their_nodes(graph: Graph) -> Iterator[str]:
    """What they made on nodes is taken away while there are nodes."""
    pools = {pool.urn for pool in graph.of_type(POOL)}
    for component in graph.of_type(OPERATORS):
        if not pools <= set(component.dependencies):
            yield f"{component.urn}: does not wait for {sorted(pools - set(component.dependencies))}"


def workloads_ask_for_what_is_handed_out(graph: Graph) -> Iterator[str]:
    """The resource that pods ask for is the one that the plugin advertises, and as many as it has."""
    for policy in graph.of_type(POLICY):
        for key in ("sriovDevicePlugin", "rdmaSharedDevicePlugin"):
            if (plugin := policy.inputs["spec"].get(key)) is None:
                continue
            (row,) = next(iter(json.loads(plugin["config"]).values()))
            resource = f"{row['resourcePrefix']}/{row['resourceName']}"
            for pool in graph.of_type(POOL):
                machine = machine_of(pool)
                limits = graph.outputs["workloads"][pool.inputs["agentPoolName"]]["resources"]["limits"]
                wanted = "1" if "rdmaHcaMax" in row else str(machine.nics if machine else 0)
                if limits.get(resource) != wanted:
                    yield f"{pool.name}: pods ask for {limits}, the plugin has {resource}"


def topology_is_where_pods_look(graph: Graph) -> Iterator[str]:
    """A file that NCCL is told of is in a ConfigMap of every namespace whose pods are told, and is of this size."""
    made = {
        (each.inputs["metadata"]["namespace"], each.inputs["metadata"]["name"]): each.inputs["data"]
        for each in _files(graph)
    }
    for whole in graph.of_type(WHOLE):
        namespaces = whole.inputs.get("claims", {}).get("namespaces", ["default"])
        for pool in graph.of_type(POOL):
            machine = machine_of(pool)
            said = graph.outputs["workloads"][pool.inputs["agentPoolName"]]
            env = {each["name"]: each["value"] for each in said["env"]}
            topology = machine.topology if machine else None
            if (path := env.get("NCCL_TOPO_FILE")) is None:
                if topology is not None:
                    yield f"{pool.name}: NCCL is told of no file"
                continue
            mounts = {each["name"]: each["mountPath"] for each in said["volumeMounts"]}
            for volume in (each for each in said["volumes"] if "configMap" in each):
                for namespace in namespaces:
                    files = made.get((namespace, volume["configMap"]["name"]), {})
                    if path not in [f"{mounts[volume['name']]}/{name}" for name in files]:
                        yield f"{pool.name}: {path} is not in {namespace}"
            if topology is None or topology.name not in path:
                yield f"{pool.name}: {path} is another size's"


def api_is_closed(graph: Graph) -> Iterator[str]:
    """Private, or open to named networks alone; no account beside Entra ID's; nobody who was not named."""
    for cluster in graph.of_type(CLUSTER):
        access = cluster.inputs.get("apiServerAccessProfile", {})
        blocks = access.get("authorizedIPRanges", [])
        if not access.get("enablePrivateCluster") and not blocks:
            yield f"{cluster.name}: open to everybody"
        for block in blocks:
            if known(block) and ip_network(block).prefixlen < _BROADEST:
                yield f"{cluster.name}: open to {block}"
        if not cluster.inputs.get("disableLocalAccounts") or not cluster.inputs["aadProfile"].get("enableAzureRBAC"):
            yield f"{cluster.name}: has accounts of its own"
        if not any(_kind(role) == "admin" for role in graph.of_type(ROLE)):
            yield f"{cluster.name}: nobody may enter"


def nodes_reach_their_api(graph: Graph) -> Iterator[str]:
    """A public endpoint lets in every address by which nodes leave: of our NAT gateway, or as the user named it. The
    load balancer's AKS adds by itself."""
    subnets = {f"[id of {SUBNET} {each.name}]": each for each in graph.of_type(SUBNET)}
    gateways = {f"[id of {NAT} {each.name}]": each for each in graph.of_type(NAT)}
    named = [
        block
        for whole in graph.of_type(WHOLE)
        for block in whole.inputs.get("network", {}).get("existing", {}).get("egressCidrs", [])
    ]
    for cluster in graph.of_type(CLUSTER):
        access, outbound = (
            cluster.inputs.get("apiServerAccessProfile", {}),
            cluster.inputs["networkProfile"]["outboundType"],
        )
        let_in = access.get("authorizedIPRanges", [])
        if not let_in or outbound == "loadBalancer":
            continue
        pools = [*cluster.inputs["agentPoolProfiles"], *(pool.inputs for pool in graph.of_type(POOL))]
        for pool in pools:
            subnet = subnets.get(pool["vnetSubnetID"])
            if subnet is None:
                leaves_by = named
            elif (gateway := gateways.get(subnet.inputs.get("natGateway", {}).get("id"))) is not None:
                addresses = [each["id"] for each in gateway.inputs["publicIpAddresses"]]
                leaves_by = [f"{each.replace('[id of', '[ipAddress of')}/32" for each in addresses]
            else:
                leaves_by = []
            if not leaves_by or not set(leaves_by) <= set(let_in):
                yield f"{cluster.name}: nodes leave by {leaves_by}, let in are {let_in}"


def network_policies_are_enforced(graph: Graph) -> Iterator[str]:
    """By Cilium, which is the dataplane, too."""
    for cluster in graph.of_type(CLUSTER):
        profile = cluster.inputs["networkProfile"]
        if (profile.get("networkPolicy"), profile.get("networkDataplane")) != ("cilium", "cilium"):
            yield f"{cluster.name}: {profile}"


def data_is_closed_and_kept(graph: Graph) -> Iterator[str]:
    """Nobody opens an account but by Entra ID, a file system has a subnet of its own where the GPUs are, and nothing
    goes with the stack unasked."""
    asked = any(
        each.inputs.get(kind, {}).get("deletable")
        for each in graph.of_type(STORAGE)
        for kind in ("objectStore", "lustre")
    )
    for lustre in graph.of_type(LUSTRE):
        for pool in graph.of_type(POOL):
            if lustre.inputs["filesystemSubnet"] == pool.inputs["vnetSubnetID"]:
                yield f"{lustre.name}: in the subnet of the nodes"
            if lustre.inputs.get("zones") != pool.inputs.get("availabilityZones"):
                yield f"{lustre.name}: is not where the GPUs are"
    for account in graph.of_type(ACCOUNT):
        if account.inputs.get("allowBlobPublicAccess") is not False:
            yield f"{account.name}: may be read by everybody"
        if account.inputs.get("allowSharedKeyAccess") is not False:
            yield f"{account.name}: opens to whoever has a key"
        if account.inputs.get("enableHttpsTrafficOnly") is not True:
            yield f"{account.name}: may be read in passing"
    for data in (*graph.of_type(ACCOUNT), *graph.of_type(BLOBS), *graph.of_type(LUSTRE)):
        if bool(data.options.get("protect")) is asked:
            yield f"{data.name}: goes with the stack, or stays, whatever was asked"


def roles_are_granted_what_is_listed(graph: Graph) -> Iterator[str]:
    """Exactly these roles, each on the narrowest scope that AKS takes."""

    for role in graph.of_type(ROLE):
        wanted, scope = GRANTED.get(_kind(role), ("", "$^"))
        if role.inputs["roleDefinitionId"].rpartition("/")[2] != wanted:
            yield f"{role.name}: {role.inputs['roleDefinitionId']}"
        if not re.search(scope, role.inputs["scope"]):
            yield f"{role.name}: on {role.inputs['scope']}"


def nothing_upgrades_by_itself(graph: Graph) -> Iterator[str]:
    """Node images change when somebody asks; a kernel that changes builds every driver anew."""
    for cluster in graph.of_type(CLUSTER):
        asked = [whole.inputs.get("kubernetes", {}).get("nodeOsUpgrades", "None") for whole in graph.of_type(WHOLE)]
        told = cluster.inputs["autoUpgradeProfile"]
        if told.get("upgradeChannel") != "none" or [told.get("nodeOSUpgradeChannel")] != asked:
            yield f"{cluster.name}: {told}"


def capacity_has_one_source(graph: Graph) -> Iterator[str]:
    """Spot, a reservation, or neither."""
    for pool in graph.of_type(POOL):
        spot = pool.inputs.get("scaleSetPriority") == "Spot"
        if spot and "capacityReservationGroupID" in pool.inputs:
            yield f"{pool.name}: spot nodes never use a reservation"
        if spot is not ("scaleSetEvictionPolicy" in pool.inputs):
            yield f"{pool.name}: spot {spot}, evicted by {pool.inputs.get('scaleSetEvictionPolicy')}"


def nodes_have_no_public_address(graph: Graph) -> Iterator[str]:
    """Neither a node's own, nor a way out that nobody named."""
    for pool in graph.of_type(POOL):
        if pool.inputs.get("enableNodePublicIP", True):
            yield f"{pool.name}: nodes have public addresses"
    for subnet in graph.of_type(SUBNET):
        if subnet.inputs.get("defaultOutboundAccess", True):
            yield f"{subnet.name}: a way out by chance"
        if "networkSecurityGroup" not in subnet.inputs:
            yield f"{subnet.name}: no security group"


def _values(graph: Graph, chart: str) -> dict[str, Any] | None:
    """What a chart is told, or ``None`` where it is not installed."""
    return next((each.inputs["values"] for each in graph.of_type(RELEASE) if chart_of(each) == chart), None)


def _files(graph: Graph) -> list[Resource]:
    return [each for each in graph.of_type(CONFIG_MAP) if each.inputs["metadata"]["name"].startswith("nccl-topology-")]


def _prefixes(network: Resource) -> list[str]:
    return network.inputs["addressSpace"]["addressPrefixes"]


def _large(pool: dict[str, Any]) -> bool:
    return pool.get("largePlacementGroup", False)


def _tolerates_spot(tolerations: list[dict[str, Any]]) -> bool:
    wanted = {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}
    return any(wanted.items() <= each.items() for each in tolerations)


def _kind(role: Resource) -> str:
    found = re.search(f"-({'|'.join(GRANTED)})(-|$)", role.name)
    return found[1] if found else ""


def volumes_have_their_driver(graph: Graph) -> Iterator[str]:
    """What mounts blobs is a part of AKS that a cluster of ours switches on."""
    for cluster in graph.of_type(CLUSTER):
        drivers = {volume.inputs["spec"].get("csi", {}).get("driver") for volume in graph.of_type(VOLUME)}
        profile = cluster.inputs.get("storageProfile", {})
        if "blob.csi.azure.com" in drivers and not profile.get("blobCSIDriver", {}).get("enabled"):
            yield f"{cluster.name}: has no driver for blobs, {profile}"


def a_private_api_is_found_without_a_zone(graph: Graph) -> Iterator[str]:
    """Its name is public and tells the private address: a private zone would need a role on the whole network
    (azure-aks-docs@fb060ab private-clusters.md)."""
    for cluster in graph.of_type(CLUSTER):
        access = cluster.inputs.get("apiServerAccessProfile", {})
        named = (access.get("enablePrivateClusterPublicFQDN"), access.get("privateDNSZone"))
        if named != ((True, "none") if access.get("enablePrivateCluster") else (None, None)):
            yield f"{cluster.name}: its name is {named}"


def metrics_flow_from_what_is_read(graph: Graph) -> Iterator[str]:
    """Each stream of a rule has a source and a way on, from an endpoint for the same system."""
    systems = {each.inputs.get("kind") for each in (*graph.of_type(RULE_OF_METRICS), *graph.of_type(ENDPOINT))}
    if len(systems) > 1 or None in systems:
        yield f"metrics of {systems}"
    for rule in graph.of_type(RULE_OF_METRICS):
        read = [stream for of in rule.inputs["dataSources"].values() for each in of for stream in each["streams"]]
        sent = [stream for flow in rule.inputs["dataFlows"] for stream in flow["streams"]]
        if not read or read != sent or not all(flow["destinations"] for flow in rule.inputs["dataFlows"]):
            yield f"{rule.name}: reads {read} and sends {sent}"

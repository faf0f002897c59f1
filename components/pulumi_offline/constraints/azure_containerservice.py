"""Azure Kubernetes Service: clusters and agent pools."""

from collections.abc import Iterator
from ipaddress import ip_address, ip_network

from ..source import Source
from ..unknowns import known, origin
from .predicates import at, at_most, between, each, form, get, has, holds, not_both, room, values
from .record import Constraint, Existing, ExistingResources, Inputs, Limit, stated_by

_CLUSTER = "azure-native:containerservice:ManagedCluster"
_POOL = "azure-native:containerservice:AgentPool"
_SUBNET = "azure-native:network:Subnet"
_NAT = "azure-native:network:NatGateway"
_ADDRESS = "azure-native:network:PublicIPAddress"
_SPEC = Source("github.com/Azure/azure-rest-api-specs containerservice/aks managedClusters.json", "2026-08")
_AKS_DOCS = "github.com/MicrosoftDocs/azure-aks-docs@fb060ab"
_PROPERTIES = "AgentPoolManagedClusterAgentPoolProfileProperties"
_MOST = 1000
"""Nodes of one pool."""
_model = stated_by("azure-mgmt-containerservice", "2026-08-01")


def _dns_is_inside(cluster: Inputs) -> bool:
    address, block = (get(cluster, f"networkProfile.{key}") for key in ("dnsServiceIP", "serviceCidr"))
    return address is None or block is None or ip_address(address) in ip_network(block)


def _services_apart(cluster: Inputs, existing: ExistingResources) -> Iterator[str]:
    services = get(cluster, "networkProfile.serviceCidr")
    subnets = (get(subnet.inputs, "addressPrefix") for subnet in existing.of(_SUBNET))
    if services and any(ip_network(block).overlaps(ip_network(services)) for block in subnets if block):
        yield "networkProfile.serviceCidr"


def _enough(cluster: Inputs, existing: ExistingResources) -> Iterator[str]:
    for where, pool in at(cluster, "agentPoolProfiles"):
        least = 1 if get(pool, "mode") == "System" else 0
        if not least <= get(pool, "count", 1) <= _MOST:
            yield f"{where}.count"


def _cluster_lets_its_nodes_in(cluster: Inputs, existing: ExistingResources) -> Iterator[str]:
    if any(_locked_out(cluster, subnet, existing) for subnet in values(cluster, "agentPoolProfiles.vnetSubnetID")):
        yield f"apiServerAccessProfile.{_RANGES}"


def _pool_is_let_in(pool: Inputs, existing: ExistingResources) -> Iterator[str]:
    cluster = existing.find(_CLUSTER, pool.get("resourceName", ""))
    if cluster is not None and _locked_out(cluster.inputs, pool.get("vnetSubnetID", ""), existing):
        yield "vnetSubnetID"


def _locked_out(cluster: Inputs, subnet: object, existing: ExistingResources) -> bool:
    """Whether nodes leave by an address that a cluster's public endpoint does not let in: one of a NAT gateway that is
    among ``existing``; of any other way out nothing is known here."""
    ranges = values(cluster, f"apiServerAccessProfile.{_RANGES}")
    network = existing.find(_SUBNET, subnet)
    nat = existing.find(_NAT, next(iter(values(network.inputs, "natGateway.id")), "")) if network else None
    leaves_by = [existing.find(_ADDRESS, each) for each in values(nat.inputs, "publicIpAddresses.id")] if nat else []
    return bool(ranges) and any(not _lets_in(ranges, address) for address in leaves_by if address is not None)


def _lets_in(ranges: list[str], address: Existing) -> bool:
    number = get(address.inputs, "ipAddress")
    return any(
        (number and known(block) and ip_address(number) in ip_network(block))
        or origin(block.removesuffix("/32")) in address.names
        for block in ranges
    )


def _price_is_of_spot(pool: Inputs) -> bool:
    price = get(pool, "spotMaxPrice")
    return price is None or ((price == -1 or price > 0) and get(pool, "scaleSetPriority") == "Spot")


def _ephemeral_disk_fits(pool: Inputs) -> bool:
    room = _TEMP_GIB.get(get(pool, "vmSize"), 0)
    return get(pool, "osDiskType") != "Ephemeral" or get(pool, "osDiskSizeGB", 0) <= room


_TEMP_GIB = {
    "Standard_ND96asr_v4": 6000,
    "Standard_ND96amsr_A100_v4": 6400,
    "Standard_ND96isr_H100_v5": 1024,
    "Standard_ND96isr_H200_v5": 1024,
    "Standard_ND96isr_MI300X_v5": 1000,
    "Standard_HB120rs_v2": 480,
    "Standard_HB120rs_v3": 480,
    "Standard_HB176rs_v4": 480,
    "Standard_HX176rs": 480,
    "Standard_HB368rs_v5": 480,
}
"""Temporary disk by size, in GiB (MicrosoftDocs/azure-compute-docs virtual-machines/sizes, 2026-11-21)."""


_GROUPS = r"providers/Microsoft\.Compute/capacity[rR]eservation[gG]roups"
_RANGES = "authorizedIPRanges"
_BEHIND_NAT = (
    Existing(_SUBNET, {"natGateway": {"id": "nat"}}, frozenset({"subnet"})),
    Existing(_NAT, {"publicIpAddresses": [{"id": "address"}]}, frozenset({"nat"})),
    Existing(_ADDRESS, {"ipAddress": "198.51.100.4"}, frozenset({"address"})),
)
_SYSTEM = [{"mode": "System", "vnetSubnetID": "subnet"}]
_CANNOT_CONNECT = (
    "CSE failed with 'VMExtensionError_K8SAPIServerConnFail'. Agents are unable to establish connection to Kubernetes "
    "API server."
)
# With the cause: "API server authorized IP ranges that don't include the node subnet"
_ERROR_CODES = "learn.microsoft.com/troubleshoot/azure/azure-kubernetes/error-codes"
_ERROR_CODE = Source(f"{_ERROR_CODES}/vmextensionerror-k8sapiserverconnfail", "2026-11")
_ID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/r"

# fmt: off
CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    _CLUSTER: (
        _model("ContainerServiceNetworkProfile.dnsServiceIP",
            "It must be within the Kubernetes service address range specified in serviceCidr",
            holds("networkProfile.dnsServiceIP", _dns_is_inside,
                {"networkProfile": {"dnsServiceIP": "172.16.0.10", "serviceCidr": "172.16.0.0/16"}},
                {"networkProfile": {"dnsServiceIP": "10.0.0.10", "serviceCidr": "172.16.0.0/16"}})),
        _model("ContainerServiceNetworkProfile.serviceCidr", "It must not overlap with any Subnet IP ranges",
            Limit(_services_apart, {"networkProfile": {"serviceCidr": "172.16.0.0/16"}},
                {"networkProfile": {"serviceCidr": "10.0.0.0/12"}},
                (Existing(_SUBNET, {"addressPrefix": "10.1.0.0/16"}),))),
        _model("ManagedClusterAgentPoolProfile.mode",
            "A cluster must have at least one 'System' Agent Pool at all times",
            holds("agentPoolProfiles", lambda cluster: "System" in values(cluster, "agentPoolProfiles.mode"),
                [{"mode": "System"}], [{"mode": "User"}])),
        _model("ManagedClusterAgentPoolProfile.count", "in the range of 1 to 1000 (inclusive) for system pools",
            Limit(_enough, {"agentPoolProfiles": [{"mode": "System", "count": 3}]},
                {"agentPoolProfiles": [{"mode": "System", "count": 0}]})),
        _model("ManagedClusterProperties.disableLocalAccounts",
            "This must only be used on Managed Clusters that are AAD enabled",
            holds("disableLocalAccounts",
                lambda cluster: not get(cluster, "disableLocalAccounts", False) or has(cluster, "aadProfile"),
                {"disableLocalAccounts": True, "aadProfile": {"managed": True}}, True)),
        Constraint("You can't apply these ranges to the private API server endpoint",
            Source(f"{_AKS_DOCS} private-clusters.md", "2026-08"),
            not_both("apiServerAccessProfile.authorizedIPRanges", ["192.0.2.0/24"],
                "apiServerAccessProfile.enablePrivateCluster", True)),
        Constraint("You can specify up to 200 authorized IP ranges",
            Source(f"{_AKS_DOCS} api-server-authorized-ip-ranges.md", "2026-08"),
            at_most(f"apiServerAccessProfile.{_RANGES}", 200, "192.0.2.0/32")),
        Constraint(_CANNOT_CONNECT, _ERROR_CODE,
            Limit(_cluster_lets_its_nodes_in,
                {"apiServerAccessProfile": {_RANGES: ["198.51.100.4/32"]}, "agentPoolProfiles": _SYSTEM},
                {"apiServerAccessProfile": {_RANGES: ["203.0.113.7/32"]}, "agentPoolProfiles": _SYSTEM},
                _BEHIND_NAT)),
        Constraint("^[a-zA-Z0-9]$|^[a-zA-Z0-9][-_a-zA-Z0-9]{0,61}[a-zA-Z0-9]$", _SPEC,
            form("resourceName", "[a-zA-Z0-9]|[a-zA-Z0-9][-_a-zA-Z0-9]{0,61}[a-zA-Z0-9]", "gpu-cluster",
                "gpu-cluster-")),
        _model("ManagedClusterProperties.dnsPrefix", "The DNS prefix of the Managed Cluster",
            form("dnsPrefix", "[a-zA-Z0-9]([-a-zA-Z0-9]{0,52}[a-zA-Z0-9])?", "gpu-cluster", "gpu.cluster")),
        Constraint("^[a-z][a-z0-9]{0,11}$", _SPEC,
            form("agentPoolProfiles.name", "[a-z][a-z0-9]{0,11}", {"agentPoolProfiles": [{"name": "system"}]},
                {"agentPoolProfiles": [{"name": "system-nodes"}]})),
    ),
    _POOL: (
        _model(f"{_PROPERTIES}.spotMaxPrice", "Possible values are any decimal value greater than zero or -1",
            holds("spotMaxPrice", _price_is_of_spot, {"spotMaxPrice": -1, "scaleSetPriority": "Spot"},
                {"spotMaxPrice": -1, "scaleSetPriority": "Regular"})),
        _model(f"{_PROPERTIES}.enableAutoScaling", "Whether to enable auto-scaler",
            holds("enableAutoScaling",
                lambda pool: get(pool, "enableAutoScaling", False) == (has(pool, "minCount") and has(pool, "maxCount")),
                {"enableAutoScaling": True, "minCount": 1, "maxCount": 4}, {"enableAutoScaling": True, "minCount": 1})),
        _model(f"{_PROPERTIES}.osDiskType",
            "if the VM supports it and has a cache disk larger than the requested OSDiskSizeGB",
            holds("osDiskType", _ephemeral_disk_fits, {"osDiskType": "Managed", "osDiskSizeGB": 512},
                {"osDiskType": "Ephemeral", "osDiskSizeGB": 1_000_000, "vmSize": "Standard_ND96isr_H100_v5"})),
        Constraint("ContainerServiceOSDisk: minimum 0, maximum 2048", _SPEC,
            between("osDiskSizeGB", 0, 2048, 2048, 4096)),
        _model(f"{_PROPERTIES}.count", "Allowed values must be in the range of 0 to 1000 (inclusive) for user pools",
            each("count", lambda nodes: 0 <= nodes <= _MOST, 300, 1001)),
        _model(f"{_PROPERTIES}.capacityReservationGroupID",
            "The fully qualified resource ID of the Capacity Reservation Group",
            form("capacityReservationGroupID", f"/subscriptions/[^/]+/resource[gG]roups/[^/]+/{_GROUPS}/[^/]+",
                _ID, "r")),
        _model(f"{_PROPERTIES}.availabilityZones", "The list of Availability zones to use for nodes",
            holds("availabilityZones",
                lambda of: all(zone in ("1", "2", "3", "4") for zone in values(of, "availabilityZones") if known(zone)),
                ["1"], ["southcentralus-1"])),
        Constraint("^[a-z][a-z0-9]{0,11}$", _SPEC, form("agentPoolName", "[a-z][a-z0-9]{0,11}", "h100", "gpu-nodes")),
        Constraint(_CANNOT_CONNECT, _ERROR_CODE,
            Limit(_pool_is_let_in, {"resourceName": "open", "vnetSubnetID": "subnet"},
                {"resourceName": "closed", "vnetSubnetID": "subnet"},
                (*_BEHIND_NAT, *(Existing(_CLUSTER, {"apiServerAccessProfile": {_RANGES: [block]}}, frozenset({name}))
                    for name, block in (("open", "198.51.100.0/24"), ("closed", "203.0.113.7/32")))))),
        # One of them is the cluster's own.
        Constraint("Maximum node pools per cluster: 100", Source(f"{_AKS_DOCS} quotas-skus-regions.md", "2026-08"),
            room(_POOL, "resourceName", 99)),
    ),
}

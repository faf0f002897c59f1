"""From the inputs of Azure's resources to the requests that azure-native makes of them.

azure-native spells the properties of a request beside its other fields, and asks with the resource's own path.
"""

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from typing import Any

from rdma_cluster.catalog.aks import MACHINES

from tests.api.azure import model
from tests.api.request import Request, Rule, Table

_URL = "part of the request's path"
_GROUP = {"resourceGroupName": _URL}
_SIZES = {machine.name: machine for machine in MACHINES}


def _inside(*names: str) -> dict[str, str]:
    """Inputs that are properties of the request."""
    return {name: f"properties.{name}" for name in names}


def _properties(request: Request) -> Mapping[str, Any]:
    return request.get("properties", {})


def _price_is_of_spot(pool: Request) -> bool:
    own = _properties(pool)
    return "spotMaxPrice" not in own or (own["spotMaxPrice"] == -1 and own.get("scaleSetPriority") == "Spot")


def _autoscaler_has_limits(pool: Request) -> bool:
    own = _properties(pool)
    return own.get("enableAutoScaling", False) == ("minCount" in own and "maxCount" in own)


def _ephemeral_disk_fits(pool: Request) -> bool:
    own = _properties(pool)
    machine = _SIZES.get(own.get("vmSize", ""))
    fits = machine is not None and own.get("osDiskSizeGB", 0) <= (machine.temp_gib or 0)
    return own.get("osDiskType") != "Ephemeral" or fits


def _pool_is_named(pool: Request) -> bool:
    return pool.get("properties", {}).get("mode") in ("System", "User")


def _dns_is_inside(cluster: Request) -> bool:
    own = _properties(cluster)["networkProfile"]
    return ip_address(own["dnsServiceIP"]) in ip_network(own["serviceCidr"])


def _has_a_system_pool(cluster: Request) -> bool:
    return any(pool.get("mode") == "System" for pool in _properties(cluster).get("agentPoolProfiles", []))


def _prefix_has_a_form(cluster: Request) -> bool:
    prefix = _properties(cluster)["dnsPrefix"]
    return 1 <= len(prefix) <= 54 and prefix[0].isalnum() and prefix[-1].isalnum()


def _private_has_no_ranges(cluster: Request) -> bool:
    access = _properties(cluster).get("apiServerAccessProfile", {})
    return not (access.get("enablePrivateCluster") and access.get("authorizedIPRanges"))


CLUSTER = Table(
    "azure-native:containerservice:ManagedCluster",
    model("containerservice", "ManagedCluster"),
    renamed=_inside(
        "aadProfile",
        "agentPoolProfiles",
        "apiServerAccessProfile",
        "autoUpgradeProfile",
        "azureMonitorProfile",
        "disableLocalAccounts",
        "dnsPrefix",
        "enableRBAC",
        "identityProfile",
        "kubernetesVersion",
        "networkProfile",
        "oidcIssuerProfile",
        "securityProfile",
    ),
    own={
        **_GROUP,
        "resourceName": _URL,
        "identity.userAssignedIdentities": "a list of ids, which become the keys of a map",
    },
    rules=(
        Rule(
            "It must be within the Kubernetes service address range specified in serviceCidr",
            "ContainerServiceNetworkProfile.dnsServiceIP",
            _dns_is_inside,
        ),
        Rule("This cannot be updated once", "ManagedClusterProperties.dnsPrefix", _prefix_has_a_form),
        Rule("The agent pool properties", "ManagedClusterProperties.agentPoolProfiles", _has_a_system_pool),
        Rule(
            "You can't apply these ranges to the private API server endpoint",
            "azure-aks-docs@fb060ab private-clusters.md",
            _private_has_no_ranges,
        ),
    ),
)

POOL = Table(
    "azure-native:containerservice:AgentPool",
    model("containerservice", "AgentPool"),
    renamed=_inside(
        "availabilityZones",
        "capacityReservationGroupID",
        "count",
        "enableAutoScaling",
        "enableNodePublicIP",
        "gpuProfile",
        "kubeletDiskType",
        "mode",
        "nodeLabels",
        "nodeTaints",
        "osDiskSizeGB",
        "osDiskType",
        "osSKU",
        "osType",
        "scaleDownMode",
        "scaleSetEvictionPolicy",
        "scaleSetPriority",
        "spotMaxPrice",
        "type",
        "upgradeSettings",
        "vmSize",
        "vnetSubnetID",
    ),
    own={**_GROUP, "resourceName": _URL, "agentPoolName": _URL},
    rules=(
        Rule(
            "Possible values are any decimal value greater than zero or -1",
            "AgentPoolManagedClusterAgentPoolProfileProperties.spotMaxPrice",
            _price_is_of_spot,
        ),
        Rule(
            "Whether to enable auto-scaler",
            "AgentPoolManagedClusterAgentPoolProfileProperties.enableAutoScaling",
            _autoscaler_has_limits,
        ),
        Rule(
            "if the VM supports it and has a cache disk larger than the requested OSDiskSizeGB",
            "AgentPoolManagedClusterAgentPoolProfileProperties.osDiskType",
            _ephemeral_disk_fits,
        ),
        Rule(
            "A cluster must have at least one",
            "AgentPoolManagedClusterAgentPoolProfileProperties.mode",
            _pool_is_named,
        ),
    ),
)

TABLES = [
    CLUSTER,
    POOL,
    Table(
        "azure-native:managedidentity:UserAssignedIdentity",
        model("msi", "Identity"),
        own=_GROUP,
    ),
    Table(
        "azure-native:network:VirtualNetwork",
        model("network", "VirtualNetwork"),
        renamed=_inside("addressSpace", "enableDdosProtection", "enableVmProtection"),
        own=_GROUP,
    ),
    Table(
        "azure-native:network:Subnet",
        model("network", "Subnet"),
        renamed=_inside(
            "addressPrefix",
            "defaultOutboundAccess",
            "natGateway",
            "networkSecurityGroup",
            "privateEndpointNetworkPolicies",
            "privateLinkServiceNetworkPolicies",
        ),
        own={**_GROUP, "virtualNetworkName": _URL},
    ),
    Table(
        "azure-native:network:NatGateway",
        model("network", "NatGateway"),
        renamed=_inside("publicIpAddresses"),
        own=_GROUP,
    ),
    Table(
        "azure-native:network:PublicIPAddress",
        model("network", "PublicIPAddress"),
        renamed=_inside("publicIPAllocationMethod"),
        own=_GROUP,
    ),
    Table("azure-native:network:NetworkSecurityGroup", model("network", "NetworkSecurityGroup"), own=_GROUP),
    Table("azure-native:resources:ResourceGroup", model("resource.resources", "ResourceGroup")),
    Table(
        "azure-native:authorization:RoleAssignment",
        model("authorization", "RoleAssignmentCreateParameters"),
        renamed=_inside("principalId", "principalType", "roleDefinitionId"),
        own={"scope": _URL},
    ),
    Table(
        "azure-native:monitor:AzureMonitorWorkspace",
        model("monitor", "AzureMonitorWorkspaceResource"),
        own=_GROUP,
    ),
    Table(
        "azure-native:monitor:DataCollectionEndpoint",
        model("monitor", "DataCollectionEndpointResource"),
        own=_GROUP,
    ),
    Table(
        "azure-native:monitor:DataCollectionRule",
        model("monitor", "DataCollectionRuleResource"),
        renamed=_inside("dataCollectionEndpointId", "dataFlows", "dataSources", "destinations"),
        own=_GROUP,
    ),
    Table(
        "azure-native:monitor:DataCollectionRuleAssociation",
        model("monitor", "DataCollectionRuleAssociationProxyOnlyResource"),
        renamed=_inside("dataCollectionRuleId"),
        own={"resourceUri": _URL},
    ),
]

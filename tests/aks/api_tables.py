"""From the inputs of Azure's resources to the requests that azure-native makes of them.

azure-native spells the properties of a request beside its other fields, and asks with the resource's own path.
"""

from tools.api.azure import model
from tools.api.request import Table

_URL = "part of the request's path"
_GROUP = {"resourceGroupName": _URL}


def _inside(*names: str) -> dict[str, str]:
    """Inputs that are properties of the request."""
    return {name: f"properties.{name}" for name in names}


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
        "storageProfile",
    ),
    own={
        **_GROUP,
        "resourceName": _URL,
        "identity.userAssignedIdentities": "a list of ids, which become the keys of a map",
    },
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
        "tags",
        "type",
        "upgradeSettings",
        "vmSize",
        "vnetSubnetID",
    ),
    own={**_GROUP, "resourceName": _URL, "agentPoolName": _URL},
)

MODEL = ("azure-mgmt", "2026-08-01")
"""What the tables are of, and its date."""

TABLES = [
    CLUSTER,
    POOL,
    Table("azure-native:managedidentity:UserAssignedIdentity", model("msi", "Identity"), own=_GROUP),
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
        "azure-native:storage:StorageAccount",
        model("storage", "StorageAccountCreateParameters"),
        renamed={
            **_inside("allowBlobPublicAccess", "allowSharedKeyAccess", "minimumTlsVersion"),
            "enableHttpsTrafficOnly": "properties.supportsHttpsTrafficOnly",
        },
        own=_GROUP,
    ),
    Table(
        "azure-native:storage:BlobContainer",
        model("storage", "BlobContainer"),
        renamed=_inside("publicAccess"),
        own={**_GROUP, "accountName": _URL, "containerName": _URL},
    ),
    Table(
        "azure-native:storagecache:AmlFilesystem",
        model("storagecache", "AmlFilesystem"),
        renamed=_inside("filesystemSubnet", "maintenanceWindow", "storageCapacityTiB"),
        own=_GROUP,
    ),
    Table("azure-native:monitor:AzureMonitorWorkspace", model("monitor", "AzureMonitorWorkspaceResource"), own=_GROUP),
    Table(
        "azure-native:monitor:DataCollectionEndpoint", model("monitor", "DataCollectionEndpointResource"), own=_GROUP
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

"""Azure, simulated. Its words are unverified: see ``ErrorTexts``."""

from ..cloud import Cloud, ErrorTexts, Named

_GROUP = "azure-native:resources:ResourceGroup"
_NETWORK = "azure-native:network:VirtualNetwork"
_CLUSTER = "azure-native:containerservice:ManagedCluster"


def _in_group(key: str) -> Named:
    return Named(("resourceGroupName", key), within=_GROUP)


_NAMED = {
    _GROUP: Named(("resourceGroupName",)),
    _NETWORK: _in_group("virtualNetworkName"),
    "azure-native:network:Subnet": Named(("resourceGroupName", "virtualNetworkName", "subnetName"), within=_NETWORK),
    "azure-native:network:NetworkSecurityGroup": _in_group("networkSecurityGroupName"),
    "azure-native:network:NatGateway": _in_group("natGatewayName"),
    "azure-native:network:PublicIPAddress": _in_group("publicIpAddressName"),
    "azure-native:managedidentity:UserAssignedIdentity": _in_group("resourceName"),
    # Its name is one in all of Azure; it goes with its group all the same.
    "azure-native:storage:StorageAccount": _in_group("accountName"),
    "azure-native:storage:BlobContainer": Named(
        ("resourceGroupName", "accountName", "containerName"), within="azure-native:storage:StorageAccount"
    ),
    "azure-native:storagecache:AmlFilesystem": _in_group("amlFilesystemName"),
    _CLUSTER: _in_group("resourceName"),
    "azure-native:containerservice:AgentPool": Named(
        ("resourceGroupName", "resourceName", "agentPoolName"), within=_CLUSTER
    ),
}
AZURE = Cloud(
    package="azure-native",
    sdk="pulumi_azure_native",
    error_texts=ErrorTexts(
        exists="cannot create already existing resource '{name}'",
        absent='Code="ResourceNotFound" Message="The Resource \'{other}\' under resource group was not found."',
        in_use='Code="InUseResourceCannotBeDeleted" Message="{name} is in use by {other} and cannot be deleted."',
        quota='Code="QuotaExceeded" Message="Operation could not be completed as it exceeds the approved quota for '
        '{name}."',
        capacity='Code="AllocationFailed" Message="Allocation failed for {name}. We do not have sufficient capacity '
        'for the requested VM size in this region or reservation."',
        timeout='Code="OperationTimedOut" Message="{name}: not ready within {other}"',
        unavailable='Code="InternalServerError" Message="The server encountered an internal error."',
    ),
    named=_NAMED,
    name_key={
        **{token: named.keys[-1] for token, named in _NAMED.items()},
        "azure-native:authorization:RoleAssignment": "roleAssignmentName",
    },
)

"""Azure: what its provider makes anew for, and what the API refuses to change."""

from ..source import Source
from .record import NONE, Fixed, Nodes, nodes

_DATE = "2026-11-21"
_NATIVE = "github.com/pulumi/pulumi-azure-native@1b7112a provider/pkg/gen/replacement.go"


def _fixed(*inputs: str, refused: dict[str, str] | None = None, role: str = "") -> Fixed:
    source = Source(f"{_NATIVE}; parameters of the path", _DATE)
    return Fixed(("resourceGroupName", *inputs), source, refused=refused or {}, role=role)


def _aks(inputs: str, refused: str, role: str, nodes: Nodes = NONE) -> Fixed:
    """Paths, separated by spaces. azure-native asks the API to change ``refused`` in place, which the API does not do:
    an option of our resources has them replaced."""
    ref = f"{_NATIVE}; azure-aks-docs@fb060ab manage-node-pools.md; pulumi-azure-native/issues/959"
    answers = {path: f"Changing property '{path}' is not allowed." for path in refused.split()}
    kept = ("resourceGroupName", "resourceName", *inputs.split())
    return Fixed(kept, Source(ref, _DATE), refused=answers, role=role, nodes=nodes)


_ELSEWHERE = (
    "InvalidResourceLocation: The resource already exists in location A. A resource with the same name cannot be "
    "created in location B."
)


# fmt: off
FIXED = {
    "pulumi:providers:azure-native": Fixed(
        ("subscriptionId",), Source("the subscription of every resource below it", _DATE)),
    "azure-native:resources:ResourceGroup": _fixed("location", role="resource group"),
    "azure-native:network:VirtualNetwork": _fixed("location", role="network"),
    # The prefix can be written, and not while a node has an address of it.
    "azure-native:network:Subnet": _fixed("virtualNetworkName",
        refused={"addressPrefix": "InUseSubnetCannotBeUpdated: Subnet is in use and cannot be updated"}),
    "azure-native:network:NetworkSecurityGroup": _fixed(refused={"location": _ELSEWHERE}),
    "azure-native:network:NatGateway": _fixed(refused={"location": _ELSEWHERE, "sku": "the SKU of a gateway is fixed"}),
    "azure-native:network:PublicIPAddress": _fixed("location", "sku"),
    "azure-native:managedidentity:UserAssignedIdentity": _fixed("location"),
    "azure-native:authorization:RoleAssignment": _fixed("principalId", "scope",
        refused={
            "roleDefinitionId": "RoleAssignmentUpdateNotPermitted: Tenant ID, application ID, principal ID, and scope "
            "are not allowed to be updated."
        }),
    "azure-native:storage:StorageAccount": _fixed("accountName", "location", role="storage account"),
    "azure-native:storage:BlobContainer": _fixed("accountName", "containerName", role="container"),
    # What the API's PATCH does not hold, it changes of no file system that is there (2024-03-01, AmlFilesystemUpdate).
    "azure-native:storagecache:AmlFilesystem": _fixed("amlFilesystemName",
        refused=dict.fromkeys(("sku", "storageCapacityTiB", "filesystemSubnet", "zones", "location"),
            "Changing this of a file system that is there is not supported."),
        role="file system"),
    "azure-native:containerservice:ManagedCluster": _aks(
        "location dnsPrefix networkProfile.podCidr networkProfile.serviceCidr networkProfile.dnsServiceIP "
        "networkProfile.outboundType networkProfile.networkPlugin networkProfile.networkPluginMode "
        "networkProfile.networkDataplane networkProfile.networkPolicy",
        refused="apiServerAccessProfile.enablePrivateCluster agentPoolProfiles.availabilityZones "
        "agentPoolProfiles.vmSize agentPoolProfiles.vnetSubnetID",
        role="cluster"),
    "azure-native:containerservice:AgentPool": _aks("agentPoolName vmSize",
        refused="availabilityZones capacityReservationGroupID gpuProfile osDiskSizeGB osDiskType scaleSetPriority "
        "vnetSubnetID",
        # learn.microsoft.com/azure/aks/upgrade-aks-node-pools-rolling, as of 2026-11-23
        role="pool", nodes=nodes("capacityReservationGroupID", "vmSize", "orchestratorVersion")),
    "azure-native:monitor:AzureMonitorWorkspace": _fixed("location"),
    "azure-native:monitor:DataCollectionEndpoint": _fixed("location"),
    "azure-native:monitor:DataCollectionRule": _fixed("location"),
    "azure-native:monitor:DataCollectionRuleAssociation": _fixed("resourceUri", "associationName"),
}
# fmt: on

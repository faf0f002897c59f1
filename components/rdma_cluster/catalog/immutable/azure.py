"""Azure: what its provider makes anew for, and what the API refuses to change."""

from ..machine import Source
from .record import Fixed

_DATE = "2026-11-21"
_NATIVE = "github.com/pulumi/pulumi-azure-native@1b7112a provider/pkg/gen/replacement.go"


def _fixed(*inputs: str, source: str = f"{_NATIVE}; parameters of the path") -> Fixed:
    return Fixed(("resourceGroupName", *inputs), Source(source, _DATE))


FIXED = {
    "pulumi:providers:azure-native": Fixed(
        ("subscriptionId",), Source("the subscription of every resource below it", _DATE)
    ),
    "azure-native:resources:ResourceGroup": _fixed("location"),
    "azure-native:network:VirtualNetwork": _fixed("location"),
    # The prefix can be written, and not while a node has an address of it: InUseSubnetCannotBeUpdated.
    "azure-native:network:Subnet": _fixed("virtualNetworkName", "addressPrefix"),
    "azure-native:network:NetworkSecurityGroup": _fixed("location"),
    "azure-native:network:NatGateway": _fixed("location", "sku"),
    "azure-native:network:PublicIPAddress": _fixed("location", "sku"),
    "azure-native:managedidentity:UserAssignedIdentity": _fixed("location"),
    "azure-native:authorization:RoleAssignment": _fixed("principalId", "scope", "roleDefinitionId"),
    "azure-native:containerservice:ManagedCluster": _fixed(
        "resourceName",
        "location",
        "dnsPrefix",
        "networkProfile.podCidr",
        "networkProfile.serviceCidr",
        "networkProfile.dnsServiceIP",
        "networkProfile.outboundType",
        "networkProfile.networkPlugin",
        "networkProfile.networkPluginMode",
        "networkProfile.networkDataplane",
        "networkProfile.networkPolicy",
        "apiServerAccessProfile.enablePrivateCluster",
        "agentPoolProfiles.availabilityZones",
        "agentPoolProfiles.vmSize",
        "agentPoolProfiles.vnetSubnetID",
        source=f"{_NATIVE}; azure-aks-docs@fb060ab manage-node-pools.md; pulumi-azure-native/issues/959",
    ),
    "azure-native:containerservice:AgentPool": _fixed(
        "resourceName",
        "agentPoolName",
        "vmSize",
        "availabilityZones",
        "capacityReservationGroupID",
        "gpuProfile",
        "osDiskSizeGB",
        "osDiskType",
        "scaleSetPriority",
        "vnetSubnetID",
        source=f"{_NATIVE}; azure-aks-docs@fb060ab manage-node-pools.md; pulumi-azure-native/issues/959",
    ),
    "azure-native:monitor:AzureMonitorWorkspace": _fixed("location"),
    "azure-native:monitor:DataCollectionEndpoint": _fixed("location"),
    "azure-native:monitor:DataCollectionRule": _fixed("location"),
    "azure-native:monitor:DataCollectionRuleAssociation": _fixed("resourceUri", "associationName"),
}

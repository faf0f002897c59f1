"""Azure's networks, roles, managed Prometheus, Storage and Managed Lustre."""

from ..source import Source
from .predicates import apart, block, form, get, holds, inside, once, unique, values
from .record import Constraint, Inputs, stated_by

_NETWORK = "azure-native:network:VirtualNetwork"
_SUBNET = "azure-native:network:Subnet"
_NAMES = Source("learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules", "2026-11")
_STEPS_TIB = {"40": 48, "125": 16, "250": 8, "500": 4}
_ASSIGNMENT = "azure-native:authorization:RoleAssignment"
_GUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_ROLE = "/providers/Microsoft.Authorization/roleDefinitions/7f951dda-4ed3-4680-a7ca-43fe172d538d"
_monitor = stated_by("azure-mgmt-monitor", "2026-11")


def _flows_to_known(collection: Inputs) -> bool:
    """Each flow ends at a destination that the collection rule describes."""
    names = values(collection, "destinations.monitoringAccounts.name")
    return not names or all(name in names for name in values(collection, "dataFlows.destinations"))


def _is_a_step(files: Inputs) -> bool:
    """A size by its throughput; of one that is not known yet, or of another kind, nothing is known here."""
    return get(files, "storageCapacityTiB", 0) % _STEPS_TIB.get(get(files, "sku.name", "").rpartition("-")[2], 1) == 0


# fmt: off
CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    _NETWORK: (
        Constraint("A list of address blocks reserved for this virtual network in CIDR notation",
            Source("azure-mgmt-network AddressSpace.addressPrefixes", "2026-11"),
            block("addressSpace.addressPrefixes", 2, 64, ["10.0.0.0/8"], ["10.0.0.1/8"])),
    ),
    _SUBNET: (
        Constraint("NetcfgInvalidSubnet: Subnet 'NAME' is not valid in virtual network 'NETWORK'",
            Source("github.com/Azure/azure-cli/issues/10917; azure-powershell NetworkTests", "2019-10-19"),
            inside("addressPrefix", _NETWORK, "virtualNetworkName", "addressSpace.addressPrefixes")),
        Constraint("NetcfgSubnetRangesOverlap: Subnet 'NAME' is not valid because its IP address range overlaps with "
            "that of an existing subnet",
            Source("github.com/Azure/azure-cli/issues/10917", "2019-10-19"),
            apart(_SUBNET, "addressPrefix", "virtualNetworkName")),
    ),
    "azure-native:network:PublicIPAddress": (
        Constraint("Standard sku publicIp ID must have AllocationMethod set to Static",
            Source("the network API's answer StandardAndStandardV2SkuPublicIPAddressesMustBeStatic", "2026-08"),
            holds("publicIPAllocationMethod",
                lambda address: not get(address, "sku.name", "").startswith("Standard")
                or get(address, "publicIPAllocationMethod") == "Static",
                {"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Static"},
                {"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Dynamic"})),
    ),
    _ASSIGNMENT: (
        Constraint("RoleAssignmentExists: The role assignment already exists",
            Source("learn.microsoft.com/azure/role-based-access-control/troubleshooting", "2026-08"),
            unique(_ASSIGNMENT, "principalId", "scope", "roleDefinitionId")),
        Constraint("The role definition ID",
            Source("azure-mgmt-authorization RoleAssignmentCreateParameters.properties.roleDefinitionId", "2026-11"),
            form("roleDefinitionId", f"(/.*)?/providers/Microsoft.Authorization/roleDefinitions/{_GUID}", _ROLE,
                "AcrPull")),
    ),
    "azure-native:monitor:DataCollectionRule": (
        _monitor("MonitoringAccountDestination.name", "This name should be unique across all destinations",
            once("destinations.monitoringAccounts", "name", [{"name": "a"}, {"name": "b"}])),
        _monitor("DataFlow.destinations", "List of destinations for this data flow",
            holds("dataFlows.destinations", _flows_to_known,
                {"dataFlows": [{"destinations": ["a"]}], "destinations": {"monitoringAccounts": [{"name": "a"}]}},
                {"dataFlows": [{"destinations": ["b"]}], "destinations": {"monitoringAccounts": [{"name": "a"}]}})),
    ),
    "azure-native:storage:StorageAccount": (
        Constraint("Lowercase letters and numbers, 3-24", _NAMES,
            form("accountName", "[a-z0-9]{3,24}", "aksstorage12345678", "aks-storage")),
    ),
    "azure-native:storage:BlobContainer": (
        Constraint("Lowercase letters, numbers, and hyphens, 3-63; no consecutive hyphens", _NAMES,
            form("containerName", "(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]", "data", "da--ta")),
    ),
    "azure-native:storagecache:AmlFilesystem": (
        Constraint("Allows alphanumerics, underscores, and hyphens. Start and end with alphanumeric.",
            Source("storagecache 2024-03-01, amlFilesystemName", "2026-11-22"),
            form("amlFilesystemName", "[A-Za-z0-9][A-Za-z0-9_-]{0,78}[A-Za-z0-9]", "aks-storage1234", "storage-")),
        Constraint("Increment: 48 TB at 40 MBps per TiB, 16 TB at 125, 8 TB at 250, 4 TB at 500",
            Source("learn.microsoft.com/azure/azure-managed-lustre/create-file-system-resource-manager", "2026-11"),
            holds("storageCapacityTiB", _is_a_step,
                {"storageCapacityTiB": 16, "sku": {"name": "AMLFS-Durable-Premium-250"}},
                {"storageCapacityTiB": 12, "sku": {"name": "AMLFS-Durable-Premium-250"}})),
        Constraint("This field should only contain a single element in the array.",
            Source("storagecache 2024-03-01, zones", "2026-11-22"),
            holds("zones", lambda of: len(of.get("zones", ["1"])) == 1, ["1"], ["1", "2"])),
    ),
}

"""Azure Storage: accounts and their containers; and Azure Managed Lustre."""

from ...catalog.machine import Source
from .forms import form, holds
from .record import Rule

_NAMES = Source("learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules", "2026-11")

_STEPS_TIB = {"40": 48, "125": 16, "250": 8, "500": 4}

RULES: dict[str, tuple[Rule, ...]] = {
    "azure-native:storage:StorageAccount": (
        Rule(
            "Lowercase letters and numbers, 3-24",
            _NAMES,
            form("accountName", "[a-z0-9]{3,24}"),
            {"accountName": "aksstorage12345678"},
            {"accountName": "aks-storage"},
        ),
    ),
    "azure-native:storage:BlobContainer": (
        Rule(
            "Lowercase letters, numbers, and hyphens, 3-63; no consecutive hyphens",
            _NAMES,
            form("containerName", "(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]"),
            {"containerName": "data"},
            {"containerName": "da--ta"},
        ),
    ),
    "azure-native:storagecache:AmlFilesystem": (
        Rule(
            "Allows alphanumerics, underscores, and hyphens. Start and end with alphanumeric.",
            Source("storagecache 2024-03-01, amlFilesystemName", "2026-11-22"),
            form("amlFilesystemName", "[A-Za-z0-9][A-Za-z0-9_-]{0,78}[A-Za-z0-9]"),
            {"amlFilesystemName": "aks-storage1234"},
            {"amlFilesystemName": "storage-"},
        ),
        Rule(
            "Increment: 48 TB at 40 MBps per TiB, 16 TB at 125, 8 TB at 250, 4 TB at 500",
            Source("learn.microsoft.com/azure/azure-managed-lustre/create-file-system-resource-manager", "2026-11"),
            holds(
                "storageCapacityTiB",
                lambda of: of["storageCapacityTiB"] % _STEPS_TIB[of["sku"]["name"].rpartition("-")[2]] == 0,
            ),
            {"storageCapacityTiB": 16, "sku": {"name": "AMLFS-Durable-Premium-250"}},
            {"storageCapacityTiB": 12, "sku": {"name": "AMLFS-Durable-Premium-250"}},
        ),
        Rule(
            "This field should only contain a single element in the array.",
            Source("storagecache 2024-03-01, zones", "2026-11-22"),
            holds("zones", lambda of: len(of.get("zones", ["1"])) == 1),
            {"zones": ["1"]},
            {"zones": ["1", "2"]},
        ),
    ),
}

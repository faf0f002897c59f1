"""Azure Storage: accounts and their containers."""

from ...catalog.machine import Source
from .forms import form
from .record import Rule

_NAMES = Source("learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules", "2026-11")

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
}

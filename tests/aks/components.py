"""Each AKS component on its own."""

from typing import Any

from tests.aks.plans import ID, SUBNET

_PLACE = {"location": "southcentralus", "resource_group": "g"}
_POOL: dict[str, Any] = {
    "name": "h100",
    "machine": "Standard_ND96isr_H100_v5",
    "nodes": 2,
    "capacity": {"on_demand": True},
}
_ADMINS = {"admins": [{"id": ID}]}

COMPONENTS: dict[str, dict[str, Any]] = {
    "AksHpcNetwork": _PLACE,
    "AksCluster": {**_PLACE, "subscription": ID, "subnet": SUBNET, **_ADMINS},
    "AksGpuNodePool": {**_POOL, "resource_group": "g", "cluster": "c", "subnet": SUBNET},
    "AksOperators": {
        "machines": [_POOL["machine"]],
        "nodes": {"label": "kubernetes.azure.com/agentpool", "values": ["h100"], "nodes": 2},
        "gpu_allocation": "device-plugin",
    },
    "AksStorage": {
        **_PLACE,
        "subscription": ID,
        "namespaces": ["default"],
        "identity_client": ID,
        "identity_principal": ID,
        "object_store": {"account": "mine", "container": "weights"},
    },
    "AksRdmaCluster": {"subscription": ID, "location": "southcentralus", "pools": [_POOL], "kubernetes": _ADMINS},
}

"""An AKS stack to begin with: what `init` writes, and what the reference shows."""

EXAMPLE = {
    "subscription": "00000000-0000-0000-0000-000000000000",
    "location": "southcentralus",
    "pools": [
        {
            "name": "h100",
            "machine": "Standard_ND96isr_H100_v5",
            "nodes": 2,
            "capacity": {"onDemand": True},
            "gpuAllocation": "device-plugin",
        }
    ],
    "kubernetes": {
        "admins": [{"id": "11111111-1111-1111-1111-111111111111"}],
        "endpoint": "public",
        "publicCidrs": ["203.0.113.7/32"],
    },
}
"""Args in a stack file's spelling."""

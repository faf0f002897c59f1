"""Another stack turns its cluster's certificate, then makes the cluster anew: the name stays, Azure's uid does not."""

from functools import partial

import pulumi
from pulumi_offline import preview
from rdma_cluster.aks import AksOutbound, AksRdmaCluster

_SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
_SUBNET = f"/subscriptions/{_SUBSCRIPTION}/resourceGroups/n/providers/Microsoft.Network/virtualNetworks/v/subnets/s"


def cluster(server: str, certificate: str) -> None:
    """What is installed on it."""
    AksRdmaCluster(
        "train",
        {
            "subscription": _SUBSCRIPTION,
            "location": "southcentralus",
            "resource_group": "rg",
            "kubernetes": {"name": "corp", "existing": {"server": server, "ca_certificate": certificate}},
            "network": {
                "existing": {"subnet": _SUBNET, "cidrs": ["10.224.0.0/12"], "outbound": AksOutbound.LOAD_BALANCER}
            },
            "pools": [
                {
                    "name": "h100",
                    "machine": "Standard_ND96isr_H100_v5",
                    "nodes": 2,
                    "capacity": {"on_demand": True},
                    "gpu_allocation": "device-plugin",
                }
            ],
        },
    )


for server, certificate, uid in (("abc", "YmFy", "first"), ("xyz", "YmF6", "second")):
    answers = {
        "azure-native:containerservice:getManagedCluster": {"resourceUID": uid},
        # As the state has it since the first `up`.
        "pulumi:index:Stash": {"output": "first"},
    }
    program = partial(cluster, f"https://corp-{server}.hcp.southcentralus.azmk8s.io:443", certificate)
    try:
        preview(program, project="corp", invokes=answers)
        print(f"{uid}: the same cluster")
    except pulumi.RunError as refused:
        print(f"{uid}: {refused}")

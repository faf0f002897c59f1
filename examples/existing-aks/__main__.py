"""ND H100 v5 nodes in an AKS cluster and a subnet that exist: a pool, operators, and the proof. No network is made.

COST: ND H100 v5 nodes are among the dearest machines there are, and billed while they exist: destroy them in time.
"""

import pulumi
from rdma_cluster.aks import AksOutbound, AksRdmaCluster
from rdma_cluster.incluster import GpuAllocation

config = pulumi.Config()

training = AksRdmaCluster(
    "training",
    {
        "subscription": pulumi.Config("azure-native").require("subscriptionId"),
        "location": "southcentralus",
        "resource_group": config.require("resourceGroup"),
        "kubernetes": {
            "name": config.require("cluster"),
            # Server and certificate of the kubeconfig that `az aks get-credentials` writes.
            "existing": {"server": config.require("server"), "ca_certificate": config.require("certificate")},
        },
        "network": {
            "existing": {
                "subnet": config.require("subnet"),
                "cidrs": ["10.224.0.0/12"],
                "outbound": AksOutbound.LOAD_BALANCER,
            }
        },
        "pools": [
            {
                "name": "h100",
                "machine": "Standard_ND96isr_H100_v5",
                "nodes": 2,
                "capacity": {"on_demand": True},
                "gpu_allocation": GpuAllocation.DEVICE_PLUGIN,
            }
        ],
    },
)

pulumi.export("workloads", training.workloads)

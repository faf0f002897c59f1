"""One queue for two clouds: jobs that name none of them wait on a third cluster, and run where there is room.

COST: A3 Ultra and P5 nodes are among the dearest machines there are, and billed while they exist: destroy them in time.
"""

import pulumi
import pulumi_kubernetes as k8s
from rdma_cluster.eks import EksRdmaCluster
from rdma_cluster.gke import GkeRdmaCluster
from rdma_cluster.incluster import GpuAllocation, Queues

config = pulumi.Config()
# Jobs ask for nvidia.com/gpu alone, so that device plugins hand out the GPUs; each cluster adds its own fabric.
PLUGIN = GpuAllocation.DEVICE_PLUGIN

google = GkeRdmaCluster(
    "google",
    {
        "project": pulumi.Config("gcp").require("project"),
        "zone": "us-west1-c",
        "kubernetes": {"version": "1.36"},
        "pools": [
            {
                "name": "a3",
                "machine": "a3-ultragpu-8g",
                "nodes": 4,
                "capacity": {"spot": True},
                "gpu_allocation": PLUGIN,
            }
        ],
        "injection": {"enabled": True},
        "queues": {"enabled": True, "worker": {"queues": {"train": "a3"}}},
    },
)
amazon = EksRdmaCluster(
    "amazon",
    {
        "region": "us-east-2",
        "zone": "us-east-2a",
        "network": {"control_plane_zones": ["us-east-2b"]},
        "kubernetes": {"version": "1.36", "admins": [config.require("admin")]},
        "pools": [
            {
                "name": "p5",
                "machine": "p5.48xlarge",
                "nodes": 4,
                "capacity": {"on_demand": True},
                "gpu_allocation": PLUGIN,
            }
        ],
        "injection": {"enabled": True},
        "queues": {"enabled": True, "worker": {"queues": {"train": "p5"}}},
    },
)

# Any cluster that reaches both: it needs no GPU. A cluster of another stack is named by that:
# {"name": "google", "stack": "acme/training/google"}.
manager = k8s.Provider("manager", kubeconfig=config.require_secret("manager"), cluster_identifier="manager")
Queues(
    "manager",
    {
        "pools": [],
        "dispatch": {
            "manager": "acme-research",
            "clusters": [
                {"name": "google", "dispatch": google.dispatch},
                {"name": "amazon", "dispatch": amazon.dispatch},
            ],
            "queues": {"train": ["google", "amazon"]},
        },
    },
    pulumi.ResourceOptions(provider=manager),
)

pulumi.export("queue", "train")

"""A cluster on GKE and one on EKS from one program, and what a pod adds to its spec on each.

COST: A4 and P5 nodes are among the dearest machines there are, and billed while they exist: destroy them in time.
"""

import pulumi
from rdma_cluster.eks import EksRdmaCluster
from rdma_cluster.gke import GkeRdmaCluster

google = GkeRdmaCluster(
    "google",
    {
        "project": pulumi.Config("gcp").require("project"),
        "zone": "us-west8-c",
        "pools": [{"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}],
    },
)
amazon = EksRdmaCluster(
    "amazon",
    {
        "region": "us-east-2",
        "zone": "us-east-2a",
        "network": {"control_plane_zones": ["us-east-2b"]},
        "kubernetes": {"admins": [pulumi.Config().require("admin")]},
        "pools": [{"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "capacity": {"on_demand": True}}],
    },
)

pulumi.export("workloads", {"google": google.workloads, "amazon": amazon.workloads})

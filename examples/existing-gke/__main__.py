"""A4 nodes in a GKE cluster and VPCs that exist: a node pool, drivers, claims, and the proof. No network is made.

The cluster has Dataplane V2, multi-networking and DRA; the VPC of the rails has the RDMA network profile of the zone.

COST: A4 nodes are among the dearest machines there are, and billed while they exist: destroy them in time.
"""

import pulumi
from rdma_cluster.gke import GkeRdmaCluster

config = pulumi.Config()

training = GkeRdmaCluster(
    "training",
    {
        "project": pulumi.Config("gcp").require("project"),
        "zone": "us-west8-c",
        "kubernetes": {
            "name": config.require("cluster"),
            # Of a regional cluster the region; the endpoint is that of its kubeconfig.
            "existing": {"location": "us-west8", "endpoint": config.require("endpoint")},
        },
        "network": {
            "existing": {
                "network": "shared",
                "subnetwork": "nodes",
                "pod_range": "pods",
                "service_range": "services",
                "gvnic": {"network": "gvnic", "subnetwork": "gvnic"},
                "rails": [{"network": "rdma", "subnetwork": f"rail-{i}"} for i in range(8)],
            }
        },
        "pools": [{"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}],
    },
)

pulumi.export("workloads", training.workloads)

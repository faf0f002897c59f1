"""P5 nodes in an EKS cluster and a VPC that exist: a node group, drivers, claims, and the proof. No network is made.

COST: P5 nodes are among the dearest machines there are, and billed while they exist: destroy them in time.
"""

import pulumi
from rdma_cluster.eks import EksRdmaCluster, EksSubnet

config = pulumi.Config()
zone = "us-east-2a"
# Private subnets by zone, two zones at least; nodes with EFA are in one of them.
subnets = [EksSubnet(subnet=subnet, zone=each) for each, subnet in config.require_object("subnets").items()]

training = EksRdmaCluster(
    "training",
    {
        "region": "us-east-2",
        "zone": zone,
        "kubernetes": {
            "name": config.require("cluster"),
            "existing": {
                # All four are in `aws eks describe-cluster`, but the role that nodes run as.
                "endpoint": config.require("endpoint"),
                "ca_certificate": config.require("certificate"),
                "security_group": config.require("clusterSecurityGroup"),
                "node_role": config.require("nodeRole"),
            },
        },
        "network": {
            "existing": {
                "dns": True,
                "cluster_subnets": subnets,
                "gpu_subnets": [each for each in subnets if each["zone"] == zone],
                # Lets in all traffic from itself, and lets out all traffic to itself.
                "security_group": config.require("efaSecurityGroup"),
            }
        },
        "pools": [{"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "capacity": {"on_demand": True}}],
    },
    # What is there already is not lost with a typing error.
    pulumi.ResourceOptions(protect=True),
)

pulumi.export("workloads", training.workloads)

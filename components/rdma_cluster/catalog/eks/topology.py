"""Where in AWS's network a node is: the labels that EKS gives it, and the machine types of which EC2 knows."""

# docs.aws.amazon.com/eks/latest/userguide/ml-workload-topology.html (seen 2026-10-31). Some machines have a fourth
# layer below these three.
NETWORK_LAYERS = (
    "topology.k8s.aws/network-node-layer-1",
    "topology.k8s.aws/network-node-layer-2",
    "topology.k8s.aws/network-node-layer-3",
)
"""The widest first."""

# docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-topology-prerequisites.html and the SDKs' pages of
# DescribeInstanceTopology (seen 2026-10-31). The list goes on; these were read.
KNOWS_ITS_LAYERS = frozenset(
    {
        "p4d.24xlarge",
        "p4de.24xlarge",
        "p5.48xlarge",
        "p5e.48xlarge",
        "p5en.48xlarge",
        "p6-b200.48xlarge",
        "g6e.8xlarge",
        "g6e.12xlarge",
        "g6e.16xlarge",
        "g6e.24xlarge",
        "g6e.48xlarge",
        "g7e.8xlarge",
        "g7e.12xlarge",
        "g7e.24xlarge",
        "g7e.48xlarge",
    }
)
"""Machine types whose nodes have the labels."""

"""The in-cluster half on a cluster that somebody else makes and keeps: drivers, claim templates, and the proof.

The GPU nodes are there, two `p5.48xlarge` with all their EFA interfaces; nothing of the cloud is asked for or changed.

COST: nothing by itself; the test has the nodes to itself for some minutes, and they are billed by whoever made them.
"""

import pulumi
import pulumi_kubernetes as k8s
from rdma_cluster.incluster import ClaimTemplates, DraDrivers, NcclAcceptance, NodePools

theirs = k8s.Provider("theirs", kubeconfig=pulumi.Config().require_secret("kubeconfig"))
opts = pulumi.ResourceOptions(provider=theirs)
nodes: NodePools = {
    "pools": [{"name": "p5", "machine": "p5.48xlarge", "nodes": 2}],
    "pool_label": "eks.amazonaws.com/nodegroup",
    "taint": {"key": "nvidia.com/gpu", "value": "present"},
    "host": "al2023",
}

# Which driver hands out the NICs follows from the machine; components that contradict each other are refused.
drivers = DraDrivers("drivers", {**nodes}, opts)
claims = ClaimTemplates("claims", {**nodes}, opts)
proof = NcclAcceptance("proof", {**nodes}, opts, after=[drivers])

pulumi.export("claims", claims.names)
pulumi.export("proofs", proof.proofs)

"""The in-cluster half on a cluster that somebody else makes and keeps: drivers, claim templates, and the proof.

The GPU nodes are there, two `p5.48xlarge` with all their EFA interfaces; nothing of the cloud is asked for or changed.

COST: nothing by itself; the test has the nodes to itself for some minutes, and they are billed by whoever made them.
"""

import pulumi
import pulumi_kubernetes as k8s
from rdma_cluster.incluster import ClaimTemplates, DraDrivers, NcclAcceptance

label = "eks.amazonaws.com/nodegroup"
machine = "p5.48xlarge"
theirs = k8s.Provider("theirs", kubeconfig=pulumi.Config().require_secret("kubeconfig"))
opts = pulumi.ResourceOptions(provider=theirs)

# Which driver hands out the NICs follows from the host; components that contradict each other are refused.
drivers = DraDrivers(
    "drivers",
    {
        "host": "al2023",
        "gpu_nodes": {"label": label, "values": ["p5"], "nodes": 2},
        "nic_nodes": {"label": label, "values": ["p5"], "nodes": 2},
    },
    opts,
)
claims = ClaimTemplates("claims", {"machines": [machine]}, opts)
proof = NcclAcceptance(
    "proof",
    {
        "pools": [{"name": "p5", "machine": machine, "nodes": 2}],
        "pool_label": label,
        "taint": {"key": "nvidia.com/gpu", "value": "present"},
    },
    opts,
    after=[drivers],
)

pulumi.export("claims", claims.names)
pulumi.export("proofs", proof.proofs)

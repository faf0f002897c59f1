"""An EKS cluster of P5 nodes, composed by hand: network, cluster, pool, drivers, claims, and the proof.

COST: P5 nodes are among the dearest machines there are, and billed while they exist: destroy them in time.
"""

import pulumi
import pulumi_aws as aws
from pulumi import ResourceOptions
from rdma_cluster.eks import EksCluster, EksGpuNodePool, EksHpcNetwork, EksPool
from rdma_cluster.incluster import ClaimTemplates, DraDrivers, NcclAcceptance, NodePools

region, zone, machine = "us-east-2", "us-east-2a", "p5.48xlarge"
opts = ResourceOptions(providers=[aws.Provider("train", region=region)])

network = EksHpcNetwork(
    "train", {"region": region, "zone": zone, "control_plane_zones": ["us-east-2b"], "machines": [machine]}, opts
)
admins = [pulumi.Config().require("admin")]
cluster = EksCluster("train", {"region": region, "admins": admins, **network.for_cluster}, opts)
p5 = EksPool(name="p5", machine=machine, nodes=2, capacity={"spot": True})
pool = EksGpuNodePool(
    "train-p5",
    {
        **p5,
        "region": region,
        "zone": zone,
        "cluster": cluster.name,
        "cluster_security_group": cluster.security_group,
        "efa_security_group": network.security_group,
        "node_role": cluster.node_role,
        "subnets": network.gpu_subnets,
    },
    ResourceOptions.merge(opts, ResourceOptions(depends_on=cluster.node_needs)),
)

# All that follows is in the cluster, and goes with it. Drivers come after the nodes, and leave before them.
on_cluster = ResourceOptions(provider=cluster.provider, deleted_with=cluster.cluster)
on_nodes = ResourceOptions.merge(on_cluster, ResourceOptions(depends_on=[pool.node_pool]))
nodes: NodePools = {
    "pools": [pool.listed],
    "pool_label": "eks.amazonaws.com/nodegroup",
    "taint": {"key": "nvidia.com/gpu", "value": "present"},
    "host": "al2023",
}
drivers = DraDrivers("train", {**nodes, "nic_registry": cluster.image_registry}, on_nodes)
# No NcclInstaller: EFA's plugin lies in the images of workloads.
claims = ClaimTemplates("train", {**nodes}, on_cluster)
proof = NcclAcceptance("train", {**nodes}, on_cluster, after=[drivers, pool.node_pool])

pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("claims", claims.names)
pulumi.export("proofs", proof.proofs)

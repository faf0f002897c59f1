"""A GKE cluster of A4 nodes, composed by hand: network, cluster, pool, drivers, NCCL's plugin, claims, and the proof.

COST: A4 nodes are among the dearest machines there are, and billed while they exist: destroy them in time.
"""

import pulumi
import pulumi_gcp as gcp
from pulumi import ResourceOptions
from rdma_cluster.gke import GkeCluster, GkeGpuNodePool, GkeHpcNetwork, GkePool
from rdma_cluster.incluster import ClaimTemplates, DraDrivers, NcclAcceptance, NcclInstaller, NodePools

project, zone, machine = pulumi.Config("gcp").require("project"), "us-west8-c", "a4-highgpu-8g"
opts = ResourceOptions(providers=[gcp.Provider("train", project=project)])

network = GkeHpcNetwork("train", {"project": project, "zone": zone, "machines": [machine]}, opts)
cluster = GkeCluster("train", {"project": project, "zone": zone, **network.primary}, opts)
a4 = GkePool(name="a4", machine=machine, nodes=2, capacity={"spot": True})
pool = GkeGpuNodePool(
    "train-a4",
    {
        **a4,
        "project": project,
        "zone": zone,
        "cluster": cluster.name,
        "location": "us-west8",
        "networks": network.node_networks,
        "service_account": cluster.node_service_account,
    },
    opts,
)

# All that follows is in the cluster, and goes with it. Drivers come after the nodes, and leave before them.
on_cluster = ResourceOptions(provider=cluster.provider, deleted_with=cluster.cluster)
on_nodes = ResourceOptions.merge(on_cluster, ResourceOptions(depends_on=[pool.node_pool]))
nodes: NodePools = {
    "pools": [pool.listed],
    "pool_label": "cloud.google.com/gke-nodepool",
    "taint": {"key": "nvidia.com/gpu", "value": "present"},
    "host": "cos",
}
drivers = DraDrivers("train", {**nodes}, on_nodes)
plugin = NcclInstaller("train-gib", {**nodes}, on_nodes)
claims = ClaimTemplates("train", {**nodes}, on_cluster)
proof = NcclAcceptance("train", {**nodes}, on_cluster, after=[drivers, plugin, pool.node_pool])

pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("claims", claims.names)
pulumi.export("proofs", proof.proofs)

"""An AKS cluster of ND H100 v5 nodes, composed by hand: network, cluster, pool, drivers, claims, files, and the proof.

COST: ND H100 v5 nodes are among the dearest machines there are, and billed while they exist: destroy them in time.
"""

import pulumi
import pulumi_azure_native as azure
from pulumi import ResourceOptions
from rdma_cluster.aks import AksCluster, AksGpuNodePool, AksHpcNetwork, AksOperators, AksPool
from rdma_cluster.incluster import ClaimTemplates, DraDrivers, NcclAcceptance, NodePools, PodFiles

subscription, location = pulumi.Config("azure-native").require("subscriptionId"), "southcentralus"
machine = "Standard_ND96isr_H100_v5"
opts = ResourceOptions(providers=[azure.Provider("train", subscription_id=subscription, location=location)])

group = azure.resources.ResourceGroup("train", location=location, opts=opts).name
network = AksHpcNetwork("train", {"location": location, "resource_group": group}, opts)
cluster = AksCluster(
    "train",
    {
        "subscription": subscription,
        "location": location,
        "resource_group": group,
        "subnet": network.subnet,
        "admins": [{"id": pulumi.Config().require("admin")}],
    },
    opts,
)
h100 = AksPool(name="h100", machine=machine, nodes=2, capacity={"on_demand": True})
pool = AksGpuNodePool(
    "train-h100",
    {**h100, "resource_group": group, "cluster": cluster.name, "subnet": network.subnet},
    ResourceOptions.merge(opts, ResourceOptions(depends_on=cluster.pool_needs)),
)

# All that follows is in the cluster, and goes with it. Drivers come after the nodes, and leave before them.
on_cluster = ResourceOptions(provider=cluster.provider, deleted_with=cluster.cluster)
on_nodes = ResourceOptions.merge(on_cluster, ResourceOptions(depends_on=[pool.node_pool]))
nodes: NodePools = {
    "pools": [pool.listed],
    "pool_label": "kubernetes.azure.com/agentpool",
    "taint": {"key": "nvidia.com/gpu", "value": "present"},
    "host": "ubuntu-operator",
}
operators = AksOperators("train", {**nodes}, on_nodes)
on_drivers = ResourceOptions.merge(on_nodes, ResourceOptions(depends_on=[operators]))
drivers = DraDrivers("train", {**nodes}, on_drivers)
# No NcclInstaller: NCCL needs no plugin for InfiniBand, and finds Azure's topology in a file.
claims = ClaimTemplates("train", {**nodes}, on_cluster)
PodFiles("train", {**nodes, "namespaces": ["default"]}, on_cluster)
proof = NcclAcceptance(
    "train",
    {**nodes, "driver_seconds": operators.driver_seconds},
    on_cluster,
    after=[drivers, operators, pool.node_pool],
)

pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("claims", claims.names)
pulumi.export("proofs", proof.proofs)

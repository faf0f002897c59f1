"""An OKE cluster of H100 nodes, composed by hand: network, cluster, rights, image, pool, files, and the proof.

COST: BM.GPU.H100.8 nodes are among the dearest machines there are, and billed while they exist: destroy them in time.
"""

import pulumi
import pulumi_oci as oci
from pulumi import ResourceOptions
from rdma_cluster.incluster import NcclAcceptance, NodePools, PodFiles
from rdma_cluster.oke import (
    OkeCluster,
    OkeGpuNodePool,
    OkeHpcNetwork,
    OkeIdentityPolicies,
    OkeImportedImage,
    OkePlace,
    OkePool,
    OkePoolMode,
)

region, tenancy = pulumi.Config("oci").require("region"), pulumi.Config("oci").require("tenancyOcid")
compartment, machine = pulumi.Config().require("compartment"), "BM.GPU.H100.8"
place = OkePlace(region=region, tenancy=tenancy, compartment=compartment, zone="TrcQ:EU-FRANKFURT-1-AD-3")
opts = ResourceOptions(providers=[oci.Provider("train", region=region, tenancy_ocid=tenancy)])

network = OkeHpcNetwork("train", {"region": region, "compartment": compartment}, opts)
cluster = OkeCluster("train", {**place, **network.for_cluster}, opts)
rights = OkeIdentityPolicies(
    "train",
    {
        "region": region,
        "tenancy": tenancy,
        "compartment": compartment,
        "cluster": cluster.id,
        "modes": [OkePoolMode.MANAGED],
    },
    opts,
)
image = OkeImportedImage("train", {"compartment": compartment, "machines": [machine]}, opts)
h100 = OkePool(name="h100", machine=machine, nodes=2, capacity={"on_demand": True})
pool = OkeGpuNodePool(
    "train-h100",
    {**place, **h100, **cluster.for_pools, "image_id": image.image},
    ResourceOptions.merge(opts, ResourceOptions(depends_on=rights.policies)),
)

# All that follows is in the cluster, and goes with it. No drivers and no claims: Oracle's image brings the drivers,
# OKE's plugin hands out the GPUs, and a pod in its node's network has all NICs. Nor does NCCL need a plugin for RoCE.
on_cluster = ResourceOptions(provider=cluster.provider, deleted_with=cluster.cluster)
nodes: NodePools = {
    "pools": [pool.listed],
    "pool_label": "rdma-cluster/pool",
    "taint": {"key": "nvidia.com/gpu", "value": "present"},
    "host": "ubuntu-oke",
}
PodFiles("train", {**nodes, "namespaces": ["default"]}, on_cluster)
proof = NcclAcceptance("train", {**nodes}, on_cluster, after=pool.nodes)

pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("proofs", proof.proofs)

"""A fabric, and a pool of A4 nodes on it, in a program of one's own: no stack, no cluster of ours.

COST: A4 nodes are among the dearest machines there are, and billed while they exist. Destroy them when you are done.
"""

import pulumi
import pulumi_gcp as gcp
from rdma_cluster.gke import GkeGpuNodePool, GkeHpcNetwork

project = pulumi.Config("gcp").require("project")
cluster = pulumi.Config().require("cluster")
zone = "us-west8-c"

network = GkeHpcNetwork("fabric", {"project": project, "zone": zone, "machines": ["a4-highgpu-8g"], "max_nodes": 16})
pool = GkeGpuNodePool(
    "a4",
    {
        "project": project,
        "zone": zone,
        "location": "us-west8",
        "cluster": cluster,
        "name": "a4",
        "machine": "a4-highgpu-8g",
        "nodes": 2,
        "capacity": {"spot": True},
        "networks": network.node_networks,
    },
)
bucket = gcp.storage.Bucket("checkpoints", location="US")

pulumi.export("pool", pool.name)
pulumi.export("checkpoints", bucket.url)

"""H100 nodes in an OKE cluster and a VCN that exist: a cluster network, drivers, and the proof. No network is made.

COST: BM.GPU.H100.8 nodes are among the dearest machines there are, and billed while they exist: destroy them in time.
"""

import pulumi
from rdma_cluster.oke import OkeEndpoint, OkeRdmaCluster

config, oci = pulumi.Config(), pulumi.Config("oci")
subnet, group = config.require("subnet"), config.require("group")

training = OkeRdmaCluster(
    "training",
    {
        "region": oci.require("region"),
        "tenancy": oci.require("tenancyOcid"),
        "compartment": config.require("compartment"),
        "zone": "TrcQ:EU-FRANKFURT-1-AD-3",
        "kubernetes": {
            "name": "shared",
            "version": "1.35.2",
            "endpoint": OkeEndpoint.PUBLIC,
            "existing": {"id": config.require("cluster")},
        },
        "network": {
            "existing": {
                "vcn": config.require("vcn"),
                "api_subnet": subnet,
                "worker_subnet": subnet,
                "pod_subnet": subnet,
                "load_balancer_subnet": subnet,
                "cidrs": ["10.0.0.0/16"],
                "pod_subnet_cidr": "10.0.128.0/17",
                "worker_groups": [group],
                "pod_groups": [group],
            }
        },
        "pools": [{"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": {"on_demand": True}}],
    },
)

pulumi.export("workloads", training.workloads)

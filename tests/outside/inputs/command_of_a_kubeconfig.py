"""Prints the command that a stack's kubeconfig runs for a token, where the stack's configuration names a profile."""

import json
import sys
from typing import Any

from pulumi_offline import preview
from rdma_cluster.eks import EksRdmaCluster
from rdma_cluster.oke import OkeRdmaCluster

PUBLIC = {"endpoint": "public", "public_cidrs": ["203.0.113.7/32"]}
EKS: Any = {
    "region": "us-east-2",
    "zone": "us-east-2a",
    "network": {"control_plane_zones": ["us-east-2b"]},
    "kubernetes": {"admins": ["arn:aws:iam::111122223333:role/admin"], **PUBLIC},
    "pools": [{"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "capacity": {"spot": True}}],
}
OKE: Any = {
    "region": "eu-frankfurt-1",
    "tenancy": "ocid1.tenancy.oc1..aaaaexample",
    "compartment": "ocid1.compartment.oc1..aaaaexample",
    "zone": "TrcQ:EU-FRANKFURT-1-AD-3",
    "kubernetes": PUBLIC,
    "pools": [
        {
            "name": "h100",
            "machine": "BM.GPU.H100.8",
            "nodes": 2,
            "mode": "cluster-network",
            "capacity": {"on_demand": True},
        }
    ],
}
texts: list[str] = []


def program() -> None:
    """The cluster of the cloud that the command line names."""
    cluster = EksRdmaCluster("train", EKS) if sys.argv[1] == "eks" else OkeRdmaCluster("train", OKE)
    cluster.kubeconfig.apply(texts.append)


preview(program, config={"aws:profile": "corp", "oci:configFileProfile": "CORP", "oci:auth": "SecurityToken"})
print(*json.loads(texts[0])["users"][0]["user"]["exec"]["args"])

"""A user's own provider signs in by a session token; the policies need a second one, in the home region."""

import pulumi
import pulumi_oci
from rdma_cluster.oke import OkeRdmaCluster

_TENANCY = "ocid1.tenancy.oc1..aaaaexample"


def program() -> None:
    provider = pulumi_oci.Provider(
        "corp", region="eu-frankfurt-1", tenancy_ocid=_TENANCY, auth="SecurityToken", config_file_profile="CORP"
    )
    OkeRdmaCluster(
        "train",
        {
            "region": "eu-frankfurt-1",
            "tenancy": _TENANCY,
            "compartment": "ocid1.compartment.oc1..aaaaexample",
            "zone": "TrcQ:EU-FRANKFURT-1-AD-3",
            "kubernetes": {"endpoint": "public", "public_cidrs": ["203.0.113.7/32"]},
            "pools": [
                {
                    "name": "h100",
                    "machine": "BM.GPU.H100.8",
                    "nodes": 2,
                    "mode": "cluster-network",
                    "capacity": {"on_demand": True},
                }
            ],
        },
        pulumi.ResourceOptions(provider=provider),
    )

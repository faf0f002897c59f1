"""An OKE stack to begin with: what `init` writes, and what the reference shows."""

EXAMPLE = {
    "region": "eu-frankfurt-1",
    "tenancy": "ocid1.tenancy.oc1..aaaaexample",
    "compartment": "ocid1.compartment.oc1..aaaaexample",
    "zone": "TrcQ:EU-FRANKFURT-1-AD-3",
    "pools": [
        {
            "name": "h100",
            "machine": "BM.GPU.H100.8",
            "nodes": 2,
            "mode": "cluster-network",
            "capacity": {"onDemand": True},
            "image": {"release": "ubuntu-24.04-570"},
        }
    ],
    "kubernetes": {"endpoint": "public", "publicCidrs": ["203.0.113.7/32"]},
}
"""Args in a stack file's spelling."""

"""An EKS stack to begin with: what `init` writes, and what the reference shows."""

EXAMPLE = {
    "region": "us-east-2",
    "zone": "us-east-2a",
    "pools": [
        {
            "name": "p5",
            "machine": "p5.48xlarge",
            "nodes": 2,
            "capacity": {"capacityBlock": {"id": "cr-0123456789abcdef0"}},
        }
    ],
    "kubernetes": {
        "admins": ["arn:aws:iam::111122223333:role/admin"],
        "endpoint": "public",
        "publicCidrs": ["203.0.113.7/32"],
    },
    "network": {"controlPlaneZones": ["us-east-2b"]},
}
"""Args in a stack file's spelling."""

"""Each EKS component on its own."""

from typing import Any

_POOL: dict[str, Any] = {"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "capacity": {"spot": True}}
_PLACE = {"region": "us-east-2", "zone": "us-east-2a"}
_SUBNETS = [{"subnet": "a", "zone": "us-east-2a"}, {"subnet": "b", "zone": "us-east-2b"}]
_ADMINS = {"admins": ["arn:aws:iam::111122223333:role/admin"]}
_FURTHER_ZONES = {"control_plane_zones": ["us-east-2b"]}

COMPONENTS: dict[str, dict[str, Any]] = {
    "EksHpcNetwork": {**_PLACE, "machines": ["p5.48xlarge"], **_FURTHER_ZONES},
    "EksCluster": {"region": "us-east-2", "subnets": _SUBNETS, **_ADMINS},
    "EksGpuNodePool": {
        **_PLACE,
        **_POOL,
        "cluster": "c",
        "cluster_security_group": "sg-1",
        "efa_security_group": "sg-2",
        "node_role": "r",
        "subnets": _SUBNETS[:1],
    },
    "EksStorage": {
        "region": "us-east-2",
        "cluster": "c",
        "namespaces": ["default"],
        "lustre": {"capacity_gib": 4800, "mbps_per_tib": 500},
        "subnet": "subnet-1",
        "security_group": "sg-1",
    },
    "EksRdmaCluster": {**_PLACE, "pools": [_POOL], "kubernetes": _ADMINS, "network": _FURTHER_ZONES},
}

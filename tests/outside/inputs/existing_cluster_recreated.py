"""Another stack makes its cluster anew under the same name: server and certificate change, the name does not."""

from rdma_cluster.aks import AksOutbound, AksRdmaCluster

_SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
_SUBNET = f"/subscriptions/{_SUBSCRIPTION}/resourceGroups/n/providers/Microsoft.Network/virtualNetworks/v/subnets/s"


def _cluster(server: str, certificate: str) -> None:
    AksRdmaCluster(
        "train",
        {
            "subscription": _SUBSCRIPTION,
            "location": "southcentralus",
            "resource_group": "rg",
            "kubernetes": {"name": "corp", "existing": {"server": server, "ca_certificate": certificate}},
            "network": {
                "existing": {"subnet": _SUBNET, "cidrs": ["10.224.0.0/12"], "outbound": AksOutbound.LOAD_BALANCER}
            },
            "pools": [
                {
                    "name": "h100",
                    "machine": "Standard_ND96isr_H100_v5",
                    "nodes": 2,
                    "capacity": {"on_demand": True},
                    "gpu_allocation": "device-plugin",
                }
            ],
        },
    )


def before() -> None:
    _cluster("https://corp-abc.hcp.southcentralus.azmk8s.io:443", "Zm9v")


def after() -> None:
    _cluster("https://corp-xyz.hcp.southcentralus.azmk8s.io:443", "YmFy")

"""A GKE plan in words and numbers: sections of flat rows, for people as tables and for programs as JSON."""

from ...clouds.pools import PoolPlan
from ...clouds.summary import Row, Summary, machine_rows, summary_of
from .cluster import ClusterPlan
from .network import NetworkPlan
from .rdma_cluster import RdmaClusterPlan

_FIRST_RAIL_INTERFACE = 2  # eth0 is the primary NIC, eth1 the gVNIC


def summarise(plan: RdmaClusterPlan) -> Summary:
    """The plan's sections, in the order a reader wants them."""
    return summary_of(
        plan.pools,
        plan.whole,
        plan.warnings,
        cluster={
            "name": plan.cluster.name,
            "location": plan.cluster.location,
            "zone": plan.zone,
            "version": plan.cluster.version,
            "endpoint": plan.cluster.endpoint.value,
            "made": "existing" if plan.cluster.existing else "new",
        },
        pool_columns=lambda pool: {},
        rails=lambda pool: _rails(pool, plan.network),
        addresses=_addresses(plan.network),
        versions=_versions(plan.cluster),
    )


def _rails(pool: PoolPlan, network: NetworkPlan | None) -> list[Row]:
    rows = machine_rows(pool.machine)
    for rail, row in enumerate(rows):
        row["eth"] = f"eth{_FIRST_RAIL_INTERFACE + rail}"
        row["subnet"] = f"rail-{rail}"
        row["cidr"] = network.rails[rail] if network else "existing"
    return rows


def _addresses(network: NetworkPlan | None) -> list[Row]:
    if network is None:
        return []
    return [
        {"subnet": "nodes", "cidr": network.nodes, "network": "primary VPC"},
        {"subnet": "pods", "cidr": network.pods, "network": "primary VPC, secondary range"},
        {"subnet": "services", "cidr": network.services, "network": "primary VPC, secondary range"},
        {"subnet": "gvnic", "cidr": network.gvnic, "network": "gVNIC VPC"},
        *(
            {"subnet": f"rail-{i}", "cidr": cidr, "network": f"RoCE VPC, MTU {network.rail_mtu_bytes}"}
            for i, cidr in enumerate(network.rails)
        ),
    ]


def _versions(cluster: ClusterPlan) -> list[Row]:
    if cluster.existing:
        return []
    return [{"part": "GKE", "version": f"{cluster.version} or later, channel {cluster.release_channel}"}]

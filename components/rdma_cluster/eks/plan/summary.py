"""An EKS plan in words and numbers: sections of flat rows, for people as tables and for programs as JSON."""

from ...common.summary import Row, Summary, machine_rows, summarise_plan, summary_of
from .node_pool import EksNodePoolPlan
from .rdma_cluster import EksRdmaClusterPlan


@summarise_plan.register
def summarise(plan: EksRdmaClusterPlan) -> Summary:
    """The plan's sections, in the order a reader wants them."""
    return summary_of(
        plan.pools,
        plan.in_cluster,
        plan.warnings,
        cluster={
            "name": plan.cluster.name,
            "region": plan.cluster.region,
            "zone": plan.args["zone"],
            "version": plan.cluster.version,
            "endpoint": plan.cluster.endpoint.value,
            "made": "existing" if plan.cluster.existing else "new",
        },
        region=plan.cluster.region,
        pool_columns=lambda pool: {"pods": pool.max_pods or "EKS's own count"},
        rails=_rails,
        addresses=_addresses(plan),
        versions=_versions(plan),
    )


def _rails(pool: EksNodePoolPlan) -> list[Row]:
    """One row for each EFA device, with its place in the launch template.

    Devices go by PCI address and interfaces by card; that the two orders agree is taken, not published.
    """
    places = [each for each in pool.interfaces if each.kind != "interface"]
    # Class A lists card 0's second interface before the others, so that cards are in order.
    rows = machine_rows(pool.machine)
    for row, place in zip(rows, places, strict=True):
        row.pop("nic")
        row["card"] = place.card
        row["device"] = place.device
        row["interface"] = place.kind
    return rows


def _addresses(plan: EksRdmaClusterPlan) -> list[Row]:
    network = plan.network
    if network is None:
        return []
    rows = [
        {"subnet": "vpc", "cidr": network.cidr, "zone": "all"},
        {"subnet": f"gpu, {network.node_addresses} addresses a node", "cidr": network.gpu, "zone": network.zone},
        *({"subnet": "cluster", "cidr": cidr, "zone": zone} for zone, cidr in network.cluster.items()),
        {"subnet": "public, NAT gateway", "cidr": network.public, "zone": network.public_zone},
    ]
    return [*rows, {"subnet": "services", "cidr": plan.cluster.service_cidr, "zone": "inside the cluster"}]


def _versions(plan: EksRdmaClusterPlan) -> list[Row]:
    rows = [("node image", ", ".join(sorted({pool.ami_type for pool in plan.pools})))]
    if not plan.cluster.existing:
        addons = (*plan.cluster.addons_before_nodes, *plan.cluster.addons_on_nodes)
        versions = [(f"add-on {addon.name}", addon.version or "EKS's default at creation") for addon in addons]
        rows = [("EKS", plan.cluster.version), *versions, *rows]
    return [{"part": part, "version": version} for part, version in rows]

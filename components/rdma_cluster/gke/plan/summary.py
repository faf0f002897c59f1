"""A GKE plan in words and numbers: sections of flat rows, for people as tables and for programs as JSON."""

from dataclasses import replace

from ...catalog.gke import GkeMachine
from ...common.pools import PoolPlan
from ...common.summary import Row, Section, Summary, machine_rows, summarise_plan, summary_of
from .cluster import GkeClusterPlan
from .network import GkeNetworkPlan, VpcPlan
from .rdma_cluster import GkeRdmaClusterPlan

_IPV6 = "IPv6, by Google"


@summarise_plan.register
def summarise(plan: GkeRdmaClusterPlan) -> Summary:
    """The plan's sections, in the order a reader wants them."""
    summary = summary_of(
        plan.pools,
        plan.in_cluster,
        plan.warnings,
        cluster={
            "name": plan.cluster.name,
            "location": plan.cluster.location,
            "zone": plan.place.zone,
            "version": plan.cluster.version,
            "endpoint": plan.cluster.endpoint.value,
            "made": "existing" if plan.cluster.existing else "new",
        },
        region=plan.place.region,
        pool_columns=lambda pool: {},
        rails=lambda pool: _rails(pool, plan.network),
        addresses=_addresses(plan.network),
        versions=_versions(plan.cluster),
    )
    return replace(summary, sections=(*summary.sections, Section("unasked", _unasked(plan))))


def _unasked(plan: GkeRdmaClusterPlan) -> list[Row]:
    """What only Google knows, and who asks: the provider has no function that lists the zones with a profile."""
    rows: list[Row] = [
        {
            "about": each.about,
            "tells": each.tells,
            "asked_by": "pulumi preview",
            "permissions": ", ".join(each.permissions),
        }
        for each in plan.look_ups
    ]
    profiles = dict.fromkeys(vpc.profile for vpc in (plan.network.vpcs if plan.network else ()) if vpc.profile)
    for profile in (name.rpartition("/")[2] for name in profiles):
        by_hand = f"gcloud compute network-profiles describe {profile}"
        told = {"about": f"network profile {profile}", "tells": "whether the zone has it", "asked_by": by_hand}
        rows.append({**told, "permissions": None})
    return rows


def _rails(pool: PoolPlan, network: GkeNetworkPlan | None) -> list[Row]:
    machine = pool.machine
    assert isinstance(machine, GkeMachine)
    rows = machine_rows(machine)
    subnets = [subnet for vpc in network.vpcs for subnet in vpc.subnets] if network else []
    auto = network is not None and not network.vpcs
    # eth0 is the primary NIC, and the rails are the last ones.
    first = machine.node_networks - machine.nics
    for rail, row in enumerate(rows):
        row["eth"] = f"eth{1 + first + rail}"
        row["subnet"] = subnets[first + rail].name if subnets else f"rail-{rail}"
        row["cidr"] = (subnets[first + rail].cidr or _IPV6) if subnets else "by GKE" if auto else "existing"
    return rows


def _addresses(network: GkeNetworkPlan | None) -> list[Row]:
    if network is None:
        return []
    return [
        {"subnet": "nodes", "cidr": network.nodes, "network": "primary VPC"},
        {"subnet": "pods", "cidr": network.pods, "network": "primary VPC, secondary range"},
        {"subnet": "services", "cidr": network.services, "network": "primary VPC, secondary range"},
        *(
            {"subnet": subnet.name, "cidr": subnet.cidr or _IPV6, "network": _in_words(vpc)}
            for vpc in network.vpcs
            for subnet in dict.fromkeys(vpc.subnets)
        ),
    ]


def _in_words(vpc: VpcPlan) -> str:
    kind = "RoCE VPC" if vpc.profile else "gVNIC VPC"
    return f"{kind}, MTU {vpc.mtu_bytes}" if vpc.mtu_bytes else kind


def _versions(cluster: GkeClusterPlan) -> list[Row]:
    if cluster.existing:
        return []
    return [{"part": "GKE", "version": f"{cluster.version} or later, channel {cluster.release_channel}"}]

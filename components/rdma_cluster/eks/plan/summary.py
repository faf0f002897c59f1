"""An EKS plan in words and numbers: sections of flat rows, for people as tables and for programs as JSON."""

from ...catalog import releases
from ...pools import GpuAllocation
from ...summary import Row, Summary, acceptance_rows, claim_rows, machine_rows
from .network import NetworkPlan
from .node_pool import NodePoolPlan
from .rdma_cluster import RdmaClusterPlan


def summarise(plan: RdmaClusterPlan) -> Summary:
    """The plan's sections, in the order a reader wants them."""
    machines = {pool.machine.name: pool for pool in plan.pools}
    sections: dict[str, list[Row]] = {
        "cluster": [
            {
                "name": plan.cluster.name,
                "region": plan.cluster.region,
                "zone": plan.zone,
                "version": plan.cluster.version,
                "endpoint": plan.cluster.endpoint.value,
                "made": "existing" if plan.cluster.existing else "new",
            }
        ],
        "pools": [
            {
                "name": pool.name,
                "machine": pool.machine.name,
                "nodes": pool.nodes,
                "capacity": f"{pool.capacity.value} {pool.reservation or pool.reservation_group or ''}".strip(),
                "gpus": f"{pool.machine.gpus} x {pool.machine.gpu.model}" if pool.machine.gpu else "none",
                "rails": f"{pool.machine.nics} x {pool.machine.nic_gbps} Gb/s",
                "pods": pool.max_pods or "EKS's own count",
                "allocation": pool.gpu_allocation.value,
            }
            for pool in plan.pools
        ],
    }
    for name, pool in machines.items():
        sections[f"rails of one {name}"] = _rails(pool)
    sections["addresses"] = _addresses(plan)
    for name, offers in plan.claims.by_machine.items():
        sections[f"claims on one {name}"] = claim_rows(offers)
    sections["acceptance"] = acceptance_rows(plan.acceptance)
    sections["versions"] = _versions(plan)
    return Summary(sections, plan.warnings)


def _rails(pool: NodePoolPlan) -> list[Row]:
    """One row an EFA device, beside its place in the launch template.

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


def _addresses(plan: RdmaClusterPlan) -> list[Row]:
    network: NetworkPlan | None = plan.network
    if network is None:
        return []
    rows = [
        {"subnet": "vpc", "cidr": network.cidr, "zone": "all"},
        {"subnet": f"gpu, {network.node_addresses} addresses a node", "cidr": network.gpu, "zone": network.zone},
        *({"subnet": "cluster", "cidr": cidr, "zone": zone} for zone, cidr in network.cluster.items()),
        {"subnet": "public, NAT gateway", "cidr": network.public, "zone": network.public_zone},
    ]
    return [*rows, {"subnet": "services", "cidr": plan.cluster.service_cidr, "zone": "inside the cluster"}]


def _versions(plan: RdmaClusterPlan) -> list[Row]:
    drivers = plan.drivers
    by_plugin = any(pool.gpu_allocation is GpuAllocation.DEVICE_PLUGIN for pool in plan.pools)
    charts = [
        (drivers.gpu, "NVIDIA GPU DRA driver", releases.NVIDIA_DRA_DRIVER),
        (drivers.nic, "AWS DRA driver for EFA", releases.AWS_DRANET),
        (by_plugin, "NVIDIA device plugin", releases.NVIDIA_DEVICE_PLUGIN),
        (by_plugin, "EFA device plugin", releases.EFA_DEVICE_PLUGIN),
    ]
    addons = (*plan.cluster.addons_before_nodes, *plan.cluster.addons_on_nodes)
    rows: list[tuple[bool, str, str]] = [
        (not plan.cluster.existing, "EKS", plan.cluster.version),
        *(
            (not plan.cluster.existing, f"add-on {addon.name}", addon.version or "EKS's default at creation")
            for addon in addons
        ),
        (True, "node image", ", ".join(sorted({pool.ami_type for pool in plan.pools}))),
        *((wanted, part, f"{chart.version}, {chart.chart}") for wanted, part, chart in charts),
        (True, "NCCL plugin aws-ofi-nccl", "in the workload's image, 1.12 or later"),
    ]
    return [{"part": part, "version": version} for wanted, part, version in rows if wanted]

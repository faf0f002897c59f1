"""A GKE plan in words and numbers: sections of flat rows, for people as tables and for programs as JSON."""

from ...catalog import releases
from ...catalog.gke import GkeMachine
from ...summary import Row, Summary, acceptance_rows, claim_rows, machine_rows
from .network import NetworkPlan
from .rdma_cluster import RdmaClusterPlan

_FIRST_RAIL_INTERFACE = 2  # eth0 is the primary NIC, eth1 the gVNIC


def summarise(plan: RdmaClusterPlan) -> Summary:
    """The plan's sections, in the order a reader wants them."""
    machines = {pool.machine.name: pool.machine for pool in plan.pools}
    sections: dict[str, list[Row]] = {
        "cluster": [
            {
                "name": plan.cluster.name,
                "location": plan.cluster.location,
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
                "capacity": f"{pool.capacity.value} {pool.reservation or ''}".strip(),
                "gpus": f"{pool.machine.gpus} x {pool.machine.gpu.model}" if pool.machine.gpu else "none",
                "rails": f"{pool.machine.nics} x {pool.machine.nic_gbps} Gb/s",
                "allocation": pool.gpu_allocation.value,
            }
            for pool in plan.pools
        ],
    }
    for machine in machines.values():
        sections[f"rails of one {machine.name}"] = _rails(machine, plan.network)
    sections["addresses"] = _addresses(plan.network)
    for name, offers in plan.claims.by_machine.items():
        sections[f"claims on one {name}"] = claim_rows(offers)
    sections["acceptance"] = acceptance_rows(plan.acceptance)
    sections["versions"] = _versions(plan)
    return Summary(sections, plan.warnings)


def _rails(machine: GkeMachine, network: NetworkPlan | None) -> list[Row]:
    rows = machine_rows(machine)
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


def _versions(plan: RdmaClusterPlan) -> list[Row]:
    drivers = plan.drivers
    gib = releases.GIB_X86
    rows: list[tuple[bool, str, str]] = [
        (not plan.cluster.existing, "GKE", f"{plan.cluster.version} or later, channel {plan.cluster.release_channel}"),
        (
            drivers.gpu,
            "NVIDIA GPU DRA driver",
            f"{releases.NVIDIA_DRA_DRIVER.version}, {releases.NVIDIA_DRA_DRIVER.chart}",
        ),
        (drivers.nic, "DraNet", f"{releases.DRANET.version}, {releases.DRANET.chart}"),
        (drivers.kernel, "NVIDIA kernel driver", "the node image's default, installed by our DaemonSet"),
        (True, "NCCL plugin gIB", f"{gib.version}, {gib.installer.rpartition(':')[0]}"),
    ]
    return [{"part": part, "version": version} for wanted, part, version in rows if wanted]

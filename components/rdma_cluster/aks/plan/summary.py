"""An AKS plan in words and numbers: sections of flat rows, for people as tables and for programs as JSON."""

from ...catalog import charts, images
from ...catalog.aks import AksMachine
from ...common.summary import Row, Summary, machine_rows, summarise_plan, summary_of
from .drivers import AksGpuDriver, AksRdmaDriver
from .rdma_cluster import AksRdmaClusterPlan


@summarise_plan.register
def summarise(plan: AksRdmaClusterPlan) -> Summary:
    """The plan's sections, in the order a reader wants them."""
    return summary_of(
        plan.pools,
        plan.in_cluster,
        plan.warnings,
        cluster={
            "name": plan.cluster.name,
            "location": plan.cluster.location,
            "zone": plan.cluster.zone or "none",
            "version": plan.cluster.version,
            "endpoint": plan.cluster.endpoint.value,
            "made": "existing" if plan.cluster.existing else "new",
        },
        region=plan.cluster.location,
        pool_columns=lambda pool: {"fabric": pool.machine.infiniband or "InfiniBand", "image": pool.os_sku},
        rails=lambda pool: _rails(pool.machine),
        addresses=_addresses(plan),
        versions=_versions(plan),
    )


def _rails(machine: AksMachine) -> list[Row]:
    """One row for each rail. No PCIe root is shared here: the GPU is the one that a claim for a pair gives."""
    rows, near = machine_rows(machine), {nic: gpu for gpu, nic in machine.neighbours}
    for rail, row in enumerate(rows):
        gpu = near.get(rail, "-")
        row["gpu"] = gpu
        row["gpu_pci"] = machine.gpu_pci[gpu] if machine.gpu_pci and gpu != "-" else "-"
        row.pop("root")
        row["nic"] = machine.rdma_names[rail] if machine.rdma_names else "-"
        row["nic_pci"] = machine.nic_pci[rail] if machine.nic_pci else "-"
    return rows


def _addresses(plan: AksRdmaClusterPlan) -> list[Row]:
    rows: list[Row] = []
    if (network := plan.network) is not None:
        blocks = {"virtual network": network.cidr, "nodes": network.nodes, "lustre": network.lustre}
        outbound = network.outbound.value
        rows += [{"subnet": name, "cidr": cidr, "outbound": outbound} for name, cidr in blocks.items() if cidr]
    if (overlay := plan.cluster.overlay) is not None:
        rows += [
            {"subnet": "pods", "cidr": overlay.pods, "outbound": "inside the cluster"},
            {"subnet": "services", "cidr": overlay.services, "outbound": "inside the cluster"},
        ]
    return rows


def _versions(plan: AksRdmaClusterPlan) -> list[Row]:
    drivers = plan.drivers
    rows = [] if plan.cluster.existing else [("AKS", plan.cluster.version)]
    rows.append(("node image", ", ".join(sorted({pool.os_sku for pool in plan.pools}))))
    for settings in (plan.operators.gpu, plan.operators.network):
        if settings is not None:
            rows.append((settings.chart.title, f"{settings.chart.version}, {settings.chart.chart}"))
    by_aks = drivers.gpu_driver is AksGpuDriver.AKS
    driver = "installed by AKS with the node image" if by_aks else charts.GPU_OPERATOR.title
    rows.append(("NVIDIA kernel driver", driver))
    doca = drivers.rdma_driver is AksRdmaDriver.DOCA
    rows.append(("InfiniBand driver", images.DOCA_DRIVER.image.rpartition(":")[2] if doca else "the kernel's own"))
    return [{"part": part, "version": version} for part, version in rows]

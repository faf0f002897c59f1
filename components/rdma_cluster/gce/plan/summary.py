"""A plan of plain machines in words and numbers: sections of flat rows, as of every cloud."""

from ...common.price import price_rows
from ...common.summary import Row, Section, Summary, acceptance_rows, machine_rows, pool_row, summarise_plan
from ...common.use import PoolUse
from .machine_config import container_words
from .network import GceNetworkPlan
from .rdma_cluster import GceRdmaClusterPlan
from .vms import VmsPlan

_BY_DOCKER = (
    "no Kubernetes, so no pod patch: these are the words of docker run, which each machine has in "
    "/etc/rdma-cluster/container: docker run $(cat /etc/rdma-cluster/container) YOUR-IMAGE"
)


@summarise_plan.register
def summarise(plan: GceRdmaClusterPlan) -> Summary:
    """The plan's sections, in the order a reader wants them."""
    return Summary(
        (
            Section("cluster", [{"name": plan.name, "zone": plan.args["zone"], "made": "machines without Kubernetes"}]),
            Section("pools", [_pool(pool) for pool in plan.pools]),
            Section("price", price_rows(plan.pools, plan.pools[0].place.region)),
            *(
                Section("rails", _rails(pool, plan.network), name)
                for name, pool in {pool.machine.name: pool for pool in plan.pools}.items()
            ),
            Section("addresses", _addresses(plan.network)),
            Section("acceptance", acceptance_rows(plan.acceptance)),
            Section("versions", _versions(plan)),
        ),
        plan.warnings,
        tuple(_use(pool) for pool in plan.pools),
    )


def _pool(pool: VmsPlan) -> Row:
    until = f"for {pool.run_hours} hours" if pool.run_hours else pool.reservation
    return pool_row(pool.name, pool.machine, pool.nodes, pool.capacity, until)


def _use(pool: VmsPlan) -> PoolUse:
    """Programs run in containers by hand: there is no pod to patch."""
    workload = {"docker": container_words(pool.start), "image": pool.fabric.acceptance.tests[0].image}
    return PoolUse(
        pool.name, pool.machine, pool.nodes, pool.fabric, (), workload=workload, how=_BY_DOCKER, form="docker run"
    )


def _rails(pool: VmsPlan, network: GceNetworkPlan | None) -> list[Row]:
    rows = machine_rows(pool.machine)
    for rail, row in enumerate(rows):
        row["subnet"] = f"rail-{rail}"
        row["cidr"] = network.subnets[f"rail-{rail}"] if network else "existing"
    return rows


def _addresses(network: GceNetworkPlan | None) -> list[Row]:
    if network is None:
        return []
    words = f"gVNIC VPC, MTU {network.mtu_bytes}"
    return [{"subnet": name, "cidr": block, "network": words} for name, block in network.subnets.items()]


def _versions(plan: GceRdmaClusterPlan) -> list[Row]:
    pool = plan.pools[0]
    rows = [("image", pool.image), ("GPU driver", f"{pool.start.driver}, by cos-extensions")]
    rows += [(f"NCCL plugin {pool.fabric.plugin.name}", pool.fabric.plugin.version)]
    rows += [(daemon.name, daemon.image) for daemon in pool.start.pod_patch.sidecars]
    return [{"part": part, "version": version} for part, version in rows]

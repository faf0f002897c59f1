"""An OKE plan in words and numbers: sections of flat rows, for people as tables and for programs as JSON."""

from string import Template

from ...catalog.oke import OkeMachine
from ...common.summary import Row, Section, Summary, machine_rows, summarise_plan, summary_of
from ...common.use import use_of
from .rdma_cluster import OkeRdmaClusterPlan


@summarise_plan.register
def summarise(plan: OkeRdmaClusterPlan) -> Summary:
    """The plan's sections, in the order a reader wants them."""
    summary = summary_of(
        plan.pools,
        plan.in_cluster,
        plan.warnings,
        cluster={
            "name": plan.cluster.name,
            "region": plan.args["region"],
            "zone": plan.args["zone"],
            "version": plan.cluster.version,
            "endpoint": plan.cluster.endpoint.value,
            "pods": f"{plan.cluster.cni.value}, {plan.rdma.nic_attachment.value}",
            "made": "existing" if plan.cluster.existing else "new",
        },
        region=plan.args["region"],
        pool_columns=lambda pool: {"mode": pool.mode.value},
        rails=lambda pool: _rails(pool.machine),
        addresses=_addresses(plan),
        versions=_versions(plan),
    )
    of_pools = {pool.machine.name for pool in plan.pools}
    others = {pool.machine.name: pool.machine for pool in plan.adopted if pool.machine.name not in of_pools}
    further = (
        Section("adopted", _adopted(plan)),
        *(Section("rails", _rails(machine), name) for name, machine in others.items()),
        Section("policies", _policies(plan)),
    )
    uses, workloads = [], plan.in_cluster.workloads
    for pool in plan.adopted:
        uses.append(use_of(pool.name, pool.machine, pool.nodes, (), workload=workloads[pool.name], offers=()))
    return Summary((*summary.sections, *further), summary.warnings, (*summary.uses, *uses))


def _rails(machine: OkeMachine) -> list[Row]:
    """One row a rail, with the device name that NCCL uses."""
    rows = machine_rows(machine)
    for row, device in zip(rows, machine.rdma_names or (), strict=False):
        row["device"] = device
    for row in rows:
        row["mtu"] = machine.rdma_mtu_bytes or "-"
    return rows


def _addresses(plan: OkeRdmaClusterPlan) -> list[Row]:
    rows: list[Row] = []
    if plan.network is not None:
        cuts = {"VCN": plan.network.cidr, **plan.network.cuts}
        reach = {name: "internet" if name in plan.network.public else "private" for name in cuts}
        private = {**({"VCN": plan.network.ipv6_cidr} if plan.network.ipv6_cidr else {}), **plan.network.ipv6_cuts}
        blocks = {name: ", ".join([cidr, *([private[name]] if name in private else [])]) for name, cidr in cuts.items()}
        rows = [{"subnet": name, "cidr": cidr, "reached_from": reach[name]} for name, cidr in blocks.items()]
    if plan.cluster.existing is None:
        inside = {"services": plan.cluster.service_cidr, "pods": plan.cluster.pod_cidr}
        where = "inside the cluster"
        rows += [{"subnet": name, "cidr": cidr, "reached_from": where} for name, cidr in inside.items() if cidr]
    return rows


def _adopted(plan: OkeRdmaClusterPlan) -> list[Row]:
    return [
        {
            "pool": pool.name,
            "machine": pool.machine.name,
            "nodes": pool.nodes,
            "which": ", ".join(pool.names) or pool.node_pool or pool.cluster_network,
            "labels": ", ".join(f"{key}={value}" for key, value in pool.labels.items()),
        }
        for pool in plan.adopted
    ]


def _policies(plan: OkeRdmaClusterPlan) -> list[Row]:
    """What IAM must say, with places for what is made; so that somebody else can write it, too."""
    names = {"group": "<group>", "cluster": plan.cluster.existing or "<cluster>", "compartment": "<compartment>"}
    return [
        {
            "statement": Template(each.text).substitute(names, host_group=each.host_group),
            "where": "tenancy" if each.in_tenancy else "compartment",
            "made": "yes" if plan.identity.make else "by you",
        }
        for each in plan.identity.statements
    ]


def _versions(plan: OkeRdmaClusterPlan) -> list[Row]:
    rows = []
    for pool in plan.pools:
        known = {"driver": pool.image.driver, "CUDA": pool.image.cuda}
        contents = [f"{what} {version}" for what, version in known.items() if version]
        rows.append((f"image of {pool.name}", ", ".join([pool.image.title or "by OCID", *contents])))
        rows.append((f"first boot of {pool.name}", f"scripts {pool.boot_digest}"))
    if plan.cluster.existing is None:
        addons = [(f"add-on {addon.name}", addon.version or "OKE's default") for addon in plan.cluster.addons]
        rows = [("OKE", plan.cluster.version), *addons, *rows]
    return [{"part": part, "version": version} for part, version in rows]

"""A stack of plain machines: every error of a configuration at once, or one plan of everything it builds."""

from dataclasses import replace
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Texts, args_schema
from ...base.other_names import other_names
from ...common.existing import check_addresses, check_ceiling, check_most
from ...common.google.names import GOOGLE, NAME, NAME_WORDS, Place, check_linked, place_of
from ...common.google.subnets import MOST_NODES
from ...common.names import check_once, check_own_name
from ...common.pools import check_pools
from ...common.stack import StackPlan, planner
from ...common.tags import check_tags
from ...incluster.plan.acceptance import AcceptancePlan, PoolTest
from ...incluster.plan.artifacts import ArtifactOptions, demanding
from ...incluster.plan.images import check_registries
from .acceptance import GceAcceptance, plan_machines_acceptance
from .network import BUILDABLE, GceAddresses, GceNetworkPlan, GceNic, plan_subnets
from .vms import GcePool, GceSystem, VmsPlan, check_system, ordered, plan_pool, to_test


@args_schema
class GceNetworkOptions(GceAddresses):
    """The addresses a stack may use, or the networks it uses in place of new ones."""

    existing: NotRequired[list[GceNic]]
    """Use these networks and make none: eth0's first, then one a rail in order. Their rules must let the machines speak
    to each other, and their NAT must reach the registries."""


_ALWAYS = "leave it out: GPUDirect-TCPX is on on all machines; acceptance.compare measures without it, too"


@other_names({_ALWAYS: "enable_gpu_direct network_tier", "zone": "region"})  # SkyPilot, gcloud
@args_schema
class GceRdmaClusterArgs(TypedDict):
    """Plain machines whose GPUs talk by GPUDirect-TCPX: where, which, how many."""

    project: str
    """Google Cloud project id."""
    zone: str
    """Zone of the machines. Example: ``us-central1-a``."""
    pools: list[GcePool]
    """Pools of machines."""
    network: NotRequired[GceNetworkOptions]
    """The fabric's addresses, or existing networks."""
    system: NotRequired[GceSystem]
    """What the machines boot, and which driver they install."""
    acceptance: NotRequired[GceAcceptance]
    """How the fabric is proved before `up` ends."""
    tags: NotRequired[Texts]
    """Tags of every resource of the cloud that takes some, nodes and their disks with them; on Google they are labels.
    Example: ``{"team": "research", "cost-center": "4711"}``."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold images, by prefix of their references. Example:
    ``{"us-docker.pkg.dev": "mirror.example/google"}``."""
    artifacts: NotRequired[ArtifactOptions]
    """What is demanded of everything that is fetched. Default: nothing."""


@frozen(kw_only=True)
class GceRdmaClusterPlan(StackPlan):
    """Everything ``GceRdmaCluster`` builds."""

    args: GceRdmaClusterArgs
    """The checked args."""
    name: str
    network: GceNetworkPlan | None
    """``None`` where existing networks are used."""
    pools: tuple[VmsPlan, ...]
    cluster: None = None
    in_cluster: None = None
    acceptance: AcceptancePlan

    @property
    def tests(self) -> tuple[PoolTest, ...]:
        """The acceptance test of each pool that has one."""
        return self.acceptance.tests


def plan_rdma_cluster(args: GceRdmaClusterArgs, name: str, errors: ErrorList) -> GceRdmaClusterPlan | None:
    """All choices of ``GceRdmaCluster``. Returns ``None`` when an error was added."""
    check_own_name(name, NAME, 24, NAME_WORDS, errors)
    check_tags(args.get("tags", {}), GOOGLE, errors.at("tags"))
    place = place_of(args, errors)
    listed, system, choice = args["pools"], args.get("system", {}), args.get("acceptance", {})
    registries = args.get("registries", {})
    sound = check_registries(registries, errors.at("registries"))
    check_system(system, errors.at("system"))
    check_pools(listed, errors.at("pools"))
    pools = [
        plan_pool(pool, prefix=name, place=place, system=system, registries=registries, errors=errors.at("pools", i))
        for i, pool in enumerate(listed)
    ]
    network = _network(args, place, errors)
    acceptance = plan_machines_acceptance(to_test(listed), choice, registries if sound else {}, errors.at("acceptance"))
    planned = [pool for pool in pools if pool is not None]
    if errors or acceptance is None:
        return None
    tested = tuple(ordered(pool, acceptance, choice) for pool in planned)
    return GceRdmaClusterPlan(
        args=args,
        name=name,
        network=network,
        pools=tested,
        acceptance=replace(acceptance, tests=tuple(pool.order.test for pool in tested if pool.order)),
        warnings=tuple(warning for pool in planned for warning in pool.warnings),
    )


def _network(args: GceRdmaClusterArgs, place: Place, errors: ErrorList) -> GceNetworkPlan | None:
    """The subnets to make, or ``None`` where the networks exist (or an error was added)."""
    choice, pools = args.get("network", {}), args["pools"]
    machines = [BUILDABLE[pool["machine"]] for pool in pools if pool["machine"] in BUILDABLE]
    if (existing := choice.get("existing")) is not None:
        check_addresses(choice, ("iap_ssh",) if choice.get("iap_ssh") else (), errors.at("network"))
        check_most(pools, errors.at("pools"), MOST_NODES, "VPC")
        # One VPC a NIC: https://docs.cloud.google.com/vpc/docs/create-use-multiple-interfaces
        at = errors.at("network", "existing")
        for i, nic in enumerate(existing):
            check_linked(nic, at.at(i))
        check_once([nic["network"] for nic in existing], "the VPC of NIC", "network", at)
        check_once([nic["subnetwork"] for nic in existing], "the subnet of NIC", "subnetwork", at)
        for machine in machines[:1]:  # all have as many
            if len(existing) != (wanted := 1 + machine.nics):
                at.add(f"got {len(existing)}; the machines have {wanted} NICs, list eth0's network and then the rails'")
        return None
    check_ceiling(pools, choice, errors.at("pools"), MOST_NODES, "VPC")
    return plan_subnets(choice, machines, place, errors.at("network"))


plan_rdma_cluster_args = planner(GceRdmaClusterArgs, demanding(plan_rdma_cluster))
"""The plan of ``GceRdmaCluster(name, args)``, by ``(args, name)``."""

"""All that goes into a cluster, planned once for every cloud: drivers, plugins, claims, acceptance, workloads."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_agent.names import TESTS_NAMESPACE
from ...catalog import pull_secrets
from ...fabrics import Claims, ExtendedResource, HostNetwork, PodNetworks
from ..addons import Addons
from ..addons.add_on import Stack
from ..addons.plan import add_ons, addon_warnings, check_disabled, plan_addons
from ..addons.storage.plan import check_handles
from ..addons.storage.store import StoragePlace
from .acceptance import AcceptanceOptions, AcceptancePlan, plan_acceptance_on
from .acceptance.checks import gate_warnings
from .acceptance.pod import MOST_NODES
from .artifacts import LockedImages, planned
from .claim_templates import DEFAULT_NAMESPACES, ClaimOptions, ClaimTemplatesPlan, claims_for, plan_claim_templates
from .context import ClusterContext, InClusterOptions, Part
from .dra_drivers import GPU_NAMESPACE, PLUGIN_NAMESPACE, DevicePluginsPlan, DraDriversPlan, DriverOptions
from .images import check_pull_secret, check_registries
from .nccl_installer import NcclInstallerArgs, NcclInstallerPlan
from .node_sets import claimed_of
from .node_software import device_plugins_for, drivers_for, installers_for, missing_classes, software_context
from .pod_files import PodFilesPlan, files_for
from .pool import GpuPool
from .statements import pool_statements, statements
from .workload import Workload, workload_on


@frozen
class InClusterPlan:
    """What ``install_in_cluster`` makes; a part that no pool needs is ``None``."""

    context: ClusterContext
    """The cluster itself."""
    pools: tuple[GpuPool, ...]
    """The GPU pools."""
    drivers: Part[DriverOptions, DraDriversPlan] | None
    device_plugins: Part[DriverOptions, DevicePluginsPlan] | None
    installers: Mapping[str, Part[NcclInstallerArgs, NcclInstallerPlan]]
    """By the name of the plugin that goes on hosts."""
    claims: Part[ClaimOptions, ClaimTemplatesPlan] | None
    files: PodFilesPlan | None
    """Files that pods of the user's namespaces read."""
    acceptance: Part[AcceptanceOptions, AcceptancePlan]
    workloads: Mapping[str, Workload]
    """What a pod adds to its spec, by pool."""
    storage: StoragePlace | None
    """Where data is kept, and whose pods use it; ``None`` is nowhere."""
    addons: Addons
    """What the user switches on."""
    locked_images: LockedImages | None
    """What alone runs in our namespaces; ``None`` where nobody asks for it."""
    warnings: tuple[str, ...]

    @property
    def takes_jobs(self) -> bool:
        """Whether a manager of queues reaches this cluster with a token of Kubernetes' own."""
        queues = self.addons.queues
        return queues is not None and queues.plan.worker is not None

    @property
    def held(self) -> frozenset[str]:
        """Pools whose nodes are to register with the start-up taint: the prover clears it."""
        readiness = self.addons.readiness
        return frozenset(readiness.plan.fingerprints if readiness else ())


# Longer than 60 lines: each part once, in the order of their errors.
def plan_in_cluster(
    context: ClusterContext, pools: Sequence[GpuPool], choice: InClusterOptions, errors: ErrorList
) -> InClusterPlan | None:
    """Everything, or ``None`` when an error was added.

    Errors stand under ``registries``, ``pull_secret`` and the keys of ``InClusterOptions``. Of pools with one name the
    first counts; its cloud refuses the others.
    """
    pools = list({pool.name: pool for pool in reversed(pools)}.values())[::-1]
    registries = choice.registries if check_registries(choice.registries, errors.at("registries")) else {}
    secret = pull_secrets.NAME if choice.pull_secret is not None else ""
    context = replace(context, registries=registries, pull_secret=secret)
    check_pull_secret(choice.pull_secret, errors.at("pull_secret"))
    claimed = claimed_of(pools)
    on_nodes = software_context(context, choice)
    drivers = drivers_for(on_nodes, pools, choice, errors.at("drivers"))
    device_plugins = device_plugins_for(on_nodes, pools, choice, errors.at("drivers"))
    installers = installers_for(context, pools, errors)
    claims = _claims(context, claimed, choice.claims, errors.at("claims"))
    _check_claims(context, pools, choice.claims, errors.at("claims"))
    channels = drivers is not None and drivers.plan.compute_domains
    stack = Stack(context, tuple(pools), choice, tuple(pool_statements(pools, context.pool_label)))
    if choice.addons:
        stack = replace(stack, addons=plan_addons(stack, errors, before_acceptance=True))
    acceptance = _acceptance(stack, channels, errors.at("acceptance"))
    templates = claims.plan if claims else None
    workloads = {pool.name: _workload(context, pool, templates) for pool in pools}
    namespaces = choice.claims.get("namespaces", DEFAULT_NAMESPACES)
    new = context.makes_namespaces and claims is None  # nothing else makes the namespaces
    files = files_for(workloads.values(), namespaces, new)
    new = new and files is None
    storage = StoragePlace(choice.storage, namespaces, new) if choice.storage is not None else None
    mounted = choice.storage.mounted if choice.storage is not None else None
    if mounted is not None:
        check_handles(mounted.separator, mounted.driver, namespaces, errors.at("claims", "namespaces"))
    if choice.addons:
        known = bool(pools) and not errors.at("pools")
        makes = new and mounted is None
        stack = replace(stack, workloads=workloads, claims=templates, makes_namespaces=makes, all_pools_planned=known)
        stack = replace(stack, addons=plan_addons(stack, errors, before_acceptance=False))
        check_disabled(stack, errors)
        warnings = addon_warnings(stack)
        stack = replace(stack, addons=replace(stack.addons, warnings=warnings))
    if errors or acceptance is None:
        return None
    plan = InClusterPlan(
        context=context,
        pools=stack.pools,
        drivers=drivers,
        device_plugins=device_plugins,
        installers=installers,
        claims=claims,
        files=files,
        acceptance=Part(choice.acceptance, acceptance, stack.statements),
        workloads=workloads,
        storage=storage,
        addons=stack.addons,
        locked_images=None,
        warnings=(
            *missing_classes(claimed, choice.drivers),
            *gate_warnings(stack.pools, choice.acceptance),
            *stack.addons.warnings,
        ),
    )
    return replace(plan, locked_images=_locked(plan)) if choice.digests_only else plan


def _locked(plan: InClusterPlan) -> LockedImages:
    """The plan's own images, and the namespaces that hold pods of ours and no others.

    NIC drivers run in the cloud's own, `kube-system`.
    """
    ours = (TESTS_NAMESPACE, GPU_NAMESPACE, PLUGIN_NAMESPACE)
    of_addons = (namespace for each in add_ons() for namespace in each.namespaces)
    return LockedImages(tuple(planned(plan)), (*ours, *of_addons))


def _claims(
    context: ClusterContext, claimed: Sequence[GpuPool], choice: ClaimOptions, errors: ErrorList
) -> Part[ClaimOptions, ClaimTemplatesPlan] | None:
    """Claim templates for the machines whose NICs are claimed, with their GPUs or without."""
    args = claims_for(claimed, choice, context.version)
    args["create_namespaces"] = context.makes_namespaces
    plan = plan_claim_templates(args, errors)
    return Part(choice, plan, tuple(statements(args))) if plan is not None and claimed else None


def _check_claims(context: ClusterContext, pools: Sequence[GpuPool], choice: ClaimOptions, errors: ErrorList) -> None:
    """Refuses claims for NICs that no driver hands out: their pods would wait for ever."""
    key = next((key for key in ("pairs", "groups", "whole", "nics", "gpus") if choice.get(key)), None)
    if key is None:
        return
    offered = {pool.machine.name for pool in pools if _is_claimed(pool)}
    for name, nic_attachment in {pool.machine.name: pool.fabric.nic_attachment for pool in reversed(pools)}.items():
        if name in offered:
            continue
        if key == "gpus":
            why = f"GPUs of {name} are handed out by a device plugin"
        elif isinstance(nic_attachment, ExtendedResource):
            why = f"GPUs and NICs of {name} are handed out by device plugins"
        elif isinstance(nic_attachment, HostNetwork):
            why = f"NICs of {name} go with the host's network"
        else:
            why = f"pods get the NICs of {name} by naming their networks"
        instead = "" if isinstance(nic_attachment, PodNetworks) else f", or {context.claimed_when}"
        errors.at(key).add(f"{why}, so no claim can name them; remove it{instead}")


def _acceptance(stack: Stack, channels: bool, errors: ErrorList) -> AcceptancePlan | None:
    """The tests of the pools; ``channels`` says that racks get IMEX channels by claims."""
    if errors:  # those of the prover's tests, which are these
        return None
    # More nodes than a cluster holds are an error of the pool.
    tested = [
        replace(pool, nodes=min(pool.nodes, MOST_NODES), channels=channels and pool.machine.is_rack)
        for pool in stack.pools
    ]
    readiness = stack.addons.readiness
    fingerprints = readiness.plan.fingerprints if readiness is not None else None
    return plan_acceptance_on(stack.choice.acceptance, tested, stack.context, errors, fingerprints)


def _workload(context: ClusterContext, pool: GpuPool, claims: ClaimTemplatesPlan | None) -> Workload:
    names = claims.templates(pool.machine.name, pool.allocation) if claims and _is_claimed(pool) else []
    return workload_on(pool, context, [template.name for template in names])


def _is_claimed(pool: GpuPool) -> bool:
    return isinstance(pool.fabric.nic_attachment, Claims)

"""All that goes into a cluster, planned once for every cloud: drivers, plugins, claims, acceptance, workloads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...errors import ErrorList
from ...fabrics import Claims, ExtendedResource, HostNetwork, PodNetworks
from ...frozen import frozen
from ..addons.storage.plan import check_handles
from ..addons.storage.store import StoragePlace
from . import device_plugins, dra_drivers
from .acceptance import AcceptancePlan, NcclAcceptanceArgs, plan_acceptance
from .acceptance.pod import MOST_NODES, NAMESPACE
from .artifacts import planned
from .claim_templates import (
    DEFAULT_NAMESPACES,
    ClaimOptions,
    ClaimTemplatesArgs,
    ClaimTemplatesPlan,
    claims_for,
    plan_claim_templates,
)
from .context import Addons, ClusterContext, InClusterOptions, Planned
from .device_plugins import DevicePluginsArgs, DevicePluginsPlan
from .dra_drivers import DraDriversArgs, DraDriversPlan
from .images import check_pull_secret, check_registries
from .locked_images import LockedImages
from .nccl_installer import NcclInstallerArgs, NcclInstallerPlan
from .node_software import device_plugins_for, drivers_for, installers_for, missing_classes, software_context
from .pod_files import PodFilesArgs
from .pool import GpuPool
from .workload import Workload, workload_on

_OUR_NAMESPACES = (
    NAMESPACE,
    dra_drivers.GPU_NAMESPACE,
    device_plugins.GPU_NAMESPACE,
    *("jobset-system", "kueue-system", "lws-system", "rdma-monitoring", "rdma-readiness"),
)
"""Those that hold pods of ours and no others. NIC drivers run in the cloud's own, `kube-system`."""


@frozen
class InClusterPlan:
    """What ``install_in_cluster`` makes; a part that no pool needs is ``None``."""

    drivers: Planned[DraDriversArgs, DraDriversPlan] | None
    device_plugins: Planned[DevicePluginsArgs, DevicePluginsPlan] | None
    installers: Mapping[str, Planned[NcclInstallerArgs, NcclInstallerPlan]]
    """By the name of the plugin that goes on hosts."""
    claims: Planned[ClaimTemplatesArgs, ClaimTemplatesPlan] | None
    files: PodFilesArgs | None
    """Files that pods of the user's namespaces read."""
    acceptance: Planned[NcclAcceptanceArgs, AcceptancePlan]
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
    if not check_registries(choice.registries, errors.at("registries")):
        choice = replace(choice, registries={})
    check_pull_secret(choice.pull_secret, errors.at("pull_secret"))
    claimed = [pool for pool in pools if isinstance(pool.fabric.nic_attachment, Claims)]
    plugged = [pool for pool in pools if isinstance(pool.fabric.nic_attachment, ExtendedResource)]
    on_nodes = software_context(context, choice)
    drivers = drivers_for(on_nodes, pools, claimed, choice, errors.at("drivers"))
    device_plugins = device_plugins_for(on_nodes, plugged, choice, errors.at("drivers"))
    installers = installers_for(context, pools, choice.registries, errors)
    claims = _claims(context, claimed, choice.claims, errors.at("claims"))
    _check_claims(context, pools, choice.claims, errors.at("claims"))
    channels = drivers is not None and drivers.args.get("compute_domains", False)
    readiness = None
    if choice.readiness is not None:
        from ..addons.plan import readiness_of  # few stacks have it

        readiness = readiness_of(context, pools, choice, errors)
    fingerprints = readiness.plan.fingerprints if readiness else None
    acceptance = _acceptance(context, pools, choice, channels, fingerprints, errors.at("acceptance"))
    templates = claims.plan if claims else None
    workloads = {pool.name: _workload(context, pool, templates, choice.registries) for pool in pools}
    namespaces = choice.claims.get("namespaces", DEFAULT_NAMESPACES)
    new = context.makes_namespaces and claims is None  # nothing else makes the namespaces
    files = _files(workloads.values(), namespaces, new)
    new = new and files is None
    storage = StoragePlace(choice.storage, namespaces, new) if choice.storage is not None else None
    mounted = choice.storage.mounted if choice.storage is not None else None
    if mounted is not None:
        check_handles(mounted.separator, mounted.driver, namespaces, errors.at("claims", "namespaces"))
    addons = Addons()
    if choice.has_addons:
        # Few stacks have them, and they are a fifth of what would be imported.
        from ..addons.injection.plan import InjectedPools
        from ..addons.plan import plan_addons

        injected = InjectedPools(tuple(pools), workloads, templates)
        makes = new and mounted is None
        addons = plan_addons(context, injected, choice, new_namespaces=makes, readiness=readiness, errors=errors)
    if errors or acceptance is None:
        return None
    plan = InClusterPlan(
        drivers=drivers,
        device_plugins=device_plugins,
        installers=installers,
        claims=claims,
        files=files,
        acceptance=acceptance,
        workloads=workloads,
        storage=storage,
        addons=addons,
        locked_images=None,
        warnings=(
            *missing_classes(claimed, choice.drivers),
            *addons.warnings,
            *(readiness.plan.warnings if readiness else ()),
        ),
    )
    if not choice.digests_only:
        return plan
    return replace(plan, locked_images=LockedImages(tuple(planned(plan)), _OUR_NAMESPACES))


def _claims(
    context: ClusterContext, claimed: Sequence[GpuPool], choice: ClaimOptions, errors: ErrorList
) -> Planned[ClaimTemplatesArgs, ClaimTemplatesPlan] | None:
    """Claim templates for the machines whose NICs are claimed, with their GPUs or without."""
    args = claims_for(claimed, choice, context.version)
    args["create_namespaces"] = context.makes_namespaces
    plan = plan_claim_templates(args, errors)
    return Planned(args, plan) if plan is not None and claimed else None


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


def _acceptance(
    context: ClusterContext,
    pools: Sequence[GpuPool],
    choice: InClusterOptions,
    channels: bool,
    fingerprints: Mapping[str, str] | None,
    errors: ErrorList,
) -> Planned[NcclAcceptanceArgs, AcceptancePlan] | None:
    if errors:  # those of the prover's tests, which are these
        return None
    # More nodes than a cluster holds are an error of the pool.
    tested = [
        replace(pool, nodes=min(pool.nodes, MOST_NODES), channels=channels and pool.machine.is_rack) for pool in pools
    ]
    args = NcclAcceptanceArgs(
        **choice.acceptance,
        registries=dict(choice.registries),
        pools=[pool.as_args("nodes", "skip_reason", "fingerprint", "channels") for pool in tested],
        pool_label=context.pool_label,
        taint=context.taint_args,
        version=context.version,
    )
    if context.driver_seconds:
        args["driver_seconds"] = context.driver_seconds
    if context.other_taints:
        args["other_taints"] = dict(context.other_taints)
    if fingerprints is not None:
        args["fingerprints"] = dict(fingerprints)
    plan = plan_acceptance(args, errors, tested)
    return None if plan is None else Planned(args, plan)


def _workload(
    context: ClusterContext, pool: GpuPool, claims: ClaimTemplatesPlan | None, registries: Mapping[str, str]
) -> Workload:
    names = claims.templates(pool.machine.name, pool.allocation) if claims and _is_claimed(pool) else []
    nodes = {"pool_label": context.pool_label, "taint": context.taint_args, "other_taints": context.other_taints}
    return workload_on(pool, {**nodes, "registries": registries}, [template.name for template in names])


def _files(workloads: Iterable[Workload], namespaces: list[str], new: bool) -> PodFilesArgs | None:
    """Files that workloads read, in the user's namespaces; ``new`` where nothing else makes them."""
    maps = {file.config_map: {file.name: file.text} for workload in workloads for file in workload.adds.files}
    return PodFilesArgs(namespaces=namespaces, config_maps=maps, create_namespaces=new) if maps else None


def _is_claimed(pool: GpuPool) -> bool:
    return isinstance(pool.fabric.nic_attachment, Claims)

"""All that goes into a cluster, planned once for every cloud: drivers, plugins, claims, acceptance, workloads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...fabrics import Claims, ExtendedResource, HostNetwork, PodNetworks
from ...faults import Faults
from ..addons.storage.plan import check_handles
from ..addons.storage.store import StoragePlace
from .acceptance import AcceptancePlan, NcclAcceptanceArgs, plan_acceptance
from .acceptance.pod import MOST_NODES
from .claim_templates import (
    DEFAULT_NAMESPACES,
    ClaimChoice,
    ClaimTemplatesArgs,
    ClaimTemplatesPlan,
    claims_for,
    decide_claim_templates,
)
from .device_plugins import DevicePluginsArgs, DevicePluginsPlan
from .dra_drivers import DraDriversArgs, DraDriversPlan
from .images import check_registries
from .nccl_installer import NcclInstallerArgs, NcclInstallerPlan
from .on_nodes import device_plugins_for, drivers_for, installers_for, missing_classes
from .pod_files import PodFilesArgs
from .pool import SitePool
from .site import Addons, Decided, Site, WholeChoice
from .workload import Workload, workload_on


@dataclass(frozen=True)
class WholePlan:
    """What ``install_whole`` makes; a part that no pool needs is ``None``."""

    drivers: Decided[DraDriversArgs, DraDriversPlan] | None
    device_plugins: Decided[DevicePluginsArgs, DevicePluginsPlan] | None
    installers: Mapping[str, Decided[NcclInstallerArgs, NcclInstallerPlan]]
    """By the name of the plugin that goes on hosts."""
    claims: Decided[ClaimTemplatesArgs, ClaimTemplatesPlan] | None
    files: PodFilesArgs | None
    """Files that pods of the user's namespaces read."""
    acceptance: Decided[NcclAcceptanceArgs, AcceptancePlan]
    workloads: Mapping[str, Workload]
    """What a pod adds to its spec, by pool."""
    storage: StoragePlace | None
    """Where data is kept, and whose pods use it; ``None`` is nowhere."""
    addons: Addons
    """What the user switches on."""
    warnings: tuple[str, ...]


def decide_whole(site: Site, pools: Sequence[SitePool], choice: WholeChoice, faults: Faults) -> WholePlan | None:
    """Everything, or ``None`` when a fault was added.

    Faults stand under ``registries`` and the keys of ``WholeChoice``. Of pools with one name the first counts; its
    cloud refuses the others.
    """
    pools = list({pool.name: pool for pool in reversed(pools)}.values())[::-1]
    if not check_registries(choice.registries, faults.at("registries")):
        choice = replace(choice, registries={})
    claimed = [pool for pool in pools if isinstance(pool.fabric.exposure, Claims)]
    plugged = [pool for pool in pools if isinstance(pool.fabric.exposure, ExtendedResource)]
    drivers = drivers_for(site, pools, claimed, choice, faults.at("drivers"))
    device_plugins = device_plugins_for(site, plugged, choice, faults.at("drivers"))
    installers = installers_for(site, pools, choice.registries, faults)
    claims = _claims(site, claimed, choice.claims, faults.at("claims"))
    _check_claims(site, pools, choice.claims, faults.at("claims"))
    channels = drivers is not None and drivers.args.get("compute_domains", False)
    acceptance = _acceptance(site, pools, choice, channels, faults.at("acceptance"))
    templates = claims.plan if claims else None
    workloads = {pool.name: _workload(site, pool, templates, choice.registries) for pool in pools}
    namespaces = choice.claims.get("namespaces", DEFAULT_NAMESPACES)
    new = site.makes_namespaces and claims is None  # nothing else makes the namespaces
    files = _files(workloads.values(), namespaces, new)
    new = new and files is None
    storage = StoragePlace(choice.storage, namespaces, new) if choice.storage is not None else None
    mounted = choice.storage.mounted if choice.storage is not None else None
    if mounted is not None:
        check_handles(mounted.separator, mounted.driver, namespaces, faults.at("claims", "namespaces"))
    addons = Addons()
    if choice.has_addons:
        # Few stacks have them, and they are a fifth of what would be imported.
        from ..addons.injection.plan import InjectedPools
        from ..addons.plan import decide_addons

        injected = InjectedPools(tuple(pools), workloads, templates)
        addons = decide_addons(site, injected, choice, new_namespaces=new and mounted is None, faults=faults)
    if faults or acceptance is None:
        return None
    return WholePlan(
        drivers=drivers,
        device_plugins=device_plugins,
        installers=installers,
        claims=claims,
        files=files,
        acceptance=acceptance,
        workloads=workloads,
        storage=storage,
        addons=addons,
        warnings=(*missing_classes(claimed, choice.drivers), *addons.warnings),
    )


def _claims(
    site: Site, claimed: Sequence[SitePool], choice: ClaimChoice, faults: Faults
) -> Decided[ClaimTemplatesArgs, ClaimTemplatesPlan] | None:
    """Claim templates for the machines whose NICs are claimed, with their GPUs or without."""
    args = claims_for(claimed, choice, site.version)
    args["create_namespaces"] = site.makes_namespaces
    plan = decide_claim_templates(args, faults)
    return Decided(args, plan) if plan is not None and claimed else None


def _check_claims(site: Site, pools: Sequence[SitePool], choice: ClaimChoice, faults: Faults) -> None:
    """Refuses claims for NICs that no driver hands out: their pods would wait for ever."""
    key = next((key for key in ("pairs", "groups", "whole", "nics", "gpus") if choice.get(key)), None)
    if key is None:
        return
    offered = {pool.machine.name for pool in pools if _is_claimed(pool)}
    for name, exposure in {pool.machine.name: pool.fabric.exposure for pool in reversed(pools)}.items():
        if name in offered:
            continue
        if key == "gpus":
            why = f"GPUs of {name} are handed out by a device plugin"
        elif isinstance(exposure, ExtendedResource):
            why = f"GPUs and NICs of {name} are handed out by device plugins"
        elif isinstance(exposure, HostNetwork):
            why = f"NICs of {name} go with the host's network"
        else:
            why = f"pods get the NICs of {name} by naming their networks"
        instead = "" if isinstance(exposure, PodNetworks) else f", or {site.claimed_when}"
        faults.at(key).add(f"{why}, so no claim can name them; remove it{instead}")


def _acceptance(
    site: Site, pools: Sequence[SitePool], choice: WholeChoice, channels: bool, faults: Faults
) -> Decided[NcclAcceptanceArgs, AcceptancePlan] | None:
    # More nodes than a cluster holds are an error of the pool.
    tested = [
        replace(pool, nodes=min(pool.nodes, MOST_NODES), channels=channels and pool.machine.is_rack) for pool in pools
    ]
    args = NcclAcceptanceArgs(
        **choice.acceptance,
        registries=dict(choice.registries),
        pools=[pool.as_args("nodes", "not_proven", "made_of", "channels") for pool in tested],
        pool_label=site.pool_label,
        taint=site.taint_args,
        version=site.version,
    )
    if site.driver_seconds:
        args["driver_seconds"] = site.driver_seconds
    if site.other_taints:
        args["other_taints"] = dict(site.other_taints)
    plan = plan_acceptance(args, faults, tested)
    return None if plan is None else Decided(args, plan)


def _workload(site: Site, pool: SitePool, claims: ClaimTemplatesPlan | None, registries: Mapping[str, str]) -> Workload:
    names = claims.templates(pool.machine.name, pool.allocation) if claims and _is_claimed(pool) else []
    nodes = {"pool_label": site.pool_label, "taint": site.taint_args, "other_taints": site.other_taints}
    return workload_on(pool, {**nodes, "registries": registries}, [template.name for template in names])


def _files(workloads: Iterable[Workload], namespaces: list[str], new: bool) -> PodFilesArgs | None:
    """Files that workloads read, in the user's namespaces; ``new`` where nothing else makes them."""
    maps = {file.config_map: {file.name: file.text} for workload in workloads for file in workload.adds.files}
    return PodFilesArgs(namespaces=namespaces, config_maps=maps, create_namespaces=new) if maps else None


def _is_claimed(pool: SitePool) -> bool:
    return isinstance(pool.fabric.exposure, Claims)

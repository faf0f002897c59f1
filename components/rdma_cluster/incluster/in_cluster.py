"""All that goes into a cluster, and what the clusters of all clouds show of it."""

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol, cast

import pulumi
import pulumi_kubernetes as k8s
from pulumi_offline.frozen import frozen
from ..component.frame import behind, outputs, waiting_for, with_more
from ..component.outputs import PoolProof, PoolWorkload, ServedModel, StoredData
from .account import Admission, admission_policy
from .addons.add_on import After
from .addons.plan import add_ons
from .addons.storage.component import SharedVolume, VolumeLinks
from .claim_templates import ClaimTemplates
from .dra_drivers import DevicePlugins, DraDrivers
from .nccl_acceptance import NcclAcceptance
from .nccl_installer import NcclInstaller
from .on_cluster import make_part
from .plan.acceptance import AcceptanceOptions
from .plan.artifacts import NAME as LOCKED_IMAGES
from .plan.claim_templates import ClaimOptions
from .plan.dra_drivers import DriverOptions
from .plan.in_cluster import InClusterPlan
from .plan.nccl_installer import NcclInstallerArgs
from .pod_files import PodFiles
from .site import Site


class BaseStorage(pulumi.ComponentResource):
    """What a cloud makes to keep data in."""

    store: pulumi.Output[str]
    """What it is, for people: ``gs://BUCKET``, ``s3://BUCKET``, ``ACCOUNT/CONTAINER``, or a file system's id."""
    handle: pulumi.Output[str]
    """What the CSI driver knows it by."""
    attributes: pulumi.Output[dict[str, str]]
    """Attributes that the CSI driver takes."""


@frozen
class Installed:
    """What a cluster's component shows of it."""

    proofs: pulumi.Output[dict[str, PoolProof]]
    """By pool, as ``NcclAcceptance`` has it."""
    inference: pulumi.Output[ServedModel]
    """What is served, as ``DistributedInference`` has it; empty where nothing is."""
    storage: pulumi.Output[StoredData]
    """Where data is kept, and what pods name of it; empty where nothing is."""
    dispatch: pulumi.Output[str]
    """What a manager needs to send jobs here, as ``Queues`` has it; empty where it sends none."""
    ready: Sequence[pulumi.Resource]
    """What there is once a pool's pods run as they shall: nodes, drivers, what pods name, and the tests' ends."""


# Longer than 60 lines, and with one more parameter: each part once, in the order in which they come and go.
def install_in_cluster(  # noqa: PLR0913
    name: str,
    plan: InClusterPlan,
    cluster: pulumi.Resource | None,
    nodes: Sequence[pulumi.Resource],
    on_cluster: pulumi.ResourceOptions,
    kubeconfig: pulumi.Output[str],
    store: BaseStorage | None = None,
) -> Installed:
    """Installs what ``plan`` holds and returns what it shows.

    ``cluster`` is ours, or ``None``: what is on it goes and comes with it, for a cluster's name stays when it is made
    anew. Nothing here leaves anything outside of it. ``nodes`` are the GPU pools. Drivers and plugins come after the
    nodes and leave before them: the finalizers of claims need running drivers. Waiting for the nodes costs about a
    minute, and nothing else gives that order: charts of drivers run on GPU nodes alone, and one that came before them
    would be called ready with nothing running. Claims and the acceptance test's objects are only data and wait for
    nothing. ``on_cluster`` names parent and provider. ``kubeconfig`` tells a manager of queues where the cluster is.
    ``store`` is the stack's storage, on which pods get a claim.
    """
    if cluster is not None:
        on_cluster = with_more(on_cluster, deleted_with=cluster)
    if plan.locked_images is not None:
        # They hold new pods alone: what runs already stays.
        locked = plan.locked_images
        policy = Admission(LOCKED_IMAGES, "-locked-images", locked.spec, locked.binding)
        admission_policy(name, policy, on_cluster)
    on_nodes = waiting_for(on_cluster, nodes)
    installed: list[pulumi.Resource] = []
    if (drivers := plan.drivers) is not None:
        installed.append(make_part(DraDrivers, DriverOptions, name, drivers, on_nodes))
    if (plugins := plan.device_plugins) is not None:
        installed.append(make_part(DevicePlugins, DriverOptions, name, plugins, on_nodes))
    for plugin, installer in plan.installers.items():
        installed.append(make_part(NcclInstaller, NcclInstallerArgs, f"{name}-{plugin}", installer, on_nodes))
    namespaces: list[pulumi.Resource] = []
    named: list[pulumi.Resource] = []
    if (claims := plan.claims) is not None:
        named.append(templates := make_part(ClaimTemplates, ClaimOptions, name, claims, on_cluster))
        namespaces = templates.namespaces
    if (files := plan.files) is not None:
        # In namespaces that may have come with the claims.
        shown = {"namespaces": list(files.namespaces)}
        named.append(PodFiles.planned(name, files, namespaces, shown, waiting_for(on_cluster, namespaces)))
    if store is not None and plan.storage is not None and (volume := plan.storage.volume) is not None:
        volumes, shown = VolumeLinks(store.handle, store.attributes), {"namespaces": list(volume.namespaces)}
        named.append(SharedVolume.planned(name, volume, volumes, shown, waiting_for(on_cluster, named)))
    site = Site(on_cluster, nodes, kubeconfig, installed, named)
    outputs = _install(name, plan, (After.CLAIMS, After.DRIVERS), site)
    acceptance = make_part(NcclAcceptance, AcceptanceOptions, name, plan.acceptance, on_cluster, site.after)
    outputs |= _install(name, plan, (After.TESTS, After.PROOF), replace(site, acceptance=acceptance))
    storage = StoredData()
    if plan.storage is not None:
        storage = plan.storage.output(store.store if store is not None else "")
    nothing: dict[str, pulumi.Output[Any]] = {
        "inference": pulumi.Output.from_input(ServedModel()),
        "dispatch": pulumi.Output.from_input(""),
    }
    # Tests come last, and are never deleted before their next ones are made. Whoever builds on a claim template or file
    # is deleted with it, where it is made again under its name (pulumi/pulumi#2167); a pod waits for both in any case.
    ready = [*acceptance.tests.values()] or [*nodes, *installed, *named]
    return Installed(proofs=acceptance.proofs, storage=behind(storage, ready), ready=ready, **(nothing | outputs))


def _install(name: str, plan: InClusterPlan, stages: Sequence[After], site: Site) -> dict[str, pulumi.Output[Any]]:
    """Install the add-ons of some stages, one stage after the other; returns the outputs that they set."""
    outputs: dict[str, pulumi.Output[Any]] = {}
    for stage in stages:
        for each in add_ons():
            if each.after is stage and (part := getattr(plan.addons, each.key)) is not None:
                component = import_module(f".addons.{each.key}.component", __package__)
                outputs |= component.install(name, part, site)
    return outputs


class BaseCluster(Protocol):
    """The outputs that each cloud's component of the cluster alone has."""

    name: pulumi.Output[str]
    """Name of the cluster."""
    kubeconfig: pulumi.Output[str]
    """Kubeconfig with exec credentials, as JSON; secret."""
    provider: k8s.Provider
    """Provider for what runs on the cluster."""


class BaseRdmaCluster(pulumi.ComponentResource):
    """The outputs that every cloud's cluster has; each cloud adds its own."""

    cluster_name: pulumi.Output[str]
    """Name of the cluster."""
    kubeconfig: pulumi.Output[str]
    """Kubeconfig with exec credentials, as JSON; secret."""
    provider: k8s.Provider
    """The Kubernetes provider of the cluster, for what you put on it."""
    workloads: pulumi.Output[dict[str, PoolWorkload]]
    """What a pod adds to its spec to run on a pool, by pool. It comes once the fabrics are proven, and what is made
    from it depends on nodes, drivers and tests."""
    proofs: pulumi.Output[dict[str, PoolProof]]
    """Whether each pool's fabric is proven, and by what."""
    inference: pulumi.Output[ServedModel]
    """What is served, and where it is asked; empty where nothing is."""
    storage: pulumi.Output[StoredData]
    """Where data is kept, and what pods name of it; empty where nothing is."""
    dispatch: pulumi.Output[str]
    """What a manager of queues needs to send jobs here, as JSON; secret, and empty without ``queues.worker``."""

    def show(self, cluster: BaseCluster, plan: InClusterPlan, installed: Installed) -> None:
        """Sets the outputs of all clouds and registers them with those that the cloud has set before."""
        self.cluster_name = cluster.name
        self.kubeconfig = cluster.kubeconfig
        self.provider = cluster.provider
        workloads = {pool: cast("PoolWorkload", w.pod_patch()) for pool, w in plan.workloads.items()}
        self.workloads = behind(workloads, installed.ready)
        self.proofs = installed.proofs
        self.inference = installed.inference
        self.storage = installed.storage
        self.dispatch = behind(installed.dispatch, installed.ready)
        self.register_outputs(outputs(self))

"""All that goes into a cluster. A plain function: its parts stand under the component that calls it."""

from collections.abc import Sequence

import pulumi

from ..component import waiting_for
from ..frozen import frozen
from ..shown import PoolProof, ServedModel, StoredData
from .addons.inference.component import DistributedInference
from .addons.injection.component import FabricInjection
from .addons.monitoring.component import Monitoring
from .addons.queues.args import QueuesArgs
from .addons.queues.component import Queues
from .addons.readiness.component import NodeReadiness
from .addons.storage.component import SharedVolume
from .claim_templates import ClaimTemplates
from .device_plugins import DevicePlugins
from .dra_drivers import DraDrivers
from .locked_images import lock_images
from .nccl_acceptance import NcclAcceptance
from .nccl_installer import NcclInstaller
from .plan.in_cluster import InClusterPlan
from .pod_files import PodFiles


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


# Longer than 60 lines, and with one more parameter: each part once, in the order in which they come and go.
def install_in_cluster(
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
        on_cluster = pulumi.ResourceOptions.merge(on_cluster, pulumi.ResourceOptions(deleted_with=cluster))
    if plan.locked_images is not None:
        lock_images(name, plan.locked_images, on_cluster)
    on_nodes = waiting_for(on_cluster, nodes)
    installed: list[pulumi.Resource] = []
    if (drivers := plan.drivers) is not None:
        installed.append(DraDrivers(name, drivers.args, on_nodes, plan=drivers.plan))
    if (plugins := plan.device_plugins) is not None:
        installed.append(DevicePlugins(name, plugins.args, on_nodes, plan=plugins.plan))
    for plugin, installer in plan.installers.items():
        installed.append(NcclInstaller(f"{name}-{plugin}", installer.args, on_nodes, plan=installer.plan))
    namespaces: list[pulumi.Resource] = []
    named: list[pulumi.Resource] = []
    if (claims := plan.claims) is not None:
        named.append(templates := ClaimTemplates(name, claims.args, on_cluster, plan=claims.plan))
        namespaces = templates.namespaces
    if plan.files is not None:
        # In namespaces that may have come with the claims.
        named.append(PodFiles(name, plan.files, waiting_for(on_cluster, namespaces), plan=plan.files))
    if store is not None and plan.storage is not None:
        volume = plan.storage.volume(store.handle, store.attributes)
        named.append(SharedVolume(name, volume, waiting_for(on_cluster, named)))
    if (injection := plan.addons.injection) is not None:
        # Comes after what its pods name, and leaves before.
        FabricInjection(name, injection.args, waiting_for(on_cluster, named), plan=injection.plan)
    dispatch = pulumi.Output.from_input("")
    if (queues := plan.addons.queues) is not None:
        # On system nodes: what runs on those of the pools is not needed for it.
        reached = QueuesArgs(**{**queues.args, "kubeconfig": kubeconfig})
        dispatch = Queues(name, reached, waiting_for(on_cluster, named), plan=queues.plan).target
    if (monitoring := plan.addons.monitoring) is not None:
        # Its pods hold claims, which drivers must be there to end.
        Monitoring(name, monitoring.args, waiting_for(on_nodes, installed), plan=monitoring.plan)
    after = [*installed, *nodes]
    acceptance = NcclAcceptance(name, plan.acceptance.args, on_cluster, plan=plan.acceptance.plan, after=after)
    if (readiness := plan.addons.readiness) is not None:
        # Behind the tests: nodes that fail them stay held, and nothing else tests them at the same time.
        prepared = [*after, *acceptance.prepared, *acceptance.tests.values()]
        NodeReadiness(name, readiness.args, on_cluster, plan=readiness.plan, after=prepared)
    served = pulumi.Output.from_input(ServedModel())
    if (inference := plan.addons.inference) is not None:
        served = DistributedInference(
            name,
            inference.args,
            waiting_for(on_cluster, named),
            plan=inference.plan,
            after=after,
            acceptance=acceptance.tests.get(inference.plan.pool),
        ).served
    storage = StoredData()
    if plan.storage is not None:
        storage = plan.storage.output(store.store if store is not None else "")
    return Installed(acceptance.proofs, served, pulumi.Output.from_input(storage), dispatch)

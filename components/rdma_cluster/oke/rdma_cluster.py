"""An OKE cluster with everything in it: network, identity, images, GPU pools, and what runs on them."""

from typing import Any

import pulumi
import pulumi_oci as oci
from ..base.key_docs import with_keys
from ..component.account import provider_for
from ..component.frame import Opts, behind, inputs, plan_args, replaceable, waiting_for
from ..component.pulling import pulling
from ..component.tagging import tagged
from ..incluster.in_cluster import BaseRdmaCluster, BaseStorage, install_in_cluster
from .adopt import OkeAdoptedNodes
from .cluster import OkeCluster
from .identity import OkeIdentityPolicies
from .network import OkeHpcNetwork
from .node_image import import_image
from .node_pool import OkeGpuNodePool
from .plan.adopt import OkeAdoptedPool
from .plan.cluster import OkeKubernetes
from .plan.identity import OkeIdentity
from .plan.network import OkeClusterNetwork, OkeHpcNetworkArgs
from .plan.node_pool import OkePool
from .plan.rdma_cluster import STACK_KEYS, OkeRdmaClusterArgs, OkeRdmaClusterPlan, plan_rdma_cluster
from .plan.storage import OkeStorageOptions
from .plan.virtual_functions import OkeVirtualFunctionsArgs
from .plan.zones import ORACLE
from .virtual_functions import OkeVirtualFunctions


@with_keys
class OkeRdmaCluster(BaseRdmaCluster):
    """An OKE cluster whose GPUs talk over RDMA."""

    cluster_id: pulumi.Output[str]
    """OCID of the cluster."""
    skypilot: pulumi.Output[dict[str, Any]]
    """What SkyPilot's configuration says of this cluster's context; empty where it needs nothing."""
    policies: pulumi.Output[list[str]]
    """What IAM says of the nodes, or must be made to say where the policies are somebody else's."""

    def __init__(
        self, name: str, args: OkeRdmaClusterArgs, opts: Opts = None, *, plan: OkeRdmaClusterPlan | None = None
    ):
        args, plan = plan_args(OkeRdmaClusterArgs, plan_rdma_cluster, args, plan, name)
        opts = tagged(opts, args.get("tags", {}), ORACLE)
        opts = pulling(name, opts, args.get("pull_secret"))
        super().__init__("rdma-cluster:index:OkeRdmaCluster", name, inputs(OkeRdmaClusterArgs, args), opts)
        for warning in plan.warnings:
            pulumi.log.warn(warning, self)
        provider = provider_for(self, name, oci.Provider, STACK_KEYS, plan.args)
        child = pulumi.ResourceOptions(parent=self, providers=[provider])
        new, network = _network(name, plan, child)
        choice = inputs(OkeKubernetes, plan.args.get("kubernetes", {}))
        cluster = OkeCluster.planned(name, plan.cluster, network, choice, child)
        choice = inputs(OkeIdentity, plan.args.get("identity", {}))
        policies = OkeIdentityPolicies.planned(name, plan.identity, cluster.id, choice, child)
        images = {image.title: import_image(f"{name}-{image.title}", image, child) for image in plan.images}
        # A node that starts before its policies exist cannot join, and gives up in the end.
        with_policies = waiting_for(child, policies.policies)
        joined = cluster.for_pools
        pools = [
            OkeGpuNodePool.planned(
                f"{name}-{pool.name}",
                pool,
                {**joined, "image_id": images[pool.image.title]} if pool.image.title in images else joined,
                inputs(OkePool, choice),
                with_policies,
            )
            for choice, pool in zip(plan.args.get("pools", []), plan.pools, strict=True)
        ]
        adopted = [
            OkeAdoptedNodes.planned(
                f"{name}-{pool.name}",
                pool,
                None,
                inputs(OkeAdoptedPool, choice),
                pulumi.ResourceOptions(parent=self, providers=[provider, cluster.provider]),
            )
            for choice, pool in zip(plan.args.get("adopt", []), plan.adopted, strict=True)
        ]
        nodes = [node for pool in (*pools, *adopted) for node in pool.nodes]
        on_cluster = pulumi.ResourceOptions(parent=self, provider=cluster.provider, deleted_with=cluster.cluster)
        on_cluster = replaceable(on_cluster)
        if (functions := plan.virtual_functions) is not None:
            options = waiting_for(on_cluster, [*cluster.addons, *nodes])
            choice = inputs(OkeVirtualFunctionsArgs, functions.args)
            nodes += OkeVirtualFunctions.planned(name, functions, None, choice, options).objects
        store = _storage(name, plan, new, with_policies, nodes)
        installed = install_in_cluster(
            name, plan.in_cluster, cluster.cluster, nodes, on_cluster, cluster.kubeconfig, store
        )

        self.cluster_id = cluster.id
        self.skypilot = behind(dict(plan.skypilot), installed.ready)
        self.policies = policies.statements
        self.show(cluster, plan.in_cluster, installed)


def _network(name: str, plan: OkeRdmaClusterPlan, child: Opts) -> tuple[OkeHpcNetwork | None, OkeClusterNetwork]:
    """The new network, where there is one, and the links of it or of the user's; empty where nothing starts."""
    if (existing := plan.args.get("network", {}).get("existing")) is not None:
        return None, existing
    if plan.network is None:
        return None, OkeClusterNetwork(vcn="", api_subnet="", worker_subnet="", load_balancer_subnet="")
    new = OkeHpcNetwork.planned(name, plan.network, None, inputs(OkeHpcNetworkArgs, plan.network.args), child)
    return new, new.for_cluster


def _storage(
    name: str, plan: OkeRdmaClusterPlan, network: OkeHpcNetwork | None, opts: Opts, nodes: list[pulumi.Resource]
) -> BaseStorage | None:
    """The stack's new file system; ``None`` where there is none.

    It comes after the nodes: a policy takes effect with a delay, for which Oracle's stack waits 75 seconds
    (oci-hpc-oke terraform/lustre.tf), and a file system that Oracle may not attach fails only at its time-out.
    """
    if plan.storage is None or plan.storage.lustre is None or network is None:
        return None
    from .storage import OkeStorage, StorageLinks  # few stacks have any

    links = StorageLinks(network.subnets["lustre"], [network.groups["lustre"]], after=nodes)
    choice = inputs(OkeStorageOptions, plan.args.get("storage", {}))
    return OkeStorage.planned(name, plan.storage, links, choice, opts)

"""An OKE cluster with everything in it: network, identity, images, GPU pools, and what runs on them."""

from typing import Any

import pulumi
import pulumi_oci as oci

from ..component import Opts, inputs, plan_args, replaceable, waiting_for
from ..incluster.in_cluster import BaseStorage, install_in_cluster
from ..incluster.rdma_cluster import BaseRdmaCluster
from ..key_docs import with_keys
from ..pulling import pulling
from ..tagging import tagged
from .adopt import OkeAdoptedNodes
from .cluster import OkeCluster
from .identity import OkeIdentityPolicies
from .network import OkeHpcNetwork
from .node_image import import_image
from .node_pool import OkeGpuNodePool
from .plan.adopt import OkeAdoptedNodesArgs
from .plan.cluster import OkeClusterArgs, OkeKubernetes
from .plan.identity import OkeIdentity, OkeIdentityPoliciesArgs
from .plan.network import OkeFabric
from .plan.node_pool import OkeGpuNodePoolArgs, OkeNodePoolPlan, OkePool
from .plan.rdma_cluster import OkeRdmaClusterArgs, OkeRdmaClusterPlan, plan_rdma_cluster
from .plan.storage import OkeStorageArgs
from .plan.tags import ORACLE
from .plan.zones import place_of
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
        # The default provider would take its region from the environment, so only the user's takes the place of ours.
        provider = self.get_provider("oci:Core/vcn:Vcn") or oci.Provider(
            name,
            region=plan.args["region"],
            tenancy_ocid=plan.args["tenancy"],
            opts=replaceable(pulumi.ResourceOptions(parent=self)),
        )
        child = pulumi.ResourceOptions(parent=self, providers=[provider])
        fabric, network = _fabric(name, plan, child)
        cluster = OkeCluster(name, _cluster_args(plan, fabric), child, plan=plan.cluster)
        policies = OkeIdentityPolicies(name, _identity_args(plan, cluster), child, plan=plan.identity)
        images = {image.title: import_image(f"{name}-{image.title}", image, child) for image in plan.images}
        # A node that starts before its policies exist cannot join, and gives up in the end.
        with_policies = waiting_for(child, policies.policies)
        pools = [
            OkeGpuNodePool(
                f"{name}-{pool['name']}",
                _pool_args(pool, planned, plan, cluster, fabric, images),
                with_policies,
                plan=planned,
            )
            for pool, planned in zip(plan.args.get("pools", []), plan.pools, strict=True)
        ]
        adopted = [
            OkeAdoptedNodes(
                f"{name}-{pool['name']}",
                OkeAdoptedNodesArgs(**pool, compartment=plan.args["compartment"]),
                pulumi.ResourceOptions(parent=self, providers=[provider, cluster.provider]),
                plan=planned,
            )
            for pool, planned in zip(plan.args.get("adopt", []), plan.adopted, strict=True)
        ]
        nodes = [node for pool in (*pools, *adopted) for node in pool.nodes]
        on_cluster = replaceable(pulumi.ResourceOptions(parent=self, provider=cluster.provider))
        if plan.virtual_functions is not None:
            functions_args, functions_plan = plan.virtual_functions
            after = pulumi.ResourceOptions(depends_on=[*cluster.addons, *nodes], deleted_with=cluster.cluster)
            options = pulumi.ResourceOptions.merge(on_cluster, after)
            nodes += OkeVirtualFunctions(name, functions_args, options, plan=functions_plan).objects
        store = _storage(name, plan, network, with_policies, nodes)
        installed = install_in_cluster(
            name, plan.in_cluster, cluster.cluster, nodes, on_cluster, cluster.kubeconfig, store
        )

        self.cluster_id = cluster.id
        self.skypilot = pulumi.Output.from_input(dict(plan.skypilot))
        self.policies = policies.statements
        self.show(cluster.name, cluster.kubeconfig, plan, installed)


def _fabric(
    name: str, plan: OkeRdmaClusterPlan, child: pulumi.ResourceOptions
) -> tuple[OkeFabric, OkeHpcNetwork | None]:
    """The network of cluster and nodes: the user's, or a new one; empty where nothing starts."""
    choice = plan.args.get("network", {})
    if (existing := choice.get("existing")) is not None:
        links: Any = {key: value for key, value in existing.items() if key not in ("cidrs", "pod_subnet_cidr")}
        return OkeFabric(**links), None
    if plan.network is None:
        return OkeFabric(vcn="", api_subnet="", worker_subnet="", load_balancer_subnet=""), None
    network = OkeHpcNetwork(name, plan.network.args, child, plan=plan.network)
    fabric = OkeFabric(
        vcn=network.vcn,
        api_subnet=network.subnets["api"],
        worker_subnet=network.subnets["workers"],
        load_balancer_subnet=network.subnets["load-balancers"],
        api_groups=[network.groups["api"]],
        worker_groups=[network.groups["workers"]],
    )
    if "pods" in network.subnets:
        fabric["pod_subnet"] = network.subnets["pods"]
        fabric["pod_groups"] = [network.groups["pods"]]
    return fabric, network


def _storage(
    name: str,
    plan: OkeRdmaClusterPlan,
    network: OkeHpcNetwork | None,
    with_policies: pulumi.ResourceOptions,
    nodes: list[pulumi.Resource],
) -> BaseStorage | None:
    """The stack's new file system; ``None`` where there is none.

    It comes after the nodes: a policy takes effect with a delay, for which Oracle's stack waits 75 seconds
    (oci-hpc-oke terraform/lustre.tf), and a file system that Oracle may not attach fails only at its time-out.
    """
    place = plan.in_cluster.storage
    if place is None or place.store.mounted is None or network is None:
        return None
    from .storage import OkeStorage  # few stacks have any

    return OkeStorage(
        name,
        OkeStorageArgs(
            lustre=plan.args["storage"]["lustre"],
            **place_of(plan.args),
            subnet=network.subnets["lustre"],
            groups=[network.groups["lustre"]],
            namespaces=list(place.namespaces),
        ),
        with_policies,
        plan=plan.storage,
        after=nodes,
    )


def _cluster_args(plan: OkeRdmaClusterPlan, fabric: OkeFabric) -> OkeClusterArgs:
    return OkeClusterArgs(
        **{**plan.args.get("kubernetes", OkeKubernetes()), "name": plan.cluster.name},
        **fabric,
        **place_of(plan.args),
        service_cidr=plan.cluster.service_cidr,
        addons=[addon.name for addon in plan.cluster.addons],
    )


def _identity_args(plan: OkeRdmaClusterPlan, cluster: OkeCluster) -> OkeIdentityPoliciesArgs:
    return OkeIdentityPoliciesArgs(
        **plan.args.get("identity", OkeIdentity()),
        region=plan.args["region"],
        tenancy=plan.args["tenancy"],
        compartment=plan.args["compartment"],
        cluster=cluster.id,
        modes=sorted({pool.mode for pool in plan.pools}),
        host_groups=sorted({pool.host_group for pool in plan.pools if pool.host_group}),
        dual_stack=plan.cluster.dual_stack,
        **({"lustre": True} if plan.storage is not None and plan.storage.lustre is not None else {}),
    )


def _pool_args(
    pool: OkePool,
    planned: OkeNodePoolPlan,
    plan: OkeRdmaClusterPlan,
    cluster: OkeCluster,
    fabric: OkeFabric,
    images: dict[str, pulumi.Output[str]],
) -> OkeGpuNodePoolArgs:
    """A pool with the cluster and network that it joins."""
    joins = OkeGpuNodePoolArgs(
        **pool,
        **place_of(plan.args),
        cluster=cluster.id,
        version=planned.version,
        api_host=cluster.api_host,
        ca_certificate=cluster.ca_certificate,
        cni=planned.cni,
        dual_stack=planned.dual_stack,
        subnet=fabric["worker_subnet"],
        groups=fabric.get("worker_groups", []),
        pod_groups=fabric.get("pod_groups", []),
    )
    if "pod_subnet" in fabric:
        joins["pod_subnet"] = fabric["pod_subnet"]
    if "ssh_public_key" in plan.args:
        joins["ssh_public_key"] = plan.args["ssh_public_key"]
    if planned.image.title in images:
        joins["image_id"] = images[planned.image.title]
    return joins

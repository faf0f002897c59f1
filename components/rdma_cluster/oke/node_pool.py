"""GPU nodes on one RDMA fabric of OKE, obtained in one of four ways."""

from typing import Any

import pulumi
import pulumi_oci as oci
from ..base.key_docs import with_keys
from ..common.pools import update_minutes
from ..component.frame import Opts, PlannedComponent, Shown, outputs, replaceable
from . import launch, lookups
from .cluster import KUBE_PROXY, node_source, pod_network
from .node_image import import_image
from .plan.capacity_modes import OkePoolMode
from .plan.gpu_pools import listed_pool
from .plan.images import imports
from .plan.node_pool import OkeGpuNodePoolArgs, OkeNodePoolPlan, OkePoolLinks, plan_node_pool


@with_keys
class OkeGpuNodePool(PlannedComponent[OkeNodePoolPlan, OkePoolLinks]):
    """GPU nodes of one shape in one availability domain, all on one RDMA fabric."""

    name: pulumi.Output[str]
    """Name of the pool, the value of its node label."""
    compute_cluster: pulumi.Output[str]
    """OCID of the compute cluster; empty with a cluster network."""

    def __init__(self, name: str, args: OkeGpuNodePoolArgs, opts: Opts = None):
        self._plan_alone(name, OkeGpuNodePoolArgs, plan_node_pool, args, opts)

    def _make(self, name: str, plan: OkeNodePoolPlan, links: OkePoolLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:OkeGpuNodePool", name, shown, opts)
        self._plan, self._links, self._name = plan, links, name
        self._after = opts.depends_on if opts else None
        self._child = pulumi.ResourceOptions(parent=self)
        self._domain = lookups.availability_domain(plan.zone, plan.tenancy, self)
        self._image = self._image_id()
        self.compute_cluster = self._compute_cluster() if plan.compute_cluster else pulumi.Output.from_input("")
        create = {
            OkePoolMode.MANAGED: self._managed,
            OkePoolMode.CLUSTER_NETWORK: self._cluster_network,
            OkePoolMode.INSTANCES: self._instances,
            OkePoolMode.GPU_MEMORY_CLUSTER: self._gpu_memory_clusters,
        }
        self.nodes: list[pulumi.Resource] = create[plan.mode]()
        """What makes the nodes, for others to depend on."""
        self.name = pulumi.Output.from_input(plan.name)
        self.listed = listed_pool(plan)
        """The pool as ``NcclAcceptance`` and its siblings list it; its fingerprint follows the nodes."""
        self.register_outputs(outputs(self))

    def _image_id(self) -> pulumi.Input[str]:
        """The image that the pool names, that the stack imported for all pools, or that this pool imports."""
        for image_id in (self._plan.image.id, self._links.get("image_id")):
            if image_id is not None:
                return image_id
        (image,) = imports(self._plan.compartment, [(self._plan.image, self._plan.machine.name)])
        return import_image(self._name, image, self._child)

    def _compute_cluster(self) -> pulumi.Output[str]:
        plan = self._plan
        constraint: Any = {
            "type": "COMPUTE_CLUSTER",
            "hpc_island_id": plan.hpc_island,
            "target_network_block_ids": list(plan.network_blocks) or None,
            "logical_placement_constraint": plan.spread,
        }
        placed = plan.hpc_island or plan.spread
        return oci.core.ComputeCluster(
            self._name,
            compartment_id=plan.compartment,
            availability_domain=self._domain,
            display_name=self._name,
            placement_constraint_details=constraint if placed else None,
            opts=self._child,
        ).id

    def _managed(self) -> list[pulumi.Resource]:
        plan, links = self._plan, self._links
        placement: Any = {"availability_domain": self._domain, "subnet_id": links["subnet"]}
        if plan.host_group:
            placement["host_group_id"] = plan.host_group
        if plan.reservation_id is not None:
            placement["capacity_reservation_id"] = plan.reservation_id
        return [
            oci.containerengine.NodePool(
                self._name,
                name=plan.name,
                compartment_id=plan.compartment,
                cluster_id=links["cluster"],
                kubernetes_version=f"v{plan.version}",
                node_shape=plan.machine.name,
                node_source_details=node_source(self._image, plan.boot_volume_gb),
                node_config_details={
                    "size": plan.nodes,
                    "compute_cluster_id": self.compute_cluster,
                    "placement_configs": [placement],
                    "nsg_ids": links.get("groups", []),
                    "node_pool_pod_network_option_details": pod_network(
                        plan.cni, links.get("pod_subnet"), links.get("pod_groups", []), plan.max_pods
                    ),
                },
                initial_node_labels=[{"key": key, "value": value} for key, value in plan.labels.items()],
                node_metadata={
                    # Oracle's module sets it on managed nodes, too.
                    "apiserver_host": links["api_host"],
                    "oke-kubeproxy-proxy-mode": KUBE_PROXY,
                    "areLegacyImdsEndpointsDisabled": "true",
                    "user_data": plan.user_data,
                },
                ssh_public_key=plan.ssh_public_key,
                # A host goes before its successor comes: a reservation has it once.
                node_pool_cycling_details={
                    "is_node_cycling_enabled": True,
                    "maximum_surge": "0",
                    "maximum_unavailable": str(plan.max_unavailable),
                }
                if plan.cycled
                else None,
                opts=self._replaced_first(),
            )
        ]

    def _cluster_network(self) -> list[pulumi.Resource]:
        plan, links = self._plan, self._links
        configuration = self._instance_configuration()
        vnic: Any = {"subnet_id": links["subnet"], "is_assign_ipv6ip": True if plan.dual_stack else None}
        within: Any = {"hpc_island_id": plan.hpc_island, "network_block_ids": list(plan.network_blocks) or None}
        return [
            oci.core.ClusterNetwork(
                self._name,
                compartment_id=plan.compartment,
                display_name=self._name,
                instance_pools=[
                    {"instance_configuration_id": configuration, "size": plan.nodes, "display_name": plan.name}
                ],
                placement_configuration={"availability_domain": self._domain, "primary_vnic_subnets": vnic},
                cluster_configuration=within if plan.hpc_island else None,
                opts=self._replaced_first(),
            )
        ]

    def _instances(self) -> list[pulumi.Resource]:
        plan, links = self._plan, self._links
        return [
            oci.core.Instance(
                f"{self._name}-{host}",
                **launch.instance(plan, links),
                availability_domain=self._domain,
                display_name=f"{self._name}-{host}",
                compute_cluster_id=self.compute_cluster,
                create_vnic_details={**launch.vnic(plan, links), "assign_public_ip": "false"},
                preserve_boot_volume=False,
                source_details={**launch.boot_volume(plan), "source_id": self._image},
                # The API changes none of these on a running node: a new one takes them on (`pulumi up --replace`).
                opts=self._replaced_first("agentConfig", "metadata", "sourceDetails.sourceId"),
            )
            for host in plan.hosts
        ]

    def _gpu_memory_clusters(self) -> list[pulumi.Resource]:
        plan = self._plan
        configuration = self._instance_configuration()
        both_ways: Any = {"is_upsize_enabled": True, "is_downsize_enabled": True}
        return [
            oci.core.ComputeGpuMemoryCluster(
                f"{self._name}-{fabric.rpartition('.')[2][-11:]}",
                compartment_id=plan.compartment,
                availability_domain=self._domain,
                compute_cluster_id=self.compute_cluster,
                instance_configuration_id=configuration,
                gpu_memory_fabric_id=fabric,
                display_name=f"{plan.name}-{fabric[-11:]}",
                gpu_memory_cluster_scale_config={**both_ways, "target_size": str(nodes)},
                # Oracle counts the size while it scales to the target.
                opts=self._replaced_first("size"),
            )
            for fabric, nodes in plan.memory_fabrics
        ]

    def _instance_configuration(self) -> pulumi.Output[str]:
        """The nodes' template. A changed one is a new one: Pulumi creates it, updates its users, deletes the old."""
        plan, links = self._plan, self._links
        return oci.core.InstanceConfiguration(
            self._name,
            compartment_id=plan.compartment,
            display_name=f"{self._name}-{plan.boot_digest}",
            instance_details={
                "instance_type": "compute",
                "launch_details": {
                    **launch.instance(plan, links),
                    "availability_domain": self._domain,
                    "create_vnic_details": launch.vnic(plan, links),
                    "source_details": {**launch.boot_volume(plan), "image_id": self._image},
                },
            },
            opts=replaceable(self._child),
        ).id

    def _replaced_first(self, *ignored: str) -> pulumi.ResourceOptions:
        """Options of nodes, without changes of ``ignored`` properties.

        The old nodes hold the hosts until they are gone: new ones beside them could not start. Self-managed nodes join
        one cluster, once: another cluster needs new ones.
        """
        plan, minutes = self._plan, f"{self._plan.create_minutes}m"
        update = f"{update_minutes(plan.nodes, plan.max_unavailable)}m" if plan.cycled else minutes
        return pulumi.ResourceOptions(
            parent=self,
            delete_before_replace=True,
            # What the pool waits for stays until its nodes are gone.
            depends_on=self._after,
            replacement_trigger=self._links["cluster"],
            custom_timeouts=pulumi.CustomTimeouts(create=minutes, update=update, delete="2h"),
            ignore_changes=list(ignored) or None,
        )

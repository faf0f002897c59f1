"""GPU nodes on one RDMA fabric of OKE, obtained in one of four ways."""

from typing import Any

import pulumi
import pulumi_oci as oci

from ..component import inputs, outputs, plan_args
from ..key_docs import with_keys
from . import launch, lookups
from .cluster import KUBE_PROXY, pod_network
from .node_image import OkeImportedImage
from .plan.images import OkeImportedImageArgs, imports
from .plan.modes import OkePoolMode
from .plan.node_pool import NodePoolPlan, OkeGpuNodePoolArgs, decide_node_pool


@with_keys
class OkeGpuNodePool(pulumi.ComponentResource):
    """GPU nodes of one shape in one availability domain, all on one RDMA fabric."""

    name: pulumi.Output[str]
    """Name of the pool, the value of its node label."""
    compute_cluster: pulumi.Output[str]
    """OCID of the compute cluster; empty with a cluster network."""

    def __init__(
        self,
        name: str,
        args: OkeGpuNodePoolArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        plan: NodePoolPlan | None = None,
    ):
        args, plan = plan_args(OkeGpuNodePoolArgs, decide_node_pool, args, plan)
        super().__init__("rdma-cluster:index:OkeGpuNodePool", name, inputs(OkeGpuNodePoolArgs, args), opts)
        self._plan, self._args, self._name = plan, args, name
        self._after = opts.depends_on if opts else None
        self._child = pulumi.ResourceOptions(parent=self)
        self._timeouts = pulumi.CustomTimeouts(
            create=f"{plan.create_minutes}m", update=f"{plan.create_minutes}m", delete="2h"
        )
        self._domain = lookups.availability_domain(plan.zone, args["tenancy"], self)
        self._image = self._image_id()
        reservation = args["capacity"].get("reservation")
        self._reservation = reservation["id"] if reservation else None
        self._cluster = self._compute_cluster() if plan.compute_cluster else pulumi.Output.from_input("")
        create = {
            OkePoolMode.MANAGED: self._managed,
            OkePoolMode.CLUSTER_NETWORK: self._cluster_network,
            OkePoolMode.INSTANCES: self._instances,
            OkePoolMode.GPU_MEMORY_CLUSTER: self._gpu_memory_clusters,
        }
        self.nodes: list[pulumi.Resource] = create[plan.mode]()
        """What makes the nodes, for others to depend on."""
        self.name = pulumi.Output.from_input(plan.name)
        self.compute_cluster = self._cluster
        self.register_outputs(outputs(self))

    def _image_id(self) -> pulumi.Input[str]:
        """The image that is named, was imported for all pools, or is imported here."""
        chosen = self._args.get("image", {})
        if "id" in chosen:
            return chosen["id"]
        if "image_id" in self._args:
            return self._args["image_id"]
        (image,) = imports(self._args["compartment"], [(self._plan.image, self._plan.machine.name)])
        image_args = OkeImportedImageArgs(compartment=image.compartment, machines=list(image.shapes), url=image.url)
        return OkeImportedImage(self._name, image_args, self._child, plan=image).image

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
            compartment_id=self._args["compartment"],
            availability_domain=self._domain,
            display_name=self._name,
            placement_constraint_details=constraint if placed else None,
            opts=self._child,
        ).id

    def _managed(self) -> list[pulumi.Resource]:
        plan, args = self._plan, self._args
        placement: Any = {"availability_domain": self._domain, "subnet_id": args["subnet"]}
        if plan.host_group:
            placement["host_group_id"] = plan.host_group
        if self._reservation is not None:
            placement["capacity_reservation_id"] = self._reservation
        return [
            oci.containerengine.NodePool(
                self._name,
                name=plan.name,
                compartment_id=args["compartment"],
                cluster_id=args["cluster"],
                kubernetes_version=f"v{plan.version}",
                node_shape=plan.machine.name,
                node_source_details={
                    "source_type": "IMAGE",
                    "image_id": self._image,
                    "boot_volume_size_in_gbs": str(plan.boot_volume_gb),
                },
                node_config_details={
                    "size": plan.nodes,
                    "compute_cluster_id": self._cluster,
                    "placement_configs": [placement],
                    "nsg_ids": args.get("groups", []),
                    "node_pool_pod_network_option_details": pod_network(
                        plan.cni, args.get("pod_subnet"), args.get("pod_groups", []), plan.max_pods
                    ),
                },
                initial_node_labels=[{"key": key, "value": value} for key, value in plan.labels.items()],
                node_metadata={
                    # Oracle's module sets it on managed nodes, too.
                    "apiserver_host": args["api_host"],
                    "oke-kubeproxy-proxy-mode": KUBE_PROXY,
                    "areLegacyImdsEndpointsDisabled": "true",
                    "user_data": plan.user_data,
                },
                ssh_public_key=args.get("ssh_public_key"),
                opts=self._in_place_of_the_old(),
            )
        ]

    def _cluster_network(self) -> list[pulumi.Resource]:
        plan, args = self._plan, self._args
        within: Any = {"hpc_island_id": plan.hpc_island, "network_block_ids": list(plan.network_blocks) or None}
        return [
            oci.core.ClusterNetwork(
                self._name,
                compartment_id=args["compartment"],
                display_name=self._name,
                instance_pools=[
                    {
                        "instance_configuration_id": self._instance_configuration(),
                        "size": plan.nodes,
                        "display_name": plan.name,
                    }
                ],
                placement_configuration={
                    "availability_domain": self._domain,
                    "primary_vnic_subnets": {
                        "subnet_id": args["subnet"],
                        "is_assign_ipv6ip": True if plan.dual_stack else None,
                    },
                },
                cluster_configuration=within if plan.hpc_island else None,
                opts=self._in_place_of_the_old(),
            )
        ]

    def _instances(self) -> list[pulumi.Resource]:
        plan, args = self._plan, self._args
        return [
            oci.core.Instance(
                f"{self._name}-{host}",
                compartment_id=args["compartment"],
                availability_domain=self._domain,
                display_name=f"{self._name}-{host}",
                shape=plan.machine.name,
                compute_cluster_id=self._cluster,
                capacity_reservation_id=self._reservation,
                agent_config=launch.agent(),
                create_vnic_details={**launch.vnic(plan, args), "assign_public_ip": "false"},
                instance_options={"are_legacy_imds_endpoints_disabled": True},
                metadata=launch.metadata(plan, args),
                placement_constraint_details=launch.host_group(plan),
                preserve_boot_volume=False,
                source_details={**launch.boot_volume(plan), "source_id": self._image},
                opts=pulumi.ResourceOptions.merge(
                    self._in_place_of_the_old(),
                    # The API changes neither of a node that runs: a new one takes them on (`pulumi up --replace`).
                    pulumi.ResourceOptions(ignore_changes=["agentConfig", "metadata", "sourceDetails.sourceId"]),
                ),
            )
            for host in plan.hosts
        ]

    def _gpu_memory_clusters(self) -> list[pulumi.Resource]:
        plan, args = self._plan, self._args
        configuration = self._instance_configuration()
        return [
            oci.core.ComputeGpuMemoryCluster(
                f"{self._name}-{fabric.rpartition('.')[2][-11:]}",
                compartment_id=args["compartment"],
                availability_domain=self._domain,
                compute_cluster_id=self._cluster,
                instance_configuration_id=configuration,
                gpu_memory_fabric_id=fabric,
                display_name=f"{plan.name}-{fabric[-11:]}",
                gpu_memory_cluster_scale_config={
                    "is_upsize_enabled": True,
                    "is_downsize_enabled": True,
                    "target_size": str(nodes),
                },
                opts=pulumi.ResourceOptions.merge(
                    self._in_place_of_the_old(),
                    # Oracle counts it while it scales to the target.
                    pulumi.ResourceOptions(ignore_changes=["size"]),
                ),
            )
            for fabric, nodes in plan.memory_fabrics
        ]

    def _instance_configuration(self) -> pulumi.Output[str]:
        """The nodes' template. It never changes: a new one is made, taken into use, and then the old one goes."""
        plan, args = self._plan, self._args
        return oci.core.InstanceConfiguration(
            self._name,
            compartment_id=args["compartment"],
            display_name=f"{self._name}-{plan.boot_digest}",
            instance_details={
                "instance_type": "compute",
                "launch_details": {
                    "compartment_id": args["compartment"],
                    "availability_domain": self._domain,
                    "shape": plan.machine.name,
                    "agent_config": launch.agent(),
                    "capacity_reservation_id": self._reservation,
                    "create_vnic_details": launch.vnic(plan, args),
                    "instance_options": {"are_legacy_imds_endpoints_disabled": True},
                    "metadata": launch.metadata(plan, args),
                    "placement_constraint_details": launch.host_group(plan),
                    "source_details": {**launch.boot_volume(plan), "image_id": self._image},
                },
            },
            opts=self._child,
        ).id

    def _in_place_of_the_old(self) -> pulumi.ResourceOptions:
        """Its hosts are taken until it is gone: a second one beside it could not start.

        Nodes that join by themselves do so once: under another cluster they are others.
        """
        return pulumi.ResourceOptions.merge(
            self._child,
            pulumi.ResourceOptions(
                delete_before_replace=True,
                # What the pool waits for stays until its nodes are gone.
                depends_on=self._after,
                replacement_trigger=self._args["cluster"],
                custom_timeouts=self._timeouts,
            ),
        )

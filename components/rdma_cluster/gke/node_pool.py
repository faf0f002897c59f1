"""A GPU node pool on GKE whose nodes have every rail."""

import pulumi
import pulumi_gcp as gcp
from pulumi_offline.frozen import frozen
from ..base.args import Input, Link
from ..base.key_docs import with_keys
from ..catalog.machine import Capacity
from ..common.google.resources import RESERVATION_KEY
from ..common.pools import taints_of, update_minutes
from ..component.frame import Opts, PlannedComponent, Shown, each_of, inputs, outputs, plan_args
from .plan.capacity import WHEN_ASKED
from .plan.gpu_pools import listed_pool
from .plan.network import GkeNodeNetwork
from .plan.node_pool import BOOT_DISK_GB, GkeGpuNodePoolArgs, GkeNodePoolPlan, plan_node_pool
from .plan.placement import ACCELERATOR_TOPOLOGY, policy_name


@frozen
class PoolLinks:
    """The cluster that a pool joins, and the networks that its nodes attach to."""

    cluster: Link
    """Name of the cluster."""
    location: Link
    """The cluster's region or zone."""
    networks: Input[list[GkeNodeNetwork]]
    """Additional networks in NIC order."""
    service_account: Link | None
    """Service account of the nodes; ``None`` is the project's compute account."""


@with_keys
class GkeGpuNodePool(PlannedComponent[GkeNodePoolPlan, PoolLinks]):
    """GPU nodes of one machine type, attached to the gVNIC network and to every rail in order; on racks one rack."""

    name: pulumi.Output[str]
    """Name of the node pool."""
    node_pool: gcp.container.NodePool
    """The node pool, for others to depend on."""

    def __init__(self, name: str, args: GkeGpuNodePoolArgs, opts: Opts = None):
        args, plan = plan_args(GkeGpuNodePoolArgs, plan_node_pool, args)
        links = PoolLinks(args["cluster"], args["location"], args["networks"], args.get("service_account"))
        self._make(name, plan, links, inputs(GkeGpuNodePoolArgs, args), opts)

    def _make(self, name: str, plan: GkeNodePoolPlan, links: PoolLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:GkeGpuNodePool", name, shown, opts)
        scaled = plan.min_nodes is not None

        self.node_pool = gcp.container.NodePool(
            name,
            project=plan.place.project,
            name=plan.name,
            cluster=links.cluster,
            location=links.location,
            node_locations=[plan.place.zone],
            node_count=None if scaled else plan.nodes if plan.begun else 0,
            # A pool of the autoscaler's starts full, so that its fabric is proved, and loses its idle nodes then.
            initial_node_count=plan.nodes if scaled and plan.capacity not in WHEN_ASKED else None,
            autoscaling={
                "total_min_node_count": plan.min_nodes,
                "total_max_node_count": plan.nodes,
                "location_policy": "ANY",
            }
            if scaled
            else None,
            queued_provisioning={"enabled": True} if plan.capacity is Capacity.QUEUED else None,
            version=plan.node_version,
            management={"auto_repair": plan.auto_repair, "auto_upgrade": True},
            # A reservation has no spare node to surge into.
            upgrade_settings={"strategy": "SURGE", "max_surge": 0, "max_unavailable": plan.max_unavailable},
            placement_policy=_placement(name, plan, pulumi.ResourceOptions(parent=self)),
            network_config={
                "enable_private_nodes": True,
                "accelerator_network_profile": "auto" if plan.auto_networks else None,
                "additional_node_network_configs": None
                if plan.auto_networks
                else each_of(
                    links.networks, lambda each: {"network": each["network"], "subnetwork": each["subnetwork"]}
                ),
            },
            node_config=_node_config(plan, links.service_account),
            opts=pulumi.ResourceOptions(
                parent=self,
                # The nodes' capacity is taken until they are gone: a second pool beside the first could never start.
                delete_before_replace=True,
                ignore_changes=["nodeCount", "initialNodeCount"] if scaled else None,
                custom_timeouts=pulumi.CustomTimeouts(
                    create=f"{plan.create_minutes}m",
                    update=f"{update_minutes(plan.nodes, plan.max_unavailable)}m",
                    delete="60m",
                ),
            ),
        )
        self.name = self.node_pool.name
        self.listed = listed_pool(plan)
        """The pool as ``NcclAcceptance`` and its siblings list it; its fingerprint follows the nodes."""
        self.register_outputs(outputs(self))


def _node_config(plan: GkeNodePoolPlan, service_account: Link | None) -> "gcp.container.NodePoolNodeConfigArgsDict":
    return {
        "machine_type": plan.machine.name,
        "image_type": "COS_CONTAINERD",
        "guest_accelerators": [
            {
                "type": plan.accelerator,
                "count": plan.machine.gpus,
                "gpu_driver_installation_config": {"gpu_driver_version": plan.gpu_driver},
            }
        ],
        "spot": plan.capacity is Capacity.SPOT,
        "flex_start": True if plan.capacity in WHEN_ASKED else None,
        "max_run_duration": f"{plan.run_seconds}s" if plan.run_seconds else None,
        "reservation_affinity": _affinity(plan),
        "ephemeral_storage_local_ssd_config": {"local_ssd_count": plan.local_ssds} if plan.local_ssds else None,
        "linux_node_config": {"hugepages_config": {"hugepage_size2m": plan.machine.huge_pages}}
        if plan.machine.huge_pages
        else None,
        "disk_type": plan.machine.boot_disk,
        "disk_size_gb": BOOT_DISK_GB,
        "gvnic": {"enabled": True},
        "labels": dict(plan.labels),
        "taints": [{"key": key, "value": value, "effect": effect} for key, value, effect in taints_of(plan)],
        "service_account": service_account,
        "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
        "workload_metadata_config": {"mode": "GKE_METADATA"},
    }


def _placement(
    name: str, plan: GkeNodePoolPlan, child: pulumi.ResourceOptions
) -> "gcp.container.NodePoolPlacementPolicyArgsDict | None":
    """The user's policy, or GKE's; for a rack a new one, which makes the pool one NVLink domain."""
    if plan.rack_region is None:
        return {"type": "COMPACT", "policy_name": plan.placement_policy} if plan.compact else None
    # Each pool has its own policy: two pools are two racks.
    policy = gcp.compute.ResourcePolicy(
        policy_name(name),
        project=plan.place.project,
        region=plan.rack_region,
        workload_policy={"type": "HIGH_THROUGHPUT", "accelerator_topology": ACCELERATOR_TOPOLOGY},
        opts=child,
    )
    return {"type": "COMPACT", "policy_name": policy.name}


def _affinity(plan: GkeNodePoolPlan) -> "gcp.container.NodePoolNodeConfigReservationAffinityArgsDict | None":
    if plan.reservation is not None:
        values = [plan.reservation]
        return {"consume_reservation_type": "SPECIFIC_RESERVATION", "key": RESERVATION_KEY, "values": values}
    return {"consume_reservation_type": "NO_RESERVATION"} if plan.capacity in WHEN_ASKED else None

"""A GPU node pool on EKS whose nodes have every EFA interface."""

from typing import Any

import pulumi
import pulumi_aws as aws
from ..base.key_docs import with_keys
from ..catalog.eks import repair
from ..catalog.machine import Capacity
from ..common.pools import taints_of, update_minutes
from ..component.frame import Opts, PlannedComponent, Shown, inputs, outputs, plan_args
from .network import ids_of
from .plan.gpu_pools import listed_pool
from .plan.node_pool import EksGpuNodePoolArgs, EksNodePoolPlan, EksPoolLinks, plan_node_pool

_CAPACITY_TYPES = {
    Capacity.ON_DEMAND: "ON_DEMAND",
    # A targeted reservation is on-demand capacity; as a capacity block EC2 would refuse it.
    Capacity.RESERVATION: "ON_DEMAND",
    Capacity.CAPACITY_BLOCK: "CAPACITY_BLOCK",
    Capacity.SPOT: "SPOT",
}


@with_keys
class EksGpuNodePool(PlannedComponent[EksNodePoolPlan, EksPoolLinks]):
    """GPU nodes of one machine type in one zone, with the interfaces of its layout class."""

    name: pulumi.Output[str]
    """Name of the node group."""
    placement_group: pulumi.Output[str]
    """Name of the cluster placement group that was made or given, for a reservation to be made in; else empty."""
    node_pool: aws.eks.NodeGroup
    """The node group, for others to depend on."""

    def __init__(self, name: str, args: EksGpuNodePoolArgs, opts: Opts = None):
        args, plan = plan_args(EksGpuNodePoolArgs, plan_node_pool, args, warn=self)
        self._make(name, plan, args, inputs(EksGpuNodePoolArgs, args), opts)

    def _make(self, name: str, plan: EksNodePoolPlan, links: EksPoolLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:EksGpuNodePool", name, shown, opts)
        child = pulumi.ResourceOptions(parent=self)
        group = plan.placement_group
        if plan.makes_group:
            group = aws.ec2.PlacementGroup(
                name,
                strategy="cluster",
                # Its name is its identity, and it stays while nodes are in it.
                opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(delete_before_replace=True)),
            ).name
        template = _template(name, plan, links, group, child)
        self.node_pool = aws.eks.NodeGroup(
            name,
            cluster_name=links["cluster"],
            node_group_name=plan.name,
            node_role_arn=links["node_role"],
            subnet_ids=ids_of(links["subnets"]),
            ami_type=plan.ami_type,
            # EKS takes an image of another minor together with the minor alone.
            version=plan.node_version,
            release_version=plan.release_version,
            capacity_type=_CAPACITY_TYPES[plan.capacity],
            # A capacity block's type stands in the template, and nowhere else.
            instance_types=None if plan.capacity is Capacity.CAPACITY_BLOCK else [plan.machine.name],
            # Least 0, so that a pool can be emptied before its capacity block ends, and for an update of one.
            scaling_config={"desired_size": plan.nodes, "min_size": 0, "max_size": plan.nodes},
            # Old nodes go before new ones come: there is no capacity for both at once.
            update_config={"max_unavailable": plan.max_unavailable, "update_strategy": "MINIMAL"},
            node_repair_config=_repair(plan),
            labels=dict(plan.labels),
            taints=[{"key": key, "value": value, "effect": effect} for key, value, effect in taints_of(plan)],
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            opts=pulumi.ResourceOptions(
                parent=child.parent,
                # The nodes' capacity is taken until they are gone: a second pool beside the first could not start.
                delete_before_replace=True,
                custom_timeouts=pulumi.CustomTimeouts(
                    create=f"{plan.create_minutes}m",
                    update=f"{update_minutes(plan.nodes, plan.max_unavailable)}m",
                    delete="60m",
                ),
            ),
        )
        self.name = self.node_pool.node_group_name
        self.listed = listed_pool(plan)
        """The pool as ``NcclAcceptance`` and its siblings list it; its fingerprint follows the nodes."""
        self.placement_group = pulumi.Output.from_input(group or "")
        self.register_outputs(outputs(self))


def _template(
    name: str, plan: EksNodePoolPlan, links: EksPoolLinks, group: pulumi.Input[str] | None, child: Opts
) -> aws.ec2.LaunchTemplate:
    both_groups = [links["cluster_security_group"], links["efa_security_group"]]
    is_block = plan.capacity is Capacity.CAPACITY_BLOCK
    key = f"capacity_reservation_{'resource_group_arn' if plan.by_group else 'id'}"
    reserved: Any = {"capacity_reservation_target": {key: plan.reservation}}
    return aws.ec2.LaunchTemplate(
        name,
        # A node group stays with one template for life; it moves from version to version.
        update_default_version=True,
        instance_type=plan.machine.name if is_block else None,
        instance_market_options={"market_type": "capacity-block"} if is_block else None,
        capacity_reservation_specification=reserved if plan.reservation is not None else None,
        placement={"group_name": group} if group is not None else None,
        # No subnet and no public address: EKS puts the node group's subnet in, and interfaces beside the first
        # rule an automatic public address out. Listing any, EKS adds no security group of its own.
        network_interfaces=[
            {
                "network_card_index": each.card,
                "device_index": each.device,
                "interface_type": each.kind,
                "security_groups": both_groups if each.has_ip else [links["efa_security_group"]],
                "associate_public_ip_address": "false" if each.has_ip else None,
                "delete_on_termination": "true",
            }
            for each in plan.interfaces
        ],
        block_device_mappings=[
            {
                "device_name": "/dev/xvda",
                "ebs": {
                    "volume_type": "gp3",
                    "volume_size": plan.boot_disk_gb,
                    "encrypted": "true",
                    "delete_on_termination": "true",
                },
            }
        ],
        # One hop: a pod without the host's network does not reach the node's credentials.
        metadata_options={"http_endpoint": "enabled", "http_tokens": "required", "http_put_response_hop_limit": 1},
        user_data=plan.user_data or None,
        tag_specifications=[
            {"resource_type": kind, "tags": {"Name": name}} for kind in ("instance", "volume", "network-interface")
        ],
        opts=child,
    )


def _repair(plan: EksNodePoolPlan) -> "aws.eks.NodeGroupNodeRepairConfigArgsDict":
    """Whether EKS repairs nodes, and on kept instances an action for each reason for which it would replace one."""
    if not (plan.auto_repair and plan.keeps_instances):
        return {"enabled": plan.auto_repair}
    overrides: list[aws.eks.NodeGroupNodeRepairConfigNodeRepairConfigOverrideArgsDict] = [
        {
            "node_monitoring_condition": repair.CONDITION,
            "node_unhealthy_reason": reason,
            "min_repair_wait_time_mins": repair.WAIT_MINUTES,
            "repair_action": action,
        }
        for reason, action in repair.KEEPS_INSTANCE.items()
    ]
    return {"enabled": True, "node_repair_config_overrides": overrides}

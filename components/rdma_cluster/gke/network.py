"""The networks of a GKE fabric."""

import pulumi
import pulumi_gcp as gcp
from ..base.key_docs import with_keys
from ..common.google.resources import allow_inside, nat, vpc
from ..component.frame import Opts, PlannedComponent, Shown, inputs, outputs, plan_args
from .plan.network import GkeHpcNetworkArgs, GkeNetworkPlan, GkeNodeNetwork, GkePrimaryNetwork, VpcPlan, plan_network


@with_keys
class GkeHpcNetwork(PlannedComponent[GkeNetworkPlan, None]):
    """A primary VPC and those of the machines' further NICs, a subnet each; none is reachable from outside."""

    primary: GkePrimaryNetwork
    """What a cluster attaches: the primary VPC, its subnet and its secondary ranges."""
    node_networks: list[GkeNodeNetwork]
    """What a GPU pool attaches, in NIC order: the gVNIC network where there is one, then rails 0, 1, ..."""

    def __init__(self, name: str, args: GkeHpcNetworkArgs, opts: Opts = None):
        args, plan = plan_args(GkeHpcNetworkArgs, plan_network, args)
        self._make(name, plan, None, inputs(GkeHpcNetworkArgs, args), opts)

    def _make(self, name: str, plan: GkeNetworkPlan, links: None, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:GkeHpcNetwork", name, shown, opts)
        child = pulumi.ResourceOptions(parent=self)
        project = plan.project

        blocks = [plan.nodes, plan.pods, plan.services]
        primary = vpc(f"{name}-primary", project, blocks, child, mtu_bytes=plan.mtu_bytes)
        nodes = gcp.compute.Subnetwork(
            f"{name}-primary",
            project=project,
            region=plan.region,
            network=primary.id,
            ip_cidr_range=plan.nodes,
            secondary_ip_ranges=[
                {"range_name": "pods", "ip_cidr_range": plan.pods},
                {"range_name": "services", "ip_cidr_range": plan.services},
            ],
            private_ip_google_access=True,
            opts=child,
        )
        allow_inside(f"{name}-primary", project, primary, [plan.nodes, plan.pods], child)
        nat(f"{name}-nat", project, plan.region, primary, child)

        self.node_networks = [
            attached for each in plan.vpcs for attached in _node_networks(name, project, plan.region, each, child)
        ]
        self.primary = GkePrimaryNetwork(
            network=primary.name, subnetwork=nodes.name, pod_range="pods", service_range="services"
        )
        self.register_outputs(outputs(self))


def _node_networks(
    name: str, project: str, region: str, plan: VpcPlan, child: pulumi.ResourceOptions
) -> list[GkeNodeNetwork]:
    """Make a VPC for further NICs with its subnets. Returns a network for each subnet."""
    blocks = [subnet.cidr for subnet in plan.subnets if subnet.cidr is not None]
    network = vpc(f"{name}-{plan.name}", project, blocks, child, mtu_bytes=plan.mtu_bytes, profile=plan.profile)
    if not blocks:
        # Google makes and deletes the subnet of such a VPC; we know it by its name only.
        return [
            GkeNodeNetwork(network=network.name, subnetwork=pulumi.Output.format("{0}-{1}", subnet.name, network.name))
            for subnet in plan.subnets
        ]
    subnets = [
        gcp.compute.Subnetwork(
            f"{name}-{subnet.name}", project=project, region=region, network=network.id, ip_cidr_range=cidr, opts=child
        )
        for subnet, cidr in zip(plan.subnets, blocks, strict=True)
    ]
    # A RoCE profile allows all traffic by itself and refuses rules of most kinds.
    # https://docs.cloud.google.com/vpc/docs/network-profiles
    if plan.profile is None:
        allow_inside(f"{name}-{plan.name}", project, network, blocks, child)
    return [GkeNodeNetwork(network=network.name, subnetwork=subnet.name) for subnet in subnets]

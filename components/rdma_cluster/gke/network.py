"""The networks of a GKE fabric."""

import pulumi
import pulumi_gcp as gcp

from ..component import inputs, outputs, plan_args
from ..google.network import ALL_PORTS, of_addresses, way_out
from ..key_docs import with_keys
from .plan.network import GkeHpcNetworkArgs, GkeNodeNetwork, GkePrimaryNetwork, NetworkPlan, VpcPlan, decide_network


@with_keys
class GkeHpcNetwork(pulumi.ComponentResource):
    """A primary VPC and those of the machines' further NICs, a subnet each; none is reachable from outside."""

    primary: GkePrimaryNetwork
    """What a cluster attaches: the primary VPC, its subnet and its secondary ranges."""
    node_networks: list[GkeNodeNetwork]
    """What a GPU pool attaches, in NIC order: the gVNIC network where there is one, then rails 0, 1, ..."""

    def __init__(
        self,
        name: str,
        args: GkeHpcNetworkArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        plan: NetworkPlan | None = None,
    ):
        args, plan = plan_args(GkeHpcNetworkArgs, decide_network, args, plan)
        super().__init__("rdma-cluster:index:GkeHpcNetwork", name, inputs(GkeHpcNetworkArgs, args), opts)
        child = pulumi.ResourceOptions(parent=self)
        project = args["project"]

        primary = gcp.compute.Network(
            f"{name}-primary",
            project=project,
            auto_create_subnetworks=False,
            routing_mode="REGIONAL",
            mtu=plan.mtu_bytes,
            opts=of_addresses(child, plan.nodes, plan.pods, plan.services),
        )
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
        gcp.compute.Firewall(
            f"{name}-primary",
            project=project,
            network=primary.id,
            allows=ALL_PORTS,
            source_ranges=[plan.nodes, plan.pods],
            opts=child,
        )
        way_out(f"{name}-nat", project, plan.region, primary, child)

        self.node_networks = [
            attached for vpc in plan.vpcs for attached in _attached(name, project, plan.region, vpc, child)
        ]
        self.primary = GkePrimaryNetwork(
            network=primary.name, subnetwork=nodes.name, pod_range="pods", service_range="services"
        )
        self.register_outputs(outputs(self))


def _attached(
    name: str, project: str, region: str, vpc: VpcPlan, child: pulumi.ResourceOptions
) -> list[GkeNodeNetwork]:
    """A VPC of further NICs with its subnets."""
    blocks = [subnet.cidr for subnet in vpc.subnets if subnet.cidr is not None]
    network = gcp.compute.Network(
        f"{name}-{vpc.name}",
        project=project,
        auto_create_subnetworks=False,
        routing_mode="REGIONAL",
        network_profile=vpc.profile,
        mtu=vpc.mtu_bytes,
        opts=of_addresses(child, *blocks),
    )
    if not blocks:
        # Google's own subnet is no resource of ours, and comes and goes with the VPC: its name is what is known of it.
        return [
            GkeNodeNetwork(network=network.name, subnetwork=pulumi.Output.format("{0}-{1}", subnet.name, network.name))
            for subnet in vpc.subnets
        ]
    subnets = [
        gcp.compute.Subnetwork(
            f"{name}-{subnet.name}",
            project=project,
            region=region,
            network=network.id,
            ip_cidr_range=cidr,
            opts=child,
        )
        for subnet, cidr in zip(vpc.subnets, blocks, strict=True)
    ]
    # A RoCE profile allows all traffic by itself and refuses rules of most kinds.
    # https://docs.cloud.google.com/vpc/docs/network-profiles
    if vpc.profile is None:
        gcp.compute.Firewall(
            f"{name}-{vpc.name}",
            project=project,
            network=network.id,
            allows=ALL_PORTS,
            source_ranges=blocks,
            opts=child,
        )
    return [GkeNodeNetwork(network=network.name, subnetwork=subnet.name) for subnet in subnets]

"""The network of an AKS cluster. The InfiniBand fabric is not part of it: that comes with the scale set of a pool."""

from typing import Any

import pulumi
from pulumi_azure_native import network
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, outputs
from .plan.network import AksHpcNetworkArgs, AksNetworkLinks, AksNetworkPlan, AksOutbound, plan_network

_ELSEWHERE = pulumi.ResourceOptions(replace_on_changes=["location"])
"""Options of kinds that the provider would ask Azure to move to another location, which Azure does with nothing."""


@with_keys
class AksHpcNetwork(PlannedComponent[AksNetworkPlan, AksNetworkLinks]):
    """A virtual network with one subnet for all nodes, closed to the outside, and a way out."""

    subnet: pulumi.Output[str]
    """Id of the subnet for nodes."""
    lustre_subnet: pulumi.Output[str]
    """Id of the subnet for a Lustre file system; empty where there is none."""
    cidrs: list[str]
    """Blocks of the virtual network."""
    outbound: AksOutbound
    """How the subnet reaches the outside."""
    egress_cidr: pulumi.Output[str]
    """Block of the NAT gateway's address, by which nodes leave; empty where AKS makes a load balancer for that."""

    def __init__(self, name: str, args: AksHpcNetworkArgs, opts: Opts = None):
        self._plan_alone(name, AksHpcNetworkArgs, plan_network, args, opts)

    def _make(self, name: str, plan: AksNetworkPlan, links: AksNetworkLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:AksHpcNetwork", name, shown, opts)
        child = pulumi.ResourceOptions(parent=self)
        group = links["resource_group"]
        where: Any = {"resource_group_name": group, "location": plan.location}

        virtual = network.VirtualNetwork(
            name,
            **where,
            address_space={"address_prefixes": [plan.cidr]},
            # Addresses that nodes have cannot be taken away: those that move, move into a new network.
            opts=pulumi.ResourceOptions(parent=self, replacement_trigger=[plan.cidr, plan.nodes]),
        )
        # No rules beside Azure's own: in from the network and from load balancers, nothing from outside.
        elsewhere = pulumi.ResourceOptions.merge(child, _ELSEWHERE)
        closed = network.NetworkSecurityGroup(name, **where, opts=elsewhere)
        nat = None
        self.egress_cidr = pulumi.Output.from_input("")
        if plan.outbound == AksOutbound.NAT_GATEWAY:
            nat, address = _nat(name, where, child)
            self.egress_cidr = pulumi.Output.format("{0}/32", address.ip_address)

        def subnet(part: str, prefix: str, opts: Opts) -> network.Subnet:
            return network.Subnet(
                f"{name}-{part}",
                resource_group_name=group,
                virtual_network_name=virtual.name,
                address_prefix=prefix,
                network_security_group={"id": closed.id},
                nat_gateway={"id": nat.id} if nat is not None else None,
                # The way out is the one named above, and none by chance.
                default_outbound_access=False,
                opts=opts,
            )

        nodes = subnet("nodes", plan.nodes, child)
        self.lustre_subnet = pulumi.Output.from_input("")
        if plan.lustre:
            # Azure changes one subnet of a network at a time, and none that is in use.
            after_nodes = pulumi.ResourceOptions(
                parent=self, depends_on=[nodes], replacement_trigger=[plan.lustre], delete_before_replace=True
            )
            self.lustre_subnet = subnet("lustre", plan.lustre, after_nodes).id
        self.subnet = nodes.id
        self.cidrs = [plan.cidr]
        self.outbound = plan.outbound
        self.register_outputs(outputs(self))


def _nat(name: str, where: Any, child: Opts) -> tuple[network.NatGateway, network.PublicIPAddress]:
    address = network.PublicIPAddress(
        f"{name}-nat",
        **where,
        sku={"name": "Standard"},
        public_ip_allocation_method="Static",
        # Azure writes the gateway down here, too, once that has the address.
        opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(ignore_changes=["natGateway"])),
    )
    gateway = network.NatGateway(
        f"{name}-nat",
        **where,
        sku={"name": "Standard"},
        public_ip_addresses=[{"id": address.id}],
        opts=pulumi.ResourceOptions.merge(child, _ELSEWHERE),
    )
    return gateway, address

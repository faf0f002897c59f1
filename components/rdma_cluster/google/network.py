"""What networks of Google Cloud have in common, whoever uses them."""

import pulumi
import pulumi_gcp as gcp

ALL_PORTS: "list[gcp.compute.FirewallAllowArgsDict]" = [{"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"}]
"""Between machines of one network."""


def of_addresses(child: pulumi.ResourceOptions, *blocks: str) -> pulumi.ResourceOptions:
    """A network is made anew when its addresses move: subnets of one network never share any, those of two may."""
    return pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(replacement_trigger=list(blocks)))


def way_out(
    name: str, project: str, region: str, network: gcp.compute.Network, child: pulumi.ResourceOptions
) -> gcp.compute.RouterNat:
    """NAT for all of a network's subnets in a region, whose machines have no address of the outside."""
    router = gcp.compute.Router(name, project=project, region=region, network=network.id, opts=child)
    return gcp.compute.RouterNat(
        name,
        project=project,
        region=region,
        router=router.name,
        nat_ip_allocate_option="AUTO_ONLY",
        source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
        opts=child,
    )

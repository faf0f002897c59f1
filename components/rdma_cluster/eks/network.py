"""The network of an EKS fabric."""

from typing import Any

import pulumi
import pulumi_aws as aws
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, each_of, outputs, waiting_for
from .plan.cluster import EksClusterLinks
from .plan.network import EksHpcNetworkArgs, EksNetworkPlan, EksSubnet, plan_network


@with_keys
class EksHpcNetwork(PlannedComponent[EksNetworkPlan, None]):
    """A VPC with private subnets in the GPUs' zone and the control plane's, a way out, and EFA's security group."""

    cluster_subnets: list[EksSubnet]
    """What a cluster attaches: one private subnet a zone."""
    system_subnets: list[EksSubnet]
    """``cluster_subnets`` as system nodes attach them: with the way out, which a control plane can do without."""
    gpu_subnets: list[EksSubnet]
    """What a GPU pool attaches: one private subnet in the GPUs' zone."""
    security_group: pulumi.Output[str]
    """Id of the security group of EFA interfaces."""

    def __init__(self, name: str, args: EksHpcNetworkArgs, opts: Opts = None):
        self._plan_alone(name, EksHpcNetworkArgs, plan_network, args, opts)

    def _make(self, name: str, plan: EksNetworkPlan, links: None, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:EksHpcNetwork", name, shown, opts)
        child = pulumi.ResourceOptions(parent=self)

        vpc = aws.ec2.Vpc(
            name,
            cidr_block=plan.cidr,
            # A node finds the API by name, and joins under its own.
            enable_dns_support=True,
            enable_dns_hostnames=True,
            tags={"Name": name},
            opts=child,
        )
        private = _private_routes(name, vpc, plan, child)
        self.gpu_subnets = [_subnet(f"{name}-gpu", vpc, plan.zone, plan.gpu, private, _freed_first(child))[1]]
        zones = plan.cluster.items()
        pairs = [_subnet(f"{name}-cluster-{zone}", vpc, zone, cidr, private, child) for zone, cidr in zones]
        self.cluster_subnets, self.system_subnets = map(list, zip(*pairs, strict=True))
        self.security_group = _efa_group(name, vpc, child)
        self.for_cluster = EksClusterLinks(
            subnets=self.cluster_subnets, system_subnets=self.system_subnets, vpc_block=plan.cidr
        )
        """What a cluster attaches."""
        self.register_outputs(outputs(self))


def _private_routes(
    name: str, vpc: aws.ec2.Vpc, plan: EksNetworkPlan, child: pulumi.ResourceOptions
) -> aws.ec2.RouteTable:
    """A route table for private subnets: out through one NAT gateway, in from nowhere.

    Endpoints alone would not do: the drivers' images are on registry.k8s.io and nvcr.io.
    """
    gateway = aws.ec2.InternetGateway(name, vpc_id=vpc.id, tags={"Name": name}, opts=child)
    public = aws.ec2.Subnet(
        f"{name}-public",
        vpc_id=vpc.id,
        availability_zone=plan.public_zone,
        cidr_block=plan.public,
        tags={"Name": f"{name}-public"},
        opts=_freed_first(child),
    )
    out = _routes(f"{name}-public", vpc, {"cidr_block": "0.0.0.0/0", "gateway_id": gateway.id}, child)
    routed = aws.ec2.RouteTableAssociation(f"{name}-public", subnet_id=public.id, route_table_id=out.id, opts=child)
    address = aws.ec2.Eip(f"{name}-nat", domain="vpc", tags={"Name": f"{name}-nat"}, opts=child)
    nat = aws.ec2.NatGateway(
        f"{name}-nat",
        subnet_id=public.id,
        allocation_id=address.id,
        tags={"Name": f"{name}-nat"},
        # Without its way out it is created and reaches nothing.
        opts=waiting_for(child, [gateway, routed]),
    )
    private = _routes(f"{name}-private", vpc, {"cidr_block": "0.0.0.0/0", "nat_gateway_id": nat.id}, child)
    # Images on ECR are fetched from S3: gigabytes a node that need not go through the NAT gateway, at no cost.
    aws.ec2.VpcEndpoint(
        f"{name}-s3",
        vpc_id=vpc.id,
        service_name=f"com.amazonaws.{plan.region}.s3",
        vpc_endpoint_type="Gateway",
        route_table_ids=[private.id],
        tags={"Name": f"{name}-s3"},
        opts=child,
    )
    return private


def _routes(name: str, vpc: aws.ec2.Vpc, way: "aws.ec2.RouteTableRouteArgsDict", child: Opts) -> aws.ec2.RouteTable:
    return aws.ec2.RouteTable(name, vpc_id=vpc.id, routes=[way], tags={"Name": name}, opts=child)


def _efa_group(name: str, vpc: aws.ec2.Vpc, child: Opts) -> pulumi.Output[str]:
    """Id of a group with all traffic among its members, both ways by the group's id.

    EFA takes a rule for 0.0.0.0/0 as none, and without the one for egress NCCL falls back to TCP with no word.
    It carries no `kubernetes.io/cluster/` tag: load-balancer controllers stop at a node with two such groups.
    """
    group = aws.ec2.SecurityGroup(
        f"{name}-efa",
        vpc_id=vpc.id,
        description="EFA traffic between GPU nodes",
        # Rules of its own below, and no others: EC2 would add one that lets everything out.
        tags={"Name": f"{name}-efa"},
        opts=child,
    )
    rules = [
        rule(
            f"{name}-efa",
            security_group_id=group.id,
            referenced_security_group_id=group.id,
            ip_protocol="-1",
            description=f"EFA {direction} members",
            opts=child,
        )
        for rule, direction in ((aws.vpc.SecurityGroupIngressRule, "from"), (aws.vpc.SecurityGroupEgressRule, "to"))
    ]
    # Through the rules, so that no node starts without them.
    return pulumi.Output.all(group.id, *(rule.id for rule in rules)).apply(lambda ids: str(ids[0]))


def ids_of(subnets: pulumi.Input[list[EksSubnet]]) -> pulumi.Input[list[Any]]:
    """The ids of some subnets."""
    return each_of(subnets, lambda each: each["subnet"])


def _freed_first(child: Opts) -> pulumi.ResourceOptions:
    """Options of a subnet that may move within its VPC: the old one goes first, since no two share an address."""
    return pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(delete_before_replace=True))


def _subnet(
    name: str, vpc: aws.ec2.Vpc, zone: str, cidr: str, routes: aws.ec2.RouteTable, opts: Opts
) -> tuple[EksSubnet, EksSubnet]:
    """A private subnet: as it is made, and for those who wait until it has its way out."""
    subnet = aws.ec2.Subnet(
        name,
        vpc_id=vpc.id,
        availability_zone=zone,
        cidr_block=cidr,
        # By this tag controllers find subnets for internal load balancers.
        tags={"Name": name, "kubernetes.io/role/internal-elb": "1"},
        opts=opts,
    )
    routed = aws.ec2.RouteTableAssociation(name, subnet_id=subnet.id, route_table_id=routes.id, opts=opts)
    # Through the association, so that no node starts in a subnet that has no way out yet.
    return EksSubnet(subnet=subnet.id, zone=zone), EksSubnet(subnet=routed.subnet_id.apply(str), zone=zone)

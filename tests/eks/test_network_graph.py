"""The network of an EKS graph: subnets, ways out, and EFA's security group."""

from typing import Any

from tests.resources import one, waits_for
from tests.stacks import graph_of

VPC = "[id of aws:ec2/vpc:Vpc eks]"
EFA = "[id of aws:ec2/securityGroup:SecurityGroup eks-efa]"


def inputs(token: str, name: str) -> dict[str, Any]:
    """The inputs of a resource of the stack."""
    return dict(one(graph_of("eks"), token, name).inputs)


def test_private_subnets_are_routed_through_nat_and_found_by_load_balancers():
    """A subnet that moves lets go of its addresses first; the control plane's never moves."""
    graph = graph_of("eks")
    for name, zone, routes in (
        ("gpu", "us-east-2a", "private"),
        ("cluster-us-east-2a", "us-east-2a", "private"),
        ("cluster-us-east-2b", "us-east-2b", "private"),
        ("public", "us-east-2a", "public"),
    ):
        made = one(graph, "Subnet", f"eks-{name}")
        assert (made.inputs["vpcId"], made.inputs["availabilityZone"]) == (VPC, zone)
        assert made.inputs["tags"].get("kubernetes.io/role/internal-elb") == ("1" if routes == "private" else None)
        assert made.options == ({} if name.startswith("cluster") else {"deleteBeforeReplace": True})
        association = one(graph, "RouteTableAssociation", f"eks-{name}")
        assert association.inputs["routeTableId"] == f"[id of aws:ec2/routeTable:RouteTable eks-{routes}]"


def test_there_is_one_way_out_and_s3_beside_it():
    """Nodes join by names, and the gateway waits for its own way out."""
    vpc, endpoint = inputs("Vpc", "eks"), inputs("VpcEndpoint", "eks-s3")
    everywhere = {"cidrBlock": "0.0.0.0/0"}

    assert vpc["enableDnsSupport"] is vpc["enableDnsHostnames"] is True
    assert inputs("RouteTable", "eks-private")["routes"] == [
        {**everywhere, "natGatewayId": "[id of aws:ec2/natGateway:NatGateway eks-nat]"}
    ]
    assert inputs("RouteTable", "eks-public")["routes"] == [
        {**everywhere, "gatewayId": "[id of aws:ec2/internetGateway:InternetGateway eks]"}
    ]
    assert inputs("NatGateway", "eks-nat")["subnetId"] == "[id of aws:ec2/subnet:Subnet eks-public]"
    assert {"eks", "eks-public"} <= waits_for(one(graph_of("eks"), "NatGateway", "eks-nat"))
    assert (endpoint["serviceName"], endpoint["vpcEndpointType"]) == ("com.amazonaws.us-east-2.s3", "Gateway")
    assert endpoint["routeTableIds"] == ["[id of aws:ec2/routeTable:RouteTable eks-private]"]


def test_efa_traffic_goes_among_members_of_one_group_both_ways():
    """A rule by address would count as none."""
    assert not inputs("SecurityGroup", "eks-efa").keys() & {"ingress", "egress"}
    for token in ("SecurityGroupIngressRule", "SecurityGroupEgressRule"):
        rule = inputs(token, "eks-efa")
        assert rule["securityGroupId"] == rule["referencedSecurityGroupId"] == EFA and rule["ipProtocol"] == "-1"

"""The network of an EKS graph in whole: subnets, ways out, and EFA's security group."""

from typing import Any

from tests.resources import one, waits_for
from tests.stacks import graph_of


def inputs(token: str, name: str, *overrides: str) -> dict[str, Any]:
    """What a resource of the stack is made of."""
    return dict(one(graph_of("eks", *overrides), token, name).inputs)


def known_later(of: str, token: str, name: str) -> str:
    """What the engine fills in."""
    return f"[{of} of aws:{token} {name}]"


VPC = known_later("id", "ec2/vpc:Vpc", "eks")
EFA = known_later("id", "ec2/securityGroup:SecurityGroup", "eks-efa")


def subnet(name: str) -> str:
    """The id of a subnet."""
    return known_later("id", "ec2/subnet:Subnet", f"eks-{name}")


def table(name: str) -> str:
    """The id of a route table."""
    return known_later("id", "ec2/routeTable:RouteTable", f"eks-{name}")


def role(name: str) -> str:
    """The ARN of a role."""
    return known_later("arn", "iam/role:Role", f"eks-{name}")


def test_subnets():
    """Private ones for GPUs and control plane, where controllers find them, and a small one for the way out."""
    graph = graph_of("eks")
    inside = {"kubernetes.io/role/internal-elb": "1"}
    for name, zone, block, tags in (
        ("gpu", "us-east-2a", "10.0.0.0/18", inside),
        ("cluster-us-east-2a", "us-east-2a", "10.0.248.0/22", inside),
        ("cluster-us-east-2b", "us-east-2b", "10.0.244.0/22", inside),
        ("public", "us-east-2a", "10.0.255.240/28", {}),
    ):
        made = one(graph, "Subnet", f"eks-{name}")
        assert made.inputs == {
            "vpcId": VPC,
            "availabilityZone": zone,
            "cidrBlock": block,
            "tags": {"Name": f"eks-{name}", **tags},
        }
        # A subnet that moves lets go of its addresses first; the control plane's never moves.
        assert made.options == ({} if name.startswith("cluster") else {"deleteBeforeReplace": True})
        routes = "public" if name == "public" else "private"
        association = one(graph, "RouteTableAssociation", f"eks-{name}")
        assert association.inputs == {"subnetId": subnet(name), "routeTableId": table(routes)}


def test_ways_out():
    """Out through one NAT gateway, to S3 beside it, and in from nowhere."""
    gateway = known_later("id", "ec2/internetGateway:InternetGateway", "eks")
    nat = known_later("id", "ec2/natGateway:NatGateway", "eks-nat")
    everywhere = {"cidrBlock": "0.0.0.0/0"}

    assert inputs("Vpc", "eks") == {
        "cidrBlock": "10.0.0.0/16",
        "enableDnsSupport": True,
        "enableDnsHostnames": True,
        "tags": {"Name": "eks"},
    }
    assert inputs("InternetGateway", "eks") == {"vpcId": VPC, "tags": {"Name": "eks"}}
    for name, way in (("public", {"gatewayId": gateway}), ("private", {"natGatewayId": nat})):
        assert inputs("RouteTable", f"eks-{name}") == {
            "vpcId": VPC,
            "routes": [{**everywhere, **way}],
            "tags": {"Name": f"eks-{name}"},
        }
    assert inputs("Eip", "eks-nat") == {"domain": "vpc", "tags": {"Name": "eks-nat"}}
    assert inputs("NatGateway", "eks-nat") == {
        "subnetId": subnet("public"),
        "allocationId": known_later("id", "ec2/eip:Eip", "eks-nat"),
        "tags": {"Name": "eks-nat"},
    }
    assert {"eks", "eks-public"} <= waits_for(one(graph_of("eks"), "NatGateway", "eks-nat"))
    assert inputs("VpcEndpoint", "eks-s3") == {
        "vpcId": VPC,
        "serviceName": "com.amazonaws.us-east-2.s3",
        "vpcEndpointType": "Gateway",
        "routeTableIds": [table("private")],
        "tags": {"Name": "eks-s3"},
    }


def test_group_of_efa():
    """All traffic among its members, both ways by the group's id."""
    assert inputs("SecurityGroup", "eks-efa") == {
        "vpcId": VPC,
        "description": "EFA traffic between GPU nodes",
        "tags": {"Name": "eks-efa"},
    }
    for token, direction in (("SecurityGroupIngressRule", "from"), ("SecurityGroupEgressRule", "to")):
        assert inputs(token, "eks-efa") == {
            "securityGroupId": EFA,
            "referencedSecurityGroupId": EFA,
            "ipProtocol": "-1",
            "description": f"EFA {direction} members",
        }

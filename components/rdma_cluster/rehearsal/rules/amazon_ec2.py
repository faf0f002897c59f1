"""EC2: networks, security groups and launch templates."""

from base64 import b64decode
from binascii import Error

from ...catalog.machine import Source
from ...offline.later import known
from .forms import apart, at, block, distinct, each, form, has, holds, inside, room, unique
from .record import Inputs, Rule
from .there import Made

_VPC = "aws:ec2/vpc:Vpc"
_SUBNET = "aws:ec2/subnet:Subnet"
_GROUP = "aws:ec2/securityGroup:SecurityGroup"
_PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
_PERMISSIONS = 60
"""Rules of a security group in each direction, unless AWS allows more."""
_USER_DATA_BYTES = 16 * 1024
_GIB = {"gp2": (1, 16384), "gp3": (1, 65536), "io1": (4, 16384), "io2": (4, 65536), "st1": (125, 16384)}


def _model(place: str) -> Source:
    return Source(f"botocore ec2 {place}", "2026-11-21")


def _code(code: str) -> Source:
    return Source(f"docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html {code}", "2026-08")


def _interfaces(template: Inputs) -> list[Inputs]:
    return [each for _, each in at(template, "networkInterfaces")]


def _has_a_first(template: Inputs) -> bool:
    """Each place once, and the primary one among them."""
    places = [(each.get("networkCardIndex", 0), each.get("deviceIndex", 0)) for each in _interfaces(template)]
    return not places or (distinct(places) and (0, 0) in places)


def _groups_with_interfaces(template: Inputs) -> bool:
    return not (has(template, "networkInterfaces") and has(template, "vpcSecurityGroupIds"))


def _no_public_address_for_many(template: Inputs) -> bool:
    interfaces = _interfaces(template)
    return len(interfaces) < 2 or not any(each.get("associatePublicIpAddress") in (True, "true") for each in interfaces)


def _small(text: str) -> bool:
    try:
        return len(b64decode(text, validate=True)) <= _USER_DATA_BYTES
    except Error:
        return False


def _disk_fits(template: Inputs) -> bool:
    sizes = [
        (ebs.get("volumeType", "gp2"), ebs.get("volumeSize")) for _, ebs in at(template, "blockDeviceMappings.ebs")
    ]
    limits = [(_GIB.get(kind, (1, 65536)), int(size)) for kind, size in sizes if size is not None and known(size)]
    return all(least <= size <= most for (least, most), size in limits)


_CHARACTERS = r"[a-zA-Z0-9 ._\-:/()#,@\[\]+=&;{}!$*]{0,255}"


def _one_end(rule: Inputs) -> bool:
    return sum(has(rule, key) for key in ("cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId")) == 1


def _permission(way: str) -> tuple[str, tuple[Rule, ...]]:
    token = f"aws:vpc/securityGroup{way}Rule:SecurityGroup{way}Rule"
    own = {"securityGroupId": "sg-1", "ipProtocol": "-1"}
    ends = ("cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId")
    rules = (
        Rule(
            "The IP protocol name (tcp, udp, icmp, icmpv6) or number",
            _model("IpPermission.IpProtocol"),
            form("ipProtocol", r"-1|tcp|udp|icmp|icmpv6|\d{1,3}"),
            {"ipProtocol": "-1", "cidrIpv4": "10.0.0.0/8"},
            {"ipProtocol": "all", "cidrIpv4": "10.0.0.0/8"},
        ),
        Rule(
            "The specified security group rule is malformed",
            _code("InvalidPermission.Malformed"),
            holds("referencedSecurityGroupId", _one_end),
            {**own, "cidrIpv4": "10.0.0.0/8"},
            {**own, "cidrIpv4": "10.0.0.0/8", "referencedSecurityGroupId": "sg-1"},
        ),
        Rule(
            "The specified inbound or outbound rule already exists for that security group",
            _code("InvalidPermission.Duplicate"),
            unique(token, "securityGroupId", "ipProtocol", "fromPort", "toPort", *ends),
            {**own, "referencedSecurityGroupId": "sg-2"},
            {**own, "referencedSecurityGroupId": "sg-1"},
            (Made(token, {**own, "referencedSecurityGroupId": "sg-1"}),),
        ),
        Rule(
            "The maximum number of rules per security group has been reached",
            _code("RulesPerSecurityGroupLimitExceeded"),
            room(token, "securityGroupId", _PERMISSIONS),
            {"securityGroupId": "sg-2", "cidrIpv4": "10.0.0.0/8"},
            {"securityGroupId": "sg-1", "cidrIpv4": "10.0.0.0/8"},
            tuple(Made(token, {"securityGroupId": "sg-1"}) for _ in range(_PERMISSIONS)),
        ),
    )
    return token, rules


RULES: dict[str, tuple[Rule, ...]] = {
    _VPC: (
        Rule(
            "The block range must be between a /28 netmask and /16 netmask",
            _code("InvalidVpcRange"),
            block("cidrBlock", 16, 28),
            {"cidrBlock": "10.0.0.0/16"},
            {"cidrBlock": "10.0.0.0/8"},
        ),
    ),
    _SUBNET: (
        Rule(
            "The allowed block size is between a /28 netmask and /16 netmask",
            _code("InvalidSubnet.Range"),
            block("cidrBlock", 16, 28),
            {"cidrBlock": "10.0.0.0/24"},
            {"cidrBlock": "10.0.0.0/29"},
        ),
        Rule(
            "The CIDR block you've specified for the subnet is not valid",
            _code("InvalidSubnet.Range"),
            inside("cidrBlock", _VPC, "vpcId", "cidrBlock"),
            {"cidrBlock": "10.0.1.0/24", "vpcId": "vpc-1"},
            {"cidrBlock": "10.1.1.0/24", "vpcId": "vpc-1"},
            (Made(_VPC, {"cidrBlock": "10.0.0.0/16"}, frozenset({"vpc-1"})),),
        ),
        Rule(
            "The specified CIDR block conflicts with that of another subnet in your VPC",
            _code("InvalidSubnet.Conflict"),
            apart(_SUBNET, "cidrBlock", "vpcId"),
            {"cidrBlock": "10.0.1.0/24", "vpcId": "vpc-1"},
            {"cidrBlock": "10.0.0.128/25", "vpcId": "vpc-1"},
            (Made(_SUBNET, {"cidrBlock": "10.0.0.0/24", "vpcId": "vpc-1"}),),
        ),
    ),
    _GROUP: (
        Rule(
            "Constraints: Up to 255 characters in length Valid characters: a-z, A-Z, 0-9, spaces, and",
            _model("CreateSecurityGroupRequest.Description"),
            form("description", _CHARACTERS),
            {"description": "EFA between the nodes"},
            {"description": "the nodes' own"},
        ),
        Rule(
            "The security group 'NAME' already exists for VPC 'VPC'",
            _code("InvalidGroup.Duplicate"),
            unique(_GROUP, "name", "vpcId"),
            {"name": "b", "vpcId": "vpc-1"},
            {"name": "a", "vpcId": "vpc-1"},
            (Made(_GROUP, {"name": "a", "vpcId": "vpc-1"}),),
        ),
    ),
    _PLACEMENT: (
        Rule(
            "The specified placement group already exists in that AWS Region",
            _code("InvalidPlacementGroup.Duplicate"),
            unique(_PLACEMENT, "name"),
            {"name": "b"},
            {"name": "a"},
            (Made(_PLACEMENT, {"name": "a"}),),
        ),
    ),
    _TEMPLATE: (
        Rule(
            "The primary network interface has a device index of 0",
            _model("LaunchTemplateInstanceNetworkInterfaceSpecificationRequest.DeviceIndex"),
            holds("networkInterfaces", _has_a_first),
            {"networkInterfaces": [{"deviceIndex": 0}, {"networkCardIndex": 1, "deviceIndex": 1}]},
            {"networkInterfaces": [{"deviceIndex": 0}, {"deviceIndex": 0}]},
        ),
        Rule(
            "you must specify any security groups as part of the network interface",
            _model("RequestLaunchTemplateData.SecurityGroupIds"),
            holds("vpcSecurityGroupIds", _groups_with_interfaces),
            {"networkInterfaces": [{"deviceIndex": 0, "securityGroups": ["sg-1"]}]},
            {"networkInterfaces": [{"deviceIndex": 0}], "vpcSecurityGroupIds": ["sg-1"]},
        ),
        Rule(
            "The ID of the subnet for the network interface",
            _model("LaunchTemplateInstanceNetworkInterfaceSpecificationRequest.SubnetId"),
            # A node group chooses the subnets.
            holds("networkInterfaces.subnetId", lambda template: not has(template, "networkInterfaces.subnetId")),
            {"networkInterfaces": [{"deviceIndex": 0}]},
            {"networkInterfaces": [{"deviceIndex": 0, "subnetId": "subnet-1"}]},
        ),
        Rule(
            "The associatePublicIPAddress parameter cannot be specified when launching with multiple network "
            "interfaces",
            Source("terraform-provider-aws internal/service/ec2/ec2_fleet_test.go", "2026-08"),
            holds("networkInterfaces.associatePublicIpAddress", _no_public_address_for_many),
            {"networkInterfaces": [{"associatePublicIpAddress": True}]},
            {"networkInterfaces": [{"associatePublicIpAddress": True}, {"deviceIndex": 1}]},
        ),
        Rule(
            "You must provide base64-encoded text. User data is limited to 16 KB",
            _model("RequestLaunchTemplateData.UserData"),
            each("userData", _small),
            {"userData": "IyEvYmluL3No"},
            {"userData": "#!/bin/sh"},
        ),
        Rule(
            "You must specify either a snapshot ID or a volume size",
            _model("LaunchTemplateEbsBlockDeviceRequest.VolumeSize"),
            holds("blockDeviceMappings.ebs.volumeSize", _disk_fits),
            {"blockDeviceMappings": [{"ebs": {"volumeType": "gp3", "volumeSize": 200}}]},
            {"blockDeviceMappings": [{"ebs": {"volumeType": "st1", "volumeSize": 100}}]},
        ),
        Rule(
            "A launch template name must be between 3 and 128 characters",
            _code("InvalidLaunchTemplateName.MalformedException"),
            form("name", r"[A-Za-z0-9\-_./()]{3,128}"),
            {"name": "gpu-nodes"},
            {"name": "gpu nodes"},
        ),
        Rule(
            "The specified launch template name is already in use",
            _code("InvalidLaunchTemplateName.AlreadyExistsException"),
            unique(_TEMPLATE, "name"),
            {"name": "gpu-b"},
            {"name": "gpu-a"},
            (Made(_TEMPLATE, {"name": "gpu-a"}),),
        ),
    ),
    "aws:ec2/internetGateway:InternetGateway": (
        Rule(
            "Network VPC already has an internet gateway attached",
            Source("AttachInternetGateway's answer InvalidParameterValue", "2026-08"),
            unique("aws:ec2/internetGateway:InternetGateway", "vpcId"),
            {"vpcId": "vpc-2"},
            {"vpcId": "vpc-1"},
            (Made("aws:ec2/internetGateway:InternetGateway", {"vpcId": "vpc-1"}),),
        ),
    ),
    "aws:ec2/natGateway:NatGateway": (
        Rule(
            "You cannot specify an Elastic IP address with a private NAT gateway",
            _model("CreateNatGatewayRequest.AllocationId"),
            holds("allocationId", lambda nat: nat.get("connectivityType") != "private" or not has(nat, "allocationId")),
            {"connectivityType": "public", "allocationId": "eipalloc-1"},
            {"connectivityType": "private", "allocationId": "eipalloc-1"},
        ),
    ),
    **dict(_permission(way) for way in ("Ingress", "Egress")),
}

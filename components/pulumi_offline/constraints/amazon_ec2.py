"""EC2: networks, security groups and launch templates."""

from base64 import b64decode
from binascii import Error

from ..source import Source
from ..unknowns import known
from .predicates import apart, block, distinct, each, form, has, holds, inside, unique, values
from .record import Constraint, Inputs, stated_by

_VPC = "aws:ec2/vpc:Vpc"
_SUBNET = "aws:ec2/subnet:Subnet"
_GROUP = "aws:ec2/securityGroup:SecurityGroup"
_PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
_USER_DATA_BYTES = 16 * 1024
_GIB = {"gp2": (1, 16384), "gp3": (1, 65536), "io1": (4, 16384), "io2": (4, 65536), "st1": (125, 16384)}
_model = stated_by("botocore ec2", "2026-11-21")
_code = stated_by("docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html", "2026-08")


def _has_a_first(template: Inputs) -> bool:
    """Each place once, and the primary one among them."""
    interfaces = values(template, "networkInterfaces")
    places = [tuple(each.get(key, 0) for key in ("networkCardIndex", "deviceIndex")) for each in interfaces]
    return not places or (distinct(places) and (0, 0) in places)


def _no_public_address_for_many(template: Inputs) -> bool:
    interfaces = values(template, "networkInterfaces")
    return len(interfaces) < 2 or not any(each.get("associatePublicIpAddress") in (True, "true") for each in interfaces)


def _small(text: str) -> bool:
    try:
        return len(b64decode(text, validate=True)) <= _USER_DATA_BYTES
    except Error:
        return False


def _disk_fits(template: Inputs) -> bool:
    disks = values(template, "blockDeviceMappings.ebs")
    sizes = [(ebs.get("volumeType", "gp2"), ebs.get("volumeSize")) for ebs in disks]
    limits = [(_GIB.get(kind, (1, 65536)), int(size)) for kind, size in sizes if size is not None and known(size)]
    return all(least <= size <= most for (least, most), size in limits)


_CHARACTERS = r"[a-zA-Z0-9 ._\-:/()#,@\[\]+=&;{}!$*]{0,255}"
_ENDS = ("cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId")


def _permission(way: str) -> tuple[str, tuple[Constraint, ...]]:
    token = f"aws:vpc/securityGroup{way}Rule:SecurityGroup{way}Rule"
    # fmt: off
    constraints = (
        _model("IpPermission.IpProtocol", "The IP protocol name (tcp, udp, icmp, icmpv6) or number",
            form("ipProtocol", r"-1|tcp|udp|icmp|icmpv6|\d{1,3}", "-1", "all")),
        _code("InvalidPermission.Malformed", "The specified security group rule is malformed",
            holds("referencedSecurityGroupId", lambda permission: sum(has(permission, key) for key in _ENDS) == 1,
                {"cidrIpv4": "10.0.0.0/8"}, {"cidrIpv4": "10.0.0.0/8", "referencedSecurityGroupId": "sg-1"})),
        _code("InvalidPermission.Duplicate",
            "The specified inbound or outbound rule already exists for that security group",
            unique(token, "securityGroupId", "ipProtocol", "fromPort", "toPort", *_ENDS)),
    )
    # fmt: on
    return token, constraints


# fmt: off
CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    _VPC: (
        _code("InvalidVpcRange", "The block range must be between a /28 netmask and /16 netmask",
            block("cidrBlock", 16, 28, "10.0.0.0/16", "10.0.0.0/8")),
    ),
    _SUBNET: (
        _code("InvalidSubnet.Range", "The allowed block size is between a /28 netmask and /16 netmask",
            block("cidrBlock", 16, 28, "10.0.0.0/24", "10.0.0.0/29")),
        _code("InvalidSubnet.Range", "The CIDR block you've specified for the subnet is not valid",
            inside("cidrBlock", _VPC, "vpcId", "cidrBlock")),
        _code("InvalidSubnet.Conflict", "The specified CIDR block conflicts with that of another subnet in your VPC",
            apart(_SUBNET, "cidrBlock", "vpcId")),
    ),
    _GROUP: (
        _model("CreateSecurityGroupRequest.Description",
            "Constraints: Up to 255 characters in length Valid characters: a-z, A-Z, 0-9, spaces, and",
            form("description", _CHARACTERS, "EFA between the nodes", "the nodes' own")),
        _code("InvalidGroup.Duplicate", "The security group 'NAME' already exists for VPC 'VPC'",
            unique(_GROUP, "name", "vpcId")),
    ),
    _PLACEMENT: (
        _code("InvalidPlacementGroup.Duplicate", "The specified placement group already exists in that AWS Region",
            unique(_PLACEMENT, "name")),
    ),
    _TEMPLATE: (
        _model("LaunchTemplateInstanceNetworkInterfaceSpecificationRequest.DeviceIndex",
            "The primary network interface has a device index of 0",
            holds("networkInterfaces", _has_a_first, [{"deviceIndex": 0}, {"networkCardIndex": 1, "deviceIndex": 1}],
                [{"deviceIndex": 0}, {"deviceIndex": 0}])),
        _model("RequestLaunchTemplateData.SecurityGroupIds",
            "you must specify any security groups as part of the network interface",
            holds("vpcSecurityGroupIds",
                lambda of: not (has(of, "networkInterfaces") and has(of, "vpcSecurityGroupIds")),
                {"networkInterfaces": [{"deviceIndex": 0, "securityGroups": ["sg-1"]}]},
                {"networkInterfaces": [{"deviceIndex": 0}], "vpcSecurityGroupIds": ["sg-1"]})),
        # A node group chooses the subnets.
        _model("LaunchTemplateInstanceNetworkInterfaceSpecificationRequest.SubnetId",
            "The ID of the subnet for the network interface",
            holds("networkInterfaces.subnetId", lambda template: not has(template, "networkInterfaces.subnetId"),
                {"networkInterfaces": [{"deviceIndex": 0}]},
                {"networkInterfaces": [{"deviceIndex": 0, "subnetId": "subnet-1"}]})),
        Constraint("The associatePublicIPAddress parameter cannot be specified when launching with multiple network "
            "interfaces",
            Source("terraform-provider-aws internal/service/ec2/ec2_fleet_test.go", "2026-08"),
            holds("networkInterfaces.associatePublicIpAddress", _no_public_address_for_many,
                {"networkInterfaces": [{"associatePublicIpAddress": True}]},
                {"networkInterfaces": [{"associatePublicIpAddress": True}, {"deviceIndex": 1}]})),
        _model("RequestLaunchTemplateData.UserData",
            "You must provide base64-encoded text. User data is limited to 16 KB",
            each("userData", _small, "IyEvYmluL3No", "#!/bin/sh")),
        _model("LaunchTemplateEbsBlockDeviceRequest.VolumeSize",
            "You must specify either a snapshot ID or a volume size",
            holds("blockDeviceMappings.ebs.volumeSize", _disk_fits,
                {"blockDeviceMappings": [{"ebs": {"volumeType": "gp3", "volumeSize": 200}}]},
                {"blockDeviceMappings": [{"ebs": {"volumeType": "st1", "volumeSize": 100}}]})),
        _code("InvalidLaunchTemplateName.MalformedException",
            "A launch template name must be between 3 and 128 characters",
            form("name", r"[A-Za-z0-9\-_./()]{3,128}", "gpu-nodes", "gpu nodes")),
        _code("InvalidLaunchTemplateName.AlreadyExistsException",
            "The specified launch template name is already in use", unique(_TEMPLATE, "name")),
    ),
    "aws:ec2/internetGateway:InternetGateway": (
        Constraint("Network VPC already has an internet gateway attached",
            Source("AttachInternetGateway's answer InvalidParameterValue", "2026-08"),
            unique("aws:ec2/internetGateway:InternetGateway", "vpcId")),
    ),
    "aws:ec2/natGateway:NatGateway": (
        _model("CreateNatGatewayRequest.AllocationId",
            "You cannot specify an Elastic IP address with a private NAT gateway",
            holds("allocationId", lambda nat: nat.get("connectivityType") != "private" or not has(nat, "allocationId"),
                {"connectivityType": "public", "allocationId": "eipalloc-1"},
                {"connectivityType": "private", "allocationId": "eipalloc-1"})),
    ),
    **dict(_permission(way) for way in ("Ingress", "Egress")),
}

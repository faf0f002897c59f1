"""How the resources of an EKS stack become requests of AWS's APIs (pulumi-aws 7.51)."""

from typing import Any

from tools.api.amazon import operation
from tools.api.request import Table

_LISTED = {"tags": "a map that becomes a list of keys and values"}
_TAGS = {"tags": "becomes TagSpecifications, of a kind that the provider knows"}
_SECOND = "set by a second request, of another operation"


def _data(*names: str) -> dict[str, str]:
    return {name: f"LaunchTemplateData.{name}" for name in names}


_TEMPLATE_OWN: dict[str, Any] = {"updateDefaultVersion": "a later request, ModifyLaunchTemplate"}

MODEL = ("botocore 1.44.5", "2026-11-21")
"""What the tables are of, and its date."""

TABLES = [
    Table(
        "aws:eks/cluster:Cluster",
        operation("eks", "CreateCluster"),
        renamed={"enabledClusterLogTypes": "logging.clusterLogging", "vpcConfig": "resourcesVpcConfig"},
        own={"enabledClusterLogTypes": "becomes logging.clusterLogging[].types"},
    ),
    Table(
        "aws:eks/nodeGroup:NodeGroup",
        operation("eks", "CreateNodegroup"),
        renamed={"nodeGroupName": "nodegroupName", "nodeRoleArn": "nodeRole", "subnetIds": "subnets"},
        # From the logical name, where a component sets none.
        added={"nodegroupName": "made-by-pulumi"},
    ),
    Table(
        "aws:eks/addon:Addon",
        operation("eks", "CreateAddon"),
        renamed={"resolveConflictsOnCreate": "resolveConflicts"},
        own={"resolveConflictsOnUpdate": "of UpdateAddon"},
    ),
    Table("aws:eks/accessEntry:AccessEntry", operation("eks", "CreateAccessEntry")),
    Table("aws:eks/accessPolicyAssociation:AccessPolicyAssociation", operation("eks", "AssociateAccessPolicy")),
    Table(
        "aws:ec2/launchTemplate:LaunchTemplate",
        operation("ec2", "CreateLaunchTemplate"),
        renamed={
            **_data(
                "blockDeviceMappings",
                "capacityReservationSpecification",
                "instanceMarketOptions",
                "instanceType",
                "metadataOptions",
                "networkInterfaces",
                "placement",
                "tagSpecifications",
                "userData",
            ),
            "networkInterfaces.securityGroups": "groups",
        },
        own={**_TEMPLATE_OWN, **_TAGS, "tagSpecifications.tags": "a map that becomes a list of keys and values"},
        added={"LaunchTemplateName": "made-by-pulumi"},
    ),
    Table(
        "aws:ec2/placementGroup:PlacementGroup",
        operation("ec2", "CreatePlacementGroup"),
        added={"GroupName": "made-by-pulumi"},
    ),
    Table(
        "aws:ec2/vpc:Vpc",
        operation("ec2", "CreateVpc"),
        own={"enableDnsHostnames": _SECOND, "enableDnsSupport": _SECOND, **_TAGS},
    ),
    Table("aws:ec2/subnet:Subnet", operation("ec2", "CreateSubnet"), own=_TAGS),
    Table(
        "aws:ec2/internetGateway:InternetGateway",
        operation("ec2", "CreateInternetGateway"),
        own={"vpcId": _SECOND, **_TAGS},
    ),
    Table("aws:ec2/eip:Eip", operation("ec2", "AllocateAddress"), own=_TAGS),
    Table("aws:ec2/natGateway:NatGateway", operation("ec2", "CreateNatGateway"), own=_TAGS),
    Table("aws:ec2/routeTable:RouteTable", operation("ec2", "CreateRouteTable"), own={"routes": _SECOND, **_TAGS}),
    Table("aws:ec2/routeTableAssociation:RouteTableAssociation", operation("ec2", "AssociateRouteTable")),
    Table("aws:ec2/vpcEndpoint:VpcEndpoint", operation("ec2", "CreateVpcEndpoint"), own=_TAGS),
    Table(
        "aws:ec2/securityGroup:SecurityGroup",
        operation("ec2", "CreateSecurityGroup"),
        own=_TAGS,
        added={"GroupName": "made-by-pulumi"},
    ),
    *(
        Table(
            f"aws:vpc/securityGroup{way}Rule:SecurityGroup{way}Rule",
            operation("ec2", f"AuthorizeSecurityGroup{way}"),
            renamed={
                "description": "IpPermissions[].UserIdGroupPairs[].Description",
                "ipProtocol": "IpPermissions[].IpProtocol",
                "referencedSecurityGroupId": "IpPermissions[].UserIdGroupPairs[].GroupId",
                "securityGroupId": "GroupId",
            },
            own=_TAGS,
        )
        for way in ("Ingress", "Egress")
    ),
    Table(
        "aws:iam/role:Role",
        operation("iam", "CreateRole"),
        renamed={"assumeRolePolicy": "AssumeRolePolicyDocument"},
        own=_LISTED,
        added={"RoleName": "made-by-pulumi"},
    ),
    Table(
        "aws:iam/rolePolicy:RolePolicy",
        operation("iam", "PutRolePolicy"),
        renamed={"policy": "PolicyDocument", "role": "roleName"},
        added={"PolicyName": "made-by-pulumi"},
    ),
    Table(
        "aws:s3/bucket:Bucket",
        operation("s3", "CreateBucket"),
        own={"forceDestroy": "empties the bucket before it is deleted"},
        added={"Bucket": "made-by-pulumi"},
    ),
    Table(
        "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
        operation("s3", "PutPublicAccessBlock"),
        renamed={
            key: f"PublicAccessBlockConfiguration.{key[0].upper()}{key[1:]}"
            for key in ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
        },
    ),
    Table(
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        operation("fsx", "CreateFileSystem"),
        renamed={
            "deploymentType": "LustreConfiguration.DeploymentType",
            "perUnitStorageThroughput": "LustreConfiguration.PerUnitStorageThroughput",
            "subnetIds": "SubnetIds[]",
        },
        own=_LISTED,
        added={"FileSystemType": "LUSTRE"},
    ),
    Table(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        operation("iam", "AttachRolePolicy"),
        renamed={"role": "roleName"},
    ),
]

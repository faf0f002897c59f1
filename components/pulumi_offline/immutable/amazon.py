"""AWS: what the request that creates takes and none of those that change."""

from functools import partial

from ..source import Source
from .record import Fixed, nodes, row_of

_DATE = "2026-11-21"
_fixed = partial(row_of, "botocore 1.44.5: not among the members of {}", _DATE)

# fmt: off
FIXED = {
    "pulumi:providers:aws": Fixed(("region",), Source("the region of every resource below it", _DATE)),
    "aws:eks/cluster:Cluster": _fixed("UpdateClusterConfig and UpdateClusterVersion",
        "name roleArn kubernetesNetworkConfig.ipFamily kubernetesNetworkConfig.serviceIpv4Cidr "
        "bootstrapSelfManagedAddons accessConfig.bootstrapClusterCreatorAdminPermissions",
        role="cluster"),
    # A launch template's new version gives new nodes to a group that stays, all of them, if the group takes the latest:
    # the user guide's launch-templates.html, as terraform-aws-modules/terraform-aws-eks/pull/1419 has it (2021-06-01).
    "aws:eks/nodeGroup:NodeGroup": _fixed("UpdateNodegroupConfig and UpdateNodegroupVersion",
        "clusterName nodeGroupName nodeRoleArn subnetIds amiType capacityType instanceTypes launchTemplate.id",
        role="pool", nodes=nodes(machine="instanceTypes", rolls="version releaseVersion launchTemplate.version",
            follows="launchTemplate.version")),
    "aws:eks/addon:Addon": _fixed("UpdateAddon", "clusterName addonName"),
    "aws:eks/accessEntry:AccessEntry": _fixed("UpdateAccessEntry", "clusterName principalArn type"),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": _fixed(
        "any request: an association is made and dissolved", "clusterName principalArn policyArn accessScope"),
    "aws:ec2/vpc:Vpc": _fixed("ModifyVpcAttribute", "cidrBlock", role="network"),
    "aws:ec2/subnet:Subnet": _fixed("ModifySubnetAttribute", "vpcId availabilityZone cidrBlock"),
    "aws:ec2/internetGateway:InternetGateway": _fixed("AttachInternetGateway, which takes the VPC"),
    "aws:ec2/eip:Eip": _fixed("any request", "domain"),
    "aws:ec2/natGateway:NatGateway": _fixed("any request for a gateway's first address", "allocationId subnetId"),
    "aws:ec2/routeTable:RouteTable": _fixed("any request", "vpcId"),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": _fixed("ReplaceRouteTableAssociation", "subnetId"),
    "aws:ec2/securityGroup:SecurityGroup": _fixed("any request", "name description vpcId"),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": _fixed("ModifySecurityGroupRules", "securityGroupId"),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": _fixed("ModifySecurityGroupRules", "securityGroupId"),
    "aws:ec2/vpcEndpoint:VpcEndpoint": _fixed("ModifyVpcEndpoint", "vpcId serviceName vpcEndpointType"),
    "aws:ec2/launchTemplate:LaunchTemplate": _fixed("CreateLaunchTemplateVersion", "name",
        nodes=nodes("capacityReservationSpecification.capacityReservationTarget", "instanceType")),
    "aws:ec2/placementGroup:PlacementGroup": _fixed("any request", "name strategy", role="placement group"),
    "aws:iam/role:Role": _fixed("UpdateRole", "name path"),
    "aws:iam/rolePolicy:RolePolicy": _fixed("PutRolePolicy, of another role", "role name"),
    "aws:s3/bucket:Bucket": _fixed("any request", "bucket", role="bucket"),
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": _fixed(
        "PutPublicAccessBlock, of another bucket", "bucket"),
    # Of its size the provider knows that it grows alone, and asks for nothing less in place.
    "aws:fsx/lustreFileSystem:LustreFileSystem": _fixed(
        "UpdateFileSystem", "deploymentType subnetIds securityGroupIds", role="file system"),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": _fixed("any request", "role policyArn"),
}
# fmt: on

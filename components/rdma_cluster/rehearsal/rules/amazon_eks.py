"""Elastic Kubernetes Service: clusters, node groups and what belongs to them."""

from collections.abc import Iterator

from ...catalog.machine import Source
from .forms import at, at_most, between, block, form, get, has, holds, not_both, room, unique
from .record import Inputs, Rule
from .there import Made, There

_CLUSTER = "aws:eks/cluster:Cluster"
_GROUP = "aws:eks/nodeGroup:NodeGroup"
_ADDON = "aws:eks/addon:Addon"
_ENTRY = "aws:eks/accessEntry:AccessEntry"
_SUBNET = "aws:ec2/subnet:Subnet"
_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
_ZONES = Source("github.com/pulumi/pulumi-eks/issues/311, github.com/rancher/rancher/issues/24380", "2020-01-24")
_IN_USE = Source("ResourceInUseException, as in terraform-provider-aws internal/service/eks/cluster.go", "2026-08")


def _model(place: str) -> Source:
    return Source(f"botocore eks {place}", "2026-11-21")


def _zones_differ(cluster: Inputs, there: There) -> Iterator[str]:
    subnets = [there.find(_SUBNET, name) for _, name in at(cluster, "vpcConfig.subnetIds")]
    zones = {subnet.inputs.get("availabilityZone") for subnet in subnets if subnet is not None}
    if subnets and None not in subnets and len(zones) < 2:
        yield "vpcConfig.subnetIds"


def _reachable(cluster: Inputs) -> bool:
    private = get(cluster, "vpcConfig.endpointPrivateAccess", False)
    return private or get(cluster, "vpcConfig.endpointPublicAccess", True)


def _one_family(cluster: Inputs) -> bool:
    network = "kubernetesNetworkConfig"
    return get(cluster, f"{network}.ipFamily") != "ipv6" or not has(cluster, f"{network}.serviceIpv4Cidr")


def _two_subnets(cluster: Inputs) -> bool:
    subnets = cluster.get("vpcConfig", {}).get("subnetIds")
    return not isinstance(subnets, list) or len(subnets) >= 2


def _least_to_most(group: Inputs) -> bool:
    least = get(group, "scalingConfig.minSize", 0)
    most = get(group, "scalingConfig.maxSize", least)
    return least <= get(group, "scalingConfig.desiredSize", least) <= most


def _type_in_one_place(group: Inputs, there: There) -> Iterator[str]:
    template = there.find(_TEMPLATE, get(group, "launchTemplate.name") or group.get("launchTemplate", {}).get("id", ""))
    if has(group, "instanceTypes") and template is not None and has(template.inputs, "instanceType"):
        yield "instanceTypes"


def _template_alone(group: Inputs) -> bool:
    return not has(group, "launchTemplate") or not (has(group, "diskSize") or has(group, "remoteAccess"))


_GROUPS = 30
"""Managed node groups of a cluster, unless AWS allows more."""
_HERE = {"name": "a"}

RULES: dict[str, tuple[Rule, ...]] = {
    _CLUSTER: (
        Rule(
            "You must specify at least two subnets",
            _model("CreateClusterRequest.resourcesVpcConfig"),
            holds("vpcConfig.subnetIds", _two_subnets),
            {"vpcConfig": {"subnetIds": ["a", "b"]}},
            {"vpcConfig": {"subnetIds": ["a"]}},
        ),
        Rule(
            "Subnets specified must be in at least two different AZs",
            _ZONES,
            _zones_differ,
            {"vpcConfig": {"subnetIds": ["a", "c"]}},
            {"vpcConfig": {"subnetIds": ["a", "b"]}},
            (
                Made(_SUBNET, {"availabilityZone": "us-west-8a"}, frozenset({"a"})),
                Made(_SUBNET, {"availabilityZone": "us-west-8a"}, frozenset({"b"})),
                Made(_SUBNET, {"availabilityZone": "us-west-8b"}, frozenset({"c"})),
            ),
        ),
        Rule(
            "You can specify up to five security groups",
            _model("CreateClusterRequest.resourcesVpcConfig"),
            at_most("vpcConfig.securityGroupIds", 5),
            {"vpcConfig": {"subnetIds": ["a", "b"], "securityGroupIds": ["sg"] * 5}},
            {"vpcConfig": {"subnetIds": ["a", "b"], "securityGroupIds": ["sg"] * 6}},
        ),
        Rule(
            "If you disable private access and you have nodes",
            _model("VpcConfigRequest.endpointPrivateAccess"),
            holds("vpcConfig.endpointPrivateAccess", _reachable),
            {"vpcConfig": {"endpointPrivateAccess": True, "endpointPublicAccess": False}},
            {"vpcConfig": {"endpointPrivateAccess": False, "endpointPublicAccess": False}},
        ),
        Rule(
            "It must start with an alphanumeric character and can't be longer than 100 characters",
            _model("CreateClusterRequest.name"),
            form("name", "[A-Za-z0-9][A-Za-z0-9_-]{0,99}"),
            {"name": "gpu-cluster"},
            {"name": "-gpu"},
        ),
        Rule(
            "Between /24 and /12",
            _model("KubernetesNetworkConfigRequest.serviceIpv4Cidr"),
            block("kubernetesNetworkConfig.serviceIpv4Cidr", 12, 24),
            {"kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"}},
            {"kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/28"}},
        ),
        Rule(
            "Don't specify a value if you select ipv6 for ipFamily",
            _model("KubernetesNetworkConfigRequest.serviceIpv4Cidr"),
            holds("kubernetesNetworkConfig.serviceIpv4Cidr", _one_family),
            {"kubernetesNetworkConfig": {"ipFamily": "ipv6"}},
            {"kubernetesNetworkConfig": {"ipFamily": "ipv6", "serviceIpv4Cidr": "172.20.0.0/16"}},
        ),
        Rule(
            "Cluster already exists with name: NAME",
            _IN_USE,
            unique(_CLUSTER, "name"),
            {"name": "b"},
            _HERE,
            (Made(_CLUSTER, _HERE),),
        ),
    ),
    _GROUP: (
        Rule(
            "The minimum number of nodes that the managed node group can scale in to",
            _model("NodegroupScalingConfig.minSize"),
            holds("scalingConfig.desiredSize", _least_to_most),
            {"scalingConfig": {"minSize": 0, "desiredSize": 2, "maxSize": 2}},
            {"scalingConfig": {"minSize": 3, "desiredSize": 2, "maxSize": 4}},
        ),
        Rule(
            "you specify an instance type in your launch template and specify any instanceTypes, the node group "
            "deployment will fail",
            _model("CreateNodegroupRequest.instanceTypes"),
            _type_in_one_place,
            {"launchTemplate": {"id": "lt-1"}},
            {"launchTemplate": {"id": "lt-1"}, "instanceTypes": ["p5en.48xlarge"]},
            (Made(_TEMPLATE, {"instanceType": "p5en.48xlarge"}, frozenset({"lt-1"})),),
        ),
        Rule(
            "don't directly specify instanceTypes, diskSize, or remoteAccess",
            _model("CreateNodegroupRequest.launchTemplate"),
            holds("launchTemplate", _template_alone),
            {"launchTemplate": {"id": "lt-1"}},
            {"launchTemplate": {"id": "lt-1"}, "diskSize": 100},
        ),
        Rule(
            "You must specify either the launch template ID or the launch template name in the request, but not both",
            _model("LaunchTemplateSpecification.id"),
            not_both("launchTemplate.id", "launchTemplate.name"),
            {"launchTemplate": {"id": "lt-1"}},
            {"launchTemplate": {"id": "lt-1", "name": "gpu"}},
        ),
        Rule(
            "The maximum number is 100.",
            _model("NodegroupUpdateConfig.maxUnavailable"),
            between("updateConfig.maxUnavailable", 1, 100),
            {"updateConfig": {"maxUnavailable": 100}},
            {"updateConfig": {"maxUnavailable": 101}},
        ),
        Rule(
            "This value or maxUnavailablePercentage is required to have a value.",
            _model("NodegroupUpdateConfig.maxUnavailable"),
            not_both("updateConfig.maxUnavailable", "updateConfig.maxUnavailablePercentage"),
            {"updateConfig": {"maxUnavailable": 1}},
            {"updateConfig": {"maxUnavailable": 1, "maxUnavailablePercentage": 33}},
        ),
        Rule(
            "NodeGroup already exists with name NAME and cluster name CLUSTER",
            _IN_USE,
            unique(_GROUP, "nodeGroupName", "clusterName"),
            {"nodeGroupName": "b", "clusterName": "c"},
            {"nodeGroupName": "a", "clusterName": "c"},
            (Made(_GROUP, {"nodeGroupName": "a", "clusterName": "c"}),),
        ),
        Rule(
            "Managed node groups per cluster: 30",
            Source("docs.aws.amazon.com/eks/latest/userguide/service-quotas.html", "2026-08"),
            room(_GROUP, "clusterName", _GROUPS),
            {"clusterName": "d"},
            {"clusterName": "c"},
            tuple(Made(_GROUP, {"clusterName": "c"}) for _ in range(_GROUPS)),
        ),
    ),
    _ADDON: (
        Rule(
            "The name must match one of the names returned by DescribeAddonVersions",
            _model("CreateAddonRequest.addonName"),
            unique(_ADDON, "addonName", "clusterName"),
            {"addonName": "coredns", "clusterName": "c"},
            {"addonName": "vpc-cni", "clusterName": "c"},
            (Made(_ADDON, {"addonName": "vpc-cni", "clusterName": "c"}),),
        ),
    ),
    _ENTRY: (
        Rule(
            "You can't specify the same ARN in more than one access entry",
            _model("CreateAccessEntryRequest.principalArn"),
            unique(_ENTRY, "principalArn", "clusterName"),
            {"principalArn": "arn:aws:iam::111122223333:role/b", "clusterName": "c"},
            {"principalArn": "arn:aws:iam::111122223333:role/a", "clusterName": "c"},
            (Made(_ENTRY, {"principalArn": "arn:aws:iam::111122223333:role/a", "clusterName": "c"}),),
        ),
    ),
}

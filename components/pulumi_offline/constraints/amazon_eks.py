"""Elastic Kubernetes Service: clusters, node groups and what belongs to them."""

from collections.abc import Iterator

from ..source import Source
from .predicates import at, at_most, between, block, form, get, has, holds, not_both, unique
from .record import Constraint, Existing, ExistingResources, Inputs, Limit, stated_by

_CLUSTER = "aws:eks/cluster:Cluster"
_GROUP = "aws:eks/nodeGroup:NodeGroup"
_ADDON = "aws:eks/addon:Addon"
_ENTRY = "aws:eks/accessEntry:AccessEntry"
_SUBNET = "aws:ec2/subnet:Subnet"
_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
_ZONES = Source("github.com/pulumi/pulumi-eks/issues/311, github.com/rancher/rancher/issues/24380", "2020-01-24")
_IN_USE = Source("ResourceInUseException, as in terraform-provider-aws internal/service/eks/cluster.go", "2026-08")
_model = stated_by("botocore eks", "2026-11-21")


def _zones_differ(cluster: Inputs, existing: ExistingResources) -> Iterator[str]:
    subnets = [existing.find(_SUBNET, name) for _, name in at(cluster, "vpcConfig.subnetIds")]
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


def _type_in_one_place(group: Inputs, existing: ExistingResources) -> Iterator[str]:
    chosen = group.get("launchTemplate", {})
    template = existing.find(_TEMPLATE, get(chosen, "name") or chosen.get("id", ""))
    if has(group, "instanceTypes") and template is not None and has(template.inputs, "instanceType"):
        yield "instanceTypes"


# fmt: off
CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    _CLUSTER: (
        _model("CreateClusterRequest.resourcesVpcConfig", "You must specify at least two subnets",
            holds("vpcConfig.subnetIds", _two_subnets, ["a", "b"], ["a"])),
        Constraint("Subnets specified must be in at least two different AZs", _ZONES,
            Limit(_zones_differ, {"vpcConfig": {"subnetIds": ["a", "c"]}}, {"vpcConfig": {"subnetIds": ["a", "b"]}},
                tuple(Existing(_SUBNET, {"availabilityZone": f"us-west-8{zone}"}, frozenset({name}))
                    for name, zone in zip("abc", "aab", strict=True)))),
        _model("CreateClusterRequest.resourcesVpcConfig", "You can specify up to five security groups",
            at_most("vpcConfig.securityGroupIds", 5)),
        _model("VpcConfigRequest.endpointPrivateAccess", "If you disable private access and you have nodes",
            holds("vpcConfig.endpointPrivateAccess", _reachable,
                {"vpcConfig": {"endpointPrivateAccess": True, "endpointPublicAccess": False}},
                {"vpcConfig": {"endpointPrivateAccess": False, "endpointPublicAccess": False}})),
        _model("CreateClusterRequest.name",
            "It must start with an alphanumeric character and can't be longer than 100 characters",
            form("name", "[A-Za-z0-9][A-Za-z0-9_-]{0,99}", "gpu-cluster", "-gpu")),
        _model("KubernetesNetworkConfigRequest.serviceIpv4Cidr", "Between /24 and /12",
            block("kubernetesNetworkConfig.serviceIpv4Cidr", 12, 24, "172.20.0.0/16", "172.20.0.0/28")),
        _model("KubernetesNetworkConfigRequest.serviceIpv4Cidr",
            "Don't specify a value if you select ipv6 for ipFamily",
            holds("kubernetesNetworkConfig.serviceIpv4Cidr", _one_family,
                {"kubernetesNetworkConfig": {"ipFamily": "ipv6"}},
                {"kubernetesNetworkConfig": {"ipFamily": "ipv6", "serviceIpv4Cidr": "172.20.0.0/16"}})),
        Constraint("Cluster already exists with name: NAME", _IN_USE, unique(_CLUSTER, "name")),
    ),
    _GROUP: (
        _model("NodegroupScalingConfig.minSize",
            "The minimum number of nodes that the managed node group can scale in to",
            holds("scalingConfig.desiredSize", _least_to_most,
                {"scalingConfig": {"minSize": 0, "desiredSize": 2, "maxSize": 2}},
                {"scalingConfig": {"minSize": 3, "desiredSize": 2, "maxSize": 4}})),
        _model("CreateNodegroupRequest.instanceTypes",
            "you specify an instance type in your launch template and specify any instanceTypes, the node group "
            "deployment will fail",
            Limit(_type_in_one_place, {"launchTemplate": {"id": "lt-1"}},
                {"launchTemplate": {"id": "lt-1"}, "instanceTypes": ["p5en.48xlarge"]},
                (Existing(_TEMPLATE, {"instanceType": "p5en.48xlarge"}, frozenset({"lt-1"})),))),
        _model("CreateNodegroupRequest.launchTemplate",
            "don't directly specify instanceTypes, diskSize, or remoteAccess",
            holds("launchTemplate",
                lambda of: not has(of, "launchTemplate") or not (has(of, "diskSize") or has(of, "remoteAccess")),
                {"launchTemplate": {"id": "lt-1"}}, {"launchTemplate": {"id": "lt-1"}, "diskSize": 100})),
        _model("LaunchTemplateSpecification.id",
            "You must specify either the launch template ID or the launch template name in the request, but not both",
            not_both("launchTemplate.id", "lt-1", "launchTemplate.name", "gpu")),
        _model("NodegroupUpdateConfig.maxUnavailable", "The maximum number is 100.",
            between("updateConfig.maxUnavailable", 1, 100, 100, 101)),
        _model("NodegroupUpdateConfig.maxUnavailable",
            "This value or maxUnavailablePercentage is required to have a value.",
            not_both("updateConfig.maxUnavailable", 1, "updateConfig.maxUnavailablePercentage", 33)),
        Constraint("NodeGroup already exists with name NAME and cluster name CLUSTER", _IN_USE,
            unique(_GROUP, "nodeGroupName", "clusterName")),
    ),
    _ADDON: (
        _model("CreateAddonRequest.addonName", "The name must match one of the names returned by DescribeAddonVersions",
            unique(_ADDON, "addonName", "clusterName")),
    ),
    _ENTRY: (
        _model("CreateAccessEntryRequest.principalArn", "You can't specify the same ARN in more than one access entry",
            unique(_ENTRY, "principalArn", "clusterName")),
    ),
}

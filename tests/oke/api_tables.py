"""How the resources of an OKE stack become requests of OCI's APIs (pulumi-oci 5.5)."""

import json

from tests.api.model import Shape
from tests.api.oracle import model
from tests.api.request import Request, Rule, Table

_METADATA_BYTES = 32_000


def _core(name: str) -> Shape:
    return model("core", name)


def _engine(name: str) -> Shape:
    return model("container_engine", name)


def _small(metadata: Request) -> bool:
    return len(json.dumps(metadata)) < _METADATA_BYTES


def _launch_small(configuration: Request) -> bool:
    return _small(configuration["instanceDetails"]["launchDetails"]["metadata"])


def _instance_small(instance: Request) -> bool:
    return _small(instance["metadata"])


def _blocks_of_an_island(cluster: Request) -> bool:
    placement = cluster.get("placementConstraintDetails", {})
    return "hpcIslandId" in placement or not placement.get("targetNetworkBlockIds")


def _has_source(rule: Request) -> bool:
    return rule["direction"] == "EGRESS" or {"source", "sourceType"} <= set(rule)


def _has_destination(rule: Request) -> bool:
    return rule["direction"] == "INGRESS" or {"destination", "destinationType"} <= set(rule)


_VNIC = "CreateVnicDetails.subnetId"
_NOT_THIS = {_VNIC: "the word is said of LaunchInstanceDetails.subnetId, in whose place this one is to be used"}
_LAUNCH = {
    "createVnicDetails.assignIpv6ip": "assignIpv6Ip",
    "agentConfig.pluginsConfigs": "pluginsConfig",
    "sourceDetails.bootVolumeSizeInGbs": "bootVolumeSizeInGBs",
    "sourceDetails.bootVolumeVpusPerGb": "bootVolumeVpusPerGB",
}
_TEXT = "The combined size of the `metadata` and `extendedMetadata` objects can be a maximum of 32,000 bytes"

TABLES = [
    Table("oci:ContainerEngine/cluster:Cluster", _engine("CreateClusterDetails")),
    Table(
        "oci:ContainerEngine/nodePool:NodePool",
        _engine("CreateNodePoolDetails"),
        renamed={
            "nodeSourceDetails.bootVolumeSizeInGbs": "bootVolumeSizeInGBs",
            "nodeShapeConfig.memoryInGbs": "memoryInGBs",
        },
    ),
    Table(
        "oci:ContainerEngine/addon:Addon",
        _engine("InstallAddonDetails"),
        renamed={"overrideExisting": "isOverrideExisting"},
        own={"clusterId": "part of the request's address", "removeAddonResourcesOnDelete": "of DisableAddon"},
    ),
    Table(
        "oci:Core/clusterNetwork:ClusterNetwork",
        _core("CreateClusterNetworkDetails"),
        renamed={"placementConfiguration.primaryVnicSubnets.isAssignIpv6ip": "isAssignIpv6Ip"},
    ),
    Table(
        "oci:Core/computeCluster:ComputeCluster",
        _core("CreateComputeClusterDetails"),
        rules=(
            Rule(
                # Of ComputeClusterPlacementConstraintDetails.targetNetworkBlockIds.
                "If `targetNetworkBlockIds` is provided, the `hpcIslandId` must be set on the compute cluster",
                "the kind that type names",
                _blocks_of_an_island,
            ),
        ),
    ),
    Table("oci:Core/computeGpuMemoryCluster:ComputeGpuMemoryCluster", _core("CreateComputeGpuMemoryClusterDetails")),
    Table(
        "oci:Core/instance:Instance",
        _core("LaunchInstanceDetails"),
        renamed={**_LAUNCH, "sourceDetails.sourceId": "imageId"},
        own={"preserveBootVolume": "of TerminateInstance"},
        excused=_NOT_THIS,
        rules=(Rule(_TEXT, "LaunchInstanceDetails.metadata", _instance_small),),
    ),
    Table(
        "oci:Core/instanceConfiguration:InstanceConfiguration",
        _core("CreateInstanceConfigurationDetails"),
        renamed={f"instanceDetails.launchDetails.{path}": name for path, name in _LAUNCH.items()},
        rules=(Rule(_TEXT, "the same of the instances it describes", _launch_small),),
    ),
    Table("oci:Core/image:Image", _core("CreateImageDetails")),
    Table(
        "oci:Core/shapeManagement:ShapeManagement",
        _core("AddImageShapeCompatibilityEntryDetails"),
        own=dict.fromkeys(
            ("compartmentId", "imageId", "shapeName"), "part of the request's address, or of its reading"
        ),
    ),
    Table(
        "oci:Core/vcn:Vcn",
        _core("CreateVcnDetails"),
        renamed={"isIpv6enabled": "isIpv6Enabled", "ipv6privateCidrBlocks": "ipv6PrivateCidrBlocks"},
    ),
    Table("oci:Core/subnet:Subnet", _core("CreateSubnetDetails"), renamed={"ipv6cidrBlocks": "ipv6CidrBlocks"}),
    Table(
        "oci:Core/securityList:SecurityList",
        _core("CreateSecurityListDetails"),
        # terraform-provider-oci core_security_list_resource.go: Create.
        added={"egressSecurityRules": [], "ingressSecurityRules": []},
    ),
    Table("oci:Core/routeTable:RouteTable", _core("CreateRouteTableDetails")),
    Table("oci:Core/natGateway:NatGateway", _core("CreateNatGatewayDetails")),
    Table(
        "oci:Core/internetGateway:InternetGateway",
        _core("CreateInternetGatewayDetails"),
        renamed={"enabled": "isEnabled"},
    ),
    Table("oci:Core/serviceGateway:ServiceGateway", _core("CreateServiceGatewayDetails")),
    Table("oci:Core/networkSecurityGroup:NetworkSecurityGroup", _core("CreateNetworkSecurityGroupDetails")),
    Table(
        "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule",
        _core("AddSecurityRuleDetails"),
        renamed={"stateless": "isStateless"},
        own={"networkSecurityGroupId": "part of the request's address"},
        rules=(
            Rule("Required if `direction` = `INGRESS`", "AddSecurityRuleDetails.sourceType", _has_source),
            Rule("Required if `direction` = `EGRESS`", "AddSecurityRuleDetails.destinationType", _has_destination),
        ),
    ),
    Table("oci:Identity/policy:Policy", model("identity", "CreatePolicyDetails")),
    Table("oci:Identity/dynamicGroup:DynamicGroup", model("identity", "CreateDynamicGroupDetails")),
    Table(
        "oci:Identity/domainsDynamicResourceGroup:DomainsDynamicResourceGroup",
        model("identity_domains", "DynamicResourceGroup"),
        own={"idcsEndpoint": "the host of the request"},
    ),
]

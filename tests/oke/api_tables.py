"""How the resources of an OKE stack become requests of OCI's APIs (pulumi-oci 5.5)."""

from tools.api.model import Shape
from tools.api.oci import model
from tools.api.request import Table


def _core(name: str) -> Shape:
    return model("core", name)


def _engine(name: str) -> Shape:
    return model("container_engine", name)


_VNIC = "CreateVnicDetails.subnetId"
_NOT_THIS = {_VNIC: "the word is said of LaunchInstanceDetails.subnetId, in whose place this one is to be used"}
_LAUNCH = {
    "createVnicDetails.assignIpv6ip": "assignIpv6Ip",
    "agentConfig.pluginsConfigs": "pluginsConfig",
    "sourceDetails.bootVolumeSizeInGbs": "bootVolumeSizeInGBs",
    "sourceDetails.bootVolumeVpusPerGb": "bootVolumeVpusPerGB",
}

MODEL = ("oci 2.189.0", "2026-10-27")
"""What the tables are of, and its date."""

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
    Table("oci:Core/computeCluster:ComputeCluster", _core("CreateComputeClusterDetails")),
    Table("oci:Core/computeGpuMemoryCluster:ComputeGpuMemoryCluster", _core("CreateComputeGpuMemoryClusterDetails")),
    Table(
        "oci:Core/instance:Instance",
        _core("LaunchInstanceDetails"),
        renamed={**_LAUNCH, "sourceDetails.sourceId": "imageId"},
        own={"preserveBootVolume": "of TerminateInstance"},
        excused=_NOT_THIS,
    ),
    Table(
        "oci:Core/instanceConfiguration:InstanceConfiguration",
        _core("CreateInstanceConfigurationDetails"),
        renamed={f"instanceDetails.launchDetails.{path}": name for path, name in _LAUNCH.items()},
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
    ),
    Table(
        "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem",
        model("lustre_file_storage", "CreateLustreFileSystemDetails"),
        renamed={"capacityInGbs": "capacityInGBs"},
    ),
    Table("oci:Identity/policy:Policy", model("identity", "CreatePolicyDetails")),
    Table("oci:Identity/dynamicGroup:DynamicGroup", model("identity", "CreateDynamicGroupDetails")),
    Table(
        "oci:Identity/domainsDynamicResourceGroup:DomainsDynamicResourceGroup",
        model("identity_domains", "DynamicResourceGroup"),
        own={"idcsEndpoint": "the host of the request"},
    ),
]

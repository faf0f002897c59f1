"""OCI: what the request that creates takes and none of those that change."""

from functools import partial

from ..source import Source
from .record import Fixed, nodes, row_of

_DATE = "2026-10-27"
_fixed = partial(row_of, "oci 2.189.0: not among the fields of {}", _DATE)

# fmt: off
FIXED = {
    "pulumi:providers:oci": Fixed(("region",), Source("the region of every resource below it", _DATE)),
    "oci:ContainerEngine/cluster:Cluster": _fixed("UpdateClusterDetails and UpdateClusterEndpointConfigDetails",
        "vcnId kmsKeyId clusterPodNetworkOptions endpointConfig.subnetId options.ipFamilies "
        "options.kubernetesNetworkConfig options.serviceLbSubnetIds",
        role="cluster"),
    # A new shape, image or template is for new nodes of a pool that stays.
    "oci:ContainerEngine/nodePool:NodePool": _fixed("UpdateNodePoolDetails and UpdateNodePoolNodeConfigDetails",
        "clusterId nodeConfigDetails.computeClusterId", role="pool",
        nodes=nodes("nodeConfigDetails.placementConfigs.capacityReservationId", "nodeShape")),
    "oci:ContainerEngine/addon:Addon": _fixed("UpdateAddonDetails", "clusterId addonName"),
    "oci:Core/clusterNetwork:ClusterNetwork": _fixed(
        "UpdateClusterNetworkDetails", "placementConfiguration clusterConfiguration", role="pool"),
    "oci:Core/computeCluster:ComputeCluster": _fixed(
        "UpdateComputeClusterDetails", "availabilityDomain", role="RDMA network"),
    "oci:Core/computeGpuMemoryCluster:ComputeGpuMemoryCluster": _fixed(
        "UpdateComputeGpuMemoryClusterDetails", "availabilityDomain computeClusterId gpuMemoryFabricId",
        role="pool", nodes=nodes("gpuMemoryFabricId")),
    # OCI takes changes of metadata and sourceDetails, of keys that a cloud-init of ours does not read again.
    "oci:Core/instance:Instance": _fixed("UpdateInstanceDetails and UpdateVnicDetails",
        "availabilityDomain computeClusterId createVnicDetails.subnetId createVnicDetails.assignPublicIp "
        "placementConstraintDetails metadata sourceDetails.sourceId",
        role="node", nodes=nodes("capacityReservationId", "shape")),
    "oci:Core/instanceConfiguration:InstanceConfiguration": _fixed(
        "UpdateInstanceConfigurationDetails", "instanceDetails source", nodes=nodes(
            "instanceDetails.launchDetails.capacityReservationId", "instanceDetails.launchDetails.shape")),
    "oci:Core/image:Image": _fixed("UpdateImageDetails", "imageSourceDetails instanceId launchMode"),
    "oci:Core/shapeManagement:ShapeManagement": _fixed("any request for an entry's key", "imageId shapeName"),
    "oci:Core/vcn:Vcn": _fixed("UpdateVcnDetails", "dnsLabel", role="network"),
    "oci:Core/subnet:Subnet": _fixed("UpdateSubnetDetails; of cidrBlock: a block that moves, with nodes in it",
        "vcnId availabilityDomain dnsLabel cidrBlock prohibitPublicIpOnVnic prohibitInternetIngress"),
    "oci:Core/securityList:SecurityList": _fixed("UpdateSecurityListDetails", "vcnId"),
    "oci:Core/routeTable:RouteTable": _fixed("UpdateRouteTableDetails", "vcnId"),
    "oci:Core/natGateway:NatGateway": _fixed("UpdateNatGatewayDetails", "vcnId publicIpId"),
    "oci:Core/internetGateway:InternetGateway": _fixed("UpdateInternetGatewayDetails", "vcnId"),
    "oci:Core/serviceGateway:ServiceGateway": _fixed("UpdateServiceGatewayDetails", "vcnId"),
    "oci:Core/networkSecurityGroup:NetworkSecurityGroup": _fixed("UpdateNetworkSecurityGroupDetails", "vcnId"),
    # The request that changes a rule takes all of it; the provider makes another instead.
    "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule": Fixed(
        ("networkSecurityGroupId", "direction", "protocol", "source", "sourceType", "destination", "destinationType"),
        Source("pulumi_oci 5.5: core.NetworkSecurityGroupSecurityRule, forces replacement", _DATE)),
    "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem": _fixed("UpdateLustreFileSystemDetails",
        "availabilityDomain clusterPlacementGroupId fileSystemName performanceTier subnetId", role="file system"),
    "oci:Identity/policy:Policy": _fixed("UpdatePolicyDetails", "name"),
    "oci:Identity/dynamicGroup:DynamicGroup": _fixed("UpdateDynamicGroupDetails", "name"),
    "oci:Identity/domainsDynamicResourceGroup:DomainsDynamicResourceGroup": Fixed(
        ("idcsEndpoint",), Source("the address of the domain that holds it", _DATE)),
}
# fmt: on

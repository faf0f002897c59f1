"""Google Cloud, by the provider that pulumi-gcp is made of."""

from functools import partial

from ..source import Source
from .record import Fixed, nodes, row_of

_DATE = "2026-08-21"
_SOURCE = "github.com/hashicorp/terraform-provider-google@e03b762 google/services/{}, ForceNew"
_fixed = partial(row_of, _SOURCE, _DATE)

# fmt: off
FIXED = {
    "pulumi:providers:gcp": Fixed(("project",), Source("the project of every resource below it", _DATE)),
    # What the default pool is made of is fixed, too, and left alone: it is gone after the creation.
    "gcp:container/cluster:Cluster": _fixed("container/resource_container_cluster.go",
        "name location project network subnetwork networkingMode ipAllocationPolicy datapathProvider", role="cluster"),
    # Machine type, disk, labels, taints and zones are changed on a living pool. `rolls` is what makes new nodes by
    # container.v1beta1 UpdateNodePoolRequest and nodeConfigUpdateMode of 2026-11-27: unless told otherwise, GKE makes
    # virtual machines anew, one after the other, for another system, disk or setting of the kubelet.
    "gcp:container/nodePool:NodePool": _fixed("container/resource_container_node_pool.go, node_config.go",
        "name cluster location project placementPolicy queuedProvisioning networkConfig.acceleratorNetworkProfile "
        "networkConfig.additionalNodeNetworkConfigs nodeConfig.ephemeralStorageLocalSsdConfig nodeConfig.flexStart "
        "nodeConfig.guestAccelerators nodeConfig.maxRunDuration nodeConfig.oauthScopes "
        "nodeConfig.reservationAffinity nodeConfig.serviceAccount nodeConfig.spot",
        role="pool", nodes=nodes("nodeConfig.reservationAffinity.values", "nodeConfig.machineType",
            "version nodeConfig.machineType nodeConfig.diskType nodeConfig.diskSizeGb nodeConfig.bootDisk "
            "nodeConfig.imageType nodeConfig.containerdConfig nodeConfig.kubeletConfig nodeConfig.linuxNodeConfig")),
    "gcp:compute/network:Network": _fixed(
        "compute/resource_compute_network.go", "name project autoCreateSubnetworks networkProfile", role="network"),
    "gcp:compute/subnetwork:Subnetwork": _fixed(
        "compute/resource_compute_subnetwork.go", "name project region network ipCidrRange", grows=("ipCidrRange",)),
    "gcp:compute/resourcePolicy:ResourcePolicy": _fixed(
        "compute/resource_compute_resource_policy.go", "name project region groupPlacementPolicy workloadPolicy",
        role="placement policy"),
    "gcp:compute/firewall:Firewall": _fixed("compute/resource_compute_firewall.go", "name project network"),
    "gcp:compute/router:Router": _fixed("compute/resource_compute_router.go", "name project region network"),
    "gcp:compute/routerNat:RouterNat": _fixed("compute/resource_compute_router_nat.go", "name project region router"),
    # Machine type, service account, networks and placement change in place on a machine that is stopped alone.
    "gcp:compute/instance:Instance": _fixed("compute/resource_compute_instance.go",
        "name project zone bootDisk.initializeParams.image bootDisk.initializeParams.type "
        "networkInterfaces.nicType reservationAffinity scheduling.maxRunDuration scheduling.provisioningModel",
        role="node", nodes=nodes("reservationAffinity.specificReservation.values", "machineType")),
    "gcp:storage/bucket:Bucket": _fixed(
        "storage/resource_storage_bucket.go", "name project location hierarchicalNamespace", role="bucket"),
    "gcp:lustre/instance:Instance": _fixed("lustre/resource_lustre_instance.go",
        "instanceId project location filesystem network perUnitStorageThroughput", role="file system"),
    "gcp:compute/globalAddress:GlobalAddress": _fixed(
        "compute/resource_compute_global_address.go", "name project network purpose prefixLength"),
    "gcp:servicenetworking/connection:Connection": _fixed(
        "servicenetworking/resource_service_networking_connection.go", "network service"),
    "gcp:storage/bucketIAMMember:BucketIAMMember": _fixed(
        "storage/iam_storage_bucket.go and tpgiamresource", "bucket role member"),
    "gcp:serviceaccount/account:Account": _fixed(
        "resourcemanager/resource_google_service_account.go", "accountId project"),
    "gcp:projects/iAMMember:IAMMember": _fixed(
        "resourcemanager/iam_project.go and tpgiamresource", "project role member"),
}
# fmt: on

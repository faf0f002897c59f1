"""How long each type takes. What is published stands with its source; what is not is a guess of ours, and says so.

A published figure is that of one log or one document. It shows which steps are long and which are short, so that a
timeline shows what waits for what; how long a cloud takes today is the cloud's to say.
"""

from dataclasses import dataclass

from .machine import Source

_DATE = "2026-11-22"


@dataclass(frozen=True)
class Latency:
    """Seconds that a creation and a deletion take; a change in place takes as long as a creation."""

    create: float
    delete: float
    source: Source | None = None
    """Where ``create`` is published; ``None`` where nobody publishes it. Deletions are guesses all."""


def _log(*lines: str) -> Source:
    return Source(f"a published log of terraform apply: {'; '.join(lines)}", _DATE)


_GKE = _log(
    "google_compute_network.network 17s",
    "google_compute_subnetwork.subnetwork 37s",
    "google_container_cluster.cluster 7m56s [id=gke-example]",
    "google_container_node_pool.node_pool 2m7s",
)
_NAT = _log("google_compute_router.router 22s [phongvq-test-router]", "google_compute_router_nat.nat 12s")
_TFE = _log("google_compute_firewall.tfe-vault 11s [ag-tfe-aa]", "google_compute_router_nat.nat 23s")
_EKS = _log(
    "aws_eks_cluster.this 8m13s [id=eksworkshop-eksctl-gr]",
    "aws_eks_node_group.this 1m48s",
    'aws_eks_addon.this["coredns"] 34s',
    "helm_release argo-cd 56s",
)
_IDP = _log("aws_nat_gateway.this[0] 1m34s", "aws_eks_cluster.this[0] 9m12s [id=idp-poc-cluster]")
_ENTRIES = _log("aws_iam_role_policy.scheduler_scale 1s", "aws_launch_template.this[0] 6s [otel-demo-eks]")
_AKS = _log("azurerm_kubernetes_cluster.aks 3m49s", "azurerm_role_assignment.role_acrpull 25s")
_RG = _log("azurerm_virtual_network.vnet 8s", "azurerm_resource_group 2s [scenariotest-rg-dev]")
_OCI = _log(
    "oci_core_vcn.vcn 1s [eu-paris-1]",
    "oci_core_security_list.sl 0s",
    "oci_core_network_security_group.nsg 0s",
    "oci_core_internet_gateway 0s",
    "oci_core_subnet.subnet 9s",
)
_IMAGE = Source(
    "github.com/oracle-quickstart/oci-hpc-oke, its table of images of June 2025: 30 to 60 minutes an import", _DATE
)

LATENCIES = {
    "gcp:compute/network:Network": Latency(17, 20, _GKE),
    "gcp:compute/subnetwork:Subnetwork": Latency(37, 20, _GKE),
    "gcp:compute/firewall:Firewall": Latency(11, 10, _TFE),
    "gcp:compute/router:Router": Latency(22, 12, _NAT),
    "gcp:compute/routerNat:RouterNat": Latency(12, 12, _NAT),
    "gcp:container/cluster:Cluster": Latency(476, 240, _GKE),
    "gcp:container/nodePool:NodePool": Latency(127, 240, _GKE),
    "gcp:compute/instance:Instance": Latency(60, 60),
    "gcp:lustre/instance:Instance": Latency(900, 600),
    "gcp:servicenetworking/connection:Connection": Latency(60, 1),
    "gcp:serviceaccount/account:Account": Latency(3, 2),
    "gcp:projects/iAMMember:IAMMember": Latency(9, 9),
    "aws:ec2/natGateway:NatGateway": Latency(94, 60, _IDP),
    "aws:eks/cluster:Cluster": Latency(493, 180, _EKS),
    "aws:eks/nodeGroup:NodeGroup": Latency(108, 240, _EKS),
    "aws:eks/addon:Addon": Latency(34, 10, _EKS),
    "aws:eks/accessEntry:AccessEntry": Latency(2, 1),
    "aws:ec2/launchTemplate:LaunchTemplate": Latency(6, 1, _ENTRIES),
    "aws:ec2/vpc:Vpc": Latency(12, 1),
    "aws:ec2/vpcEndpoint:VpcEndpoint": Latency(6, 6),
    "aws:fsx/lustreFileSystem:LustreFileSystem": Latency(600, 300),
    "azure-native:containerservice:ManagedCluster": Latency(229, 300, _AKS),
    "azure-native:containerservice:AgentPool": Latency(300, 300),
    "azure-native:authorization:RoleAssignment": Latency(25, 5, _AKS),
    "azure-native:network:VirtualNetwork": Latency(8, 12, _RG),
    "azure-native:resources:ResourceGroup": Latency(2, 60, _RG),
    "azure-native:network:NatGateway": Latency(12, 12),
    "azure-native:storagecache:AmlFilesystem": Latency(900, 600),
    "azure-native:network:PublicIPAddress": Latency(6, 12),
    "oci:Core/vcn:Vcn": Latency(1, 1, _OCI),
    "oci:Core/subnet:Subnet": Latency(9, 3, _OCI),
    "oci:Core/image:Image": Latency(2700, 10, _IMAGE),
    "oci:ContainerEngine/cluster:Cluster": Latency(480, 240),
    "oci:ContainerEngine/nodePool:NodePool": Latency(240, 240),
    "oci:Core/clusterNetwork:ClusterNetwork": Latency(900, 600),
    "oci:Core/computeGpuMemoryCluster:ComputeGpuMemoryCluster": Latency(900, 600),
    "oci:Core/instance:Instance": Latency(600, 300),
    "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem": Latency(900, 600),
    "kubernetes:helm.sh/v3:Release": Latency(56, 20, _EKS),
    "kubernetes:apps/v1:DaemonSet": Latency(60, 5),
    "kubernetes:apps/v1:Deployment": Latency(30, 5),
    "kubernetes:batch/v1:Job": Latency(600, 5),
    "kubernetes:core/v1:Namespace": Latency(1, 12),
}
SHORT = Latency(1, 1)
"""Of every other type: a request that is answered at once."""


def latency(token: str) -> Latency:
    """How long a type takes."""
    return LATENCIES.get(token, SHORT)

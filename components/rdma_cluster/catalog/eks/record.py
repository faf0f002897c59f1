"""What EKS adds to a machine type: how its network cards take interfaces, and what a node then has left for pods."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from ..machine import Cloud, Machine, Source


class Layout(str, Enum):
    """Which interfaces a launch template lists, by network card and device index.

    ``efa-only`` carries no IP; the primary interface, card 0 device 0, must.
    """

    A = "A"
    """Several cards: ``interface`` at (0, 0), ``efa-only`` at (0, 1) and at (n, 0) on every other card."""
    A1 = "A1"
    """One card: ``interface`` at (0, 0), ``efa-only`` at (0, 1)."""
    B = "B"
    """Card 0 has no EFA: ``interface`` at (0, 0), ``efa-only`` at (n, 0) on the others."""
    C = "C"
    """Card 0 has no EFA and the others share physical NICs: ``efa-only`` at (n, 0) on the cards of ``efa_per_card``."""
    D = "D"
    """One interface a card: a combined ``efa`` at (0, 0), ``efa-only`` at (n, 0) on the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EksMachine(Machine):
    """What EKS adds to a machine type. ``nics`` counts the EFA interfaces that ``layout`` attaches."""

    cloud: Cloud = Cloud.EKS
    layout: Layout | None
    network_cards: int | None
    efa_per_card: tuple[int, ...] | None
    """EFA interfaces that ``layout`` attaches to each card, in card order."""
    efa_max: int | None
    """Most EFA interfaces the EC2 API allows."""
    interfaces_per_card: int | None
    """Most interfaces on one card. Those of card 0 bound the pods: the VPC CNI manages no other card."""
    ipv4_per_interface: int | None
    max_pods: int | None
    """Pods a node takes when card 0 holds no EFA: interfaces x (addresses - 1) + 2."""
    ip_cards: tuple[int, ...] = (0,)
    """Cards that take an IP interface where the user wants IP bandwidth rather than few addresses."""
    ip_gbps: int | None
    """Bandwidth of IP traffic at the most, shared with EFA unless card 0 has a rate of its own."""
    memory_gib: int | None
    nvme_gb: int | None
    ami_type: str | None
    """``amiType`` of a managed node group; ``None`` where EKS builds no image with the driver it needs."""
    gdr: bool | None
    """Whether NCCL over EFA reaches the GPU's memory directly (GPUDirect RDMA)."""
    neuron_chips: int = 0
    """Trainium chips; such a machine is in the catalogue for its fabric only."""
    efa_plugin: str | None = None
    """Least EFA device plugin that counts this machine's devices; ``None`` where any does."""
    network_layers: tuple[str, ...] = ()
    """Labels that tell where in AWS's network its nodes are, the widest first; empty where EC2 does not know."""


# EFA interfaces, bandwidth, disks, CPUs and pods as EC2 reports them, in Karpenter's generated reference.
KARPENTER = Source(
    "github.com/aws/karpenter-provider-aws@1d927085d website/.../reference/instance-types.md", "2026-08-21"
)
# Cards, interfaces and addresses as EC2 reports them, in the VPC CNI's generated table.
VPC_CNI = Source("github.com/aws/amazon-vpc-cni-k8s@b52188387 pkg/vpc/vpc_ip_resource_limit.go", "2026-08-20")
# Platform table: GPUDirect RDMA required or not, and remarks on the PCIe layout.
OFI_NCCL = Source("github.com/aws/aws-ofi-nccl@2daf7d30 src/platform-aws.cpp, topology/", "2026-08-21")
# The layout rule, read in quotations that agree with each other: classes A, B and C.
EC2_EFA = Source(
    "docs.aws.amazon.com/AWSEC2/latest/UserGuide: EFA on accelerated types, as others quote it", "2026-08-01"
)
# The labels: docs.aws.amazon.com/eks/latest/userguide/ml-workload-topology.html (seen 2026-10-31); some machines have a
# fourth layer below these. The machines whose place EC2 knows: docs.aws.amazon.com/AWSEC2/latest/UserGuide/
# ec2-instance-topology-prerequisites.html and the SDKs' pages of DescribeInstanceTopology (seen 2026-10-31), whose list
# goes on beyond what was read.
NETWORK_LAYERS = tuple(f"topology.k8s.aws/network-node-layer-{layer}" for layer in (1, 2, 3))
EFA_SOURCES = (KARPENTER, VPC_CNI)


def one_efa_a_card(cards: int, interfaces: int, addresses: int, pods: int) -> dict[str, Any]:
    """Fields of a machine whose every card has an EFA: interfaces a card, addresses an interface, pods a node."""
    return {
        "network_cards": cards,
        "efa_per_card": (1,) * cards,
        "efa_max": cards,
        "interfaces_per_card": interfaces,
        "ipv4_per_interface": addresses,
        "max_pods": pods,
    }


X86_NVIDIA = "AL2023_x86_64_NVIDIA"
ARM_NVIDIA = "AL2023_ARM_64_NVIDIA"

NO_ROOTS = "no published listing shows which GPU and which EFA device share a PCIe root"
NO_ADDRESSES = {
    "gpu_pci": "no published node listing gives the GPUs' PCI addresses",
    "nic_pci": "no published node listing gives the EFA devices' PCI addresses",
    "rdma_names": "they follow from PCI addresses, which nobody published",
}
NO_IP_SHARE = {"ip_gbps": "AWS gives no share for IP traffic on this type"}
MODEL = {"gpu.model": "the name that the driver prints is not confirmed by a log"}
NO_THRESHOLD = {"thresholds": "no nccl-tests run on this machine with a stated size and node count is published"}

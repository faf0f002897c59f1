"""What EKS adds to a machine type: how its network cards take interfaces, and what a node then has left for pods."""

from enum import Enum
from typing import Any

from pulumi_offline.frozen import frozen
from ..machine import Known, Machine, PcieRoot, Source


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


@frozen(kw_only=True)
class EksMachine(Machine):
    """What EKS adds to a machine type. ``nics`` counts the EFA interfaces that ``layout`` attaches."""

    cloud: str = "eks"
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

    @property
    def reaches_gpu_memory(self) -> bool | None:
        return self.gdr


# fmt: off
# EFA interfaces, bandwidth, disks, CPUs and pods as EC2 reports them, in Karpenter's generated reference.
KARPENTER = Source("github.com/aws/karpenter-provider-aws@1d927085d "
    "website/content/en/docs/reference/instance-types.md", "2026-08-21")
# Cards, interfaces and addresses as EC2 reports them, in the VPC CNI's generated table.
VPC_CNI = Source("github.com/aws/amazon-vpc-cni-k8s@b52188387 pkg/vpc/vpc_ip_resource_limit.go", "2026-08-20")
# Platform table: GPUDirect RDMA required or not, and remarks on the PCIe layout.
OFI_NCCL = Source("github.com/aws/aws-ofi-nccl@2daf7d30 src/platform-aws.cpp", "2026-08-21")
# The layout rule: classes A, B and C. What it says of single types was read in quotations that agree with each other.
EC2_EFA = Source("docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html", "2026-11-28")
# The labels: docs.aws.amazon.com/eks/latest/userguide/ml-workload-topology.html (seen 2026-10-31); some machines have a
# fourth layer below these. The machines whose place EC2 knows: docs.aws.amazon.com/AWSEC2/latest/UserGuide/
# ec2-instance-topology-prerequisites.html and the SDKs' pages of DescribeInstanceTopology (seen 2026-10-31), whose list
# goes on beyond what was read.
NETWORK_LAYERS = tuple(f"topology.k8s.aws/network-node-layer-{layer}" for layer in (1, 2, 3))
EFA_SOURCES = (KARPENTER, VPC_CNI)


def one_efa_a_card(cards: int, interfaces: int, addresses: int, pods: int) -> dict[str, Any]:
    """Fields of a machine whose every card has an EFA: interfaces a card, addresses an interface, pods a node."""
    return {"network_cards": cards, "efa_per_card": (1,) * cards, "efa_max": cards, "interfaces_per_card": interfaces,
        "ipv4_per_interface": addresses, "max_pods": pods}


X86_NVIDIA = "AL2023_x86_64_NVIDIA"
ARM_NVIDIA = "AL2023_ARM_64_NVIDIA"

# IP traffic has the one card's bandwidth, together with EFA.
ONE_CARD = Source(f"{KARPENTER.ref}: the bandwidth of the only card", KARPENTER.seen)
NO_IP_SHARE = Source("searched: docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html as others quote "
    "it, which gives a share for IP on other types", "2026-11-23", Known.NOT_PUBLISHED)
NO_ALIGNMENT = Source(f"{OFI_NCCL.ref}: GPUDirect RDMA is not asked for, so nothing is aligned", OFI_NCCL.seen)


def behind(
    roots: str, numa: tuple[int, ...], nic: tuple[int, ...], gpu: tuple[int, ...], **later: tuple[int, ...]
) -> dict[str, Any]:
    """Addresses, device names and roots where root complexes are alike.

    ``roots`` are their buses in hexadecimal, ``nic`` and ``gpu`` the distances of the devices' buses from the root's;
    ``later`` gives the GPUs of a root that differs, as ``at_66``.
    """
    gpus, nics, tree = [], [], []
    for bus, node in zip(roots.split(), numa, strict=True):
        on_root = later.get(f"at_{bus}", gpu)
        tree.append(
            PcieRoot(
                f"pci0000:{bus}",
                node,
                tuple(range(len(gpus), len(gpus) + len(on_root))),
                tuple(range(len(nics), len(nics) + len(nic))),
            )
        )
        gpus += [int(bus, 16) + distance for distance in on_root]
        nics += [int(bus, 16) + distance for distance in nic]
    return {"gpu_pci": tuple(f"0000:{bus:02x}:00.0" for bus in gpus),
        "nic_pci": tuple(f"0000:{bus:02x}:00.0" for bus in nics), "rdma_names": tuple(f"rdmap{bus}s0" for bus in nics),
        "roots": tuple(tree)}


def hwloc(machine: str) -> Source:
    """The tree that hwloc read on such an instance.

    Its host bridges are what the DRA drivers publish as pcieRoot: those of p4d and p5 agree with ResourceSlices.
    """
    return Source(f"github.com/ai-dynamo/nixl@8770b655a test/unit/utils/libfabric/topo/{machine}-topo.xml",
        "2026-08-21", Known.MEASURED)


def listed(source: Source) -> dict[str, Source]:
    """Evidence for a machine whose addresses and roots one listing gives."""
    return dict.fromkeys(("gpu_pci", "nic_pci", "rdma_names", "roots", "roots.name"), source)

"""EKS machines whose EFA carries no GPUDirect, or no GPU at all: the G family, Trainium and the HPC shapes."""

from ..machine import Capacity, Cloud, Gpu, NicKind, Transport
from .record import (
    EFA_SOURCES,
    NO_ADDRESSES,
    NO_FLOOR,
    NO_ROOTS,
    OFI_NCCL,
    X86_NVIDIA,
    EksMachine,
    Layout,
)

_CAPACITY = (Capacity.ON_DEMAND, Capacity.RESERVATION, Capacity.SPOT)
_NO_IP_SHARE = {"ip_gbps": "AWS gives no share for IP traffic on this type"}
_UNKNOWN = {**NO_ADDRESSES, **NO_FLOOR, **_NO_IP_SHARE, "roots": NO_ROOTS}
_UNKNOWN_CPU = {
    "nic_pci": NO_ADDRESSES["nic_pci"],
    "rdma_names": NO_ADDRESSES["rdma_names"],
    "roots": NO_ROOTS,
    "floors": "no GPU: nccl-tests does not run here",
    **_NO_IP_SHARE,
}

_T4 = Gpu("Tesla T4", 16, "Turing")
_A10G = Gpu("NVIDIA A10G", 24, "Ampere")
_L4 = Gpu("NVIDIA L4", 24, "Ada Lovelace")
_L40S = Gpu("NVIDIA L40S", 48, "Ada Lovelace")
_PRO_4500 = Gpu("NVIDIA RTX PRO 4500 Blackwell Server Edition", 32, "Blackwell")
_PRO_6000 = Gpu("NVIDIA RTX PRO 6000 Blackwell Server Edition", 96, "Blackwell")

_ALIGNMENT = "no GPUDirect RDMA, so nothing to align; that no root is shared was not checked"
# aws-ofi-nccl's platform table: asked for on g7e from 12xlarge on, not asked for on the smallest, g7 not listed.
_GDR = ("g7e.12xlarge", "g7e.24xlarge", "g7e.48xlarge")
_GDR_OPEN = {
    **dict.fromkeys(("g7.8xlarge", "g7.12xlarge", "g7.24xlarge", "g7.48xlarge"), "aws-ofi-nccl does not list the type"),
    "g7e.8xlarge": "aws-ofi-nccl does not ask for it here, and nobody says whether it works",
}


def _gpu(
    name: str, gpu: Gpu, gpus: int, gbps: int, cards: int, interfaces: int, addresses: int, pods: int, *node: int
) -> EksMachine:
    """A G machine: ``gbps`` is the node's, spread evenly over its cards; ``node`` is vCPUs, GiB and NVMe GB."""
    newest = name.startswith("g7.")
    unverified = {"gpu.model": "the name that the driver prints is not confirmed by a log"}
    unverified["pcie_root_comparable"] = "without a listing no shared root is promised" if name in _GDR else _ALIGNMENT
    unknown = dict(_UNKNOWN)
    if name in _GDR_OPEN:
        unknown["gdr"] = _GDR_OPEN[name]
    if newest:
        unknown["ami_type"] = "the type needs driver 595; EKS's images bring 580, so the image is the user's own"
    return EksMachine(
        cloud=Cloud.EKS,
        name=name,
        architecture="amd64",
        transport=Transport.EFA,
        gpu=gpu,
        gpus=gpus,
        nics=cards,
        nic_gbps=gbps // cards,
        published_node_gbps=gbps,
        nic_kind=NicKind.RDMA_ONLY,
        pcie_root_comparable=False,
        capacity=_CAPACITY,
        min_kubernetes={"dra": "1.34"},
        driver=">=595" if newest else "580",
        sources=(*EFA_SOURCES, OFI_NCCL),
        unknown=unknown,
        unverified=unverified,
        layout=Layout.A if cards > 1 else Layout.A1,
        network_cards=cards,
        efa_per_card=(1,) * cards,
        efa_max=cards,
        interfaces_per_card=interfaces,
        ipv4_per_interface=addresses,
        max_pods=pods,
        ip_gbps=None,
        vcpus=node[0],
        memory_gib=node[1],
        nvme_gb=node[2],
        ami_type=None if newest else X86_NVIDIA,
        gdr=None if name in _GDR_OPEN else name in _GDR,
    )


def _cpu(
    name: str,
    layout: Layout,
    cards: int,
    gbps: int,
    interfaces: int,
    addresses: int,
    pods: int,
    *node: int,
    chips: int = 0,
) -> EksMachine:
    """A machine without GPUs, or with Trainium chips: the fabric only; arguments as above."""
    architecture = "arm64" if name.startswith("hpc7g") else "amd64"
    image = "NEURON" if chips else "STANDARD"
    return EksMachine(
        cloud=Cloud.EKS,
        name=name,
        architecture=architecture,
        transport=Transport.EFA,
        nics=cards,
        nic_gbps=gbps // cards,
        published_node_gbps=gbps,
        nic_kind=NicKind.RDMA_ONLY,
        pcie_root_comparable=False,
        capacity=(Capacity.ON_DEMAND, Capacity.RESERVATION),
        min_kubernetes={"dra": "1.34"},
        sources=EFA_SOURCES,
        unknown=_UNKNOWN_CPU,
        unverified={"nic_kind": "card 0's is a combined EFA with an interface"} if layout is Layout.D else {},
        layout=layout,
        network_cards=cards,
        efa_per_card=(1,) * cards,
        efa_max=cards,
        interfaces_per_card=interfaces,
        ipv4_per_interface=addresses,
        max_pods=pods,
        ip_gbps=None,
        vcpus=node[0],
        memory_gib=node[1],
        nvme_gb=node[2],
        ami_type=f"AL2023_{'ARM_64' if architecture == 'arm64' else 'x86_64'}_{image}",
        gdr=None,
        neuron_chips=chips,
    )


MACHINES = (
    # name, GPU, GPUs, Gb/s, cards, interfaces a card, addresses an interface, pods, vCPUs, GiB, NVMe GB
    _gpu("g4dn.8xlarge", _T4, 1, 50, 1, 4, 15, 58, 32, 128, 900),
    _gpu("g4dn.12xlarge", _T4, 4, 50, 1, 8, 30, 234, 48, 192, 900),
    _gpu("g4dn.16xlarge", _T4, 1, 50, 1, 4, 15, 58, 64, 256, 900),
    _gpu("g4dn.metal", _T4, 8, 100, 1, 15, 50, 737, 96, 384, 1800),
    _gpu("g5.8xlarge", _A10G, 1, 25, 1, 8, 30, 234, 32, 128, 900),
    _gpu("g5.12xlarge", _A10G, 4, 40, 1, 15, 50, 737, 48, 192, 3800),
    _gpu("g5.16xlarge", _A10G, 1, 25, 1, 8, 30, 234, 64, 256, 1900),
    _gpu("g5.24xlarge", _A10G, 4, 50, 1, 15, 50, 737, 96, 384, 3800),
    _gpu("g5.48xlarge", _A10G, 8, 100, 1, 7, 50, 345, 192, 768, 7600),
    _gpu("g6.8xlarge", _L4, 1, 25, 1, 8, 30, 234, 32, 128, 900),
    _gpu("g6.12xlarge", _L4, 4, 40, 1, 8, 30, 234, 48, 192, 3760),
    _gpu("g6.16xlarge", _L4, 1, 25, 1, 15, 50, 737, 64, 256, 1880),
    _gpu("g6.24xlarge", _L4, 4, 50, 1, 15, 50, 737, 96, 384, 3760),
    _gpu("g6.48xlarge", _L4, 8, 100, 1, 15, 50, 737, 192, 768, 7520),
    _gpu("gr6.8xlarge", _L4, 1, 25, 1, 8, 30, 234, 32, 256, 900),
    _gpu("g6e.8xlarge", _L40S, 1, 25, 1, 8, 30, 234, 32, 256, 900),
    _gpu("g6e.12xlarge", _L40S, 4, 100, 1, 10, 30, 292, 48, 384, 3800),
    _gpu("g6e.16xlarge", _L40S, 1, 35, 1, 15, 50, 737, 64, 512, 1900),
    _gpu("g6e.24xlarge", _L40S, 4, 200, 2, 10, 50, 492, 96, 768, 3800),
    _gpu("g6e.48xlarge", _L40S, 8, 400, 4, 10, 50, 492, 192, 1536, 7600),
    _gpu("g7.8xlarge", _PRO_4500, 1, 80, 1, 10, 64, 632, 32, 128, 930),
    _gpu("g7.12xlarge", _PRO_4500, 2, 175, 1, 12, 64, 758, 48, 192, 1900),
    _gpu("g7.24xlarge", _PRO_4500, 4, 350, 1, 24, 64, 1514, 96, 384, 3800),
    _gpu("g7.48xlarge", _PRO_4500, 8, 700, 2, 12, 64, 758, 192, 768, 7600),
    _gpu("g7e.8xlarge", _PRO_6000, 1, 100, 1, 8, 64, 506, 32, 256, 1900),
    _gpu("g7e.12xlarge", _PRO_6000, 2, 400, 1, 10, 64, 632, 48, 512, 3800),
    _gpu("g7e.24xlarge", _PRO_6000, 4, 800, 2, 10, 64, 632, 96, 1024, 7600),
    _gpu("g7e.48xlarge", _PRO_6000, 8, 1600, 4, 10, 64, 632, 192, 2048, 15200),
    # name, layout, cards, Gb/s, interfaces a card, addresses an interface, pods, vCPUs, GiB, NVMe GB
    _cpu("trn1.32xlarge", Layout.A, 8, 800, 5, 50, 247, 128, 512, 7600, chips=16),
    _cpu("trn1n.32xlarge", Layout.A, 16, 1600, 5, 50, 247, 128, 512, 7600, chips=16),
    _cpu("trn2.48xlarge", Layout.A, 16, 3200, 2, 50, 100, 192, 2048, 7600, chips=16),
    _cpu("hpc6a.48xlarge", Layout.A1, 1, 100, 2, 50, 100, 96, 384, 0),
    _cpu("hpc6id.32xlarge", Layout.D, 2, 200, 1, 50, 51, 64, 1024, 15200),
    _cpu("hpc7a.12xlarge", Layout.A, 2, 300, 2, 50, 100, 24, 768, 0),
    _cpu("hpc7a.24xlarge", Layout.A, 2, 300, 2, 50, 100, 48, 768, 0),
    _cpu("hpc7a.48xlarge", Layout.A, 2, 300, 2, 50, 100, 96, 768, 0),
    _cpu("hpc7a.96xlarge", Layout.A, 2, 300, 2, 50, 100, 192, 768, 0),
    _cpu("hpc7g.4xlarge", Layout.A1, 1, 200, 4, 50, 198, 16, 128, 0),
    _cpu("hpc7g.8xlarge", Layout.A1, 1, 200, 4, 50, 198, 32, 128, 0),
    _cpu("hpc7g.16xlarge", Layout.A1, 1, 200, 4, 50, 198, 64, 128, 0),
    _cpu("hpc8a.96xlarge", Layout.A, 2, 300, 2, 50, 100, 192, 768, 0),
)

"""EKS machines whose EFA carries no GPUDirect, or no GPU at all: the G family, Trainium and the HPC shapes."""

from typing import Any

from ..evidence import MODEL, NO_GPU, NO_RUN, no_listing
from ..machine import Capacity, Gpu, Known, NicKind, PcieRoot, Source, Transport
from .record import (
    EFA_SOURCES,
    NETWORK_LAYERS,
    NO_ALIGNMENT,
    NO_IP_SHARE,
    OFI_NCCL,
    ONE_CARD,
    X86_NVIDIA,
    EksMachine,
    Layout,
    hwloc,
    listed,
    one_efa_a_card,
)

_T4 = Gpu("Tesla T4", 16, "Turing")
_A10G = Gpu("NVIDIA A10G", 24, "Ampere")
_L4 = Gpu("NVIDIA L4", 24, "Ada Lovelace")
_L40S = Gpu("NVIDIA L40S", 48, "Ada Lovelace")
_PRO_4500 = Gpu("NVIDIA RTX PRO 4500 Blackwell Server Edition", 32, "Blackwell")
_PRO_6000 = Gpu("NVIDIA RTX PRO 6000 Blackwell Server Edition", 96, "Blackwell")

# aws-ofi-nccl's platform table: asked for on g7e from 12xlarge on, not asked for on the smallest, g7 not listed.
_GDR = ("g7e.12xlarge", "g7e.24xlarge", "g7e.48xlarge")
# fmt: off
_GDR_OPEN = {
    **dict.fromkeys(("g7.8xlarge", "g7.12xlarge", "g7.24xlarge", "g7.48xlarge"), "aws-ofi-nccl does not list the type"),
    "g7e.8xlarge": "aws-ofi-nccl does not ask for it here, and nobody says whether it works"}


# The two whose trees are published. On a g5 all devices hang on one root, which the kernel puts on no socket.
_G6_GPU_ROOTS = ("9e", "a0", "a2", "a4", "ad", "af", "b1", "b3")
_TREES: dict[str, dict[str, Any]] = {"g5.48xlarge": {
        "gpu_pci": tuple(f"0000:00:{slot:02x}.0" for slot in range(0x16, 0x1E)), "nic_pci": ("0000:00:15.0",),
        "rdma_names": ("rdmap0s21",), "roots": (PcieRoot("pci0000:00", None, tuple(range(8)), (0,)),)},
    "g6.48xlarge": {"gpu_pci": tuple(f"0000:{int(bus, 16) + 1:02x}:00.0" for bus in _G6_GPU_ROOTS),
        "nic_pci": ("0000:96:00.0",), "rdma_names": ("rdmap150s0",),
        "roots": (PcieRoot("pci0000:84", 0, (), (0,)),
            *(PcieRoot(f"pci0000:{bus}", i // 4, (i,), ()) for i, bus in enumerate(_G6_GPU_ROOTS)))}}
_ONE_ROOT = Source("one root for the devices of both sockets", "2026-08-21", Known.NOT_APPLICABLE)

Cards = tuple[int, int, int, int, int]
"""Network cards, the node's Gb/s spread evenly over them, interfaces a card, addresses an interface, pods."""
Node = tuple[int, int, int]
"""vCPUs, memory in GiB, NVMe in GB."""


def _machine(name: str, cards: Cards, node: Node, **own: Any) -> EksMachine:
    """A machine with one EFA a card."""
    count, gbps, interfaces, addresses, pods = cards
    vcpus, memory_gib, nvme_gb = node
    return EksMachine(name=name, vcpus=vcpus, transport=Transport.EFA, nics=count, nic_gbps=gbps // count,
        published_node_gbps=gbps, nic_kind=NicKind.RDMA_ONLY, pcie_root_comparable=False,
        min_kubernetes={"dra": "1.34"}, ip_gbps=gbps if count == 1 else None, memory_gib=memory_gib, nvme_gb=nvme_gb,
        **one_efa_a_card(count, interfaces, addresses, pods), **own)


def _gpu(name: str, gpus: int, gpu: Gpu, cards: Cards, node: Node) -> EksMachine:
    """A G machine."""
    newest, tree = name.startswith("g7."), _TREES.get(name, {})
    unknown, unverified = {}, {}
    evidence = {**MODEL, **_ip(cards), "thresholds": NO_RUN}
    listing = listed(hwloc(name.removesuffix("arge"))) if tree else None
    evidence |= listing or no_listing("gpu_pci", "nic_pci", "rdma_names", "roots")
    if name == "g5.48xlarge":
        evidence["roots.numa"] = _ONE_ROOT
    if name in _GDR_OPEN:
        unknown["gdr"] = _GDR_OPEN[name]
    if newest:
        unknown["ami_type"] = "the type needs driver 595; EKS's images bring 580, so the image is the user's own"
    if name in _GDR or name in _GDR_OPEN:
        unverified["pcie_root_comparable"] = "without a listing no shared root is promised"
    else:
        evidence["pcie_root_comparable"] = NO_ALIGNMENT
    return _machine(name, cards, node, architecture="amd64", gpu=gpu, gpus=gpus, **tree,
        capacity=(Capacity.ON_DEMAND, Capacity.RESERVATION, Capacity.SPOT), driver=">=595" if newest else "580",
        sources=(*EFA_SOURCES, OFI_NCCL), evidence=evidence, unknown=unknown, unverified=unverified,
        layout=Layout.A if cards[0] > 1 else Layout.A1, ami_type=None if newest else X86_NVIDIA,
        gdr=None if name in _GDR_OPEN else name in _GDR,
        network_layers=NETWORK_LAYERS if name.startswith(("g6e.", "g7e.")) else ())


def _ip(cards: Cards) -> dict[str, Source]:
    """How the bandwidth of IP is known: that of the card where there is one."""
    return {"ip_gbps": ONE_CARD if cards[0] == 1 else NO_IP_SHARE}


def _cpu(name: str, layout: Layout, cards: Cards, node: Node, chips: int = 0) -> EksMachine:
    """A machine without GPUs, or with Trainium chips: the fabric only."""
    architecture = "arm64" if name.startswith("hpc7g") else "amd64"
    image = "NEURON" if chips else "STANDARD"
    return _machine(name, cards, node, architecture=architecture, capacity=(Capacity.ON_DEMAND, Capacity.RESERVATION),
        sources=EFA_SOURCES, evidence={**NO_GPU, **_ip(cards), **no_listing("nic_pci", "rdma_names", "roots")},
        unverified={"nic_kind": "card 0's is a combined EFA with an interface"} if layout is Layout.D else {},
        layout=layout, ami_type=f"AL2023_{'ARM_64' if architecture == 'arm64' else 'x86_64'}_{image}", gdr=None,
        neuron_chips=chips)


MACHINES = (
    # name, GPUs, their model, cards, node
    _gpu("g4dn.8xlarge",  1, _T4,       (1,   50,  4, 15,   58), ( 32,  128,   900)),
    _gpu("g4dn.12xlarge", 4, _T4,       (1,   50,  8, 30,  234), ( 48,  192,   900)),
    _gpu("g4dn.16xlarge", 1, _T4,       (1,   50,  4, 15,   58), ( 64,  256,   900)),
    _gpu("g4dn.metal",    8, _T4,       (1,  100, 15, 50,  737), ( 96,  384,  1800)),
    _gpu("g5.8xlarge",    1, _A10G,     (1,   25,  8, 30,  234), ( 32,  128,   900)),
    _gpu("g5.12xlarge",   4, _A10G,     (1,   40, 15, 50,  737), ( 48,  192,  3800)),
    _gpu("g5.16xlarge",   1, _A10G,     (1,   25,  8, 30,  234), ( 64,  256,  1900)),
    _gpu("g5.24xlarge",   4, _A10G,     (1,   50, 15, 50,  737), ( 96,  384,  3800)),
    _gpu("g5.48xlarge",   8, _A10G,     (1,  100,  7, 50,  345), (192,  768,  7600)),
    _gpu("g6.8xlarge",    1, _L4,       (1,   25,  8, 30,  234), ( 32,  128,   900)),
    _gpu("g6.12xlarge",   4, _L4,       (1,   40,  8, 30,  234), ( 48,  192,  3760)),
    _gpu("g6.16xlarge",   1, _L4,       (1,   25, 15, 50,  737), ( 64,  256,  1880)),
    _gpu("g6.24xlarge",   4, _L4,       (1,   50, 15, 50,  737), ( 96,  384,  3760)),
    _gpu("g6.48xlarge",   8, _L4,       (1,  100, 15, 50,  737), (192,  768,  7520)),
    _gpu("gr6.8xlarge",   1, _L4,       (1,   25,  8, 30,  234), ( 32,  256,   900)),
    _gpu("g6e.8xlarge",   1, _L40S,     (1,   25,  8, 30,  234), ( 32,  256,   900)),
    _gpu("g6e.12xlarge",  4, _L40S,     (1,  100, 10, 30,  292), ( 48,  384,  3800)),
    _gpu("g6e.16xlarge",  1, _L40S,     (1,   35, 15, 50,  737), ( 64,  512,  1900)),
    _gpu("g6e.24xlarge",  4, _L40S,     (2,  200, 10, 50,  492), ( 96,  768,  3800)),
    _gpu("g6e.48xlarge",  8, _L40S,     (4,  400, 10, 50,  492), (192, 1536,  7600)),
    _gpu("g7.8xlarge",    1, _PRO_4500, (1,   80, 10, 64,  632), ( 32,  128,   930)),
    _gpu("g7.12xlarge",   2, _PRO_4500, (1,  175, 12, 64,  758), ( 48,  192,  1900)),
    _gpu("g7.24xlarge",   4, _PRO_4500, (1,  350, 24, 64, 1514), ( 96,  384,  3800)),
    _gpu("g7.48xlarge",   8, _PRO_4500, (2,  700, 12, 64,  758), (192,  768,  7600)),
    _gpu("g7e.8xlarge",   1, _PRO_6000, (1,  100,  8, 64,  506), ( 32,  256,  1900)),
    _gpu("g7e.12xlarge",  2, _PRO_6000, (1,  400, 10, 64,  632), ( 48,  512,  3800)),
    _gpu("g7e.24xlarge",  4, _PRO_6000, (2,  800, 10, 64,  632), ( 96, 1024,  7600)),
    _gpu("g7e.48xlarge",  8, _PRO_6000, (4, 1600, 10, 64,  632), (192, 2048, 15200)),
    # name, layout, cards, node
    _cpu("trn1.32xlarge",   Layout.A,  ( 8,  800, 5, 50, 247), (128,  512,  7600), chips=16),
    _cpu("trn1n.32xlarge",  Layout.A,  (16, 1600, 5, 50, 247), (128,  512,  7600), chips=16),
    _cpu("trn2.48xlarge",   Layout.A,  (16, 3200, 2, 50, 100), (192, 2048,  7600), chips=16),
    _cpu("hpc6a.48xlarge",  Layout.A1, ( 1,  100, 2, 50, 100), ( 96,  384,     0)),
    _cpu("hpc6id.32xlarge", Layout.D,  ( 2,  200, 1, 50,  51), ( 64, 1024, 15200)),
    _cpu("hpc7a.12xlarge",  Layout.A,  ( 2,  300, 2, 50, 100), ( 24,  768,     0)),
    _cpu("hpc7a.24xlarge",  Layout.A,  ( 2,  300, 2, 50, 100), ( 48,  768,     0)),
    _cpu("hpc7a.48xlarge",  Layout.A,  ( 2,  300, 2, 50, 100), ( 96,  768,     0)),
    _cpu("hpc7a.96xlarge",  Layout.A,  ( 2,  300, 2, 50, 100), (192,  768,     0)),
    _cpu("hpc7g.4xlarge",   Layout.A1, ( 1,  200, 4, 50, 198), ( 16,  128,     0)),
    _cpu("hpc7g.8xlarge",   Layout.A1, ( 1,  200, 4, 50, 198), ( 32,  128,     0)),
    _cpu("hpc7g.16xlarge",  Layout.A1, ( 1,  200, 4, 50, 198), ( 64,  128,     0)),
    _cpu("hpc8a.96xlarge",  Layout.A,  ( 2,  300, 2, 50, 100), (192,  768,     0)),
)

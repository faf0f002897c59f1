"""EKS machines with a GPUDirect fabric: the P family."""

from dataclasses import replace
from functools import partial

from ..evidence import MODEL, NO_RUN, no_listing
from ..machine import DATA_DIRECT, Capacity, Gpu, Known, NicKind, PcieRoot, Source, Threshold, Transport
from .record import (
    ARM_NVIDIA,
    EC2_EFA,
    EFA_SOURCES,
    HWLOC,
    NETWORK_LAYERS,
    NO_IP_SHARE,
    OFI_NCCL,
    ONE_CARD,
    X86_NVIDIA,
    EksMachine,
    Layout,
    behind,
    listed,
    one_efa_a_card,
)

_GIB = 1 << 30
_TREE = "between two nodes a tree sends about half of the bytes of a ring"

# fmt: off
_SLICE = Source("github.com/kubernetes-sigs/dranet@f258477 examples/aws_eks_examples/gpu-efa (p4d)", "2026-08-21",
    Known.MEASURED)
_P5_SLICE = Source("github.com/NVIDIA/aicr@bc05c6be docs/conformance/cncf/evidence/secure-accelerator-access.md "
    "(ResourceSlice); ai-dynamo/nixl@8770b655a .../topo/p5.48xl-topo.xml, abcdabcd987/libfabric-efa-demo@0a58c9b "
    "src/8_topo.cpp", "2026-08-21", Known.MEASURED)
_P4DE_TREE = Source(
    "p4d's tree (ai-dynamo/nixl@8770b655a), with the addresses of aws-ofi-nccl@2daf7d30 topology/p4de-24xl-topo.xml",
    "2026-08-21", Known.MEASURED)
_B300_TREE = Source("github.com/aws/aws-ofi-nccl@fc901d9 tests/unit/fixtures/topology/p6-b300 (hwloc tree)",
    "2026-11-23", Known.MEASURED)
_P6E_TREE = Source("github.com/aws/aws-ofi-nccl@fc901d9 tests/unit/fixtures/topology/p6e-gb200 (hwloc tree)",
    "2026-11-23", Known.MEASURED)
_GB200_MEMORY = Source(
    "189471 MiB by the driver of the same GPU: github.com/kubernetes-sigs/dranet@f258477 .../BM.GPU.GB200-v3.4",
    "2026-08-21", Known.MEASURED)
_P5_4XLARGE = Source("github.com/dstackai/dstack issue 3069 (nccl-tests on two p5.4xlarge)", "2025-09-04",
    Known.MEASURED)
_P5_RUNS = Source("github.com/NVIDIA/aicr@bc05c6be recipes/overlays/h100-eks-ubuntu-training.yaml (at least 300 GB/s), "
    "docs/integrator/data-flow.md (a run of 488)", "2026-03-21", Known.MEASURED)
_NCCL_TESTS = Source("github.com/awslabs/awsome-distributed-ai micro-benchmarks/nccl-tests/README.md", "2026-07-23")
_PCS = Source("github.com/awslabs/awsome-distributed-ai AWS PCS compute tests (p6-b200, p6-b300)", "2026-07-23")
_AICR = Source("github.com/NVIDIA/aicr issues 531, 1256, 1326, 1410", "2026-08-21")
_GB200_DOC = Source("docs.aws.amazon.com/eks: P6e-GB200 UltraServers, and EC2's EFA layout of the type", "2026-08-01")

# A recorded ResourceSlice of p4d and aws-ofi-nccl's topology files of p4d and p4de agree on addresses and sockets.
_P4_BUSES = ("10", "20", "90", "a0")
_P4_GPUS = tuple(f"0000:{bus}:{slot}.0" for bus in _P4_BUSES for slot in ("1c", "1d"))
_P4_NICS = tuple(f"0000:{bus}:1b.0" for bus in _P4_BUSES)
_P6E_GPUS = tuple(f"0000:{bus}:00.0" for bus in ("29", "3f", "9c", "b2"))
_P4_RDMA = tuple(f"rdmap{int(bus, 16)}s27" for bus in _P4_BUSES)
_P4_ROOTS = tuple(PcieRoot(f"pci0000:{bus}", i // 2, (2 * i, 2 * i + 1), (i,)) for i, bus in enumerate(_P4_BUSES))

_NO_SHARED_ROOT = "GPUs hang on Grace's NVLink-C2C; on OCI's and Azure's Grace machines no root is shared"
_BLOCKS = {"capacity": "that Capacity Blocks are sold for it was not read on a page of AWS"}
_NO_LIMITS = {
    **dict.fromkeys(("interfaces_per_card", "ipv4_per_interface"), "the VPC CNI's table does not list the type"),
    "max_pods": "Karpenter's reference does not list the type"}
_P6E_CARDS = (
    "sixteen EFA devices are listed (aws-ofi-nccl@fc901d9 tests/unit/topo_fixture.cpp), not which of them are cards 1, "
    "5, 9 and 13"
)
_NO_PAGE = "allow-listed type without a public page"
_NO_CLASS = "secondary interfaces, which no class describes"

# Four EFA devices and a GPU behind each root; two GPUs behind one with four EFA devices, with two; one with two.
_P5_TREE = behind("44 55 66 77 88 99 aa bb", (0, 0, 0, 0, 1, 1, 1, 1), nic=(11, 12, 13, 14), gpu=(15,))
_P5EN_TREE = behind("44 5d 76 8f", (0, 0, 1, 1), nic=(17, 18, 19, 20), gpu=(21, 22))
# The two devices that manage NVLink stand before the GPUs of the third root.
_B200_TREE = behind("44 55 66 79", (0, 0, 1, 1), nic=(11, 12), gpu=(13, 14), at_66=(15, 16))
_P6_B300_TREE = behind("4b 5a 69 78 87 96 a5 b4", (0, 0, 0, 0, 1, 1, 1, 1), nic=(11, 12), gpu=(13,))

# A theme a line: identity, GPUs, NICs, their names, PCIe roots, how nodes are had, what the cloud adds, trust.
_p = partial(EksMachine, architecture="amd64", transport=Transport.EFA,
    driver="580",
    nic_kind=NicKind.RDMA_ONLY,
    capacity=(Capacity.ON_DEMAND, Capacity.RESERVATION, Capacity.CAPACITY_BLOCK, Capacity.SPOT),
    min_kubernetes={"dra": "1.34"},
    ami_type=X86_NVIDIA)
_p_48xlarge = partial(_p, nvme_gb=30400,
    gpus=8, nvlink_domain=8,
    pcie_root_comparable=True,
    gdr=True)
_p4 = partial(_p, memory_gib=1152, nvme_gb=8000,
    gpus=8, gpu_pci=_P4_GPUS, nvlink_domain=8,
    nics=4, nic_gbps=100, published_node_gbps=400,
    rdma_names=_P4_RDMA, nic_pci=_P4_NICS,
    roots=_P4_ROOTS, pcie_root_comparable=True,
    layout=Layout.A, **one_efa_a_card(4, interfaces=15, addresses=50, pods=737), ip_gbps=None, gdr=True,
    network_layers=NETWORK_LAYERS)
_p5 = partial(_p_48xlarge, memory_gib=2048,
    nics=32, nic_gbps=100, published_node_gbps=3200,
    layout=Layout.A, **one_efa_a_card(32, interfaces=2, addresses=50, pods=100),
    # One card of each of the groups of four that share a Nitro card.
    ip_cards=tuple(range(0, 32, 4)), ip_gbps=800, network_layers=NETWORK_LAYERS)
_p6e = partial(_p, architecture="arm64",
    gpus=4, nvlink_domain=72,
    nic_gbps=400,
    pcie_root_comparable=False,
    capacity=(Capacity.CAPACITY_BLOCK,), min_kubernetes={"dra": "1.34", "compute_domain": "1.33"},
    interfaces_per_card=None, ipv4_per_interface=None, max_pods=None, ami_type=ARM_NVIDIA)

MACHINES = (
    _p4(name="p4d.24xlarge", vcpus=96,
        gpu=Gpu("NVIDIA A100-SXM4-40GB", 40, "Ampere"),
        thresholds=(Threshold("all_reduce", 2, 1, _GIB, 9.0, 11.35, _SLICE),),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA, _SLICE),
        evidence={**listed(_SLICE), "ip_gbps": NO_IP_SHARE},
        unverified={"thresholds": "0.8 x the average of rows from 512 MiB to 8 GiB, one aligned pair a node; whole "
            "nodes: no figure",
            **_BLOCKS}),
    _p4(name="p4de.24xlarge", vcpus=96,
        gpu=Gpu("NVIDIA A100-SXM4-80GB", 80, "Ampere"),
        thresholds=(Threshold("all_reduce", 2, 8, 2 * _GIB, 62.0, 78.0, _NCCL_TESTS, _TREE),),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA, _NCCL_TESTS),
        evidence={**listed(_P4DE_TREE), "ip_gbps": NO_IP_SHARE},
        unverified={"thresholds": "0.8 x the only published row, 2 GiB", **_BLOCKS}),
    _p(name="p5.4xlarge", vcpus=16, memory_gib=256, nvme_gb=3800,
        gpu=Gpu("NVIDIA H100 80GB HBM3", 80, "Hopper"), gpus=1, gpu_pci=("0000:33:00.0",),
        nics=1, nic_gbps=100, published_node_gbps=100,
        pcie_root_comparable=False,
        layout=Layout.A1, **one_efa_a_card(1, interfaces=4, addresses=30, pods=118), ip_gbps=100, gdr=None,
        sources=(*EFA_SOURCES, OFI_NCCL),
        evidence={**dict.fromkeys(("gpu_pci", "gpu.model"), _P5_4XLARGE),
            **no_listing("nic_pci", "rdma_names", "roots"), "ip_gbps": ONE_CARD, "thresholds": NO_RUN},
        unknown={"gdr": "aws-ofi-nccl does not ask for it here, and nobody says whether it works"},
        unverified={
            "pcie_root_comparable": "one GPU and one NIC need no alignment; that they share a root was not checked",
            **_BLOCKS}),
    _p5(name="p5.48xlarge", vcpus=192, **_P5_TREE,
        gpu=Gpu("NVIDIA H100 80GB HBM3", 80, "Hopper"),
        thresholds=(Threshold("all_reduce", 2, 8, _GIB, 349.0, 437.0, _NCCL_TESTS),),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA, _NCCL_TESTS),
        evidence={**listed(_P5_SLICE), "gpu.model": _P5_SLICE, "thresholds": _P5_RUNS},
        unverified=_BLOCKS),
    _p5(name="p5e.48xlarge", vcpus=192,
        gpu=Gpu("NVIDIA H200", 141, "Hopper"),
        # p5's, without their names.
        roots=tuple(replace(root, name=None) for root in _P5_TREE["roots"]),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA),
        evidence={**no_listing("gpu_pci", "nic_pci", "rdma_names", "roots.name"), "thresholds": NO_RUN},
        unverified={"roots": "p5's, whose network is the same", **_BLOCKS}),
    _p_48xlarge(name="p5en.48xlarge", vcpus=192, memory_gib=2048, **_P5EN_TREE,
        gpu=Gpu("NVIDIA H200", 141, "Hopper"),
        nics=16, nic_gbps=200, published_node_gbps=3200,
        layout=Layout.A, **one_efa_a_card(16, interfaces=4, addresses=50, pods=198), ip_gbps=None,
        network_layers=NETWORK_LAYERS,
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA),
        evidence={**listed(HWLOC), "ip_gbps": NO_IP_SHARE},
        unknown={"thresholds": "370 GB/s (all_reduce, 16 GiB) is published without the number of nodes"},
        unverified=_BLOCKS),
    _p_48xlarge(name="p6-b200.48xlarge", vcpus=192, memory_gib=2048, **_B200_TREE,
        gpu=Gpu("NVIDIA B200", 179, "Blackwell"),
        nics=8, nic_gbps=400, published_node_gbps=3200,
        layout=Layout.A, **one_efa_a_card(8, interfaces=4, addresses=50, pods=198), ip_gbps=1600,
        # Older ones count the two NVLink controllers as EFA devices: 10 for 8 (hyperpod-cli PR 282).
        efa_plugin="0.5.10", network_layers=NETWORK_LAYERS,
        thresholds=(Threshold("all_reduce", 4, 8, _GIB, 293.0, 367.0, _PCS),),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA, _PCS),
        evidence=listed(HWLOC),
        unverified={"thresholds": "0.8 x the slowest published row: 367 and 377 at 1 and 16 GiB, untuned, four nodes",
            **_BLOCKS}),
    _p_48xlarge(name="p6-b300.48xlarge", vcpus=192, memory_gib=4096, **_P6_B300_TREE,
        gpu=Gpu("NVIDIA B300 SXM6 AC", 269, "Blackwell"),
        nics=16, nic_gbps=400, published_node_gbps=6400,
        layout=Layout.B, network_cards=17, efa_per_card=(0, *(1,) * 16), efa_max=16, interfaces_per_card=4,
        ipv4_per_interface=50, max_pods=198, ip_gbps=3870,
        thresholds=(Threshold("all_reduce", 2, 8, 16 * _GIB, 523.0, 654.0, _PCS),),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA, _PCS),
        evidence={**listed(_B300_TREE), "gpu.model": _B300_TREE},
        unverified={"thresholds": "0.8 x the slowest published row: 654 and 751 at 16 and 64 GiB", **_BLOCKS}),
    _p6e(name="p6e-gb200.36xlarge", vcpus=144, memory_gib=960, nvme_gb=22500,
        gpu=Gpu("NVIDIA GB200", 185, "Blackwell"), gpu_pci=_P6E_GPUS,
        # Four at 400 Gb/s, as AWS's own NCCL manifest asks for; eight at 200 carry the same.
        nics=4, published_node_gbps=1600,
        layout=Layout.C, network_cards=17, efa_per_card=tuple(int(card in (1, 5, 9, 13)) for card in range(17)),
        efa_max=16, ip_gbps=100, gdr=True,
        sources=(_GB200_DOC, _AICR, OFI_NCCL),
        evidence={**dict.fromkeys(("vcpus", "gpu_pci", "nvme_gb", "gpu.model"), _P6E_TREE),
            "gpu.memory_gib": _GB200_MEMORY},
        unknown={**dict.fromkeys(("nic_pci", "rdma_names", "roots"), _P6E_CARDS), **_NO_LIMITS,
            "thresholds": "800 GB/s inside a rack is an expectation (aicr 531), not a run with a stated size"},
        unverified={"nvlink_domain": "UltraServers are sold with 36 or with 72 GPUs; the larger is given",
            "network_cards": "from one quotation of AWS's page; a ParallelCluster of 2025 laid the cards out otherwise",
            "efa_per_card": "cards 1, 5, 9, 13: one of each pair of cards that share a GPU",
            "efa_max": "16 by the API (aicr 1256); AWS advises 4 or 8",
            "pcie_root_comparable": "of the sixteen devices eight stand behind a GPU's own PCIe switch; whether the "
            "four of this layout do is not recorded, so no shared root is promised",
            "memory_gib": "from memory; the hwloc tree shows 927 GiB to the system"}),
    _p6e(name="p6e-gb300r.36xlarge", vcpus=None, memory_gib=None, nvme_gb=None,
        # EC2's second fabric: ConnectX-8 on a secondary network. Two EFA interfaces exist beside it (aicr 1256).
        transport=Transport.ROCE,
        gpu=Gpu("NVIDIA GB300", None, "Blackwell"), driver=None,
        nics=8, nic_kind=NicKind.NETDEV_RDMA,
        layout=None, network_cards=None, efa_per_card=None, efa_max=2, ip_gbps=None, gdr=None,
        sources=(_AICR, DATA_DIRECT),
        evidence={**MODEL, **no_listing("gpu_pci", "nic_pci", "nic_names", "rdma_names", "roots")},
        unknown={**_NO_LIMITS, "published_node_gbps": _NO_PAGE, **dict.fromkeys(("gpu.memory_gib", "driver"), _NO_PAGE),
            "thresholds": "387 GB/s over RoCE and 841 over NVLink are peaks without a stated size (aicr 1256, 1413)",
            "layout": _NO_CLASS, "network_cards": _NO_PAGE, "efa_per_card": _NO_CLASS,
            **dict.fromkeys(("ip_gbps", "vcpus", "memory_gib", "nvme_gb", "gdr"), _NO_PAGE)},
        unverified={**dict.fromkeys(("nics", "nic_gbps"), "from issue threads alone"),
            "capacity": "as p6e-gb200; an allow-list decides", "ami_type": "as p6e-gb200 and p6e-gb300"}),
)

"""EKS machines with a GPUDirect fabric: the P family."""

from dataclasses import replace
from functools import partial

from ..evidence import GB200_PAIR, MODEL, NO_RUN, NVLINK, no_listing
from ..machine import DATA_DIRECT, Capacity, Gpu, Known, NicKind, PcieRoot, Source, Threshold, Transport
from .record import (
    ARM_NVIDIA,
    EC2_EFA,
    EFA_SOURCES,
    NETWORK_LAYERS,
    NO_IP_SHARE,
    OFI_NCCL,
    ONE_CARD,
    X86_NVIDIA,
    EksMachine,
    Layout,
    behind,
    hwloc,
    listed,
    one_efa_a_card,
)

_GIB = 1 << 30
_TREE = "between two nodes a tree sends about half of the bytes of a ring"

# fmt: off
_SLICE = Source("github.com/kubernetes-sigs/dranet@f258477 examples/aws_eks_examples/gpu-efa (p4d)", "2026-08-21",
    Known.MEASURED)
_P5_SLICE = Source("github.com/NVIDIA/aicr@bc05c6be docs/conformance/cncf/evidence/secure-accelerator-access.md",
    "2026-03-21", Known.MEASURED)
_P4DE_TREE = Source("github.com/aws/aws-ofi-nccl@2daf7d30 topology/p4de-24xl-topo.xml", "2026-08-21", Known.MEASURED)
_B300_TREE = Source("github.com/aws/aws-ofi-nccl@fc901d9 tests/unit/fixtures/topology/p6-b300 (hwloc tree)",
    "2026-11-23", Known.MEASURED)
_P6E_TREE = Source("github.com/aws/aws-ofi-nccl@fc901d9 tests/unit/fixtures/topology/p6e-gb200 (hwloc tree)",
    "2026-11-23", Known.MEASURED)
# 189471 MiB by the driver of the same GPU.
_GB200_MEMORY = Source("github.com/kubernetes-sigs/dranet@f258477 "
    "examples/oci_oke_examples/BM.GPU.GB200-v3.4/resourceslice-gpu.yaml", "2026-08-21", Known.MEASURED)
_P5_4XLARGE = Source("github.com/dstackai/dstack issue 3069 (nccl-tests on two p5.4xlarge)", "2025-09-04",
    Known.MEASURED)
_DLAMI = Source("docs.aws.amazon.com/dlami/latest/devguide/tutorial-efa-using.html", "2026-11-28", Known.MEASURED)
_NCCL_TESTS = Source("github.com/awslabs/awsome-distributed-ai@95b939c micro-benchmarks/nccl-tests/README.md",
    "2026-07-23", Known.MEASURED)
_PCS = Source("github.com/awslabs/awsome-distributed-ai@95b939c architectures/aws-pcs/tests/compute-test.md",
    "2026-07-23", Known.MEASURED)
# Two nodes of P5 (480 GB/s) and of P6-B200 (654 at 16 GiB), which later versions of the guide leave out.
_PCS_PAIRS = Source("github.com/awslabs/awsome-distributed-ai@10613e3 architectures/aws-pcs/tests/README.md",
    "2026-06-06", Known.MEASURED)
_B200_RUN = Source("github.com/bae12-jo/bae12-jo.github.io@c46b60b _pages/pcluster-series-4-nccl-en.md", "2026-04-21",
    Known.MEASURED)
# 771 GB/s at 1 GiB, 870 at 8 GiB.
_B300_RUN = Source("github.com/terrificdm/p6b300-efa-deepep-nccl-testkit@0ec5d15 examples/report-sample.md",
    "2026-09-02", Known.MEASURED)
_P5EN_RUN = Source("github.com/terrificdm/p6b300-efa-deepep-nccl-testkit@36c6585 README.md", "2026-09-02",
    Known.MEASURED)
_NO_P5E = Source("searched for p5e between nodes: texts and issues of public repositories (nccl-tests, busbw, EFA), "
    "AWS's own repositories, docs.aws.amazon.com", "2026-11-28", Known.NOT_PUBLISHED)
_AICR = Source("github.com/NVIDIA/aicr issues 531, 1256, 1326, 1410", "2026-08-21")
_GB200_DOC = Source("docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html", "2026-11-28")

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
        thresholds=(Threshold("all_reduce", 2, 8, _GIB, 60.0, 76.21, _DLAMI, _TREE),
            Threshold("all_reduce", 2, 1, _GIB, 9.0, 11.35, _SLICE)),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA, _SLICE),
        evidence={**listed(_SLICE), "ip_gbps": NO_IP_SHARE},
        unverified={"thresholds": "of whole nodes one page of AWS's, which ends at 1 GiB; NCCL 2.9.9 showed 57 there "
            "and was called slow (NVIDIA/nccl issue 527). Of one aligned pair a node 0.8 x the average of 512 MiB to "
            "8 GiB",
            **_BLOCKS}),
    _p4(name="p4de.24xlarge", vcpus=96,
        gpu=Gpu("NVIDIA A100-SXM4-80GB", 80, "Ampere"),
        thresholds=(Threshold("all_reduce", 2, 8, _GIB, 61.0, 76.79, _NCCL_TESTS, _TREE),),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA, _NCCL_TESTS),
        evidence={**listed(_P4DE_TREE), "ip_gbps": NO_IP_SHARE},
        unverified={"thresholds": "one table of AWS's; p4d, whose network is the same, shows 76 too", **_BLOCKS}),
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
        # NCCL 2.18.5, in the same file, shows 313 at 1 GiB and 438 at 2 GiB: the proof's image has 2.30.4.
        thresholds=(Threshold("all_reduce", 2, 8, _GIB, 349.0, 436.95, _NCCL_TESTS),),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA, _NCCL_TESTS),
        evidence={**listed(hwloc("p5.48xl")), "gpu.model": _P5_SLICE, "thresholds": _PCS_PAIRS},
        unverified=_BLOCKS),
    _p5(name="p5e.48xlarge", vcpus=192,
        gpu=Gpu("NVIDIA H200", 141, "Hopper"),
        # p5's, without their names.
        roots=tuple(replace(root, name=None) for root in _P5_TREE["roots"]),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA),
        evidence={**no_listing("gpu_pci", "nic_pci", "rdma_names", "roots.name"), "thresholds": _NO_P5E},
        unverified={"roots": "p5's, whose network is the same", **_BLOCKS}),
    _p_48xlarge(name="p5en.48xlarge", vcpus=192, memory_gib=2048, **_P5EN_TREE,
        gpu=Gpu("NVIDIA H200", 141, "Hopper"),
        nics=16, nic_gbps=200, published_node_gbps=3200,
        layout=Layout.A, **one_efa_a_card(16, interfaces=4, addresses=50, pods=198), ip_gbps=None,
        network_layers=NETWORK_LAYERS,
        thresholds=(Threshold("all_reduce", 2, 8, 8 * _GIB, 379.0, 474.7, _P5EN_RUN),),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA, _P5EN_RUN),
        evidence={**listed(hwloc("p5en.48xl")), "ip_gbps": NO_IP_SHARE},
        # With 8 of its 16 devices a pair shows 238 at 1 GiB and 257 at 8 GiB.
        unverified={"thresholds": "one figure that another machine's report quotes, of scripts for two nodes; AWS "
            "prints 370 at 16 GiB without the nodes, beside scripts for 8 to 32 (awsome-distributed-ai@95b939c "
            "topology-aware-nccl-tests). dstack pull request 4110 has a log as an attachment, which was not read",
            **_BLOCKS}),
    _p_48xlarge(name="p6-b200.48xlarge", vcpus=192, memory_gib=2048, **_B200_TREE,
        gpu=Gpu("NVIDIA B200", 179, "Blackwell"),
        nics=8, nic_gbps=400, published_node_gbps=3200,
        layout=Layout.A, **one_efa_a_card(8, interfaces=4, addresses=50, pods=198), ip_gbps=1600,
        # Older ones count the two NVLink controllers as EFA devices: 10 for 8 (hyperpod-cli PR 282).
        efa_plugin="0.5.10", network_layers=NETWORK_LAYERS,
        # Of two nodes 570 at 1 GiB, 655 at 4 and 684 at 8, with NCCL 2.29.7; of four 367 and 377 at 1 and 16 GiB.
        thresholds=(Threshold("all_reduce", 2, 8, _GIB, 456.0, 570.19, _B200_RUN, _TREE),
            Threshold("all_reduce", 4, 8, _GIB, 293.0, 367.0, _PCS)),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA, _PCS, _B200_RUN),
        evidence={**listed(hwloc("p6-b200.48xl")), "thresholds": _PCS_PAIRS},
        unverified=_BLOCKS),
    _p_48xlarge(name="p6-b300.48xlarge", vcpus=192, memory_gib=4096, **_P6_B300_TREE,
        gpu=Gpu("NVIDIA B300 SXM6 AC", 269, "Blackwell"),
        nics=16, nic_gbps=400, published_node_gbps=6400,
        layout=Layout.B, network_cards=17, efa_per_card=(0, *(1,) * 16), efa_max=16, interfaces_per_card=4,
        ipv4_per_interface=50, max_pods=198, ip_gbps=3870,
        thresholds=(Threshold("all_reduce", 2, 8, 16 * _GIB, 523.0, 654.0, _PCS),),
        sources=(*EFA_SOURCES, OFI_NCCL, EC2_EFA, _PCS),
        evidence={**listed(_B300_TREE), "gpu.model": _B300_TREE, "thresholds": _B300_RUN},
        unverified=_BLOCKS),
    _p6e(name="p6e-gb200.36xlarge", vcpus=144, memory_gib=960, nvme_gb=22500,
        gpu=Gpu("NVIDIA GB200", 185, "Blackwell"), gpu_pci=_P6E_GPUS,
        # Four at 400 Gb/s, as AWS's own NCCL manifest asks for; eight at 200 carry the same.
        nics=4, published_node_gbps=1600,
        layout=Layout.C, network_cards=17, efa_per_card=tuple(int(card in (1, 5, 9, 13)) for card in range(17)),
        efa_max=16, ip_gbps=100, gdr=True,
        thresholds=(Threshold("all_reduce", 2, 4, 4 * _GIB, 684.0, 855.95, GB200_PAIR, NVLINK, nvlink=True),),
        sources=(_GB200_DOC, _AICR, OFI_NCCL),
        evidence={**dict.fromkeys(("vcpus", "gpu_pci", "nvme_gb", "gpu.model"), _P6E_TREE),
            "gpu.memory_gib": _GB200_MEMORY},
        unknown={**dict.fromkeys(("nic_pci", "rdma_names", "roots"), _P6E_CARDS), **_NO_LIMITS},
        unverified={"thresholds": "over NVLink Oracle's run, on a rack of the same GPU; NVIDIA asks 500 of a pair of "
            "this machine. By the NICs no run is published, and the 40 that NVIDIA asks is less than half of the wire "
            "(aicr@51ba827 recipes/overlays/gb200-eks-training.yaml)",
            "nvlink_domain": "UltraServers are sold with 36 or with 72 GPUs; the larger is given",
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

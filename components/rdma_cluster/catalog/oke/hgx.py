"""OKE shapes with NVIDIA GPUs in x86 machines."""

from functools import partial

from ..evidence import MODEL, NO_RUN, no_listing
from ..machine import Gpu, PcieRoot, Source, Threshold, Transport
from .record import (
    BLUEPRINTS,
    CURRENT_DRIVER,
    GATES,
    GIB,
    MULTI_PLANE,
    NO_PAGE,
    NO_POLICY,
    NOT_LISTED,
    OTHERS_MEMORY,
    PARAMETERS,
    PLANES_B300,
    QUICKSTARTS,
    ROCE,
    ROOT_NAMES,
    RUNS,
    SHAPE_PAGE,
    SHAPES,
    SLURM,
    SLURM_RUNS,
    STACK,
    TOPOLOGY,
    mlx5,
    pci,
    shape,
)

# fmt: off
_H100_EXAMPLE = Source("github.com/kubernetes-sigs/dranet@f258477 examples/oci_oke_examples/BM.GPU.H100.8",
    "2026-08-21")

_A = {**ROCE, "NCCL_IB_QPS_PER_CONNECTION": "4"}
_B = {**ROCE, "NCCL_CUMEM_ENABLE": "0", "NCCL_SOCKET_IFNAME": "eth0", "NCCL_IGNORE_CPU_AFFINITY": "1"}
_F = {**_B, "NCCL_IB_QPS_PER_CONNECTION": "1", "NCCL_MIN_NCHANNELS": "8",
    # Oracle writes a bare Tree and says that it is for all_reduce: from 2.24 on NCCL then fails each collective without
    # a tree (nccl@5067397c docs/userguide/source/env.rst).
    "NCCL_ALGO": "allreduce:tree", "NCCL_NET_PLUGIN": "none"}

_A100_GPUS = pci("0f", "15", "50", "53", "8c", "91", "d6", "da")
_A100_BUSES = ("0c", "16", "47", "4b", "89", "93", "c3", "d1")
_GPU4_BUSES = ("0c", "16", "48", "4c", "8a", "94", "c3", "d1")
# Oracle's topology files: a switch tree a socket quadrant, 2 GPUs and 2 dual-port NICs on each.
_A100_ROOTS = tuple(
    PcieRoot(None, numa, (2 * i, 2 * i + 1), tuple(range(4 * i, 4 * i + 4))) for i, numa in enumerate((3, 1, 7, 5))
)
_A100_ROOTS_WHY = "four switch trees are in Oracle's topology file; that each hangs on one root complex is inferred"
_A100_NAMES_WHY = "Oracle also writes rdma0 to rdma15: select by PCI address"

_HGX_GPUS = pci("0f", "2d", "44", "5b", "89", "a8", "c0", "d8")
_HGX_BUSES = ("0c", "2a", "41", "58", "86", "a5", "bd", "d5")
_HGX_ROOTS = "a switch for each GPU and its NIC is in Oracle's topology file; that each has its own root is inferred"
_HGX_LIKE = "H100's: Oracle's agent lists the same addresses and the same GPU for each NIC"
_NO_PROMISE = {"pcie_root_comparable": "without a listing no shared root is promised"}
_GATE = "0.8 x Oracle's gate on the average of the rows from 1 GiB on, which the largest row does not fall below"
_B4_CPUS = Source("github.com/oracle-quickstart/oci-hpc@b5285a6 playbooks/roles/slurm/templates/slurm.conf.j2",
    "2026-05-19")
_RTX_CPUS = Source("github.com/dstackai/gpuhunt src/gpuhunt/providers/oci.py, SHAPE_SPECS: 144 OCPUs by Oracle's page",
    "2026-11-28")
_NO_L40S_ROOTS = "Oracle's agent gives two GPUs a nearest NIC; whether they share a root is not said"


def hgx_roots(nics: int) -> tuple[PcieRoot, ...]:
    """One GPU and its NIC functions on each of eight switches, four a socket."""
    return tuple(PcieRoot(None, i // 4, (i,), tuple(range(nics * i, nics * (i + 1)))) for i in range(8))


def _on_bus(buses: tuple[str, ...]) -> tuple[str, ...]:
    """Interface names that tell the place on the bus, two ports a NIC."""
    return tuple(f"enp{int(bus, 16)}s0f{port}" for bus in buses for port in (0, 1))


_nvidia = partial(shape, architecture="amd64", transport=Transport.ROCE, rdma_mtu_bytes=4220)
# A theme a line: identity, GPUs, NICs, their names, PCIe roots, how nodes are had, what the cloud adds, trust.
_a100 = partial(_nvidia,
    gpus=8, nvlink_domain=8, driver=">=550",
    nics=16, nic_gbps=100, nic_model="ConnectX-5 Ex",
    roots=_A100_ROOTS, pcie_root_comparable=True,
    vfs=16, vf_policy_current=True, image_listed=True,
    nccl=_A)
_a100_v2 = partial(_a100,
    gpu_pci=_A100_GPUS,
    nic_names=_on_bus(_A100_BUSES), rdma_names=mlx5(5, 6, 7, 8, 1, 2, 3, 4, 14, 15, 16, 17, 9, 10, 11, 12),
    nic_pci=pci(*_A100_BUSES, functions=2), frontend_hcas=mlx5(0))
_hgx = partial(_nvidia,
    gpus=8, gpu_pci=_HGX_GPUS, nvlink_domain=8,
    nic_model="ConnectX-7",
    pcie_root_comparable=True,
    nccl=_B)
_h100 = partial(_hgx,
    gpu=Gpu("NVIDIA H100 80GB HBM3", 80, "Hopper"), driver=">=550",
    nics=16, nic_gbps=200,
    nic_pci=pci(*_HGX_BUSES, functions=2),
    roots=hgx_roots(2),
    vfs=16)
_h200 = partial(_hgx,
    nics=8, nic_gbps=400,
    nic_names=tuple(f"rdma{i}" for i in range(8)), rdma_names=mlx5(0, 3, 4, 5, 6, 9, 10, 11), nic_pci=pci(*_HGX_BUSES),
    frontend_hcas=mlx5(1, 2, 7, 8),
    roots=hgx_roots(1))
def _gate_185(size_bytes: int) -> tuple[Threshold, ...]:
    return (Threshold("all_reduce", 2, 8, size_bytes, 148.0, 185.0, GATES),)


_GATE_440 = (Threshold("all_reduce", 2, 8, 16 * GIB, 352.0, 440.0, GATES),)
_l40s = partial(_nvidia,
    gpu=Gpu("NVIDIA L40S", 48, "Ada Lovelace"), gpus=4, gpu_pci=pci("16", "38", "82", "ac"), driver="595",
    nics=2, nic_model="ConnectX-7",
    nic_names=("rdma0", "rdma1"), rdma_names=mlx5(0, 2), nic_pci=pci("27", "97"), frontend_hcas=mlx5(1, 3, 4, 5),
    pcie_root_comparable=False)

MACHINES = (
    _a100(name="BM.GPU4.8", vcpus=128, published_node_gbps=1600,
        gpu=Gpu("NVIDIA A100-SXM4-40GB", 40, "Ampere"), gpu_pci=pci("0f", "15", "51", "54", "8d", "92", "d6", "da"),
        nic_names=_on_bus(_GPU4_BUSES), rdma_names=mlx5(6, 7, 8, 9, 0, 1, 2, 3, 14, 15, 16, 17, 10, 11, 12, 13),
        nic_pci=pci(*_GPU4_BUSES, functions=2), frontend_hcas=mlx5(4),
        thresholds=_gate_185(8 * GIB),
        sources=(STACK, SHAPES, TOPOLOGY, SLURM, SHAPE_PAGE),
        evidence=ROOT_NAMES,
        unverified={"roots": _A100_ROOTS_WHY, "nic_names": _A100_NAMES_WHY,
            "thresholds": "0.8 x Oracle's gate on the average of 1 and 10 GiB; 40 GiB hold no row of 16 GiB, and at "
            "8 GiB B4.8, of the same GPUs and NICs, shows 189.6"}),
    _a100_v2(name="BM.GPU.B4.8", vcpus=256,
        gpu=Gpu("NVIDIA A100-SXM4-40GB", 40, "Ampere"),
        thresholds=(Threshold("all_reduce", 2, 8, GIB, 147.0, 184.92, SLURM_RUNS),),
        sources=(STACK, SHAPES, SLURM, SLURM_RUNS),
        evidence={**ROOT_NAMES, "thresholds": GATES,  # 185 on the average, beside rows of 184.9 to 189.6 at 1 to 8 GiB
            "vcpus": _B4_CPUS},
        unknown={"published_node_gbps": NO_PAGE["published_node_gbps"]},
        unverified={"roots": "A100-v2's, whose addresses are the same", "nic_names": _A100_NAMES_WHY}),
    _a100_v2(name="BM.GPU.A100-v2.8", vcpus=256, published_node_gbps=1600,
        gpu=Gpu("NVIDIA A100-SXM4-80GB", 80, "Ampere"),
        thresholds=_gate_185(10 * GIB),
        sources=(STACK, SHAPES, TOPOLOGY, SLURM, SHAPE_PAGE),
        # One Slurm health check ends its list with mlx5_1 for mlx5_12: a slip, by every other file.
        evidence={**ROOT_NAMES, "rdma_names": QUICKSTARTS},
        unverified={"roots": _A100_ROOTS_WHY, "nic_names": _A100_NAMES_WHY, "thresholds": _GATE}),
    _h100(name="BM.GPU.H100.8", vcpus=224,
        published_node_gbps=3200,
        nic_names=tuple(f"rdma{i}" for i in range(16)), rdma_names=mlx5(0, 1, *range(3, 11), *range(12, 18)),
        frontend_hcas=mlx5(2, 11),
        vf_policy_current=True, image_listed=True,
        thresholds=(Threshold("all_reduce", 2, 8, 8 * GIB, 375.0, 469.8, SLURM),),
        sources=(STACK, SHAPES, TOPOLOGY, SLURM, _H100_EXAMPLE, SHAPE_PAGE, QUICKSTARTS),
        evidence={**ROOT_NAMES, "thresholds": GATES},  # 440 on the average, beside rows of 469.8 and 471.2
        unverified={"roots": _HGX_ROOTS}),
    _h100(name="BM.GPU.H100T.8", vcpus=None,
        nic_names=tuple(f"eth{i}" for i in range(4, 20)), rdma_names=mlx5(0, 1, *range(4, 12), *range(14, 20)),
        frontend_hcas=mlx5(2, 3, 12, 13),
        image_listed=False,
        sources=(SHAPES, SLURM),
        evidence={**ROOT_NAMES, "thresholds": NO_RUN},
        unknown=NO_PAGE,
        unverified={"roots": _HGX_LIKE,
            "rdma_names": "from Oracle's agent alone; no parameters and no test manifest name the shape",
            "nccl": "H100's; Oracle publishes none", "driver": "H100's; no image list names the shape"}),
    _h200(name="BM.GPU.H200.8", vcpus=224, published_node_gbps=3200,
        gpu=Gpu("NVIDIA H200", 141, "Hopper"), driver=">=550",
        vfs=8, vf_policy_current=True, image_listed=True,
        thresholds=_GATE_440,
        sources=(STACK, SHAPES, SLURM, SHAPE_PAGE, QUICKSTARTS),
        evidence=ROOT_NAMES,
        unverified={"roots": _HGX_LIKE, "thresholds": _GATE}),
    _h200(name="BM.GPU.H200-NC.8", vcpus=None,
        gpu=Gpu("NVIDIA H200", 141, "Hopper"), driver=">=550",
        vfs=None, image_listed=False,
        sources=(STACK, SHAPES, SLURM),
        evidence={**ROOT_NAMES, "thresholds": NO_RUN},
        unknown={**NO_PAGE, **NO_POLICY},
        unverified={"roots": _HGX_LIKE, "nccl": "H200's; no parameters name the shape", "driver": "H200's"}),
    _h200(name="BM.GPU.B200.8", vcpus=256, published_node_gbps=3200,
        gpu=Gpu("NVIDIA B200", 180, "Blackwell"), driver=">=570", cuda="12.8",
        vfs=8, vf_policy_current=True, image_listed=True,
        thresholds=_GATE_440,
        sources=(STACK, SHAPES, SLURM, BLUEPRINTS, SHAPE_PAGE, QUICKSTARTS),
        evidence=ROOT_NAMES,
        unverified={"roots": _HGX_LIKE, "thresholds": _GATE}),
    _nvidia(name="BM.GPU.B300.8", vcpus=256,
        gpu=Gpu("NVIDIA B300 SXM6 AC", 268, "Blackwell"), gpus=8,
        gpu_pci=pci("14", "32", "49", "60", "8e", "ad", "c5", "dd"), nvlink_domain=8, driver=">=580",
        nics=16, nic_gbps=400, published_node_gbps=6400, nic_model="ConnectX-8",
        nic_names=tuple(f"rdma{i}" for i in range(16)), rdma_names=mlx5(0, 1, *range(7, 15), *range(16, 22)),
        nic_pci=pci("11", "2f", "46", "5d", "8b", "aa", "c2", "da", functions=2), frontend_hcas=mlx5(6),
        roots=hgx_roots(2), pcie_root_comparable=True,
        vfs=16, vf_policy_current=True, image_listed=True,
        nccl=_B,
        thresholds=(Threshold("all_reduce", 2, 8, 8 * GIB, 613.0, 766.54, RUNS),),
        sources=(STACK, PARAMETERS, SLURM, QUICKSTARTS),
        evidence={**ROOT_NAMES, **dict.fromkeys(("gpu.model", "gpu.memory_gib"), RUNS),  # nvidia-smi: 275040 MiB
            "gpu_pci": PLANES_B300, "thresholds": GATES,  # 700 on the average, beside rows of 766.5 and 766.8
            "driver": QUICKSTARTS,  # images with 580 are made for it, 590 is recommended
        },
        unverified={"nic_names": "the names of Oracle's other ConnectX-8 shapes",
            "rdma_names": "that the list runs in bus order is inferred",
            "roots": "Oracle's topology file has each GPU and its ConnectX-8 below one switch; it was made on the "
            "multi-plane variant, and that each switch has its own root is inferred",
            "pcie_root_comparable": "Oracle's topology file has the GPU beside the NIC itself, and its test of this "
            "shape leaves the Data Direct sub-interface out, which it uses on GB300; no listing of drivers",
            "rdma_mtu_bytes": "the stack's SR-IOV policy; the other ConnectX-8 shapes use 9000",
            "transport": MULTI_PLANE}),
    _nvidia(name="BM.GPU.RTXPRO.8", vcpus=288,
        gpu=Gpu("NVIDIA RTX PRO 6000 Blackwell Server Edition", 96, "Blackwell"), gpus=8,
        nics=8, nic_gbps=400, nic_model="",
        rdma_names=mlx5(0, 1, 2, 3, 6, 7, 8, 9), frontend_hcas=(),
        pcie_root_comparable=False,
        rdma_mtu_bytes=None, vfs=None, image_listed=False,
        nccl=_F,
        sources=(STACK, PARAMETERS),
        evidence={**MODEL, **no_listing("gpu_pci", "nic_pci", "nic_names", "roots"), "gpu.memory_gib": OTHERS_MEMORY,
            "vcpus": _RTX_CPUS},
        unknown={"published_node_gbps": NO_PAGE["published_node_gbps"], "driver": "no image list names the shape",
            "nic_model": "no source gives the model", **dict.fromkeys(("frontend_hcas", "rdma_mtu_bytes"), NOT_LISTED),
            **NO_POLICY, "thresholds": "about 34 GB/s with trees and 21 with a ring at 8 GiB, a gate of 20 on average "
            "(Oracle's parameters and checks): the PCIe of GPUs without NVLink bounds them, so that half of the rails "
            "would show the same"},
        unverified={"nic_gbps": "Oracle's check asks 375 Gb/s of each port, as of the ports of 400 of B300",
            "rdma_names": "that the list runs in rail order is inferred", **_NO_PROMISE}),
    _l40s(name="BM.GPU.L40S.4", vcpus=224, nic_gbps=400, published_node_gbps=800,
        vfs=2, image_listed=True,
        sources=(STACK, SHAPES, SHAPE_PAGE),
        evidence={"thresholds": NO_RUN},
        unknown={"roots": _NO_L40S_ROOTS},
        unverified={**_NO_PROMISE, **CURRENT_DRIVER}),
    _l40s(name="BM.GPU.L40S-NC.4", vcpus=None, nic_gbps=None,
        rdma_mtu_bytes=None, vfs=None, image_listed=False,
        sources=(SHAPES,),
        evidence={"thresholds": NO_RUN, "gpu.memory_gib": SHAPE_PAGE},
        unknown={"roots": _NO_L40S_ROOTS, "nic_gbps": "L40S.4 has 400; no source names this shape's", **NO_PAGE,
            **NO_POLICY, "rdma_mtu_bytes": "Oracle's agent list names no settings for the shape"},
        unverified={**_NO_PROMISE, "driver": "L40S.4's"}),
)

"""OKE shapes with AMD GPUs, and CPU shapes that are here for their fabric."""

from functools import partial

from ..evidence import NO_GPU, no_listing
from ..machine import Gpu, Threshold, Transport
from .hgx import hgx_roots
from .record import (
    CURRENT_DRIVER,
    GATES,
    GIB,
    NO_PAGE,
    NO_POLICY,
    NOT_LISTED,
    PARAMETERS,
    QUICKSTARTS,
    ROCE,
    ROOT_NAMES,
    RUNS,
    SHAPE_PAGE,
    SHAPES,
    SLURM,
    SLURM_RUNS,
    STACK,
    OkeMachine,
    mlx5,
    pci,
    shape,
)

# fmt: off
_AMD_ROOTS = {
    "roots": "the NIC of each GPU is Oracle's agent's; that the two share a root, and the sockets, are inferred"}
_AMD_DRA = {"pcie_root_comparable": "AMD's DRA driver publishes pcieRoot (ROCm/k8s-gpu-dra-driver@2622427, "
    "2025-10-06); while the roots are inferred, no shared root is promised"}
# In ROCm's order, not the buses': rccl-tests prints it, and Oracle's agent numbers the NIC of each GPU by it.
_MI355X_GPUS = ("72", "0a", "5a", "23", "f1", "8b", "d9", "a4")

# A theme a line: identity, GPUs, NICs, their names, PCIe roots, how nodes are had, what the cloud adds, trust.
_amd = partial(shape, architecture="amd64", transport=Transport.ROCE,
    gpus=8,
    nics=8,
    pcie_root_comparable=False,
    image_listed=True)
_amd_connectx = partial(_amd,
    driver="ROCm 7.2.4",
    nic_gbps=400, nic_model="ConnectX-7",
    rdma_mtu_bytes=4220, vfs=8, vf_policy_current=True)
_cpu = partial(shape, architecture="amd64", transport=Transport.ROCE,
    nics=1, nic_gbps=100,
    pcie_root_comparable=False,
    rdma_mtu_bytes=4220, image_listed=False,
    sources=(STACK, SHAPES, SLURM, SHAPE_PAGE),
    evidence={**NO_GPU, **no_listing("roots")})


def _hpc_e5(name: str, vcpus: int | None) -> OkeMachine:
    return _cpu(
        name=name, vcpus=vcpus, published_node_gbps=100 if vcpus else None,
        nic_model="ConnectX-6 Dx",
        nic_names=("eth1",), rdma_names=mlx5(2), nic_pci=pci("e1"), frontend_hcas=mlx5(0),
        vfs=None,
        unknown={**NO_POLICY, **({} if vcpus else NO_PAGE)},
    )


MACHINES = (
    _amd_connectx(name="BM.GPU.MI300X.8", vcpus=224, published_node_gbps=3200,
        gpu=Gpu("AMD Instinct MI300X", 192, "CDNA3"), gpu_pci=pci("11", "2f", "46", "5d", "8b", "aa", "c2", "da"),
        nic_names=tuple(f"enp{bus}s0np0" for bus in (12, 42, 65, 88, 134, 165, 189, 213)),
        rdma_names=mlx5(0, 2, 3, 4, 5, 7, 8, 9), nic_pci=pci("0c", "2a", "41", "58", "86", "a5", "bd", "d5"),
        frontend_hcas=mlx5(1, 6),
        roots=hgx_roots(1),
        nccl={**ROCE, "NCCL_CUMEM_ENABLE": "0", "NCCL_IB_QPS_PER_CONNECTION": "1", "NCCL_PXN_DISABLE": "0",
            "NCCL_NET_PLUGIN": "none"},
        thresholds=(Threshold("all_reduce", 2, 8, GIB, 279.0, 349.95, SLURM_RUNS),),
        sources=(STACK, SHAPES, PARAMETERS, SLURM, SLURM_RUNS, SHAPE_PAGE),
        evidence={**ROOT_NAMES, "thresholds": RUNS},  # 375 GB/s at 16 GiB, and Oracle's gate of 350 on the average
        unverified={**_AMD_ROOTS, **_AMD_DRA, **CURRENT_DRIVER, "gpu.model": "Oracle's agent writes MI300X-O"}),
    _amd_connectx(name="BM.GPU.MI355X-v1.8", vcpus=256, published_node_gbps=3200,
        gpu=Gpu("AMD Instinct MI355X", 288, "CDNA4"), gpu_pci=pci(*_MI355X_GPUS),
        nic_names=tuple(f"rdma{i}" for i in range(8)), rdma_names=mlx5(*range(8)),
        nic_pci=pci("6d", "05", "55", "1e", "ec", "86", "d4", "9f"), frontend_hcas=mlx5(8, 9),
        roots=hgx_roots(1),
        nccl={"NCCL_MIN_NCHANNELS": "32", "NCCL_IB_QPS_PER_CONNECTION": "1", "NCCL_SOCKET_IFNAME": "eth0",
            "NCCL_IB_SL": "0", "NCCL_IB_GID_INDEX": "3", "NCCL_IB_TC": "41", "NCCL_IGNORE_CPU_AFFINITY": "1"},
        thresholds=(Threshold("all_reduce", 2, 8, 16 * GIB, 280.0, 350.0, GATES),),
        sources=(STACK, SHAPES, PARAMETERS, SLURM, QUICKSTARTS),
        evidence={**ROOT_NAMES, **dict.fromkeys(("gpu_pci", "gpu.model"), RUNS)},
        unverified={"thresholds": "0.8 x Oracle's gate on the average of the rows from 1 GiB on, which the largest row "
            "does not fall below",
            **_AMD_ROOTS, **_AMD_DRA, "nic_names": "Oracle's agent writes rdam0 for the first, read as rdma0",
            **CURRENT_DRIVER}),
    _amd(name="BM.GPU.MI355X.8", vcpus=256, published_node_gbps=3200,
        gpu=Gpu("AMD Instinct MI355X", 288, "CDNA4"), driver="ROCm 7.2.1",
        nic_gbps=400, nic_model="AMD Pensando Pollara",
        rdma_names=tuple(f"ionic_{i}" for i in (0, 2, 3, 4, 5, 7, 8, 9)), frontend_hcas=(),
        rdma_mtu_bytes=None, vfs=None,
        nccl={"NCCL_SOCKET_IFNAME": "ens9np0", "NCCL_GDR_FLUSH_DISABLE": "1",
            "RCCL_GDR_FLUSH_GPU_MEM_NO_RELAXED_ORDERING": "0", "NCCL_IB_QPS_PER_CONNECTION": "2",
            "NCCL_IB_GID_INDEX": "1", "NCCL_BUFFSIZE": "16777216", "NCCL_MAX_P2P_NCHANNELS": "32", "NCCL_IB_TC": "41",
            "NCCL_IB_FIFO_TC": "185", "NCCL_IGNORE_CPU_AFFINITY": "1", "NCCL_PXN_DISABLE": "0",
            "NCCL_DMABUF_ENABLE": "0", "NCCL_DEBUG": "WARN", "NCCL_NET_OPTIONAL_RECV_COMPLETION": "1",
            "RCCL_IB_ABORT_ON_ERROR": "1", "NCCL_IB_USE_INLINE": "1", "NCCL_NET_PLUGIN": "librccl-anp.so",
            "RCCL_LL128_FORCE_ENABLE": "1"},
        thresholds=(Threshold("all_reduce", 2, 8, 8 * GIB, 295.0, 368.78, RUNS),
            Threshold("all_reduce", 4, 8, 8 * GIB, 296.0, 370.24, RUNS)),
        sources=(STACK, PARAMETERS, SLURM, SHAPE_PAGE, QUICKSTARTS),
        evidence={**no_listing("gpu_pci", "nic_pci", "nic_names", "roots"), "thresholds": GATES},  # 350 on the average
        unknown={**dict.fromkeys(("frontend_hcas", "rdma_mtu_bytes"), NOT_LISTED), **NO_POLICY},
        unverified={**_AMD_DRA, **CURRENT_DRIVER, "rdma_names": "by Oracle's OKE stack, whose image for it is one for "
            "AMD's NICs; Slurm checks have mlx5_0 to 7 under this name, and its guide calls the one with these NICs "
            "MI355X-v0.8. That the list runs in rail order is inferred"}),
    _cpu(name="BM.Optimized3.36", vcpus=72, published_node_gbps=100,
        nic_model="ConnectX-5 Ex",
        nic_names=("eth1",), rdma_names=mlx5(2), nic_pci=pci("98"), frontend_hcas=mlx5(0),
        vfs=1,
        unverified={"vfs": "from an older manifest of Oracle's, outside the stack"}),
    _cpu(name="BM.HPC2.36", vcpus=72, published_node_gbps=100,
        nic_model="ConnectX-5 Ex",
        nic_names=("enp94s0f0",), rdma_names=mlx5(0), nic_pci=pci("5e"), frontend_hcas=(),
        vfs=None,
        unknown={**NO_POLICY, "frontend_hcas": "the VCN's NIC is a Broadcom one whose RDMA device is not named"}),
    _hpc_e5("BM.HPC.E5.144", 288),
    _hpc_e5("BM.HPC.E5.128", None),
)

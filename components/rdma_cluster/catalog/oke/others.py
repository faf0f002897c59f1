"""OKE shapes with AMD GPUs, and CPU shapes that are here for their fabric."""

from dataclasses import replace

from ..machine import Capacity, Cloud, Floor, Gpu, NicKind, PcieRoot, Transport
from .hgx import hgx_roots
from .record import NO_FLOOR, NO_TOTAL, PARAMETERS, ROOT_NAMES, SHAPES, SLURM, SLURM_RUNS, STACK, OkeMachine, mlx5, pci

_GIB = 1 << 30
_CAPACITY = (Capacity.ON_DEMAND, Capacity.RESERVATION)
_DRA = {"dra": "1.34.2"}
_AMD_ROOTS = "whether AMD's DRA driver publishes pcieRoot was not checked, so no shared root is promised"

MI300X = OkeMachine(
    cloud=Cloud.OKE,
    name="BM.GPU.MI300X.8",
    architecture="amd64",
    transport=Transport.ROCE,
    gpu=Gpu("AMD Instinct MI300X", 192, "CDNA3"),
    gpus=8,
    gpu_pci=pci("11", "2f", "46", "5d", "8b", "aa", "c2", "da"),
    nics=8,
    nic_gbps=400,
    nic_kind=NicKind.NETDEV_RDMA,
    nic_names=tuple(f"enp{bus}s0np0" for bus in (12, 42, 65, 88, 134, 165, 189, 213)),
    rdma_names=mlx5(0, 2, 3, 4, 5, 7, 8, 9),
    nic_pci=pci("0c", "2a", "41", "58", "86", "a5", "bd", "d5"),
    roots=hgx_roots(1),
    pcie_root_comparable=False,
    capacity=_CAPACITY,
    min_kubernetes=_DRA,
    driver="ROCm 7.2.4",
    floors=(Floor("all_reduce", 2, 8, _GIB, 279.0, 349.95, SLURM_RUNS),),
    sources=(STACK, SHAPES, PARAMETERS, SLURM, SLURM_RUNS),
    unknown={**ROOT_NAMES, "published_node_gbps": NO_TOTAL},
    unverified={
        "roots": "the NIC of each GPU is Oracle's agent's; that the two share a root, and the sockets, are inferred",
        "pcie_root_comparable": _AMD_ROOTS,
        "driver": "what the current image brings; no floor is stated",
        "gpu.model": "Oracle's agent writes MI300X-O",
        "gpu.memory_gib": "the GPU's own, as Azure publishes it",
        "floors": "0.8 x the slowest published row: 350 to 358 at 1 to 16 GiB; Oracle's gate is 350 on the average",
    },
    nic_model="ConnectX-7",
    frontend_hcas=mlx5(1, 6),
    rdma_mtu_bytes=4220,
    vfs=8,
    vf_policy_current=True,
    image_listed=True,
    nccl={
        "NCCL_CUMEM_ENABLE": "0",
        "NCCL_IB_TIMEOUT": "22",
        "NCCL_IB_SL": "0",
        "NCCL_IB_TC": "41",
        "NCCL_IB_GID_INDEX": "3",
        "NCCL_DEBUG": "WARN",
        "NCCL_IB_QPS_PER_CONNECTION": "1",
        "NCCL_IB_SPLIT_DATA_ON_QPS": "0",
        "NCCL_PXN_DISABLE": "0",
        "NCCL_NET_PLUGIN": "none",
    },
)

# Rails do not follow the buses here: Oracle's agent gives the NIC of each GPU by address.
_MI355X_RAIL_OF_GPU = (1, 3, 2, 0, 5, 7, 6, 4)

MI355X_V1 = OkeMachine(
    cloud=Cloud.OKE,
    name="BM.GPU.MI355X-v1.8",
    architecture="amd64",
    transport=Transport.ROCE,
    gpu=Gpu("AMD Instinct MI355X", None, "CDNA4"),
    gpus=8,
    gpu_pci=pci("0a", "23", "5a", "72", "8b", "a4", "d9", "f1"),
    nics=8,
    nic_gbps=400,
    nic_kind=NicKind.NETDEV_RDMA,
    nic_names=tuple(f"rdma{i}" for i in range(8)),
    rdma_names=mlx5(*range(8)),
    nic_pci=pci("6d", "05", "55", "1e", "ec", "86", "d4", "9f"),
    roots=tuple(PcieRoot(None, i // 4, (i,), (rail,)) for i, rail in enumerate(_MI355X_RAIL_OF_GPU)),
    pcie_root_comparable=False,
    capacity=_CAPACITY,
    min_kubernetes=_DRA,
    driver="ROCm 7.2.4",
    sources=(STACK, SHAPES, PARAMETERS, SLURM),
    unknown={
        **ROOT_NAMES,
        "gpu.memory_gib": "Oracle's shape page could not be read",
        "published_node_gbps": NO_TOTAL,
        "floors": f"{NO_FLOOR}; Oracle's gate is 350 GB/s on the average",
    },
    unverified={
        "roots": "the NIC of each GPU is Oracle's agent's; that the two share a root, and the sockets, are inferred",
        "pcie_root_comparable": _AMD_ROOTS,
        "nic_names": "Oracle's agent writes rdam0 for the first, read as rdma0",
        "driver": "what the current image brings; no floor is stated",
    },
    nic_model="ConnectX-7",
    frontend_hcas=mlx5(8, 9),
    rdma_mtu_bytes=4220,
    vfs=8,
    vf_policy_current=True,
    image_listed=True,
    nccl={
        "NCCL_MIN_NCHANNELS": "32",
        "NCCL_IB_QPS_PER_CONNECTION": "1",
        "NCCL_SOCKET_IFNAME": "eth0",
        "NCCL_IB_SL": "0",
        "NCCL_IB_GID_INDEX": "3",
        "NCCL_IB_TC": "41",
        "NCCL_IGNORE_CPU_AFFINITY": "1",
    },
)

MI355X = OkeMachine(
    cloud=Cloud.OKE,
    name="BM.GPU.MI355X.8",
    architecture="amd64",
    transport=Transport.ROCE,
    gpu=Gpu("AMD Instinct MI355X", None, "CDNA4"),
    gpus=8,
    nics=8,
    nic_gbps=None,
    nic_kind=NicKind.NETDEV_RDMA,
    rdma_names=tuple(f"ionic_{i}" for i in (0, 2, 3, 4, 5, 7, 8, 9)),
    pcie_root_comparable=False,
    capacity=_CAPACITY,
    min_kubernetes=_DRA,
    driver="ROCm 7.2.1",
    sources=(STACK, PARAMETERS, SLURM),
    unknown={
        "gpu.memory_gib": "Oracle's shape page could not be read",
        "gpu_pci": "Oracle's agent list does not name the shape",
        "nic_pci": "Oracle's agent list does not name the shape",
        "nic_names": "Oracle's agent list does not name the shape",
        "roots": "Oracle's agent list does not name the shape",
        "nic_gbps": "no source gives the rate",
        "published_node_gbps": NO_TOTAL,
        "frontend_hcas": "Oracle's agent list does not name the shape",
        "rdma_mtu_bytes": "Oracle's agent list does not name the shape",
        "vfs": "no SR-IOV policy names the shape",
        "floors": f"{NO_FLOOR}; Oracle's gate is 350 GB/s on the average",
    },
    unverified={
        "pcie_root_comparable": _AMD_ROOTS,
        "driver": "what the current image brings; no floor is stated",
        "rdma_names": "that the list runs in rail order is inferred",
    },
    nic_model="AMD Pensando Pollara",
    frontend_hcas=(),
    rdma_mtu_bytes=None,
    vfs=None,
    image_listed=True,
    nccl={
        "NCCL_SOCKET_IFNAME": "ens9np0",
        "NCCL_GDR_FLUSH_DISABLE": "1",
        "RCCL_GDR_FLUSH_GPU_MEM_NO_RELAXED_ORDERING": "0",
        "NCCL_IB_QPS_PER_CONNECTION": "2",
        "NCCL_IB_GID_INDEX": "1",
        "NCCL_BUFFSIZE": "16777216",
        "NCCL_MAX_P2P_NCHANNELS": "32",
        "NCCL_IB_TC": "41",
        "NCCL_IB_FIFO_TC": "185",
        "NCCL_IGNORE_CPU_AFFINITY": "1",
        "NCCL_PXN_DISABLE": "0",
        "NCCL_DMABUF_ENABLE": "0",
        "NCCL_DEBUG": "WARN",
        "NCCL_NET_OPTIONAL_RECV_COMPLETION": "1",
        "RCCL_IB_ABORT_ON_ERROR": "1",
        "NCCL_IB_USE_INLINE": "1",
        "NCCL_NET_PLUGIN": "librccl-anp.so",
        "RCCL_LL128_FORCE_ENABLE": "1",
    },
)

OPTIMIZED3 = OkeMachine(
    cloud=Cloud.OKE,
    name="BM.Optimized3.36",
    architecture="amd64",
    transport=Transport.ROCE,
    nics=1,
    nic_gbps=100,
    nic_kind=NicKind.NETDEV_RDMA,
    nic_names=("eth1",),
    rdma_names=mlx5(2),
    nic_pci=pci("98"),
    pcie_root_comparable=False,
    capacity=_CAPACITY,
    min_kubernetes=_DRA,
    sources=(STACK, SHAPES, SLURM),
    unknown={
        "roots": "one NIC and no GPU: nobody lists its root",
        "published_node_gbps": NO_TOTAL,
        "floors": "no GPU: nccl-tests does not run here",
    },
    unverified={"vfs": "from an older manifest of Oracle's, outside the stack"},
    nic_model="ConnectX-5 Ex",
    frontend_hcas=mlx5(0),
    rdma_mtu_bytes=4220,
    vfs=1,
    image_listed=False,
)

_NO_POLICY = {**OPTIMIZED3.unknown, "vfs": "no SR-IOV policy names the shape"}

HPC2 = replace(
    OPTIMIZED3,
    name="BM.HPC2.36",
    nic_names=("enp94s0f0",),
    rdma_names=mlx5(0),
    nic_pci=pci("5e"),
    unknown={**_NO_POLICY, "frontend_hcas": "the VCN's NIC is a Broadcom one whose RDMA device is not named"},
    unverified={},
    frontend_hcas=(),
    vfs=None,
)

HPC_E5_144 = replace(
    OPTIMIZED3,
    name="BM.HPC.E5.144",
    nic_pci=pci("e1"),
    unknown=_NO_POLICY,
    unverified={},
    nic_model="ConnectX-6 Dx",
    vfs=None,
)

HPC_E5_128 = replace(HPC_E5_144, name="BM.HPC.E5.128")

MACHINES = (MI300X, MI355X_V1, MI355X, OPTIMIZED3, HPC2, HPC_E5_144, HPC_E5_128)

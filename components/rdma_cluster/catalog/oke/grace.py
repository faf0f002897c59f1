"""OKE shapes with Grace and NVIDIA GPUs: hosts of an NVLink rack."""

from functools import partial

from ..evidence import MODEL, NO_RUN
from ..machine import DATA_DIRECT, Capacity, Gpu, Known, PcieRoot, Source, Threshold, Transport
from .record import (
    CURRENT_DRIVER,
    GIB,
    PARAMETERS,
    QUICKSTARTS,
    ROCE,
    ROOT_NAMES,
    RUNS,
    SHAPE_PAGE,
    SHAPES,
    SLICED_GB200,
    STACK,
    PoolMode,
    mlx5,
    shape,
)

# fmt: off
_GB200_SLICES = Source("github.com/kubernetes-sigs/dranet@f258477 .../BM.GPU.GB200-v3.4 (ResourceSlices)", "2026-08-21",
    Known.MEASURED)
_KUEUE = Source("oci-hpc-oke@61d210a manifests/nccl-tests/kueue/BM.GPU.GB200-v2.4.yaml", "2026-08-20")
_AICR = Source("github.com/NVIDIA/aicr issues 2345, 2356 (BM.GPU.GB200.4)", "2026-08-21")
_GB200_FLOOR = Source("github.com/NVIDIA/aicr recipe gb200-oke-training: 500 GB/s over NVLink at least", "2026-11-23")
_GB300_FLOOR = Source("github.com/Azure/ai-infrastructure-on-azure@a01b073 skills/slurm/sku_performance_baseline: 937 "
    "GB/s in a rack of the same GPU", "2026-04-22")
_GPU_NUMA = Source("github.com/yangwhale/gpu-tpu-pedia@3fa9ce1 gpu/a4x-max/07-megatron-training/07f-gb300-hy3-295b-gke "
    "(sysfs of another cloud's GB300)", "2026-08-22", Known.MEASURED)

# No RoCE setting at all, which agrees with InfiniBand.
_C = {"NCCL_DEBUG": "WARN", "NCCL_MNNVL_ENABLE": "1", "NCCL_CUMEM_ENABLE": "1", "NCCL_NET_PLUGIN": "sys",
    "NCCL_NVLS_ENABLE": "1", "NCCL_SOCKET_IFNAME": "eth0"}
_D = {**ROCE, "NCCL_IB_QPS_PER_CONNECTION": "1", "NCCL_CUMEM_ENABLE": "1", "NCCL_NET_GDR_C2C": "1",
    "NCCL_MNNVL_ENABLE": "1", "NCCL_NET_PLUGIN": "none",
    # DraNet's example: NCCL else picks the data-direct device of a ConnectX-8 and loses the routable GID.
    "NCCL_IB_DATA_DIRECT": "0"}
_E = {**_D, "NCCL_IB_QPS_PER_CONNECTION": "4", "NCCL_NVLS_ENABLE": "1", "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_BUFFSIZE": "16777216", "NCCL_DMABUF_ENABLE": "1"}
_GB_NICS = ("0000:03:00.0", "0002:03:00.0", "0010:03:00.0", "0012:03:00.0")
_GB_NICS_DUAL = tuple(f"{address[:-1]}{port}" for address in _GB_NICS for port in (0, 1))
_GB_PCI = ("0008", "0009", "0018", "0019")
_DEDICATED = {"capacity": "racks are for dedicated-capacity tenancies"}
_NVLINK = "inside a rack the bytes go over NVLink (MNNVL)"
_C2C = "GPUs hang on Grace's NVLink-C2C, NICs on PCIe: the PCI domains differ, as recorded on GB200-v3"
_GB_ROOTS = (*(PcieRoot(f"pci{domain}:00", i // 2, (i,), ()) for i, domain in enumerate(_GB_PCI)),
    *(PcieRoot(f"pci{address[:4]}:00", i // 2, (), (2 * i, 2 * i + 1)) for i, address in enumerate(_GB_NICS)))


# A theme a line: identity, GPUs, NICs, their names, PCIe roots, how nodes are had, what the cloud adds, trust.
_rack = partial(shape, architecture="arm64",
    gpus=4, nvlink_domain=72,
    nic_gbps=400,
    pcie_root_comparable=False,
    capacity=(Capacity.CAPACITY_TOPOLOGY,), pool_modes=(PoolMode.GPU_MEMORY_CLUSTER,), max_nodes=18,
    kernel_page_kib=64)
_connectx_7 = partial(_rack,
    transport=Transport.INFINIBAND,
    gpu=Gpu("NVIDIA GB200", 185, "Blackwell"), gpu_pci=tuple(f"{domain}:01:00.0" for domain in _GB_PCI), driver="595",
    nics=4, nic_model="ConnectX-7",
    nic_names=tuple(f"rdma{i}" for i in range(4)), nic_pci=_GB_NICS,
    roots=(*(PcieRoot(None, i // 2, (i,), ()) for i in range(4)),
        *(PcieRoot(None, i // 2, (), (i,)) for i in range(4))),
    rdma_mtu_bytes=None, vfs=4,
    published_node_gbps=1600,
    nccl=_C)
_CONNECTX_7_EVIDENCE = {**MODEL, **ROOT_NAMES, "gpu.memory_gib": SLICED_GB200, "transport": QUICKSTARTS,
    "rdma_mtu_bytes": Source("InfiniBand: Oracle's agent sets none", "2026-06-28", Known.NOT_APPLICABLE)}
_CONNECTX_7_UNVERIFIED = {"roots": "GB200-v3's, whose PCI domains are the same", "pcie_root_comparable": _C2C,
    **CURRENT_DRIVER, **_DEDICATED}
_connectx_8 = partial(_rack, transport=Transport.ROCE,
    gpu_pci=tuple(f"{domain}:06:00.0" for domain in _GB_PCI),
    nics=8, nic_model="ConnectX-8",
    nic_names=tuple(f"rdma{i}" for i in range(8)), rdma_names=mlx5(0, 1, 2, 3, 5, 6, 7, 8), nic_pci=_GB_NICS_DUAL,
    frontend_hcas=mlx5(4, 9),
    roots=_GB_ROOTS,
    rdma_mtu_bytes=9000, vfs=8, image_listed=True)

MACHINES = (
    _connectx_7(name="BM.GPU.GB200.4", vcpus=144,
        rdma_names=mlx5(0, 1, 3, 4), frontend_hcas=mlx5(2, 5),
        image_listed=True,
        thresholds=(Threshold("all_reduce", 2, 4, 4 * GIB, 684.0, 855.95, RUNS, _NVLINK, nvlink=True),),
        sources=(STACK, SHAPES, PARAMETERS, _AICR, SHAPE_PAGE, QUICKSTARTS),
        evidence={**_CONNECTX_7_EVIDENCE, "thresholds": _GB200_FLOOR},
        unverified=_CONNECTX_7_UNVERIFIED),
    _connectx_7(name="BM.GPU.GB200-v2.4", vcpus=144,
        rdma_names=mlx5(0, 1, 3, 4), frontend_hcas=mlx5(2, 5),
        image_listed=False,
        sources=(STACK, SHAPES, PARAMETERS, QUICKSTARTS, _KUEUE),
        evidence={**_CONNECTX_7_EVIDENCE, "thresholds": NO_RUN},
        unverified={**_CONNECTX_7_UNVERIFIED, "driver": "GB200.4's; no image list names the shape",
            "rdma_names": "an older file of Oracle's agent (branch vf, 2026-06-28) has 0, 1, 4, 5 with 2 and 3 for the "
            "front end; the parameters, Oracle's stack and its test agree on these",
            "frontend_hcas": "what is left, as on GB200.4"}),
    _connectx_8(name="BM.GPU.GB200-v3.4", vcpus=144,
        gpu=Gpu("NVIDIA GB200", 185, "Blackwell"), driver=">=570",
        published_node_gbps=3200,
        nccl=_D,
        thresholds=(Threshold("all_reduce", 16, 4, 8 * GIB, 717.0, 896.7, _GB200_SLICES, _NVLINK, nvlink=True),
            Threshold("all_reduce", 2, 1, GIB, 36.0, 46.0, _GB200_SLICES)),
        sources=(STACK, SHAPES, PARAMETERS, _GB200_SLICES, QUICKSTARTS),
        evidence={
            **dict.fromkeys(("gpu_pci", "nic_pci", "nic_names", "roots", "roots.name", "gpu.model"), _GB200_SLICES),
            "gpu.memory_gib": SLICED_GB200, "roots.numa": _GPU_NUMA},
        unverified={"thresholds": "0.8 x the slowest published row of a rack (896.7 to 932.6 at 8 to 32 GiB), and 0.8 "
            "x the average of an aligned pair of one GPU and one NIC",
            **CURRENT_DRIVER, **_DEDICATED}),
    _connectx_8(name="BM.GPU.GB300.4", vcpus=144,
        gpu=Gpu("NVIDIA GB300", 278, "Blackwell"), driver=">=580",
        published_node_gbps=3200,
        nccl=_E,
        thresholds=(Threshold("all_reduce", 2, 4, 8 * GIB, 670.0, 838.38, RUNS, _NVLINK, nvlink=True),
            Threshold("all_reduce", 16, 4, 8 * GIB, 718.0, 897.52, RUNS, _NVLINK, nvlink=True)),
        sources=(STACK, SHAPES, PARAMETERS, SHAPE_PAGE, QUICKSTARTS, DATA_DIRECT),
        evidence={**dict.fromkeys(("gpu_pci", "gpu.model"), RUNS), "thresholds": _GB300_FLOOR, "driver": QUICKSTARTS},
        unverified={"nics": "8 by Oracle's guide, parameters and agent; the multi-plane variant has 4 PFs and 4 VFs "
            "named rdma_vf_rail0-3, where only VFs are routable: the label rdma.planes of a node decides",
            "transport": "one SkyPilot change calls it InfiniBand; GID index, traffic class and MTU say RoCE",
            "roots": "GB200-v3's, whose PCI domains are the same", **_DEDICATED}),
)

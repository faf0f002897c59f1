"""OKE shapes with Grace and NVIDIA GPUs: hosts of an NVLink rack."""

from functools import partial

from ..evidence import MODEL, NO_RUN, NVLINK
from ..machine import DATA_DIRECT, Capacity, Gpu, Known, PcieRoot, Source, Threshold, Transport
from .record import (
    CURRENT_DRIVER,
    GATES_NOW,
    GIB,
    MULTI_PLANE,
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
_GB300_NICS = Source("github.com/NVIDIA/aicr issue 1413: two nodes of GB300, eight ConnectX-8 over RoCE, not Oracle's",
    "2026-06-23", Known.MEASURED)
_AICR = Source("github.com/NVIDIA/aicr issues 2345, 2356 (BM.GPU.GB200.4)", "2026-08-21")
_GB200_FLOOR = Source("github.com/NVIDIA/aicr recipe gb200-oke-training: 500 GB/s over NVLink at least", "2026-11-23")
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
        thresholds=(Threshold("all_reduce", 2, 4, 4 * GIB, 684.0, 855.95, RUNS, NVLINK, nvlink=True),),
        sources=(STACK, SHAPES, PARAMETERS, _AICR, SHAPE_PAGE, QUICKSTARTS),
        evidence={**_CONNECTX_7_EVIDENCE, "thresholds": _GB200_FLOOR},
        unverified=_CONNECTX_7_UNVERIFIED),
    _connectx_7(name="BM.GPU.GB200-v2.4", vcpus=144,
        rdma_names=mlx5(0, 1, 3, 4), frontend_hcas=mlx5(2, 5),
        image_listed=False,
        sources=(STACK, SHAPES, PARAMETERS, QUICKSTARTS, _KUEUE),
        # An older file of Oracle's agent (branch vf) has 0, 1, 4, 5; parameters, stack, tests and checks have these.
        evidence={**_CONNECTX_7_EVIDENCE, "rdma_names": _KUEUE, "thresholds": NO_RUN},
        unverified={**_CONNECTX_7_UNVERIFIED, "driver": "GB200.4's; no image list names the shape",
            "frontend_hcas": "what is left, as on GB200.4"}),
    _connectx_8(name="BM.GPU.GB200-v3.4", vcpus=144,
        gpu=Gpu("NVIDIA GB200", 185, "Blackwell"), driver=">=570",
        published_node_gbps=3200,
        nccl=_D,
        thresholds=(Threshold("all_reduce", 2, 4, 4 * GIB, 684.0, 855.95, RUNS, NVLINK, nvlink=True),
            Threshold("all_reduce", 16, 4, 8 * GIB, 717.0, 896.7, _GB200_SLICES, NVLINK, nvlink=True),
            Threshold("all_reduce", 2, 4, 16 * GIB, 240.0, 300.0, GATES_NOW),
            Threshold("all_reduce", 2, 1, 8 * GIB, 76.0, 96.0, _GB200_SLICES)),
        sources=(STACK, SHAPES, PARAMETERS, _GB200_SLICES, QUICKSTARTS),
        evidence={
            **dict.fromkeys(("gpu_pci", "nic_pci", "nic_names", "roots", "roots.name", "gpu.model"), _GB200_SLICES),
            "gpu.memory_gib": SLICED_GB200, "roots.numa": _GPU_NUMA},
        unverified={"thresholds": "over NVLink Oracle's run of two nodes of the family, with GB200.4's devices, beside "
            "849 to 933 of sixteen of these; by NICs 0.8 x Oracle's gate without MNNVL, on the average of 1 to 16 GiB; "
            "of one GPU with two NICs 0.8 x the average up to 8 GiB",
            **CURRENT_DRIVER, **_DEDICATED}),
    _connectx_8(name="BM.GPU.GB300.4", vcpus=144,
        gpu=Gpu("NVIDIA GB300", 278, "Blackwell"), driver=">=580",
        published_node_gbps=3200,
        nccl=_E,
        thresholds=(Threshold("all_reduce", 2, 4, 8 * GIB, 670.0, 838.38, RUNS, NVLINK, nvlink=True),
            Threshold("all_reduce", 16, 4, 8 * GIB, 718.0, 897.52, RUNS, NVLINK, nvlink=True),
            Threshold("all_reduce", 2, 4, 8 * GIB, 309.0, 387.0, _GB300_NICS)),
        sources=(STACK, SHAPES, PARAMETERS, SHAPE_PAGE, QUICKSTARTS, DATA_DIRECT),
        # 937 GB/s over NVLink in another cloud's rack of the GPU; a table of devices and interfaces, from `rdma link`.
        evidence={**dict.fromkeys(("gpu_pci", "gpu.model", "nic_names", "rdma_names", "frontend_hcas"), RUNS),
            "driver": QUICKSTARTS},
        unverified={"nics": f"8 by Oracle's guide, parameters and agent; {MULTI_PLANE}",
            "transport": "one SkyPilot change calls it InfiniBand; GID index, traffic class and MTU say RoCE",
            "thresholds": "by NICs a run of another cloud's GB300 with as many NICs of that rate; Oracle's check "
            "asks 600 without MNNVL, on the average of 1 to 16 GiB, of one plane or four it does not say",
            "roots": "GB200-v3's, whose PCI domains are the same", **_DEDICATED}),
)

"""OKE shapes with Grace and NVIDIA GPUs: hosts of an NVLink rack."""

from dataclasses import replace

from ..machine import Capacity, Cloud, Floor, Gpu, NicKind, PcieRoot, Source, Transport
from .record import NO_FLOOR, NO_TOTAL, PARAMETERS, ROCE, ROOT_NAMES, SHAPES, STACK, OkeMachine, PoolMode, mlx5

_GIB = 1 << 30
_RACK_CAPACITY = (Capacity.CAPACITY_TOPOLOGY,)
_DRA = {"dra": "1.34.2"}

_GB200_SLICES = Source("github.com/kubernetes-sigs/dranet@f258477 .../BM.GPU.GB200-v3.4 (ResourceSlices)", "2026-08-21")
_AICR = Source("github.com/NVIDIA/aicr issues 2345, 2356 (BM.GPU.GB200.4)", "2026-08-21")

# No RoCE setting at all, which agrees with InfiniBand.
_C = {
    "NCCL_DEBUG": "WARN",
    "NCCL_MNNVL_ENABLE": "1",
    "NCCL_CUMEM_ENABLE": "1",
    "NCCL_NET_PLUGIN": "sys",
    "NCCL_NVLS_ENABLE": "1",
    "NCCL_SOCKET_IFNAME": "eth0",
}
_D = {
    **ROCE,
    "NCCL_IB_QPS_PER_CONNECTION": "1",
    "NCCL_CUMEM_ENABLE": "1",
    "NCCL_NET_GDR_C2C": "1",
    "NCCL_MNNVL_ENABLE": "1",
    "NCCL_NET_PLUGIN": "none",
    # DraNet's example: NCCL else picks the data-direct device of a ConnectX-8 and loses the routable GID.
    "NCCL_IB_DATA_DIRECT": "0",
}
_E = {
    **_D,
    "NCCL_IB_QPS_PER_CONNECTION": "4",
    "NCCL_NVLS_ENABLE": "1",
    "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_BUFFSIZE": "16777216",
    "NCCL_DMABUF_ENABLE": "1",
}
_GB_NICS = ("0000:03:00.0", "0002:03:00.0", "0010:03:00.0", "0012:03:00.0")
_GB_NICS_DUAL = tuple(f"{address[:-1]}{port}" for address in _GB_NICS for port in (0, 1))
_GB_PCI = ("0008", "0009", "0018", "0019")
_GB_FABRIC = (PoolMode.GPU_MEMORY_CLUSTER,)
_C2C = "GPUs hang on Grace's NVLink-C2C, NICs on PCIe: the PCI domains differ, as recorded on GB200-v3"
_GB_ROOTS = (
    *(PcieRoot(f"pci{domain}:00", i // 2, (i,), ()) for i, domain in enumerate(_GB_PCI)),
    *(PcieRoot(f"pci{address[:4]}:00", i // 2, (), (2 * i, 2 * i + 1)) for i, address in enumerate(_GB_NICS)),
)

GB200 = OkeMachine(
    cloud=Cloud.OKE,
    name="BM.GPU.GB200.4",
    architecture="arm64",
    # A rack run with linkType infiniband is reported (aicr), and Oracle's parameters hold no RoCE setting.
    transport=Transport.INFINIBAND,
    gpu=Gpu("NVIDIA GB200", 185, "Blackwell"),
    gpus=4,
    gpu_pci=tuple(f"{domain}:01:00.0" for domain in _GB_PCI),
    nvlink_domain=72,
    nics=4,
    nic_gbps=400,
    nic_kind=NicKind.NETDEV_RDMA,
    nic_names=tuple(f"rdma{i}" for i in range(4)),
    rdma_names=mlx5(0, 1, 3, 4),
    nic_pci=_GB_NICS,
    roots=(
        *(PcieRoot(None, i // 2, (i,), ()) for i in range(4)),
        *(PcieRoot(None, i // 2, (), (i,)) for i in range(4)),
    ),
    pcie_root_comparable=False,
    capacity=_RACK_CAPACITY,
    min_kubernetes=_DRA,
    driver="595",
    sources=(STACK, SHAPES, PARAMETERS, _AICR),
    unknown={
        **ROOT_NAMES,
        "published_node_gbps": NO_TOTAL,
        "rdma_mtu_bytes": "Oracle's agent sets none",
        "floors": f"{NO_FLOOR}; aicr asks for 40 GB/s over the NICs and 500 over NVLink",
    },
    unverified={
        "transport": "InfiniBand by one report and by the absence of RoCE settings; no page of Oracle's says so",
        "roots": "GB200-v3's, whose PCI domains are the same",
        "pcie_root_comparable": _C2C,
        "gpu.memory_gib": "GB200-v3's",
        "driver": "what the current image brings; no floor is stated",
        "gpu.model": "GB200-v3's",
        "capacity": "racks are for dedicated-capacity tenancies",
    },
    nic_model="ConnectX-7",
    frontend_hcas=mlx5(2, 5),
    rdma_mtu_bytes=None,
    vfs=4,
    pool_modes=_GB_FABRIC,
    max_nodes=18,
    image_listed=True,
    kernel_page_kib=64,
    nccl=_C,
)

GB200_V2 = replace(
    GB200,
    name="BM.GPU.GB200-v2.4",
    rdma_names=mlx5(0, 1, 4, 5),
    sources=(STACK, SHAPES, PARAMETERS),
    unverified={
        **GB200.unverified,
        "driver": "GB200.4's; no image list names the shape",
        "transport": "as GB200.4, whose settings it shares",
        "rdma_names": "Oracle's agent, which has 2 and 3 for the front end; the parameters' 0, 1, 3, 4 would name one "
        "of those, and are not believed",
    },
    frontend_hcas=mlx5(2, 3),
    image_listed=False,
)

GB200_V3 = OkeMachine(
    cloud=Cloud.OKE,
    name="BM.GPU.GB200-v3.4",
    architecture="arm64",
    transport=Transport.ROCE,
    gpu=Gpu("NVIDIA GB200", 185, "Blackwell"),
    gpus=4,
    gpu_pci=tuple(f"{domain}:06:00.0" for domain in _GB_PCI),
    nvlink_domain=72,
    nics=8,
    nic_gbps=400,
    published_node_gbps=3200,
    nic_kind=NicKind.NETDEV_RDMA,
    nic_names=tuple(f"rdma{i}" for i in range(8)),
    rdma_names=mlx5(0, 1, 2, 3, 5, 6, 7, 8),
    nic_pci=_GB_NICS_DUAL,
    roots=_GB_ROOTS,
    pcie_root_comparable=False,
    capacity=_RACK_CAPACITY,
    min_kubernetes=_DRA,
    driver=">=570",
    floors=(
        Floor(
            "all_reduce", 16, 4, 8 * _GIB, 717.0, 896.7, _GB200_SLICES, "inside a rack the bytes go over NVLink (MNNVL)"
        ),
        Floor("all_reduce", 2, 1, _GIB, 36.0, 46.0, _GB200_SLICES),
    ),
    sources=(STACK, SHAPES, PARAMETERS, _GB200_SLICES),
    unverified={
        "floors": "0.8 x the slowest published row of a rack (896.7 to 932.6 at 8 to 32 GiB), and 0.8 x the average of "
        "an aligned pair of one GPU and one NIC",
        "gpu.memory_gib": "as the driver publishes it, 189471 MiB",
        "driver": "what the current image brings; no floor is stated",
        "roots.numa": "the NICs' NUMA nodes are recorded; the GPUs' follow from their PCI domains",
        "capacity": "racks are for dedicated-capacity tenancies",
    },
    nic_model="ConnectX-8",
    frontend_hcas=mlx5(4, 9),
    rdma_mtu_bytes=9000,
    vfs=8,
    pool_modes=_GB_FABRIC,
    max_nodes=18,
    image_listed=True,
    kernel_page_kib=64,
    nccl=_D,
)

GB300 = replace(
    GB200_V3,
    name="BM.GPU.GB300.4",
    gpu=Gpu("NVIDIA GB300", None, "Blackwell"),
    published_node_gbps=None,
    driver=">=580",
    floors=(),
    sources=(STACK, SHAPES, PARAMETERS),
    unknown={
        "gpu.memory_gib": "Oracle's shape page could not be read",
        "published_node_gbps": NO_TOTAL,
        "floors": "837 GB/s over 16 nodes stands on an unmerged branch without its size",
    },
    unverified={
        "driver": "the oldest image list that names the shape",
        "nics": "Oracle's parameters, agent and PCI lists give 8; an unmerged DraNet example has 4 PFs and 4 VFs named "
        "rdma_vf_rail0-3, where only VFs are routable: the label rdma.planes of a node decides",
        "transport": "one SkyPilot change calls it InfiniBand; GID index, traffic class and MTU say RoCE",
        "roots": "GB200-v3's, whose PCI domains are the same",
        "gpu.model": "Oracle's agent list reads NVIDIA Graphics Device; the name is Azure's recording of the same GPU",
        "pcie_root_comparable": _C2C,
        "capacity": "racks are for dedicated-capacity tenancies",
    },
    nccl=_E,
)

MACHINES = (GB200, GB200_V2, GB200_V3, GB300)

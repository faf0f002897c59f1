"""GKE machine types."""

from dataclasses import dataclass

from .machine import Capacity, Cloud, Floor, Gpu, Machine, NicKind, PcieRoot, Source, Transport


@dataclass(frozen=True, slots=True, kw_only=True)
class GkeMachine(Machine):
    """What GKE adds to a machine type."""

    accelerator: str | None
    """``cloud.google.com/gke-accelerator`` and the accelerator type of a node pool."""
    gvnic_networks: int
    """Plain VPCs a node needs besides the primary one."""
    network_profile: str | None
    """Suffix of the zonal network profile of the rails' VPC, e.g. ``vpc-roce``."""
    rail_mtu_bytes: int
    local_ssds: int | None
    """Local SSDs of 375 GiB in the machine, all given to ephemeral storage."""
    boot_disk: str | None
    """Disk type the machine needs; ``None`` leaves GKE's default."""


_TOOLKIT = Source("github.com/GoogleCloudPlatform/cluster-toolkit v1.95.0 examples/gke-a3-ultragpu, gke-a4", "2026-06-25")
_CUSTOM = Source("docs.cloud.google.com/ai-hypercomputer/docs/create/gke-ai-hypercompute-custom", "2026-04-06")
_DRANET = Source("github.com/kubernetes-sigs/dranet@f258477 site/content/docs/user/gke-rdma.md", "2026-08-21")
_PROVISIONAL = Source("cluster-toolkit examples/gke-consumption-options/dws-flex-start (A3 Ultra)", "2026-06-25")

_GIB = 1 << 30
_CAPACITY = (Capacity.RESERVATION, Capacity.SPOT, Capacity.FLEX_START, Capacity.QUEUED, Capacity.CALENDAR)

# GPU addresses as nccl-tests prints them on A3 Ultra and on A4 (skypilot and dranet documentation). Both machines
# show four roots of two GPUs and two NICs, which is what lets a pair be aligned.
_GPU_PCI = tuple(f"0000:{bus}:00.0" for bus in ("8f", "90", "96", "97", "c4", "c5", "cb", "cc"))
_ROOTS = tuple(PcieRoot(None, i // 2, (2 * i, 2 * i + 1), (2 * i, 2 * i + 1)) for i in range(4))
_RAILS = tuple(f"gpu{i}rdma0" for i in range(8))
_UNKNOWN = {
    "nic_pci": "no published node listing gives the NICs' PCI addresses",
    "roots.name": "no published ResourceSlice of this machine gives the pcieRoot values",
}
_UNVERIFIED = {
    "roots": "the 4 x (2 GPU + 2 NIC) grouping is derived from neighbouring bus numbers and from published aligned claims",
    "roots.numa": "two roots a socket is inferred from the bus numbers; no published listing",
}

A3_ULTRA = GkeMachine(
    cloud=Cloud.GKE,
    name="a3-ultragpu-8g",
    architecture="amd64",
    transport=Transport.GIB,
    gpu=Gpu("NVIDIA H200", 141, "Hopper"),
    gpus=8,
    gpu_pci=_GPU_PCI,
    nics=8,
    nic_gbps=400,
    nic_kind=NicKind.NETDEV_RDMA,
    nic_names=_RAILS,
    rdma_names=tuple(f"mlx5_{i}" for i in range(8)),
    roots=_ROOTS,
    pcie_root_comparable=True,
    capacity=_CAPACITY,
    min_kubernetes={"gpudirect": "1.31.4-gke.1183000", "flex_start": "1.32.2-gke.1652000"},
    driver=">=550",
    floors=(Floor("all_gather", 2, 8, _GIB, 260.0, 325.7, _PROVISIONAL),),
    sources=(_TOOLKIT, _CUSTOM, _DRANET),
    unknown=_UNKNOWN,
    unverified={**_UNVERIFIED, "floors": "0.8 x the published 8 GiB figure, applied from 1 GiB"},
    accelerator="nvidia-h200-141gb",
    gvnic_networks=1,
    network_profile="vpc-roce",
    rail_mtu_bytes=8896,
    local_ssds=32,
    # The custom-cluster page asks for hyperdisk; the toolkit leaves the default. The page is the vendor's own.
    boot_disk="hyperdisk-balanced",
)

A4 = GkeMachine(
    cloud=Cloud.GKE,
    name="a4-highgpu-8g",
    architecture="amd64",
    transport=Transport.GIB,
    gpu=Gpu("NVIDIA B200", 180, "Blackwell"),
    gpus=8,
    gpu_pci=_GPU_PCI,
    nics=8,
    nic_gbps=400,
    nic_kind=NicKind.NETDEV_RDMA,
    nic_names=_RAILS,
    rdma_names=tuple(f"mlx5_{i}" for i in range(8)),
    roots=_ROOTS,
    pcie_root_comparable=True,
    capacity=_CAPACITY,
    min_kubernetes={"gpudirect": "1.32.2-gke.1475000", "flex_start": "1.32.2-gke.1652000"},
    driver=">=570",
    floors=(Floor("all_gather", 2, 8, _GIB, 260.0, None, _PROVISIONAL),),
    sources=(_TOOLKIT, _CUSTOM, _DRANET),
    unknown=_UNKNOWN,
    unverified={
        **_UNVERIFIED,
        "floors": "no figure of two whole A4 nodes is published; the wire is A3 Ultra's, so its floor is taken",
    },
    accelerator="nvidia-b200",
    gvnic_networks=1,
    network_profile="vpc-roce",
    rail_mtu_bytes=8896,
    local_ssds=32,
    boot_disk="hyperdisk-balanced",
)

MACHINES = (A3_ULTRA, A4)

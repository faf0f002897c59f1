"""GKE machine types."""

from collections.abc import Mapping
from dataclasses import field
from functools import partial

from pulumi_offline.frozen import frozen
from .evidence import MODEL, NO_GPU, NO_RUN, NVLINK, SUMMED, no_listing
from .machine import DATA_DIRECT, Capacity, Gpu, Known, Machine, NicKind, PcieRoot, Source, Threshold, Transport


@frozen(kw_only=True)
class GkeMachine(Machine):
    """What GKE adds to a machine type."""

    cloud: str = "gke"
    accelerator: str | None
    """``cloud.google.com/gke-accelerator`` and the accelerator type of a node pool; ``None`` for a CPU machine."""
    gvnic_networks: int
    """Plain VPCs a node needs besides the primary one."""
    network_profile: str | None
    """Suffix of the zonal network profile of the rails' VPC, e.g. ``vpc-roce``; ``None`` where the rails are gVNICs."""
    rail_mtu_bytes: int
    local_ssds: int | None
    """Local SSDs of 375 GiB in the machine, all given to ephemeral storage."""
    boot_disk: str | None
    """Disk type the machine needs; ``None`` leaves GKE's default."""
    gpudirect_patches: Mapping[str, str] = field(default_factory=dict)
    """Where the fabric needs another patch release in each minor: the least one per minor, e.g.
    ``{"1.34": "1.34.3-gke.1318000"}``. A minor below all of them lacks it, one above all of them has it."""
    quota_family: str | None = None
    """How Google's quotas name the GPU, where the machine is had without a reservation. As people list them: see
    ``gke.plan.lookups``."""
    compact_flex_start: bool = False
    """Whether nodes of flex-start may be asked to be side by side (the toolkit's gke-node-pool)."""
    max_nodes: int | None = None
    """Most nodes of one pool (one NVLink rack); ``None`` is GKE's own limit."""
    metal: bool = False
    """Bare metal: its rails are in the one subnet, of IPv6, that Google makes with their VPC; no Shielded GKE Nodes."""
    gpu_driver: str = "DEFAULT"
    """Which of its drivers GKE installs, where it does."""
    huge_pages: int = 0
    """Pages of 2 MiB that a node must set aside."""
    pool_labels: Mapping[str, str] = field(default_factory=dict)
    """Node labels that a pool must have from its creation."""

    @property
    def plugged_alone(self) -> bool:
        """No installer of the driver that claims need is published for bare metal."""
        return self.metal

    @property
    def mtu_bytes(self) -> int | None:
        """That of the rails' VPC."""
        return self.rail_mtu_bytes

    @property
    def gvnic_rails(self) -> bool:
        """Whether each rail is a gVNIC in a plain VPC of its own; else the rails share the VPC of their profile."""
        return self.nic_kind is NicKind.NETDEV

    @property
    def node_networks(self) -> int:
        """Networks that a node attaches besides the primary one."""
        return self.gvnic_networks if self.gvnic_rails else self.gvnic_networks + self.nics

    def least_version(self, minor: str) -> str:
        """The least GKE version of the fabric in a minor such as ``1.32``."""
        return self.gpudirect_patches.get(minor, self.min_kubernetes["gpudirect"])


_TOOLKIT = Source("github.com/GoogleCloudPlatform/cluster-toolkit v1.95.0 modules/compute/gke-node-pool", "2026-06-25")
_CUSTOM = Source("docs.cloud.google.com/ai-hypercomputer/docs/create/gke-ai-hypercompute-custom", "2026-04-06")
_TCPX = Source("docs.cloud.google.com/kubernetes-engine/docs/how-to/gpu-bandwidth-gpudirect-tcpx", "2026-11-21")
_BANDWIDTH = Source("docs.cloud.google.com/compute/docs/gpus/gpu-network-bandwidth", "2026-11-21")
_AICR = Source("github.com/NVIDIA/aicr@v0.11.1 docs/integrator/gke-tcpxo-networking.md", "2026-08-21")
_AICR_A4X = Source("github.com/NVIDIA/aicr@v0.11.1 docs/integrator/gke-gb200-networking.md", "2026-08-21")
_AICR_A4X_MAX = Source("github.com/NVIDIA/aicr@v0.11.1 docs/integrator/gke-a-4-x-max-networking.md", "2026-08-21")
_DRANET = Source("github.com/kubernetes-sigs/dranet@f258477 site/content/docs/user/gke-rdma.md", "2026-08-21")
_SKYPILOT = Source("github.com/skypilot-org/skypilot examples/gcp_gpu_direct_tcpx/README.md", "2026-11-21")
_PAIR_RUN = Source("github.com/kubernetes-sigs/dranet@f258477 site/content/docs/user/nvidia-dranet.md", "2026-08-21")
_EXAMPLES = "github.com/GoogleCloudPlatform/cluster-toolkit@1047080 examples/"
_A3_HIGH_RUN = Source(f"{_EXAMPLES}gke-a3-highgpu/multi-node-test-plan.md", "2026-06-25")
# fmt: off
_A3_MEGA_RUN = Source(f"{_EXAMPLES}gke-a3-megagpu/README.md", "2026-06-25")
# Google's own runs of two nodes on GKE; its page of machines without GKE (docs/nccl/test-vms) has two A4 at 360.1 GB/s
# (1 GiB) to 377.4 (16 GiB).
_GIB_RUNS = Source("docs.cloud.google.com/ai-hypercomputer/docs/nccl/test-gke-custom", "2026-04-06", Known.MEASURED)
# On GKE; dstack's run on machines without it shows 623.3 GB/s (1 GiB) to 683.5 (8 GiB).
_A4_SUM_RUN = Source("github.com/yangwhale/gpu-tpu-pedia@3fa9ce1 gpu/deepep/README.md", "2025-10-27")
_H4D = Source("cloud.google.com/compute/docs/hpc-optimized-machines", "2026-11-21")
_A4X_PAGE = Source("docs.cloud.google.com/ai-hypercomputer/docs/create/gke-ai-hypercompute-custom-a4x", "2026-04-06")
_A4X_MAX_PAGE = Source("docs.cloud.google.com/ai-hypercomputer/docs/create/gke-ai-hypercompute-custom-a4x-max",
    "2026-04-06")
_A4X_RUN = Source("docs.cloud.google.com/ai-hypercomputer/docs/nccl/test-gke-custom-a4x", "2026-04-06")
_A4X_MAX_RUN = Source("docs.cloud.google.com/ai-hypercomputer/docs/nccl/test-gke-custom-a4x-max", "2026-04-06")
_MACHINES_PAGE = Source("docs.cloud.google.com/compute/docs/accelerator-optimized-machines", "2026-11-21")
_VCPUS = Source("docs.cloud.google.com/compute/docs/accelerator-optimized-machines", "2026-10-31")
_VCPUS_ARM = Source("docs.cloud.google.com/compute/docs/instances/arm-on-compute", "2026-10-31")
# On Kubernetes by kubeadm.
_A4X_FIELD = Source("github.com/yangwhale/gpu-tpu-pedia@3fa9ce1 gpu/a4x/04-nccl-test/README.md", "2026-06-29")
_A4X_MAX_FIELD = Source("github.com/yangwhale/gpu-tpu-pedia@f6caf90 gpu/a4x-max/12-self-managed-k8s/README.md",
    "2026-07-12")
_METAL_FIELD = "github.com/yangwhale/gpu-tpu-pedia@3fa9ce1 gpu/a4x-max/11-gke-setup/README.md (GKE, 2026-07-14)"

_A3_MEGA_LOG = Source(
    "github.com/lessizzmore/create-a3mega-ztan-fork@346b825 ztan-NCCL-test-result (nccl-tests on two A3 Mega)",
    "2025-04-02", Known.MEASURED)
_A3_MEGA_RUNS = Source("github.com/dstackai/dstack@511c318 mkdocs/docs/examples/clusters/gcp.md (all_gather: 181.9 "
    "GB/s at 1 GiB, 188.5 at 8 GiB)", "2026-08-21", Known.MEASURED)
_A3_MEGA_NICS = Source("github.com/dstackai/dstack@511c318 mkdocs/docs/examples/clusters/gcp.md (the eight interfaces "
    "on Ubuntu, enp6s0 to enp142s0, whose names carry the bus)", "2026-11-23", Known.MEASURED)

# What GKE's own autoscaler knows of machines: disks, and NICs with their names and MTU.
_AUTOSCALER = "github.com/GoogleCloudPlatform/cluster-autoscaler@7d25050 pkg/cloudprovider/gke/machinetypes/"
_DISKS = Source(f"{_AUTOSCALER}deprecated_machine_types_config.go", "2026-08-21")
_NICS = Source(f"{_AUTOSCALER}dranet.go", "2026-08-21")

_MIB, _GIB = 1 << 20, 1 << 30
_CAPACITY = (Capacity.RESERVATION, Capacity.SPOT, Capacity.FLEX_START, Capacity.QUEUED)
_ETHERNET = tuple(f"eth{i + 1}" for i in range(8))
_RAILS = tuple(f"gpu{i}rdma0" for i in range(8))
_HCAS = tuple(f"mlx5_{i}" for i in range(8))

# A3 Ultra and A4 show the same GPU addresses (skypilot's and dranet's nccl-tests logs). `nvidia-smi topo -m` of an A4
# (dranet) prints PIX inside each 2 GPU + 2 NIC block and NODE, which crosses host bridges, between the two blocks of a
# socket: hence four roots, two a socket.
_GPU_PCI = tuple(f"0000:{bus}:00.0" for bus in ("8f", "90", "96", "97", "c4", "c5", "cb", "cc"))
_ROOTS = tuple(PcieRoot(None, i // 2, (2 * i, 2 * i + 1), (2 * i, 2 * i + 1)) for i in range(4))

# RoCE names carry the bus: rocep145s0 is 0000:91:00.0.
_NIC_PCI = tuple(f"0000:{bus:02x}:00.0" for bus in (145, 146, 152, 153, 198, 199, 205, 206))
_A4_NICS = Source("github.com/yangwhale/gpu-tpu-pedia@3fa9ce1 VibeCoding/claude-code/skills/deepep-installer/SKILL.md "
    "(B200 on Google: rocep145s0 to rocep206s0, PIX with the GPUs of their block)", "2026-02-15", Known.MEASURED)
_NETDEV = no_listing("roots")
_NETDEV_OPEN = {
    "gpu_pci": "logs of H100 machines on Google show 04, 05, 0b, 0c, 84, 85, 8b and 8c, but name no machine type",
    "nic_pci": "only one of the NICs' addresses is published"}
_TREE = "NVLSTree does part of the sum on NVLink, so fewer bytes leave the node"
_EIGHTY = "0.8 x the slowest published row from size_bytes on"

_RESERVED = Source("its nodes come from reservations alone, which no GPU quota bounds", "2026-11-23",
    Known.NOT_APPLICABLE)
_GB = {**no_listing("nic_pci", "rdma_names", "roots"), "quota_family": _RESERVED}
_NO_SHARED_ROOT = "GPUs hang on Grace's NVLink-C2C; on OCI's and Azure's Grace machines none shares a root with a NIC"
# Of 1.34 and 1.35 older patches have a fault in TCPX (docs.cloud.google.com/release-notes, 2026-08-25, Fixed).
_TCPX_PATCHES = {"1.27": "1.27.16-gke.2874000", "1.28": "1.28.15-gke.3163000", "1.29": "1.29.15-gke.2467000",
    "1.34": "1.34.5-gke.1153000", "1.35": "1.35.2-gke.1485000"}

# A theme a line: identity, GPUs, NICs, their names, PCIe roots, how nodes are had, what the cloud adds, trust.
# Each rail is a gVNIC in a plain VPC of its own.
_a3 = partial(GkeMachine, architecture="amd64",
    gpu=Gpu("NVIDIA H100 80GB HBM3", 80, "Hopper"), gpus=8, nvlink_domain=8,
    # By Google's blueprints of both (gke-node-pool's variables.tf); commands of others take `latest` on A3 Mega.
    driver="DEFAULT",
    nic_kind=NicKind.NETDEV,
    pcie_root_comparable=False, nics_publish_root=False,
    capacity=_CAPACITY,
    network_profile=None, rail_mtu_bytes=8244, local_ssds=16, boot_disk=None)
# The rails share a VPC with a RoCE profile.
_roce = partial(GkeMachine, transport=Transport.GIB,
    nic_gbps=400, frontend_gbps=400, nic_kind=NicKind.NETDEV_RDMA,
    gvnic_networks=1, rail_mtu_bytes=8896, boot_disk="hyperdisk-balanced")
_hgx = partial(_roce, architecture="amd64",
    gpus=8, gpu_pci=_GPU_PCI, nvlink_domain=8,
    nics=8, published_node_gbps=3600,
    nic_names=_RAILS, rdma_names=_HCAS,
    roots=_ROOTS, pcie_root_comparable=True,
    capacity=(*_CAPACITY, Capacity.CALENDAR), compact_flex_start=True,
    network_profile="vpc-roce", local_ssds=32)
_grace = partial(_roce, architecture="arm64",
    gpus=4, nvlink_domain=72,
    pcie_root_comparable=False,
    # A sub-block of a reservation; no autoscaling.
    capacity=(Capacity.RESERVATION,), max_nodes=18)
_a4x = partial(_grace, vcpus=140,
    gpu=Gpu("NVIDIA GB200", 186, "Blackwell"), driver=">=580", accelerator="nvidia-gb200",
    nics=4, published_node_gbps=2000,
    nic_names=_RAILS[:4],
    min_kubernetes={"gpudirect": "1.32.8-gke.1108000"},
    # 1.33.2 up to this patch fail with an exec format error.
    gpudirect_patches={"1.32": "1.32.8-gke.1108000", "1.33": "1.33.4-gke.1036000"},
    network_profile="vpc-roce",
    # The machine takes no Persistent Disk at all.
    boot_disk="hyperdisk-balanced",
    thresholds=(Threshold("all_reduce", 2, 4, 8 * _GIB, 260.0, 325.88, _A4X_FIELD, SUMMED),
        Threshold("all_gather", 2, 4, _GIB, 360.0, 450.1, _A4X_RUN, NVLINK, nvlink=True)),
    sources=(_TOOLKIT, _A4X_PAGE, _AICR_A4X, _BANDWIDTH, _MACHINES_PAGE, _VCPUS_ARM),
    unverified={"pcie_root_comparable": _NO_SHARED_ROOT,
        "thresholds": f"{_EIGHTY}; over the NICs the only published run is a field report, not on GKE"})
_A4X_EVIDENCE = {**MODEL, **_GB, **no_listing("gpu_pci"), "nic_names": _NICS}

MACHINES = (
    _a3(name="a3-highgpu-8g", vcpus=208, transport=Transport.TCPX,
        accelerator="nvidia-h100-80gb", quota_family="NVIDIA_H100",
        nics=4, nic_gbps=200, published_node_gbps=1000, frontend_gbps=200,
        nic_names=_ETHERNET[:4],
        min_kubernetes={"gpudirect": "1.27.16-gke.2874000", "flex_start": "1.32.2-gke.1652000"},
        gpudirect_patches=_TCPX_PATCHES,
        gvnic_networks=4,
        thresholds=(Threshold("all_gather", 2, 8, 256 * _MIB, 55.0, 69.44, _A3_HIGH_RUN),
            Threshold("all_reduce", 2, 8, 256 * _MIB, 52.0, 65.72, _SKYPILOT)),
        sources=(_TOOLKIT, _TCPX, _BANDWIDTH, _VCPUS),
        evidence={**MODEL, **_NETDEV},
        unknown=_NETDEV_OPEN,
        unverified={"thresholds": f"{_EIGHTY}; the all_gather run ends at 512 MiB, the all_reduce one is of VMs and "
            "ends at 2 GiB; a run of 49.3 to 50.2 GB/s is not counted (dstack@511c318, the untagged plugin of 2023): "
            "it is half of the wire"}),
    _a3(name="a3-edgegpu-8g", vcpus=208, transport=Transport.TCPX,
        accelerator="nvidia-h100-80gb", quota_family="NVIDIA_H100",
        nics=4, nic_gbps=None,
        nic_names=_ETHERNET[:4],
        min_kubernetes={"gpudirect": "1.27.16-gke.2874000", "flex_start": "1.32.2-gke.1652000"},
        gpudirect_patches=_TCPX_PATCHES,
        gvnic_networks=4,
        sources=(_SKYPILOT, _TCPX, _BANDWIDTH, _VCPUS),
        evidence={**MODEL, **_NETDEV, "thresholds": NO_RUN, "rail_mtu_bytes": _NICS, "local_ssds": _DISKS},
        unknown={**_NETDEV_OPEN, "nic_gbps": "lower than A3 High's; no source gives the rate of one NIC",
            "published_node_gbps": "versions of Google's bandwidth page disagree: 600 or 800 Gb/s"},
        unverified={"capacity": "taken from A3 High; Google's page of its NCCL tests speaks of flex-start, and GKE's "
            "autoscaler has this machine without (cluster-autoscaler@7d25050)"}),
    _a3(name="a3-megagpu-8g", vcpus=208, transport=Transport.TCPXO,
        accelerator="nvidia-h100-mega-80gb", quota_family="NVIDIA_H100_MEGA",
        gpu_pci=tuple(f"0000:{bus}:00.0" for bus in ("04", "05", "0b", "0c", "84", "85", "8b", "8c")),
        nics=8, nic_gbps=200, published_node_gbps=1800, frontend_gbps=200,
        nic_names=_ETHERNET,
        nic_pci=tuple(f"0000:{bus:02x}:00.0" for bus in (6, 7, 13, 14, 134, 135, 141, 142)),
        min_kubernetes={"gpudirect": "1.28.15-gke.3163000", "flex_start": "1.32.2-gke.1652000"},
        gpudirect_patches={"1.28": "1.28.15-gke.3163000", "1.29": "1.29.15-gke.2467000", "1.30": "1.30.14-gke.1922000",
            "1.31": "1.31.14-gke.1243000", "1.32": "1.32.11-gke.1174000"},
        # Never one more: a ninth gVNIC takes the PCI slot of a GPU NIC (aicr issue 1662).
        gvnic_networks=8,
        thresholds=(Threshold("all_gather", 2, 8, _GIB, 145.0, 182.0, _A3_MEGA_RUN),
            Threshold("all_gather", 2, 8, 8 * _GIB, 150.0, 188.73, _A3_MEGA_RUN),
            Threshold("all_reduce", 2, 8, _GIB, 238.0, 297.86, _A3_MEGA_LOG, _TREE),
            Threshold("all_reduce", 2, 8, 16 * _GIB, 267.0, 334.0, _AICR, _TREE)),
        sources=(_TOOLKIT, _TCPX, _AICR, _BANDWIDTH, _VCPUS),
        evidence={**MODEL, **_NETDEV, "gpu_pci": _A3_MEGA_LOG, "nic_pci": _A3_MEGA_NICS,
            "thresholds": _A3_MEGA_RUNS},
        unverified={"published_node_gbps": "one version of the page says 1,600; 1,800 with the front-end NIC is "
            "believed"}),
    _hgx(name="a3-ultragpu-8g", vcpus=224,
        gpu=Gpu("NVIDIA H200", 141, "Hopper"), driver=">=550", accelerator="nvidia-h200-141gb",
        quota_family="NVIDIA_H200",
        min_kubernetes={"gpudirect": "1.31.4-gke.1183000", "flex_start": "1.32.2-gke.1652000"},
        thresholds=(Threshold("all_gather", 2, 8, _GIB, 257.0, 321.93, _SKYPILOT),),
        sources=(_TOOLKIT, _CUSTOM, _DRANET, _BANDWIDTH, _SKYPILOT, _VCPUS),
        evidence={**no_listing("nic_pci", "roots.name"), "thresholds": _GIB_RUNS, "boot_disk": _DISKS},
        unverified={"roots": "taken from A4, whose topology is published and whose GPUs have the same addresses",
            "rdma_names": "taken from A4"}),
    _hgx(name="a4-highgpu-8g",
        vcpus=224,  # and as others count them on such a node: 112 cores, two threads each
        gpu=Gpu("NVIDIA B200", 180, "Blackwell"), driver=">=570", accelerator="nvidia-b200", quota_family="NVIDIA_B200",
        nic_pci=_NIC_PCI,
        min_kubernetes={"gpudirect": "1.32.2-gke.1475000", "flex_start": "1.32.2-gke.1652000"},
        thresholds=(Threshold("all_gather", 2, 8, _GIB, 223.0, 338.17, _GIB_RUNS),
            Threshold("all_reduce", 2, 8, _GIB, 483.0, 604.82, _A4_SUM_RUN, SUMMED),
            Threshold("all_gather", 2, 1, _GIB, 29.0, 36.67, _PAIR_RUN)),
        sources=(_TOOLKIT, _CUSTOM, _DRANET, _BANDWIDTH, _VCPUS),
        # `nvidia-smi topo -m` by two observers, which shows host bridges but not their numbers.
        evidence={**dict.fromkeys(("nic_pci", "roots"), _A4_NICS), **no_listing("roots.name"), "boot_disk": _DISKS},
        unverified={"thresholds": "all_gather: 0.9 x the slowest run with open-source DraNet (248 to 262 GB/s, gIB "
            "v1.0.6, 2025), by which the stack's pods get their NICs. 0.8 of it is what half of the rails carry, and "
            "0.8 of Google's runs with networks by name (338 to 377) is more than DraNet showed; nobody says why it is "
            "slower"}),
    _a4x(name="a4x-highgpu-4g",
        # The reservation only matches when the pool asks for exactly these (field report).
        local_ssds=4, evidence=_A4X_EVIDENCE),
    _a4x(name="a4x-highgpu-4g-nolssd", local_ssds=None,
        evidence={**_A4X_EVIDENCE, "local_ssds": Source(_A4X_PAGE.ref, _A4X_PAGE.seen, Known.NOT_APPLICABLE)}),
    _grace(name="a4x-maxgpu-4g-metal", vcpus=144,
        gpu=Gpu("NVIDIA GB300", 279, "Blackwell"),
        gpu_pci=("0008:06:00.0", "0009:06:00.0", "0018:06:00.0", "0019:06:00.0"), driver=">=580.95.05",
        gpu_driver="LATEST", accelerator="nvidia-gb300",
        # Four ConnectX-8 of two ports each.
        nics=8, published_node_gbps=3600,
        min_kubernetes={"gpudirect": "1.34.3-gke.1318000"},
        gpudirect_patches={"1.34": "1.34.3-gke.1318000", "1.35": "1.35.0-gke.2745000"},
        network_profile="vpc-roce-metal", local_ssds=None, metal=True, huge_pages=4096,
        pool_labels={"cloud.google.com/gke-dpv2-unified-cni": "cni-migration"},
        thresholds=(Threshold("all_gather", 2, 4, _GIB, 270.0, 337.55, _A4X_MAX_RUN),
            Threshold("all_reduce", 2, 4, _GIB, 574.0, 718.0, _A4X_MAX_FIELD, NVLINK, nvlink=True)),
        sources=(_TOOLKIT, _A4X_MAX_PAGE, _AICR_A4X_MAX, _BANDWIDTH, _MACHINES_PAGE, _VCPUS_ARM, DATA_DIRECT),
        evidence=_GB,
        unknown={"nic_names": "managed DRANET offers gpu0ipvlan0 to gpu3ipvlan1 (cluster-autoscaler@7d25050), which "
            "are not the NICs' own",
            "local_ssds": "4, which GKE gives by itself (cluster-autoscaler@7d25050); its guide and the toolkit's "
            "example ask for none"},
        unverified={"thresholds": f"{_EIGHTY}; Google's run over the NICs is between two racks. {_METAL_FIELD} has "
            "841 GB/s over NVLink (all_reduce, 16 GiB), 194 over the NICs of two racks, which is half of the wire and "
            "gives no threshold, and NCCL that hangs between two nodes of one rack without NVLink"}),
    GkeMachine(name="h4d-highmem-192-lssd", vcpus=192, architecture="amd64", transport=Transport.FALCON,
        accelerator=None,
        nics=1, nic_gbps=200, published_node_gbps=200, nic_kind=NicKind.NETDEV_RDMA,
        pcie_root_comparable=False,
        capacity=(Capacity.RESERVATION, Capacity.FLEX_START), compact_flex_start=True,
        min_kubernetes={"gpudirect": "1.32"},
        gvnic_networks=0, network_profile="vpc-falcon", rail_mtu_bytes=8896, local_ssds=10, boot_disk=None,
        sources=(_TOOLKIT, _H4D),
        evidence={**no_listing("nic_names", "nic_pci", "roots"), **NO_GPU,
            "local_ssds": _DISKS, "quota_family": Source("no GPU", "2026-11-23", Known.NOT_APPLICABLE),
            "vcpus": Source("github.com/Cyclenerd/google-cloud-pricing-cost-calculator@dac3128 tools/machinetypes.csv",
                "2026-08-20")},
        unknown={"rdma_names": "irdma0 on VMs by one report; not seen on GKE"},
        unverified={"min_kubernetes": "the toolkit's version prefix, not a threshold that Google states",
            "rail_mtu_bytes": "the default of networks with a RoCE profile; not read for Falcon's"}),
)

"""AKS machine types with InfiniBand."""

from collections.abc import Mapping
from dataclasses import field
from functools import partial

from pulumi_offline.frozen import frozen
from .evidence import MODEL, NO_GPU, NO_RUN, no_listing
from .machine import (
    Bridge,
    Capacity,
    Gpu,
    Known,
    Machine,
    NicKind,
    PcieRoot,
    Source,
    Threshold,
    TopologyFile,
    Transport,
)


@frozen(kw_only=True)
class AksMachine(Machine):
    """What AKS adds to a machine type."""

    cloud: str = "aks"
    rdma_front_end: bool = True
    """The Ethernet function of accelerated networking is an RDMA device too (NVIDIA/nccl#1101 shows ``mlx5_an0``)."""
    infiniband: str | None
    """Generation of the fabric: ``HDR``, ``NDR``, ``XDR``."""
    vf_device_id: str | None
    """PCI device id of the InfiniBand virtual function below vendor 15b3, e.g. ``101e``."""
    infiniband_feature: bool
    """Whether the subscription must have AKSInfinibandSupport registered; the GB sizes want it unregistered."""
    max_nodes: int
    """Nodes of one pool that share a fabric: a placement group holds 100 (300 on request)."""
    rack_nodes: int = 0
    """Nodes of one NVLink rack, in which capacity is ordered; 0 without racks."""
    os_sku: str
    """``osSKU`` of the pool; ``Ubuntu`` needs Kubernetes 1.35 for the containerd that NRI wants."""
    gpu_drivers: tuple[str, ...] = ()
    """Values of ``gpuProfile.driver`` that work: ``None`` leaves the driver to an operator; empty without GPUs."""
    topology: TopologyFile | None = None
    """``None`` where NCCL finds its own way."""
    nccl: Mapping[str, str] = field(default_factory=dict)
    """NCCL settings of the family; nothing on an AKS node provides them. Empty for none."""
    nvme_disks: int | None
    nvme_gb: int | None
    """All local NVMe disks together."""
    temp_gib: int | None
    """Temporary disk; 0 without one."""

    @property
    def nccl_settings(self) -> Mapping[str, str]:
        """Microsoft's for the family."""
        return self.nccl

    @property
    def nccl_topology(self) -> TopologyFile | None:
        """Microsoft's, as its images of Linux for HPC have it."""
        return self.topology

    @property
    def neighbours(self) -> tuple[tuple[int, int], ...]:
        """As the topology file has them; without one, those of one NUMA node."""
        if not self.gpu_pci or not self.nic_pci:
            return ()
        if self.topology is not None:
            near = [(bridge.gpus, bridge.nics) for bridge in self.topology.bridges]
        else:
            nodes = sorted({root.numa for root in self.roots or () if root.numa is not None})
            near = [
                (
                    tuple(gpu for root in self.roots or () if root.numa == node for gpu in root.gpus),
                    tuple(nic for root in self.roots or () if root.numa == node for nic in root.nics),
                )
                for node in nodes
            ]
        return tuple(sorted((pair for gpus, nics in near for pair in zip(gpus, nics, strict=True)), key=lambda p: p[1]))


_SIZES = Source("github.com/MicrosoftDocs/azure-compute-docs virtual-machines/sizes (ND and HB pages)", "2026-11-21")
_AKS_DOC = Source("github.com/MicrosoftDocs/azure-aks-docs@fb060ab use-nvidia-gpu and RDMA pages", "2026-08-21")
_IMAGES = Source("github.com/Azure/azhpc-images@8e9d055f topology/, customizations/", "2026-07-29")
_ARI = Source("github.com/Azure/aks-rdma-infiniband@700dabb", "2026-07-16")
_AIA = Source("github.com/Azure/ai-infrastructure-on-azure@a01b073", "2026-04-22")
_AICR = Source("github.com/NVIDIA/aicr AKS H100 recipe and its NCCL runs", "2026-08-21")
_GB300_SLICES = Source("github.com/kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/gb300", "2026-08-21")
_MI300X_SLICES = Source("github.com/kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/mi300x", "2026-08-21")
_VCPUS = Source("learn.microsoft.com/azure/virtual-machines/sizes/gpu-accelerated, one page a series", "2026-08-31")

_GIB = 1 << 30
_CAPACITY = (Capacity.ON_DEMAND, Capacity.RESERVATION, Capacity.SPOT)
_DRA = {"dra": "1.34"}
# Microsoft's test of NCCL on AKS had mlx5_ib0, as images of Slurm name it, until a fix for SHARP
# (github.com/Azure/ai-infrastructure-on-azure@103bb90, 2025-07-22); its health check and its torset labeler on AKS say
# mlx5_0, too (@a01b073). Two of its training charts still have the other, 2026-04-22.
_HCAS = tuple(f"mlx5_{i}" for i in range(8))
# InfiniBand virtual functions stand in PCI domains of their own, 0101 to 0108 (ndv4 and ndv5 topology files, DraNet).
_NICS = tuple(f"010{i + 1}:00:00.0" for i in range(8))
_V4_GPUS = tuple(f"{domain}:00:00.0" for domain in ("0001", "0002", "0003", "0004", "000b", "000c", "000d", "000e"))
_V5_GPUS = tuple(f"{domain}:00:00.0" for domain in ("0001", "0002", "0003", "0008", "0009", "000a", "000b", "000c"))

_V4_NUMA = (1, 1, 0, 0, 3, 3, 2, 2)
_V5_NUMA = (0, 0, 0, 0, 1, 1, 1, 1)


def _alone(numa: tuple[int, ...], gpus: tuple[str | None, ...] | None = None) -> tuple[PcieRoot, ...]:
    """Every GPU and every NIC on a root of its own, as Hyper-V presents them; ``gpus`` are the GPUs' root names."""
    names = gpus or (None,) * len(numa)
    return (
        *(PcieRoot(name, node, (i,), ()) for i, (name, node) in enumerate(zip(names, numa, strict=True))),
        *(PcieRoot(None, node, (), (i,)) for i, node in enumerate(numa)),
    )


# fmt: off
_NDV4 = TopologyFile(name="ndv4", cpu_vendor="AuthenticAMD", cpu_family=23, cpu_model=49, cores_per_numa=24,
    link_speed="16 GT/s",
    bridges=(Bridge(0, (2, 3), (2, 3)), Bridge(1, (0, 1), (0, 1)), Bridge(2, (6, 7), (6, 7)),
        Bridge(3, (4, 5), (4, 5))))
_NDV5 = TopologyFile(name="ndv5", cpu_vendor="GenuineIntel", cpu_family=6, cpu_model=143, cores_per_numa=48,
    link_speed="32.0 GT/s PCIe", bridges=tuple(Bridge(numa, (i,), (i,)) for i, numa in enumerate(_V5_NUMA)))

_NCCL = {"NCCL_IB_PCI_RELAXED_ORDERING": "1", "NCCL_IGNORE_CPU_AFFINITY": "1", "NCCL_SOCKET_IFNAME": "eth0",
    "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
_NCCL_V4 = {**_NCCL, "NCCL_NET_GDR_LEVEL": "SYS"}
# SHARP's settings are left out: they need a plugin in the image. The chunk size is the AKS chart's; Slurm takes 2 MiB.
_NCCL_V5 = {**_NCCL, "NCCL_IB_QPS_PER_CONNECTION": "4", "NCCL_P2P_NET_CHUNKSIZE": "524288", "NCCL_PXN_DISABLE": "1",
    "NCCL_MIN_NCHANNELS": "32"}
_NCCL_GB = {"NCCL_IGNORE_CPU_AFFINITY": "1", "NCCL_SOCKET_IFNAME": "eth0", "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
    "NCCL_IB_QPS_PER_CONNECTION": "4", "NCCL_P2P_NET_CHUNKSIZE": "2097152", "NCCL_NET_GDR_LEVEL": "PHB",
    "NCCL_NET_GDR_C2C": "1", "NCCL_DMABUF_ENABLE": "1", "NCCL_MNNVL_ENABLE": "1", "NCCL_NVLS_ENABLE": "1",
    "NCCL_SHM_DISABLE": "1", "NCCL_P2P_DISABLE": "0", "NCCL_IB_SL": "1", "NCCL_IB_DISABLE": "0"}

# For the GPUs; the NICs publish none.
_ROOT_NAMES = no_listing("roots.name")
_TOPOLOGY_ROOTS = {"roots": "the PCI domains and NUMA nodes are the topology file's; that each device has a root of "
    "its own follows from the domains",
    "rdma_names": "mlx5_0 to mlx5_7 on AKS; that their order is the PCI domains' was recorded on MI300X"}
_NVLINK = "inside a rack the bytes go over NVLink (MNNVL)"
_EIGHTY = "0.8 x the only published row"

_GB300_ROOTS = ("pci0008:00", "pci0009:00", "pci0018:00", "pci0019:00")
_WHOLE_RACKS = {"capacity": "spot is left out: racks are ordered whole; no page read says so"}
_NO_TEMP = {"temp_gib": "the size page read lists NVMe disks only"}
_NO_RUN = {"thresholds": NO_RUN}
_PAGES = "github.com/MicrosoftDocs/azure-compute-docs articles/virtual-machines/sizes"
_GB300_PAGE = Source(f"{_PAGES}/gpu-accelerated/nd-gb300-v6-series.md @0c72655 (4x800)", "2026-08-12")
_HX_PAGE = Source(f"{_PAGES}/high-performance-compute/hx-series.md @324237f", "2025-11-24")
_HBV4_PAGE = Source(f"{_PAGES}/high-performance-compute/hbv4-series-overview.md @afa7bbe", "2026-09-25")
_HBV5_PAGE = Source(f"{_PAGES}/high-performance-compute/hbv5-series-overview.md @afa7bbe", "2026-09-25")
_HBV3_PAGE = Source(f"{_PAGES}/high-performance-compute/hbv3-series.md", "2026-11-23")
_HBV2_PAGE = Source("github.com/MicrosoftDocs/azure-docs articles/virtual-machines/hbv2-series.md", "2026-11-23")
_VF_NAME = Source(
    "kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/gb300: the recorded name is 15b3:101e's in pci.ids",
    "2026-08-21", Known.MEASURED)
_GB300_RUNS = Source(
    "github.com/oracle-quickstart/oci-gpu-quickstarts@6a0abdc nvidia/GB300: 897 and 930 GB/s on 16 nodes of a rack",
    "2026-04-10", Known.MEASURED)
_NO_VIRTUAL_ROOT = Source(
    "virtual functions publish no pcieRoot: kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/gb300",
    "2026-08-21", Known.NOT_APPLICABLE)

# A theme a line: identity, GPUs, NICs, their names, PCIe roots, how nodes are had, what the cloud adds, trust.
_size = partial(AksMachine, transport=Transport.INFINIBAND,
    nic_kind=NicKind.RDMA_ONLY,
    pcie_root_comparable=False, nics_publish_root=False,
    min_kubernetes=_DRA)
_nd = partial(_size, architecture="amd64",
    gpus=8,
    nics=8,
    rdma_names=_HCAS, nic_pci=_NICS,
    capacity=_CAPACITY, max_nodes=100,
    infiniband_feature=True, os_sku="Ubuntu")
_nd_v4 = partial(_nd, nvme_disks=0, nvme_gb=0,
    gpu_pci=_V4_GPUS, nvlink_domain=8, driver="580", gpu_drivers=("None", "Install"),
    nic_gbps=200, published_node_gbps=1600, infiniband="HDR", vf_device_id="101c",
    roots=_alone(_V4_NUMA),
    topology=_NDV4,
    nccl=_NCCL_V4,
    sources=(_SIZES, _AKS_DOC, _IMAGES, _ARI, _VCPUS))
_nd_v5 = partial(_nd, nvme_disks=8,
    nvme_gb=30786,  # published as 28 TiB
    nic_gbps=400, published_node_gbps=3200, infiniband="NDR", vf_device_id="101e",
    roots=_alone(_V5_NUMA))
_nd_v5_nvidia = partial(_nd_v5, temp_gib=1024,
    gpu_pci=_V5_GPUS, nvlink_domain=8, driver="580", gpu_drivers=("None", "Install"),
    topology=_NDV5,
    nccl=_NCCL_V5)
_grace = partial(_size, nvme_disks=4, nvme_gb=16000, temp_gib=None, architecture="arm64",
    gpus=4, nvlink_domain=72, driver="580", gpu_drivers=("None",),
    nics=4,
    rdma_names=_HCAS[:4],
    capacity=_CAPACITY[:2], max_nodes=18, rack_nodes=18,
    infiniband_feature=False, os_sku="Ubuntu2404",
    nccl=_NCCL_GB)


def _gb300(name: str) -> AksMachine:
    return _grace(name=name, vcpus=128,
        gpu=Gpu("NVIDIA GB300", 288, "Blackwell"),
        gpu_pci=("0008:06:00.0", "0009:06:00.0", "0018:06:00.0", "0019:06:00.0"),
        nic_gbps=800, published_node_gbps=3200, infiniband="XDR",
        nic_pci=_NICS[:4], vf_device_id="101e",
        roots=_alone((0, 0, 1, 1), _GB300_ROOTS),
        thresholds=(Threshold("all_reduce", 18, 4, 16 * _GIB, 749.0, 937.0, _AIA, _NVLINK, nvlink=True),
            Threshold("all_reduce", 2, 1, _GIB, 44.0, 56.0, _GB300_SLICES)),
        sources=(_SIZES, _AKS_DOC, _IMAGES, _AIA, _GB300_SLICES, _VCPUS),
        # The rack's run is Azure's baseline (warn below 800, replace below 600; its size is read as 16 GiB); Oracle's
        # runs on racks of the same GPU agree.
        evidence={"roots.name": _NO_VIRTUAL_ROOT, "vf_device_id": _VF_NAME, "nic_gbps": _GB300_PAGE,
            "thresholds": _GB300_RUNS},
        unknown=_NO_TEMP,
        unverified=_WHOLE_RACKS)


def _hb(name: str, vcpus: int, infiniband: str, nvme: tuple[int, int], page: Source, nics: int = 1) -> AksMachine:
    """A CPU machine, in the catalogue for its fabric only; ``nvme`` are its disks and all their GB."""
    # HBv5 has one NIC a socket, each with half of what its generation can carry.
    gbps = 400 if infiniband == "NDR" and nics == 1 else 200
    return _size(name=name, vcpus=vcpus, nvme_disks=nvme[0], nvme_gb=nvme[1], temp_gib=480, architecture="amd64",
        nics=nics, nic_gbps=gbps, published_node_gbps=nics * gbps, infiniband=infiniband, vf_device_id=None,
        capacity=_CAPACITY, max_nodes=100,
        infiniband_feature=True, os_sku="Ubuntu",
        sources=(_SIZES, _ARI, page),
        evidence={**NO_GPU, **no_listing("nic_pci", "rdma_names", "roots", "vf_device_id")})


MACHINES = (
    _nd_v4(name="Standard_ND96asr_v4", vcpus=96, temp_gib=6000,
        gpu=Gpu("NVIDIA A100-SXM4-40GB", 40, "Ampere"),
        thresholds=(Threshold("all_reduce", 2, 8, 8 * _GIB, 149.0, 187.0, _ARI),),
        evidence=_ROOT_NAMES,
        unverified={**_TOPOLOGY_ROOTS,
            "thresholds": f"{_EIGHTY}, 8 GiB; below 180 Azure's own guide calls the fabric broken"}),
    _nd_v4(name="Standard_ND96amsr_A100_v4", vcpus=96, temp_gib=6400,
        gpu=Gpu("NVIDIA A100-SXM4-80GB", 80, "Ampere"),
        evidence={**_ROOT_NAMES, **_NO_RUN},
        unverified=_TOPOLOGY_ROOTS),
    _nd_v5_nvidia(name="Standard_ND96isr_H100_v5", vcpus=96,
        gpu=Gpu("NVIDIA H100 80GB HBM3", 80, "Hopper"),
        thresholds=(Threshold("all_reduce", 2, 8, 16 * _GIB, 125.0, 157.2, _AICR),
            Threshold("all_reduce", 8, 8, 16 * _GIB, 360.0, 450.0, _AIA)),
        sources=(_SIZES, _AKS_DOC, _IMAGES, _ARI, _AIA, _AICR, _VCPUS),
        evidence={**MODEL, **_ROOT_NAMES},
        unverified={**_TOPOLOGY_ROOTS,
            "thresholds": f"{_EIGHTY}, 16 GiB: two nodes without topology file, plugin or tuning; eight nodes tuned, "
            "with SHARP (Microsoft warns below 400, replaces below 300)"}),
    _nd_v5_nvidia(name="Standard_ND96isr_H200_v5", vcpus=96,
        gpu=Gpu("NVIDIA H200", 141, "Hopper"),
        sources=(_SIZES, _AKS_DOC, _IMAGES, _ARI, _VCPUS),
        evidence={**_ROOT_NAMES, **_NO_RUN},
        unverified={**_TOPOLOGY_ROOTS, "roots": "H100's: Azure's HPC images give both sizes one topology file"}),
    _nd_v5(name="Standard_ND96isr_MI300X_v5", vcpus=96, temp_gib=1000,
        gpu=Gpu("AMD Instinct MI300X", 192, "CDNA3"), gpu_drivers=("None",),
        sources=(_SIZES, _AKS_DOC, _MI300X_SLICES, _VCPUS),
        evidence={**_ROOT_NAMES, **no_listing("gpu_pci")},
        unknown={"driver": "ROCm; no page read gives a rule",
            "thresholds": "an average of 67.7 GB/s and a peak of 78.8 are published, without sizes and far below the "
            "wire"},
        unverified={
            "roots": "the NICs' NUMA nodes are recorded; that GPUs 0-3 are on node 0 and 4-7 on node 1 is inferred",
            "gpu.model": "the name that the driver prints is not confirmed by a log"}),
    _grace(name="Standard_ND128isr_NDR_GB200_v6", vcpus=128,
        gpu=Gpu("NVIDIA GB200", 192, "Blackwell"),
        nic_gbps=400, published_node_gbps=1600, infiniband="NDR", vf_device_id=None,
        sources=(_SIZES, _AKS_DOC, _IMAGES, _AIA, _VCPUS),
        evidence={**MODEL, **no_listing("gpu_pci", "nic_pci", "roots", "vf_device_id"), **_NO_RUN},
        unknown=_NO_TEMP,
        unverified={**dict.fromkeys(("rdma_names", "pcie_root_comparable", "nics_publish_root"),
                "GB300's; no listing of this size"),
            **_WHOLE_RACKS}),
    _gb300("Standard_ND128isr_GB300_v6"),
    _gb300("Standard_ND128isrG5_GB300_v6"),  # the same machine under the name that some of Azure's pages use
    _hb("Standard_HB120rs_v2", 120, "HDR", (1, 960), _HBV2_PAGE),
    _hb("Standard_HB120rs_v3", 120, "HDR", (2, 1920), _HBV3_PAGE),
    _hb("Standard_HB176rs_v4", 176, "NDR", (2, 3600), _HBV4_PAGE),
    _hb("Standard_HX176rs", 176, "NDR", (2, 3600), _HX_PAGE),
    _hb("Standard_HB368rs_v5", 368, "NDR", (8, 14400), _HBV5_PAGE, nics=4),
)

"""AKS machine types with InfiniBand."""

from collections.abc import Mapping
from dataclasses import field
from functools import partial

from pulumi_offline.frozen import frozen
from .evidence import GB200_PAIR, MODEL, NO_GPU, NO_RUN, NVLINK, no_listing
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


_PAGES = "github.com/MicrosoftDocs/azure-compute-docs@{} articles/virtual-machines/sizes/"
_AKS_GPUS = Source("github.com/MicrosoftDocs/azure-aks-docs@fb060ab articles/aks/use-nvidia-gpu.md", "2026-08-21")
_AKS_AMD = Source("github.com/MicrosoftDocs/azure-aks-docs@fb060ab articles/aks/use-amd-gpus.md", "2025-06-04")
_ARI = "github.com/Azure/aks-rdma-infiniband@700dabb "
_ARI_SETUP = Source(
    f"{_ARI}website/docs/configurations/02-gpu-drivers.md, tests/setup-infra/deploy-aks.sh", "2026-07-16"
)
_ARI_RUN = Source(f"{_ARI}tests/expected-output.md, 1.1", "2026-07-16", Known.MEASURED)
_NDV4_FILE = Source("github.com/Azure/azhpc-images@8e9d055f topology/ndv4-topo.xml", "2026-07-29")
_NDV5_FILE = Source("github.com/Azure/azhpc-images@8e9d055f topology/ndv5-topo.xml", "2026-07-29")
_NDV4_SETTINGS = Source(
    "github.com/Azure/azhpc-images@8e9d055f components/customizations/ndv4.sh, tests/health_checks/NDv4/test-nccl.sh; "
    "NCCL_NET_GDR_LEVEL: github.com/Azure/aks-rdma-infiniband@700dabb tests/scenarios/k8s/values.yaml",
    "2026-07-29",
)
_AIA = "github.com/Azure/ai-infrastructure-on-azure@a01b073 "
_AIA_FLOORS = Source(
    f"{_AIA}skills/slurm/sku_performance_baseline/SKILL.md, nccl_allreduce_test/SKILL.md", "2026-04-22", Known.MEASURED
)
_AIA_AKS = Source(f"{_AIA}infrastructure_references/aks/README.md, 6", "2026-04-22")
_AIA_NCCL_V5 = Source(f"{_AIA}infrastructure_validations/aks/NCCL/helm/nccl-test/values.yaml", "2026-04-22")
_AIA_NCCL_GB = Source(f"{_AIA}infrastructure_validations/slurm/NCCL/configs/graceblackwell.conf", "2026-04-22")
_AIA_NCCL_GB300 = Source(
    f"{_AIA}examples/inferenceX/aks/helm/inferencex/values-gb300-base.yaml; NCCL_IB_DATA_DIRECT: "
    "github.com/kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/gb300/mpi-job.yaml",
    "2026-08-21",
)
_H100_RUN = Source(
    "github.com/edwardsp/azcluster@cc6224b doc/full-walkthrough-slurm-v0.24.20.md, run 8", "2026-06-19", Known.MEASURED
)
_H200_RUN = Source(
    "github.com/edwardsp/azcluster@798568d CHANGELOG.md, first run of examples/aks", "2026-07-24", Known.MEASURED
)
_GB300_SLICES = Source(
    "github.com/kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/gb300", "2026-08-21", Known.MEASURED
)
_MI300X_SLICES = Source(
    "github.com/kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/mi300x", "2026-08-21", Known.MEASURED
)
# No rack of Azure has a published run of two nodes; NVIDIA's racks are the same everywhere.
_GB300_PAIR = Source(
    "github.com/oracle-quickstart/oci-gpu-quickstarts@6a0abdc nvidia/GB300/README-GB300.md (a rack of another cloud)",
    "2026-04-10",
    Known.MEASURED,
)
_MI300X_GPUS = Source("github.com/ROCm/rccl issue 1423, and of some addresses issue 1728", "2026-11-27", Known.MEASURED)
_MI300X_NAME = Source(
    "gitlab.freedesktop.org/mesa/drm data/amdgpu.ids, device 74B5; github.com/ROCm/rccl issue 1728 (rocminfo on Azure)",
    "2026-11-27",
    Known.MEASURED,
)

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
_NCCL_GB200 = {"NCCL_IGNORE_CPU_AFFINITY": "1", "NCCL_SOCKET_IFNAME": "eth0", "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
    "NCCL_IB_QPS_PER_CONNECTION": "4", "NCCL_P2P_NET_CHUNKSIZE": "2097152", "NCCL_NET_GDR_LEVEL": "PHB",
    "NCCL_NET_GDR_C2C": "1", "NCCL_DMABUF_ENABLE": "1", "NCCL_MNNVL_ENABLE": "1", "NCCL_NVLS_ENABLE": "1",
    "NCCL_SHM_DISABLE": "1", "NCCL_P2P_DISABLE": "0", "NCCL_IB_SL": "1", "NCCL_IB_DISABLE": "0"}
# A pod has the virtual function of a ConnectX-8, not the Data Direct device that NCCL would look for (DraNet's run).
_NCCL_GB300 = {**_NCCL_GB200, "NCCL_IB_DATA_DIRECT": "0"}

# For the GPUs; the NICs publish none.
_ROOT_NAMES = no_listing("roots.name")
_TOPOLOGY_ROOTS = {"roots": "the PCI domains and NUMA nodes are the topology file's; that each device has a root of "
    "its own follows from the domains",
    "rdma_names": "mlx5_0 to mlx5_7 on AKS; that their order is the PCI domains' was recorded on MI300X"}

_GB300_ROOTS = ("pci0008:00", "pci0009:00", "pci0018:00", "pci0019:00")
_WHOLE_RACKS = {"capacity": "spot is left out: racks are ordered whole; no page read says so"}
_NO_RUN = {"thresholds": NO_RUN}


def _series(page: str, commit: str, date: str) -> Source:
    """The page of a series of GPU sizes, which holds its summary and its specs by reference."""
    return Source(f"{_PAGES.format(commit)}gpu-accelerated/{page}-series.md, with includes/{page}-series-*.md", date)


def _cpu_sizes(page: str, commit: str, date: str) -> Source:
    return Source(f"{_PAGES.format(commit)}high-performance-compute/{page}.md", date)


_HX_PAGE = _cpu_sizes("hx-series", "324237f", "2025-11-24")
_HBV4_PAGE = _cpu_sizes("hbv4-series-overview", "afa7bbe", "2026-09-25")
_HBV5_PAGE = _cpu_sizes("hbv5-series-overview", "afa7bbe", "2026-09-25")
_HBV3_PAGE = Source("learn.microsoft.com/azure/virtual-machines/sizes/high-performance-compute/hbv3-series",
    "2026-11-23")
_HBV2_PAGE = Source("github.com/MicrosoftDocs/azure-docs articles/virtual-machines/hbv2-series.md", "2026-11-23")
_VF_NAME = Source(
    "kubernetes-sigs/dranet@f258477 examples/azure_aks_examples/gb300: the recorded name is 15b3:101e's in pci.ids",
    "2026-08-21", Known.MEASURED)
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
    nccl=_NCCL_V4)
_V4_EVIDENCE = {**dict.fromkeys(("gpu_pci", "nic_pci", "topology"), _NDV4_FILE), "nccl": _NDV4_SETTINGS, **_ROOT_NAMES}
_nd_v5 = partial(_nd, nvme_disks=8,
    nvme_gb=30786,  # published as 28 TiB
    nic_gbps=400, published_node_gbps=3200, infiniband="NDR", vf_device_id="101e",
    roots=_alone(_V5_NUMA))
_nd_v5_nvidia = partial(_nd_v5, temp_gib=1024,
    gpu_pci=_V5_GPUS, nvlink_domain=8, driver="580", gpu_drivers=("None", "Install"),
    topology=_NDV5,
    nccl=_NCCL_V5)
_V5_EVIDENCE = {**dict.fromkeys(("gpu_pci", "nic_pci", "topology"), _NDV5_FILE), "nccl": _AIA_NCCL_V5, **_ROOT_NAMES}
_grace = partial(_size, nvme_disks=4, nvme_gb=16000, temp_gib=0, architecture="arm64",
    gpus=4, nvlink_domain=72, driver="580", gpu_drivers=("None",),
    nics=4,
    rdma_names=_HCAS[:4],
    capacity=_CAPACITY[:2], max_nodes=18, rack_nodes=18,
    infiniband_feature=False, os_sku="Ubuntu2404")


def _gb300(name: str) -> AksMachine:
    return _grace(name=name, vcpus=128,
        gpu=Gpu("NVIDIA GB300", 288, "Blackwell"),
        gpu_pci=("0008:06:00.0", "0009:06:00.0", "0018:06:00.0", "0019:06:00.0"),
        nic_gbps=800, published_node_gbps=3200, infiniband="XDR",
        nic_pci=_NICS[:4], vf_device_id="101e",
        roots=_alone((0, 0, 1, 1), _GB300_ROOTS),
        nccl=_NCCL_GB300,
        thresholds=(Threshold("all_reduce", 2, 4, 8 * _GIB, 670.0, 838.38, _GB300_PAIR, NVLINK, nvlink=True),
            Threshold("all_reduce", 18, 4, 16 * _GIB, 749.0, 937.0, _AIA_FLOORS, NVLINK, nvlink=True),
            Threshold("all_reduce", 2, 1, 8 * _GIB, 44.0, 56.0, _GB300_SLICES)),
        sources=(_series("nd-gb300-v6", "0c72655", "2026-08-12"), _AIA_AKS, _GB300_SLICES),
        evidence={"roots.name": _NO_VIRTUAL_ROOT, "vf_device_id": _VF_NAME, "nccl": _AIA_NCCL_GB300,
            **dict.fromkeys(("gpu_pci", "nic_pci", "rdma_names"), _GB300_SLICES)},
        # Oracle's 897 and 930 on 16 nodes agree with Azure's rack (warn below 800, replace below 600). By NICs Azure
        # holds racks to about 200, and another cloud's pair shows 246 without a size: no more than half of the wire.
        unverified={**_WHOLE_RACKS, "thresholds": "over NVLink of two nodes Oracle's run, on a rack of the same GPU; "
            "of one GPU and one NIC 0.8 x the average of 512 MiB to 8 GiB"})


def _hb(name: str, vcpus: int, infiniband: str, nvme: tuple[int, int], page: Source, nics: int = 1) -> AksMachine:
    """A CPU machine, in the catalogue for its fabric only; ``nvme`` are its disks and all their GB."""
    # HBv5 has one NIC a socket, each with half of what its generation can carry.
    gbps = 400 if infiniband == "NDR" and nics == 1 else 200
    return _size(name=name, vcpus=vcpus, nvme_disks=nvme[0], nvme_gb=nvme[1], temp_gib=480, architecture="amd64",
        nics=nics, nic_gbps=gbps, published_node_gbps=nics * gbps, infiniband=infiniband, vf_device_id=None,
        capacity=_CAPACITY, max_nodes=100,
        infiniband_feature=True, os_sku="Ubuntu",
        sources=(page,),
        evidence={**NO_GPU, **no_listing("nic_pci", "rdma_names", "roots", "vf_device_id")})


MACHINES = (
    _nd_v4(name="Standard_ND96asr_v4", vcpus=96, temp_gib=6000,
        gpu=Gpu("NVIDIA A100-SXM4-40GB", 40, "Ampere"),
        thresholds=(Threshold("all_reduce", 2, 8, 8 * _GIB, 149.0, 187.22, _ARI_RUN),),
        sources=(_series("ndasra100v4", "99ed1c2", "2024-07-31"), _AKS_GPUS, _ARI_SETUP),
        # Below 180 Azure's own guide calls the fabric broken.
        evidence={**_V4_EVIDENCE, "thresholds": Source("github.com/Azure/AKS issue 3507: 186 GB/s between two of them "
            "by Slurm", "2023-03-03", Known.MEASURED)},
        unverified=_TOPOLOGY_ROOTS),
    _nd_v4(name="Standard_ND96amsr_A100_v4", vcpus=96, temp_gib=6400,
        gpu=Gpu("NVIDIA A100-SXM4-80GB", 80, "Ampere"),
        sources=(_series("ndma100v4", "05e75b1", "2024-07-31"), _AKS_GPUS, _ARI_SETUP),
        evidence={**_V4_EVIDENCE, **_NO_RUN},
        unverified=_TOPOLOGY_ROOTS),
    _nd_v5_nvidia(name="Standard_ND96isr_H100_v5", vcpus=96,
        gpu=Gpu("NVIDIA H100 80GB HBM3", 80, "Hopper"),
        thresholds=(Threshold("all_reduce", 2, 8, 16 * _GIB, 352.0, 440.21, _H100_RUN),
            Threshold("all_reduce", 8, 8, 16 * _GIB, 360.0, 450.0, _AIA_FLOORS)),
        sources=(_series("ndh100v5", "0277390", "2025-09-02"), _AKS_GPUS, _ARI_SETUP),
        evidence={**MODEL, **_V5_EVIDENCE},
        unverified={**_TOPOLOGY_ROOTS,
            "thresholds": "by Slurm on Azure's image for HPC, with SHARP, which the proof does not ask for; without it "
            "the proof's image shows 440.6 at 8 GiB between two nodes of another cloud (coreweave/nccl-tests pull "
            "request 92). 157 without topology file, plugin or tuning (NVIDIA/aicr) is no healthy run. Of eight nodes "
            "Microsoft warns below 400 and replaces below 300"}),
    _nd_v5_nvidia(name="Standard_ND96isr_H200_v5", vcpus=96,
        gpu=Gpu("NVIDIA H200", 141, "Hopper"),
        thresholds=(Threshold("all_reduce", 2, 8, 16 * _GIB, 385.0, 481.5, _H200_RUN),),
        sources=(_series("nd-h200-v5", "3b74475", "2025-09-02"), _AKS_GPUS, _ARI_SETUP),
        evidence=_V5_EVIDENCE,
        unverified={**_TOPOLOGY_ROOTS, "roots": "H100's: Azure's HPC images give both sizes one topology file",
            "thresholds": "the slowest of eight runs on AKS and by Slurm (to 486), all of one author and with SHARP, "
            "which the proof does not ask for; on AKS with NVIDIA's InfiniBand driver"}),
    _nd_v5(name="Standard_ND96isr_MI300X_v5", vcpus=96, temp_gib=1000,
        gpu=Gpu("AMD Instinct MI300X VF", 192, "CDNA3"), gpu_drivers=("None",),
        gpu_pci=tuple(f"000{domain}:00:00.0" for domain in range(2, 10)),
        sources=(_series("ndmi300xv5", "28da8f7", "2024-08-01"), _AKS_AMD, _MI300X_SLICES),
        # Images of Azure for HPC call the devices mlx5_ib0 to mlx5_ib7 (rccl issue 1423); AKS's nodes do not.
        evidence={"gpu.model": _MI300X_NAME, "gpu_pci": _MI300X_GPUS, **_ROOT_NAMES,
            **dict.fromkeys(("nic_pci", "rdma_names"), _MI300X_SLICES)},
        unknown={"driver": "AMD's; Microsoft's example on AKS installs amdgpu 30.20.1, and no page gives a rule",
            "thresholds": "between two nodes an average of 67.7 GB/s and a peak of 78.8 at 2 to 32 GiB (DraNet), a "
            "fifth of the wire and no healthy run; Microsoft's check asks 314 inside a node"},
        unverified={
            "roots": "the NICs' NUMA nodes are recorded; that GPUs 0-3 are on node 0 and 4-7 on node 1 is inferred"}),
    _grace(name="Standard_ND128isr_NDR_GB200_v6", vcpus=128,
        gpu=Gpu("NVIDIA GB200", 192, "Blackwell"),
        nic_gbps=400, published_node_gbps=1600, infiniband="NDR", vf_device_id=None,
        nccl=_NCCL_GB200,
        thresholds=(Threshold("all_reduce", 2, 4, 4 * _GIB, 684.0, 855.95, GB200_PAIR, NVLINK, nvlink=True),),
        sources=(_series("nd-gb200-v6", "2bc777f", "2025-03-20"), _AIA_AKS),
        evidence={**MODEL, "nccl": _AIA_NCCL_GB, **no_listing("gpu_pci", "nic_pci", "roots", "vf_device_id")},
        unverified={**dict.fromkeys(("rdma_names", "pcie_root_comparable", "nics_publish_root"),
                "GB300's; no listing of this size"),
            "thresholds": "over NVLink Oracle's run, on a rack of the same GPU; NVIDIA asks 500 of such a pair "
            "(aicr gb200-oke-training)",
            **_WHOLE_RACKS}),
    _gb300("Standard_ND128isr_GB300_v6"),
    _gb300("Standard_ND128isrG5_GB300_v6"),  # the same machine under the name that some of Azure's pages use
    _hb("Standard_HB120rs_v2", 120, "HDR", (1, 960), _HBV2_PAGE),
    _hb("Standard_HB120rs_v3", 120, "HDR", (2, 1920), _HBV3_PAGE),
    _hb("Standard_HB176rs_v4", 176, "NDR", (2, 3600), _HBV4_PAGE),
    _hb("Standard_HX176rs", 176, "NDR", (2, 3600), _HX_PAGE),
    _hb("Standard_HB368rs_v5", 368, "NDR", (8, 14400), _HBV5_PAGE, nics=4),
)

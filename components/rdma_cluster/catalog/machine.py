"""What one machine type is: its GPUs, NICs, PCIe roots, and how far to trust each figure.

Plain frozen records. A value that was not found is ``None`` and its reason stands in ``unknown`` under the field's
name; a value that is inferred, disputed, or that one weak source gives, is named in ``unverified``. Both are open
points. What settled a point stands in ``evidence``, also the finding that nobody has published the figure.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from pulumi_offline.frozen import frozen
from pulumi_offline.source import Known as Known, Source as Source

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
"""The node label that most clouds put a machine type's name into."""


class Transport(str, Enum):
    """How NCCL moves bytes between nodes; each leaves its own proof string in the log."""

    GIB = "gIB"
    """RoCE through Google's gIB plugin."""
    TCPX = "GPUDirect-TCPX"
    TCPXO = "GPUDirect-TCPXO"
    EFA = "EFA"
    """Elastic Fabric Adapter through libfabric and aws-ofi-nccl."""
    INFINIBAND = "InfiniBand"
    ROCE = "RoCE"
    """RoCE through NCCL's own IB transport."""
    FALCON = "Falcon"
    """Google's RDMA transport on CPU machines; MPI, no NCCL."""


class NicKind(str, Enum):
    """What a rail NIC looks like to the node, which decides what a NIC driver publishes for it."""

    NETDEV_RDMA = "netdev+rdma"
    """An interface name and an RDMA device (ConnectX RoCE)."""
    RDMA_ONLY = "rdma"
    """An RDMA device without a network interface (EFA-only, InfiniBand without IPoIB)."""
    NETDEV = "netdev"
    """A plain interface; RDMA is emulated above it (gVNIC with TCPX or TCPXO)."""


class Capacity(str, Enum):
    """Ways to obtain nodes of a machine type."""

    ON_DEMAND = "on-demand"
    SPOT = "spot"
    RESERVATION = "reservation"
    CAPACITY_BLOCK = "capacity-block"
    FLEX_START = "flex-start"
    QUEUED = "queued"
    CALENDAR = "calendar"
    CAPACITY_TOPOLOGY = "capacity-topology"


DATA_DIRECT = Source(
    "docs.nvidia.com/networking/display/kubernetes2670/dra-sriov-driver/dra-sriov-driver.html, limitations; "
    "Mellanox/network-operator-docs@0c0ecad",
    "2026-11-23",
)
"""On GB300 NVL72, Vera Rubin NVL72 and HGX Rubin NVL8 a GPU shares its PCIe root with the Data Direct sub-interface of
a ConnectX-8 or later, and not with the NIC itself, whose root is what drivers publish. HGX B300 is not named there."""


@frozen
class Gpu:
    """One GPU of the machine; all of a machine's GPUs are alike."""

    model: str
    """As ``nvidia-smi`` and nccl-tests print it, e.g. ``NVIDIA B200``."""
    memory_gib: int | None
    """Memory of one GPU as the provider publishes it, in GiB."""
    arch: str
    """Architecture as the DRA driver publishes it, e.g. ``Blackwell``."""


@frozen
class PcieRoot:
    """A PCIe root complex as the guest sees it, with the devices behind it."""

    name: str | None
    """``pciDDDD:BB`` as the drivers publish ``resource.kubernetes.io/pcieRoot``; ``None`` when nobody published it."""
    numa: int | None
    gpus: tuple[int, ...]
    """Indices into the machine's GPUs."""
    nics: tuple[int, ...]
    """Indices into the machine's NICs, i.e. rails."""


@frozen
class Threshold:
    """The least bus bandwidth that a healthy run of nccl-tests reaches.

    It applies to the out-of-place column of rows of ``size_bytes`` and above.
    """

    collective: str
    """nccl-tests' name: ``all_reduce``, ``all_gather``, ..."""
    nodes: int
    gpus_per_node: int
    size_bytes: int
    busbw_gbytes: float
    """The threshold, in GB/s."""
    published_gbytes: float | None
    """The published figure it is derived from, in GB/s."""
    source: Source
    above_wire: str = ""
    """Why a threshold above the NICs' line rate is right, where it is (NVLS and trees reduce inside the node)."""
    nvlink: bool = False
    """Whether the bytes went from node to node over NVLink (MNNVL), and not by the NICs."""


@frozen
class Bridge:
    """One made-up switch of an NCCL topology file: the GPUs and NICs that NCCL takes for neighbours."""

    numa: int
    gpus: tuple[int, ...]
    nics: tuple[int, ...]


@frozen
class TopologyFile:
    """What an NCCL topology file for a machine must say, where the hypervisor hides which NIC is near which GPU."""

    name: str
    cpu_vendor: str
    cpu_family: int
    cpu_model: int
    cores_per_numa: int
    link_speed: str
    bridges: tuple[Bridge, ...]
    """In bus order: the first is ``ffff:ff:01.0``."""


@frozen(kw_only=True)
class Machine:
    """A machine type with an RDMA or GPUDirect fabric."""

    cloud: str
    """The Kubernetes service that it belongs to, by its name in ``catalog.clouds``, e.g. ``gke``."""
    name: str
    """The provider's own name, e.g. ``a4-highgpu-8g``; where that is several words, they are joined by dots."""
    architecture: str
    """``amd64`` or ``arm64``, as in ``kubernetes.io/arch``."""
    vcpus: int | None
    """What a node's kubelet counts as ``cpu``."""
    transport: Transport

    gpu: Gpu | None = None
    """``None`` for a CPU machine."""
    gpus: int = 0
    gpu_pci: tuple[str, ...] | None = None
    """PCI address of each GPU, ``DDDD:BB:DD.F``, in index order."""
    nvlink_domain: int = 0
    """GPUs that one NVLink fabric joins: the machine's own, 72 in a rack of GB200 or GB300, 0 where there is none."""

    nics: int
    """RDMA (or GPUDirect) NICs: the rails."""
    nic_gbps: int | None
    """Line rate of one NIC, Gb/s."""
    published_node_gbps: int | None = None
    """What the provider states for the whole node (a sum, or "8x400"), Gb/s: read apart from ``nics`` and ``nic_gbps``,
    so that a slip in either shows."""
    frontend_gbps: int = 0
    """The part of ``published_node_gbps`` that belongs to NICs which are not rails."""
    nic_kind: NicKind
    nic_names: tuple[str, ...] | None = None
    """Interface names in rail order, e.g. ``gpu0rdma0``."""
    rdma_names: tuple[str, ...] | None = None
    """RDMA device names in rail order, e.g. ``mlx5_0``."""
    nic_pci: tuple[str, ...] | None = None
    """PCI address of each NIC in rail order."""

    roots: tuple[PcieRoot, ...] | None = None
    """The PCIe roots, in bus order."""
    pcie_root_comparable: bool
    """Whether both drivers publish ``pcieRoot`` and a GPU can share one with a NIC. Never by ``DATA_DIRECT``."""
    nics_publish_root: bool = True
    """Whether the NIC driver publishes ``pcieRoot`` for the rails; never for Azure's virtual functions."""

    rdma_front_end: bool = False
    """Whether NICs that are no rails show as RDMA devices too, so that ``rdma`` alone does not tell a rail."""

    capacity: tuple[Capacity, ...]
    min_kubernetes: Mapping[str, str] = field(default_factory=dict)
    """Least version per purpose, in the provider's form: ``{"gpudirect": "1.32.2-gke.1475000"}``."""
    driver: str | None = None
    """The rule for the GPU driver: a least version (``>=570``), the branch that the provider's image brings (``580``),
    or GKE's literal (``DEFAULT``) where Google's own blueprints take the choice of the node's version."""
    thresholds: tuple[Threshold, ...] = ()
    sources: tuple[Source, ...]
    evidence: Mapping[str, Source] = field(default_factory=dict)
    """What settles a field by itself: a measurement, a document beside ``sources``, or a search that found nothing."""
    unknown: Mapping[str, str] = field(default_factory=dict)
    """Reason for every field that is ``None`` or empty because its value was not found."""
    unverified: Mapping[str, str] = field(default_factory=dict)
    """Reason why a field's value is not certain: inferred, disputed, or from one source only."""

    @property
    def is_rack(self) -> bool:
        """Whether NVLink joins several nodes, which takes IMEX channels."""
        return self.nvlink_domain > self.gpus

    @property
    def reaches_gpu_memory(self) -> bool | None:
        """Whether NCCL over its fabric reaches the GPU's memory directly (GPUDirect RDMA); ``None``: nobody says."""
        return True

    @property
    def plugged_alone(self) -> bool:
        """Whether nothing but a device plugin can hand out its GPUs."""
        return False

    @property
    def neighbours(self) -> tuple[tuple[int, int], ...]:
        """GPU and NIC of each pair that the provider calls near, in rail order, where no shared root shows it."""
        return ()

    @property
    def mtu_bytes(self) -> int | None:
        """MTU that a rail's interface has on a node; ``None`` where it has none, or nobody published it."""
        return None

    @property
    def node_labels(self) -> Mapping[str, str]:
        """The labels by which a cluster's nodes show that they are this machine."""
        return {INSTANCE_TYPE: self.name}

    @property
    def fabric_is_built(self) -> bool:
        """Whether this library builds the fabrics of its transport on its cloud."""
        return True

    @property
    def nccl_settings(self) -> Mapping[str, str]:
        """NCCL's settings that the provider gives for the machine and that nothing on its nodes provides."""
        return {}

    @property
    def nccl_topology(self) -> TopologyFile | None:
        """The topology file that NCCL needs here; ``None`` where it finds its own way."""
        return None

    def root_of_gpu(self, index: int) -> int | None:
        """Which of ``roots`` GPU ``index`` is on; ``None`` when the layout is unknown."""
        return next((r for r, root in enumerate(self.roots or ()) if index in root.gpus), None)

    def root_of_nic(self, index: int) -> int | None:
        """Which of ``roots`` rail ``index`` is on; ``None`` when the layout is unknown."""
        return next((r for r, root in enumerate(self.roots or ()) if index in root.nics), None)

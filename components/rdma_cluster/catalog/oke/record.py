"""What OKE adds to a machine type: bare-metal NICs by device name, their virtual functions, and images."""

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any

from pulumi_offline.frozen import frozen
from ..evidence import DRA_DRIVER, no_listing
from ..machine import Capacity, Known, Machine, NicKind, Source, Transport


class PoolMode(str, Enum):
    """Ways to obtain nodes on one RDMA fabric."""

    CLUSTER_NETWORK = "cluster-network"
    """Self-managed nodes of one instance pool."""
    COMPUTE_CLUSTER = "compute-cluster"
    """A managed node pool, or single instances, in a compute cluster."""
    GPU_MEMORY_CLUSTER = "gpu-memory-cluster"
    """Hosts of one NVLink rack, in a compute cluster."""


@frozen(kw_only=True)
class OkeMachine(Machine):
    """What OKE adds to a machine type. ``rdma_names`` in rail order is the list for ``NCCL_IB_HCA``, exact names."""

    cloud: str = "oke"
    nic_model: str
    """e.g. ``ConnectX-7``."""
    frontend_hcas: tuple[str, ...]
    """RDMA devices of the VCN's NICs. Some shapes have more devices that are no rails: take ``rdma_names``, never all
    devices less these."""
    rdma_front_end: bool = True
    """The VCN's own ports, ``frontend_hcas``."""
    rdma_mtu_bytes: int | None
    """MTU that Oracle's agent sets on the rails."""
    vfs: int | None
    """Virtual functions a node can advertise, one a rail; ``None`` where Oracle publishes no SR-IOV policy."""
    vf_policy_current: bool = False
    """Whether the policy is part of Oracle's stack today, rather than of its unmerged ``vf`` branch."""
    pool_modes: tuple[PoolMode, ...] = (PoolMode.COMPUTE_CLUSTER, PoolMode.CLUSTER_NETWORK)
    """The first is the default."""
    max_nodes: int | None = None
    """Hosts of one GPU memory fabric; ``None`` where only the fabric's size bounds a pool."""
    image_listed: bool
    """Whether Oracle's current image list names the shape."""
    cuda: str | None = None
    """Least CUDA version that Oracle states for the GPU; ``None`` where it states none."""
    kernel_page_kib: int = 4
    """Memory page of the image's kernel; the Grace shapes need 64, where nvidia-peermem fails and DMA-BUF serves."""
    nccl: Mapping[str, str] = field(default_factory=dict)
    """Oracle's NCCL or RCCL settings without the HCA list; empty where none are published."""

    @property
    def mtu_bytes(self) -> int | None:
        """What Oracle's agent sets."""
        return self.rdma_mtu_bytes

    @property
    def fabric_is_built(self) -> bool:
        """RoCE is; the InfiniBand of some racks is not yet."""
        return self.transport is Transport.ROCE

    @property
    def nccl_settings(self) -> Mapping[str, str]:
        """Oracle's for the shape."""
        return self.nccl


# fmt: off
STACK = Source("github.com/oracle-quickstart/oci-hpc-oke@61d210a SR-IOV policies, images, NCCL parameters",
    "2026-08-20")
# Oracle's agent lists GPU and NIC addresses, interfaces and devices per shape.
SHAPES = Source("github.com/oracle-quickstart/oci-hpc-oke branch vf, .../shapes.json 20251203-0.5.91", "2026-06-28")
TOPOLOGY = Source("github.com/oracle-quickstart/oci-hpc-oke branch vf, manifests/topology/*.xml", "2026-06-28")
SLURM = Source("github.com/oracle-quickstart/oci-hpc@b5285a6 health checks (ib_write_bw and NCCL gates)", "2026-05-19")
SLURM_RUNS = Source("oci-hpc-oke@61d210a docs/running-nccl-rccl-tests-from-slurm-operator.md", "2026-08-20")
PARAMETERS = Source("oci-hpc-oke@61d210a docs/recommended-nccl-rccl-parameters-by-shape.md", "2026-08-20")
# The list of images of 2025, and the thresholds that its page states.
BLUEPRINTS = Source(
    "github.com/oracle-quickstart/oci-ai-blueprints@1807459 docs/sample_blueprints, using RDMA enabled node pools",
    "2026-02-10")

# OCPUs (two threads each on x86, one on Grace), GPU memory and RDMA rates. The copy is older than B300.8.
SHAPE_PAGE = Source("docs.oracle.com/en-us/iaas/Content/Compute/References/computeshapes.htm (a public copy)",
    "2026-11-23")
# CPUs, memory, rates, runs of nccl-tests, one page a GPU.
QUICKSTARTS = Source("github.com/oracle-quickstart/oci-gpu-quickstarts@6a0abdc nvidia/, amd/", "2026-04-10")
RUNS = Source(QUICKSTARTS.ref, QUICKSTARTS.seen, Known.MEASURED)
# A gate of Oracle's: the average over 1 to 16 GiB between two nodes.
GATES = Source(
    "github.com/oracle-quickstart/oci-hpc@b5285a6 playbooks/roles/healthchecks/files/multi_node_active_healthcheck.py",
    "2026-05-19")
# Oracle's newer check, which on racks runs without MNNVL as well; of no release that could be read, and undated.
GATES_NOW = Source("github.com/oracle-quickstart/oci-hpc playbooks/roles/healthchecks/files/"
    "multi_node_active_healthcheck.py, the version with mnnvl_disabled_threshold", "2026-11-28")
PLANES_B300 = Source("github.com/oracle-quickstart/oci-hpc@6f7b014 playbooks/roles/healthchecks/files/B300MP.xml, "
    "NCCL's own dump", "2026-11-28", Known.MEASURED)
MULTI_PLANE = ("this is the fabric of one plane; nodes whose label rdma.planes says more have functions rdma_vf_rail0 "
    "and on, alone routable, of 800 Gb/s, with NCCL's plugin spcx and traffic class 96 (oci-hpc@6f7b014)")
NO_PAGE = dict.fromkeys(("published_node_gbps", "vcpus"),
    "neither Oracle's shape page, as far as it could be read, nor a guide names it")
NO_POLICY = {"vfs": "no SR-IOV policy names the shape"}
NOT_LISTED = "Oracle's agent list does not name the shape"
NO_LISTING = dict.fromkeys(("gpu_pci", "nic_pci", "nic_names", "roots"), NOT_LISTED)
CURRENT_DRIVER = {"driver": "what the current image brings; no minimum version is stated"}
ROOT_NAMES = no_listing("roots.name")
SLICED_GB200 = Source("github.com/kubernetes-sigs/dranet@f258477 .../BM.GPU.GB200-v3.4 (ResourceSlice: 189471 MiB)",
    "2026-08-21", Known.MEASURED)
OTHERS_MEMORY = Source(
    "the GPU's own, as EC2 publishes it: github.com/aws/karpenter-provider-aws@1d927085d .../instance-types.md",
    "2026-08-21")

# Of every RoCE shape with NVIDIA GPUs. The HCA list is the row's rdma_names.
ROCE = {"NCCL_DEBUG": "WARN", "NCCL_IB_SPLIT_DATA_ON_QPS": "0", "NCCL_IB_GID_INDEX": "3", "NCCL_IB_TC": "41",
    "NCCL_IB_SL": "0", "NCCL_IB_TIMEOUT": "22"}


def pci(*buses: str, functions: int = 1) -> tuple[str, ...]:
    """Addresses of the devices at slot 0 of PCI domain 0000's buses, every function of one before the next."""
    return tuple(f"0000:{bus}:00.{function}" for bus in buses for function in range(functions))


def mlx5(*numbers: int) -> tuple[str, ...]:
    """Device names ``mlx5_N``."""
    return tuple(f"mlx5_{number}" for number in numbers)


GIB = 1 << 30


def shape(*, evidence: Mapping[str, Source] | None = None, **row: Any) -> OkeMachine:
    """A row with the values that all shapes share; racks override the way to obtain nodes."""
    shared: dict[str, Any] = {"nic_kind": NicKind.NETDEV_RDMA, "capacity": (Capacity.ON_DEMAND, Capacity.RESERVATION)}
    settled = {"min_kubernetes": DRA_DRIVER, **(evidence or {})}
    return OkeMachine(min_kubernetes={"dra": "1.34.2"}, evidence=settled, **{**shared, **row})

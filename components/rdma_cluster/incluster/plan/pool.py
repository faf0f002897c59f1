"""Pools of GPU nodes: as args of a component name them, and as every plan inside the cluster reads them."""

from typing import NotRequired

from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Choice, args_schema
from ...catalog.machine import Machine
from ...fabrics import Fabric, GpuAllocation


@args_schema
class NodeSet(TypedDict):
    """Nodes of some pools, named by the label that their cloud gives them."""

    label: str
    """Node label. Example: ``cloud.google.com/gke-nodepool``."""
    values: list[str]
    """Values of that label, one a pool. Example: ``["a4"]``."""
    nodes: int
    """How many nodes these pools hold at the most; time-outs follow from it."""


@args_schema
class InClusterPool(TypedDict):
    """A GPU pool of a cluster."""

    name: str
    """The pool's name, the value of its node label."""
    machine: str
    """Machine type. Example: ``p5.48xlarge``."""
    nodes: NotRequired[int]
    """Nodes of the pool, at the most. Only ``FabricInjection`` does without."""
    fabric: NotRequired[str]
    """The way in which pods get its NICs. Example: ``gib``. Default: the machine's usual one."""
    gpu_allocation: NotRequired[Choice[GpuAllocation]]
    """Who hands out the pool's GPUs. Default: as is usual with the fabric."""
    disk_gb: NotRequired[int]
    """Disk of a node that images and pods share, GB; a served model is checked against it. Default: not known."""
    skip_reason: NotRequired[str]
    """A reason why `up` cannot test this pool."""
    fingerprint: NotRequired[str]
    """Text that changes when the pool gets other nodes; the acceptance test then runs again."""
    channels: NotRequired[bool]
    """Whether a ComputeDomain gives its pods IMEX channels: the acceptance test then also tests NVLink between nodes,
    where a run of two nodes over it is published. Default: false."""


@args_schema
class PoolsAndTaint(TypedDict):
    """GPU pools of a cluster, and by what their nodes are known."""

    pools: list[InClusterPool]
    """The GPU pools of a cluster."""
    pool_label: str
    """Node label that holds a pool's name. Example: ``cloud.google.com/gke-nodepool``."""
    taint: dict[str, str]
    """Key and value of the GPU taint: ``{"key": ..., "value": ...}``."""


@args_schema
class NodePools(PoolsAndTaint):
    """The GPU pools of a cluster. Every component in it takes these keys, and reads those that it needs."""

    host: str
    """Operating system of the nodes: ``cos``, ``al2023``, ``ubuntu-aks``, ``ubuntu-operator`` or ``ubuntu-oke``."""


@args_schema
class FromPools(TypedDict):
    """``NodePools`` in a component whose other keys follow from pools; the host is one of its own."""

    pools: NotRequired[list[InClusterPool]]
    """The GPU pools of the cluster. What else is said of nodes and machines follows from them. Default: none."""
    pool_label: NotRequired[str]
    """Node label that holds a pool's name; needed with ``pools``. Example: ``cloud.google.com/gke-nodepool``."""
    taint: NotRequired[dict[str, str]]
    """Key and value of the GPU taint: ``{"key": ..., "value": ...}``. Nothing here follows from it."""


@args_schema
class FromNodePools(FromPools):
    """``NodePools`` in a component whose other keys follow from pools."""

    host: NotRequired[str]
    """Operating system of the nodes. Nothing here follows from it."""


@args_schema
class ClusterFacts(TypedDict):
    """What a component used alone must know of its cluster besides."""

    other_taints: NotRequired[dict[str, str]]
    """Values by key of taints that some of the nodes have besides. Default: none."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold what is fetched, by prefix of its reference: ``{"registry.k8s.io": "mirror.example/k8s"}``."""
    version: NotRequired[str]
    """Kubernetes version of the cluster. Default: ``1.35``."""


@args_schema
class TaintedPools(PoolsAndTaint, ClusterFacts):
    """``NodePools`` in a component that does not need the host."""

    host: NotRequired[str]
    """Operating system of the nodes. Nothing here follows from it."""


@frozen
class ProvisioningClass:
    """How a job asks an autoscaler for all its nodes at once."""

    name: str
    """Of its ProvisioningRequests."""
    node_label: str
    """The label by which the nodes of one request are known."""
    detail: str
    """The detail of a request that has the label's value."""


@frozen
class GpuPool:
    """A pool of GPU nodes, with its machine and its fabric."""

    name: str
    machine: Machine
    nodes: int
    """At the most; 0 where nobody counts them."""
    fabric: Fabric
    allocation: GpuAllocation
    skip_reason: str = ""
    """Why `up` cannot test it, where it cannot."""
    fingerprint: str = ""
    """Text that changes when the pool gets other nodes."""
    levels: tuple[str, ...] = ()
    """Node labels in which its cloud writes a node's place in the network, the widest first."""
    comes_later: bool = False
    """Whether it may get its first node after `up`, which is why that cannot test it."""
    scales_from_zero: bool = False
    """Whether it has no nodes until a pod asks for them."""
    provisioning: ProvisioningClass | None = None
    """By which alone it gets nodes; ``None`` where it asks nobody."""
    disk_gb: int | None = None
    """Disk of a node that images and pods share, GB; ``None`` where it is not known."""
    channels: bool = False
    """Whether a ComputeDomain gives its pods IMEX channels."""
    racks: int = 1
    """NVLink racks that its nodes are in; 0 where nobody knows, so that NVLink between them is not tested."""

"""The user's options for queues, and the args of ``Queues``."""

from typing import NotRequired

from typing_extensions import TypedDict

from ....args import Hidden, args_schema
from ...plan.pool import InClusterPool
from .dispatch_args import QueueDispatch, QueueWorker


@args_schema
class QueueSettings(TypedDict):
    """How jobs wait."""

    topology: NotRequired[dict[str, list[str]]]
    """Labels of a pool's nodes that tell where in the network they are, the widest first, by pool; ``[]`` is nothing
    but which host. Default: the cloud's own, where the pool's nodes are known to have them. Example:
    ``{"h100": ["oci.oraclecloud.com/rdma.network_block_id", "oci.oraclecloud.com/rdma.local_block_id"]}``."""
    priorities: NotRequired[dict[str, int]]
    """PriorityClasses that a job's pods may name; a job that names none has 0. Default:
    ``{"low": -100, "high": 100}``."""
    preemption: NotRequired[bool]
    """Whether a job may stop running ones of lower priority. Default: false, it only starts before those that wait."""
    ready_minutes: NotRequired[int]
    """Minutes until all pods of an admitted job must run, pull of images included; then it goes back into its queue.
    Default: 30."""
    worker: NotRequired[QueueWorker]
    """Take jobs that a manager cluster sends. Default: none."""
    dispatch: NotRequired[QueueDispatch]
    """Send jobs of further queues to other clusters. Default: none."""


@args_schema
class QueueOptions(QueueSettings):
    """Whether jobs wait in queues that know GPUs, NICs and the network."""

    enabled: bool
    """Install Kueue and JobSet, and make a queue of every pool."""


@args_schema
class QueuesArgs(QueueSettings):
    """The pools of a cluster, and who may queue."""

    pools: list[InClusterPool]
    """The GPU pools; ``[]`` on a cluster that only sends jobs to others."""
    pool_label: NotRequired[str]
    """Node label that holds a pool's name, needed where there are pools. Example: ``eks.amazonaws.com/nodegroup``."""
    kubeconfig: NotRequired[Hidden]
    """A kubeconfig of this cluster, as JSON, whose address the output ``dispatch`` tells; needed with ``worker``."""
    taint: NotRequired[dict[str, str]]
    """Key and value of the GPU taint, ``{"key": ..., "value": ...}``. Default: none."""
    other_taints: NotRequired[dict[str, str]]
    """Values by key of taints that some of the nodes have besides. Default: none."""
    namespaces: NotRequired[list[str]]
    """Namespaces whose jobs may queue. Default: ``["default"]``."""
    create_namespaces: NotRequired[bool]
    """Make the namespaces, those of Kubernetes itself aside. Default: false."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold charts and images, by prefix of their references. Default: nowhere."""

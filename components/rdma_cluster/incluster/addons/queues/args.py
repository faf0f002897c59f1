"""The user's options for queues and for jobs that go to other clusters, and the args of ``Queues``."""

from enum import Enum
from typing import NotRequired

from typing_extensions import TypedDict
from ....base.args import Choice, Hidden, args_schema
from ...plan.pool import InClusterPool


class DispatchKind(str, Enum):
    """A kind of job whose controller leaves those alone that another cluster runs (``spec.managedBy``)."""

    JOB = "job"
    """``batch/v1``."""
    JOBSET = "jobset"
    """``jobset.x-k8s.io``."""
    MPIJOB = "mpijob"
    """``kubeflow.org/v2beta1``; both clusters need the MPI operator's kind."""
    TRAINJOB = "trainjob"
    """``trainer.kubeflow.org``; both clusters need Kubeflow Trainer's kinds."""


GROUPS = {
    DispatchKind.JOB: "batch",
    DispatchKind.JOBSET: "jobset.x-k8s.io",
    DispatchKind.MPIJOB: "kubeflow.org",
    DispatchKind.TRAINJOB: "trainer.kubeflow.org",
}
"""API group of the kind; its resource is the kind with an ``s``."""
DEFAULT_KINDS = (DispatchKind.JOB, DispatchKind.JOBSET)
"""Those that every cluster with our queues has. Kueue calls a cluster lost that lacks one of its manager's kinds
(kueue@v0.19.2 pkg/controller/admissionchecks/multikueue/multikueuecluster.go, updateConfigAndRefreshWatchers)."""


def framework_of(kind: DispatchKind) -> str:
    """As Kueue's configuration names it."""
    return f"{GROUPS[kind]}/{kind.value}"


@args_schema
class QueueWorker(TypedDict):
    """Which queues of this cluster take jobs that a manager sends."""

    queues: dict[str, str]
    """Pools by the name of a queue that manager and workers share. Example: ``{"train": "p5"}``."""
    kinds: NotRequired[list[Choice[DispatchKind]]]
    """Kinds of jobs that the manager may make here: at least those of its own ``kinds``. Default: job and jobset."""


@args_schema
class DispatchCluster(TypedDict):
    """A cluster to which jobs go."""

    name: str
    """Its name here. Example: ``google``."""
    stack: NotRequired[str]
    """The stack that made it, and has an output ``dispatch``. Example: ``acme/training/google``."""
    dispatch: NotRequired[Hidden]
    """Its output ``dispatch``, in the place of ``stack``: a kubeconfig and GPUs by shared queue, as JSON. Keep it
    encrypted. Example: ``{"kubeconfig": "...", "gpus": {"train": 32}}``."""


@args_schema
class QueueDispatch(TypedDict):
    """Queues whose jobs run on other clusters."""

    manager: str
    """Name of this cluster among all that send jobs to the same ones: what bears it there and is not known here is
    deleted there. Example: ``acme-research``."""
    clusters: list[DispatchCluster]
    """Where jobs go."""
    queues: dict[str, list[str]]
    """Names of clusters by shared queue. A job of the queue runs on the first that admits it. Example:
    ``{"train": ["google", "amazon"]}``."""
    kinds: NotRequired[list[Choice[DispatchKind]]]
    """Kinds of jobs that are sent. Each of ``clusters`` must have all of them. Default: job and jobset."""
    lost_minutes: NotRequired[int]
    """Minutes without an answer from a cluster until its jobs are started elsewhere, though they may still run there.
    Default: 15."""


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
    host: NotRequired[str]
    """Operating system of the nodes. Nothing here follows from it."""
    other_taints: NotRequired[dict[str, str]]
    """Values by key of taints that some of the nodes have besides. Default: none."""
    namespaces: NotRequired[list[str]]
    """Namespaces whose jobs may queue. Default: ``["default"]``."""
    create_namespaces: NotRequired[bool]
    """Make the namespaces, those of Kubernetes itself aside. Default: false."""
    registries: NotRequired[dict[str, str]]
    """Where mirrors hold charts and images, by prefix of their references. Default: nowhere."""

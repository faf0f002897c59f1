"""What a user says of jobs that go from one cluster's queues to those of others."""

from typing import NotRequired

from typing_extensions import TypedDict

from ....args import Choice, Hidden, args_schema
from .dispatch_kinds import DispatchKind


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

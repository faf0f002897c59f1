"""The kinds of jobs that a manager sends to other clusters, as Kueue and an API server name them."""

from enum import Enum


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
"""Of the API server; its resource is the kind with an ``s``."""
DEFAULT_KINDS = (DispatchKind.JOB, DispatchKind.JOBSET)
"""Those that every cluster with our queues has. Kueue calls a cluster lost that lacks one of its manager's kinds
(kueue@v0.19.2 pkg/controller/admissionchecks/multikueue/multikueuecluster.go, updateConfigAndRefreshWatchers)."""


def framework_of(kind: DispatchKind) -> str:
    """As Kueue's configuration names it."""
    return f"{GROUPS[kind]}/{kind.value}"

"""The kinds of jobs that a manager sends to other clusters, as Kueue and an API server name them."""

from enum import Enum

from ....frozen import frozen


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


@frozen
class DispatchedResource:
    """What a kind is called."""

    framework: str
    """In Kueue's configuration."""
    group: str
    """In the API server's rules."""
    plural: str


RESOURCES = {
    DispatchKind.JOB: DispatchedResource("batch/job", "batch", "jobs"),
    DispatchKind.JOBSET: DispatchedResource("jobset.x-k8s.io/jobset", "jobset.x-k8s.io", "jobsets"),
    DispatchKind.MPIJOB: DispatchedResource("kubeflow.org/mpijob", "kubeflow.org", "mpijobs"),
    DispatchKind.TRAINJOB: DispatchedResource("trainer.kubeflow.org/trainjob", "trainer.kubeflow.org", "trainjobs"),
}
DEFAULT_KINDS = (DispatchKind.JOB, DispatchKind.JOBSET)
"""Those that every cluster with our queues has. Kueue calls a cluster lost that lacks one of its manager's kinds
(kueue@v0.19.2 pkg/controller/admissionchecks/multikueue/multikueuecluster.go, updateConfigAndRefreshWatchers)."""

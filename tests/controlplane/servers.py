"""A control plane on 127.0.0.1: etcd, API server, controller-manager and scheduler, with no kubelet and no node."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from rdma_cluster.rehearsal.controlplane.controllers import whole_control_plane
from rdma_cluster.rehearsal.controlplane.servers import Programs

from . import build


@contextmanager
def control_plane(folder: Path) -> Generator[Path]:
    """Run the four servers that we build, with all that is theirs in `folder`; gives the admin's kubeconfig."""
    with whole_control_plane(folder, Programs(build.etcd(), build.kubernetes() / "kube-apiserver")) as kubeconfig:
        yield kubeconfig

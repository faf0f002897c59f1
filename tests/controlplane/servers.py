"""A control plane on 127.0.0.1: etcd, API server, controller-manager and scheduler, with no kubelet and no node."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from rdma_rehearsal.controlplane.servers import CONTROLLERS, Programs, whole_control_plane
from . import build

DEVICE_TAINTS = "--feature-gates=DRADeviceTaintRules=true"
"""Off by default in 1.36, where the API that it needs is off as well; general in 1.37."""


@contextmanager
def control_plane(folder: Path, device_taints: bool = False) -> Generator[Path]:
    """Run the four servers that we build, with all that is theirs in `folder`; gives the admin's kubeconfig.

    With `device_taints` single devices can be tainted, and who holds one is evicted.
    """
    programs = Programs(build.etcd(), build.kubernetes() / "kube-apiserver")
    taints = (
        (*CONTROLLERS, "device-taint-eviction-controller"),
        (DEVICE_TAINTS,),
        ("--runtime-config=resource.k8s.io/v1beta2=true",),
    )
    with whole_control_plane(folder, programs, *(taints if device_taints else ())) as kubeconfig:
        yield kubeconfig

"""Node operating systems: where the GPU driver and NCCL plugins live on the host, and who installs the driver."""

from dataclasses import dataclass

from .machine import Source
from .releases import COS_DRIVER_INSTALLER, Image


@dataclass(frozen=True)
class HostOs:
    """What the in-cluster drivers must know of a node image."""

    name: str
    driver_root: str
    """``nvidiaDriverRoot`` of the GPU DRA driver: the folder that holds the driver's ``bin`` and ``lib64``."""
    driver_installer: Image | None
    """Image that installs the kernel driver; ``None`` where the node image brings it."""
    critical_pods_need_quota: bool
    """Whether priority class system-node-critical is refused outside kube-system without a ResourceQuota."""
    cloud_provider_hint: str
    """DraNet's ``args.cloudProviderHint``."""
    source: Source


COS = HostOs(
    name="cos",
    driver_root="/home/kubernetes/bin/nvidia",
    driver_installer=COS_DRIVER_INSTALLER,
    critical_pods_need_quota=True,
    cloud_provider_hint="GCE",
    source=Source(
        "docs.cloud.google.com/kubernetes-engine/docs/how-to/set-up-dra; cluster-toolkit v1.95 examples/gke-a4x",
        "2026-06-25",
    ),
)

AL2023 = HostOs(
    name="al2023",
    driver_root="/",
    driver_installer=None,
    critical_pods_need_quota=False,
    cloud_provider_hint="AWS",
    source=Source("github.com/awslabs/amazon-eks-ami@81fec2e8 templates/al2023 (EKS's NVIDIA images)", "2026-07-23"),
)

HOSTS = {host.name: host for host in (COS, AL2023)}

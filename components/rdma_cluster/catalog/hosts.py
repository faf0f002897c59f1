"""Node operating systems: where the GPU driver and NCCL plugins live on the host, and who installs the driver."""

from collections.abc import Mapping

from pulumi_offline.frozen import frozen
from .artifact import Image
from .machine import Source


@frozen
class KernelInstaller:
    """Installs NVIDIA's kernel driver on nodes whose platform leaves it out."""

    image: Image
    pull_policy: str
    script: str
    """Bash script that it runs."""
    env: Mapping[str, str]
    mounts: Mapping[str, tuple[str, str]]
    """By volume name: the host's folder, and where the installer sees it."""
    source: Source


@frozen
class HostOs:
    """Facts about a node image that the in-cluster drivers need."""

    name: str
    cloud: str
    """Whose machines run it."""
    driver_root: str
    """``nvidiaDriverRoot`` of the GPU DRA driver: the folder that holds the driver's ``bin`` and ``lib64``."""
    cloud_provider_hint: str
    """DraNet's ``args.cloudProviderHint``."""
    source: Source
    kernel_installer: KernelInstaller | None = None
    """``None`` where the node image brings the kernel driver."""
    critical_pods_need_quota: bool = False
    """Whether priority class system-node-critical is refused outside kube-system without a ResourceQuota."""
    nvidia_runtime: bool = True
    """Whether NVIDIA's container runtime gives GPUs and driver to images that ask for them by their variables."""

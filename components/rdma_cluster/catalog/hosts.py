"""Node operating systems: where the GPU driver and NCCL plugins live on the host, and who installs the driver."""

from collections.abc import Mapping
from dataclasses import replace

from ..frozen import frozen
from .artifact import Image
from .images import COS_DRIVER_INSTALLER
from .machine import Cloud, Source


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
    cloud: Cloud
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


_COS_MOUNTS = {
    "dev": ("/dev", "/dev"),
    "nvidia": ("/home/kubernetes/bin/nvidia", "/usr/local/nvidia"),
    "vulkan": ("/home/kubernetes/bin/nvidia/vulkan/icd.d", "/etc/vulkan/icd.d"),
    "root": ("/", "/root"),
    "cos-tools": ("/var/lib/cos-tools", "/build/cos-tools"),
}
# fmt: off
_COS_INSTALLER = KernelInstaller(image=COS_DRIVER_INSTALLER, pull_policy="Never",
    # A loaded module cannot be replaced under running pods: a node that has one keeps it until it is recreated.
    script="if grep -q '^nvidia ' /proc/modules; then exit 0; fi; exec /cos-gpu-installer install",
    env={
        "NVIDIA_INSTALL_DIR_HOST": _COS_MOUNTS["nvidia"][0],
        "NVIDIA_INSTALL_DIR_CONTAINER": _COS_MOUNTS["nvidia"][1],
        "VULKAN_ICD_DIR_HOST": _COS_MOUNTS["vulkan"][0],
        "VULKAN_ICD_DIR_CONTAINER": _COS_MOUNTS["vulkan"][1],
        "ROOT_MOUNT_DIR": _COS_MOUNTS["root"][1],
        "COS_TOOLS_DIR_HOST": _COS_MOUNTS["cos-tools"][0],
        "COS_TOOLS_DIR_CONTAINER": _COS_MOUNTS["cos-tools"][1],
    },
    mounts=_COS_MOUNTS,
    source=Source(
        "github.com/GoogleCloudPlatform/container-engine-accelerators@992db81 "
        "nvidia-driver-installer/cos/daemonset-preloaded.yaml",
        "2026-06-09"))

COS = HostOs(name="cos", cloud=Cloud.GKE, driver_root="/home/kubernetes/bin/nvidia", kernel_installer=_COS_INSTALLER,
    critical_pods_need_quota=True, cloud_provider_hint="GCE",
    source=Source(
        "docs.cloud.google.com/kubernetes-engine/docs/how-to/set-up-dra; cluster-toolkit v1.95 examples/gke-a4x",
        "2026-06-25"),
    nvidia_runtime=False)

AL2023 = HostOs(name="al2023", cloud=Cloud.EKS, driver_root="/", cloud_provider_hint="AWS",
    source=Source("github.com/awslabs/amazon-eks-ami@81fec2e8 templates/al2023 (EKS's NVIDIA images)", "2026-07-23"))

_AKS_NODES = Source(
    "github.com/Azure/AgentBaker@06836ee (AKS's Ubuntu images); github.com/NVIDIA/gpu-operator tag v26.3.3",
    "2026-08-21")
UBUNTU_AKS = HostOs(name="ubuntu-aks", cloud=Cloud.AKS, driver_root="/", cloud_provider_hint="AZURE", source=_AKS_NODES)
"""AKS's Ubuntu with the driver that AKS installs."""
UBUNTU_OPERATOR = replace(UBUNTU_AKS, name="ubuntu-operator", driver_root="/run/nvidia/driver")
"""The same without it: the GPU Operator's container holds the driver."""

UBUNTU_OKE = HostOs(name="ubuntu-oke", cloud=Cloud.OKE, driver_root="/", cloud_provider_hint="OKE",
    source=Source(
        "github.com/oracle-quickstart/oci-hpc-oke@61d210a terraform/via-provider-nvidia-dra-driver.tf; "
        "github.com/kubernetes-sigs/dranet tag v1.4.0 (the hint)",
        "2026-08-20"))
"""Oracle's Ubuntu images with NVIDIA's driver."""
# fmt: on

HOSTS = {host.name: host for host in (COS, AL2023, UBUNTU_AKS, UBUNTU_OPERATOR, UBUNTU_OKE)}

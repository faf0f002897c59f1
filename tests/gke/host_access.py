"""What Google's own manifests give to the containers that work on a host, by the image's name without its registry.

github.com/GoogleCloudPlatform/container-engine-accelerators@992db81, read on 2026-11-23. Each is privileged, in the
host's network, and sees its processes. What they have besides and ours leaves out stands with its reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class HostAccess:
    """The access to a host that one container has."""

    source: str
    """The manifest, a path of that repository."""
    folders: Mapping[str, str]
    """The folders of the host, each with the path at which the container sees it."""
    env: Mapping[str, str] = field(default_factory=dict)
    health_port: int = 0


_STAGE = "/usr/local"
"""The path below which containers of installers see the host's folders."""
_LIBRARIES = "/home/kubernetes/bin/nvidia/lib64"
_PLUGIN = {each: f"{_STAGE}{each}" for each in ("/home/kubernetes/bin/gib", _LIBRARIES)}

HOST_ACCESS = {
    "nccl-plugin-gib": HostAccess("gpudirect-rdma/nccl-rdma-installer.yaml", _PLUGIN),
    "nccl-plugin-gib-arm64": HostAccess("gpudirect-rdma/nccl-rdma-installer-a4x.yaml", _PLUGIN),
    # Theirs mounts all of /home/kubernetes/bin and of /var/lib, and writes to this folder of it.
    "nccl-plugin-gpudirecttcpx-dev": HostAccess(
        "gpudirect-tcpxo/nccl-tcpxo-installer.yaml", {_LIBRARIES: f"{_STAGE}{_LIBRARIES}"}
    ),
    "nri-device-injector": HostAccess(
        "nri_device_injector/nri-device-injector.yaml", {"/dev": "/dev", "/var/run/nri": "/var/run/nri"}
    ),
    "cos-nvidia-installer": HostAccess(
        "nvidia-driver-installer/cos/daemonset-preloaded-latest.yaml",
        {
            "/dev": "/dev",
            "/": "/root",
            "/home/kubernetes/bin/nvidia": "/usr/local/nvidia",
            "/home/kubernetes/bin/nvidia/vulkan/icd.d": "/etc/vulkan/icd.d",
            "/var/lib/cos-tools": "/build/cos-tools",
        },
        {
            "NVIDIA_INSTALL_DIR_HOST": "/home/kubernetes/bin/nvidia",
            "NVIDIA_INSTALL_DIR_CONTAINER": "/usr/local/nvidia",
            "VULKAN_ICD_DIR_HOST": "/home/kubernetes/bin/nvidia/vulkan/icd.d",
            "VULKAN_ICD_DIR_CONTAINER": "/etc/vulkan/icd.d",
            "ROOT_MOUNT_DIR": "/root",
            "COS_TOOLS_DIR_HOST": "/var/lib/cos-tools",
            "COS_TOOLS_DIR_CONTAINER": "/build/cos-tools",
        },
    ),
    "asapd-lite": HostAccess(
        "asapd-lite-installer/asapd-lite-installer-a4x-max-bm-cos.yaml",
        {
            **{each: each for each in ("/sys", "/proc", "/etc/udev/rules.d", "/run/udev", "/run/asapd-lite")},
            **{each: each for each in ("/var/log/google/asapd-lite", "/var/lib/google/asapd-lite")},
            **{each: each for each in ("/etc/systemd/system", "/run/systemd")},
        },
        {"LD_LIBRARY_PATH": "/asapd-lite/controller"},
        health_port=19540,
    ),
}

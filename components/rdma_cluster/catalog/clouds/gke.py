"""GKE: its hosts, its names of machines, and what it repairs."""

from ..hosts import HostOs, KernelInstaller
from ..images import COS_DRIVER_INSTALLER
from ..machine import Source, Transport
from .record import A_PERSON, CloudFacts, Repair, WithoutRdma

# fmt: off
_COS_MOUNTS = {"dev": ("/dev", "/dev"), "nvidia": ("/home/kubernetes/bin/nvidia", "/usr/local/nvidia"),
    "vulkan": ("/home/kubernetes/bin/nvidia/vulkan/icd.d", "/etc/vulkan/icd.d"), "root": ("/", "/root"),
    "cos-tools": ("/var/lib/cos-tools", "/build/cos-tools")}
_COS_INSTALLER = KernelInstaller(image=COS_DRIVER_INSTALLER, pull_policy="Never",
    # A loaded module cannot be replaced under running pods: a node that has one keeps it until it is recreated.
    script="if grep -q '^nvidia ' /proc/modules; then exit 0; fi; exec /cos-gpu-installer install",
    env={"NVIDIA_INSTALL_DIR_HOST": _COS_MOUNTS["nvidia"][0], "NVIDIA_INSTALL_DIR_CONTAINER": _COS_MOUNTS["nvidia"][1],
        "VULKAN_ICD_DIR_HOST": _COS_MOUNTS["vulkan"][0], "VULKAN_ICD_DIR_CONTAINER": _COS_MOUNTS["vulkan"][1],
        "ROOT_MOUNT_DIR": _COS_MOUNTS["root"][1], "COS_TOOLS_DIR_HOST": _COS_MOUNTS["cos-tools"][0],
        "COS_TOOLS_DIR_CONTAINER": _COS_MOUNTS["cos-tools"][1]},
    mounts=_COS_MOUNTS,
    source=Source("github.com/GoogleCloudPlatform/container-engine-accelerators@992db81 "
        "nvidia-driver-installer/cos/daemonset-preloaded.yaml", "2026-06-09"))

COS = HostOs(name="cos", cloud="gke", driver_root="/home/kubernetes/bin/nvidia", kernel_installer=_COS_INSTALLER,
    critical_pods_need_quota=True, cloud_provider_hint="GCE",
    source=Source(
        "docs.cloud.google.com/kubernetes-engine/docs/how-to/set-up-dra; cluster-toolkit v1.95 examples/gke-a4x",
        "2026-06-25"),
    nvidia_runtime=False)

FACTS = CloudFacts(name="gke", place=1,
    machine_form=r"[a-z]\d{1,2}[a-z]{0,2}-(?:high|mega|ultra|standard|max)?(?:gpu|mem|cpu)?-?\d{1,3}g?(?:-metal|-nolssd|-lssd)?",
    usual_transport=Transport.GIB,
    hosts=(COS,),
    repair=Repair(switch="`pools[].autoRepair`, which acts on a node that is not Ready and on none of these conditions",
        gpu="a person's label `cloud.google.com/fault-behavior` has Google repair the host",
        nic="the same label",
        node=A_PERSON,
        reserved="a reported host leaves the reservation for 3 to 14 days; the node moves to another where one is free "
        "(not on A4X, A4X Max)",
        source=Source("docs.cloud.google.com/ai-hypercomputer/docs/manage/manage-gke-clusters", "2026-04-06")),
    without_rdma=(WithoutRdma(("a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g"),
            "no GPUDirect: of A3 High a3-highgpu-8g alone has NICs for its GPUs",
            Source("docs.cloud.google.com/compute/docs/gpus/gpu-network-bandwidth, physical NIC count", "2026-11")),))

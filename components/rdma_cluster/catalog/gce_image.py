"""The system that plain machines on Google Cloud boot, and how GPUDirect-TCPX is laid out on it."""

from pulumi_offline.frozen import frozen
from .machine import Source


@frozen
class SystemImage:
    """An image family: the newest image of one milestone."""

    family: str
    """As an instance names it."""
    source: Source
    """Where the family is published."""
    proven_by: Source
    """Why this milestone: who ran the fabric on it."""


# fmt: off
COS = SystemImage(family="projects/cos-cloud/global/images/family/cos-125-lts",
    source=Source(
        "docs.cloud.google.com/container-optimized-os/docs/release-notes (active milestones: COS 125 LTS, project "
        "cos-cloud, family cos-125-lts, kernel 6.12)",
        "2026-11-22"),
    # GPUDirect-TCPX needs COS' own kernel. Google's guide for machines still shows milestone 105, out of support since
    # March 2025; the pinned set was run on GKE 1.35, whose nodes are this milestone (cos-125-19216).
    proven_by=Source(
        "images.TCPX_PLUGIN (83 GB/s on GKE 1.35); GKE release notes 1.34.1-gke.2037002 and later, node images "
        "gke-1357-gke1027000-cos-125-19216-532-25",
        "2026-07-31"))
# fmt: on

OTHER_SYSTEMS = frozenset(
    {
        "centos-cloud", "debian-cloud", "fedora-cloud", "fedora-coreos-cloud", "opensuse-cloud", "rhel-cloud",
        "rhel-sap-cloud", "rocky-linux-cloud", "suse-cloud", "suse-sap-cloud", "ubuntu-os-cloud",
        "ubuntu-os-pro-cloud", "windows-cloud", "windows-sql-cloud",
    }
)  # fmt: skip
"""Google's public projects of images that are no COS: gcloud's own list, googlecloudsdk/api_lib/compute/constants.py
(PUBLIC_IMAGE_PROJECTS, read 2026-11-23). A project of somebody's own may hold a copy of COS."""

LEAST_BRANCH = {"Hopper": 525}
"""The first driver branch by architecture of the GPU: docs.nvidia.com/datacenter/tesla/mig-user-guide/620
deployment-considerations (H100: R525, 525.85.12; read 2026-11-23)."""

DRIVER = "default"
"""Argument of ``cos-extensions install gpu``: the image's own choice, as on GKE. With ``latest``, TCPX was seen
to break on Slurm's image of 2024 (cluster-toolkit issue 3032)."""


@frozen
class Layout:
    """Folders of a machine that a container sees, by Google's guide for A3 High (compute/docs/gpus/gpudirect)."""

    driver: str
    plugin: str
    plugin_in_container: str
    source: Source


LAYOUT = Layout(
    driver="/var/lib/nvidia",
    plugin="/var/lib/tcpx/lib64",
    plugin_in_container="/usr/local/tcpx/lib64",
    # SkyPilot and Google's archived Terraform (ai-infra-cluster-provisioning a3/terraform) have the same folders.
    source=Source("github.com/skypilot-org/skypilot sky/provision/gcp/constants.py (GPU_DIRECT_TCPX_*)", "2026-11-22"),
)

WITHOUT_TCPX = "/usr/lib/x86_64-linux-gnu:/usr/local/nvidia/lib64"
"""``LD_LIBRARY_PATH`` by which the image's own NCCL runs, without the plugin: over TCP. Source: skypilot
examples/gcp_gpu_direct_tcpx/nccl_tcpx_gcpvm_h100.yaml, ``USE_GPU_DIRECT=false`` (2026-11-22)."""

CONTAINER_IMAGES = "container-images"
"""Key of a machine's metadata: the images that it runs, all fetched before its acceptance test."""

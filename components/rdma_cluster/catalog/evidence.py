"""What settles points on more than one cloud: sources beside the rows' own, and searches that found nothing."""

from .machine import Known, Source

# fmt: off
# What nvidia-smi, nccl-tests and the DRA driver print: the driver's own table of names by PCI id.
GPU_NAMES = Source("github.com/NVIDIA/open-gpu-kernel-modules branch 580 @1a5075f README.md (names by PCI id)",
    "2026-03-10")
MODEL = {"gpu.model": GPU_NAMES}
# Kubernetes 1.34.2 or later. Oracle's own page of ComputeDomains (oci-hpc-oke@61d210a) says 1.32.
DRA_DRIVER = Source("github.com/kubernetes-sigs/dra-driver-nvidia-gpu@9593204 site/content/docs/prerequisites.md",
    "2026-08-07")

# NVIDIA's racks are the same on every cloud.
GB200_PAIR = Source("github.com/oracle-quickstart/oci-gpu-quickstarts@6a0abdc nvidia/GB200/README-GB200.md (a rack of "
    "another cloud)", "2026-04-10", Known.MEASURED)
# Why a threshold above the NICs' line rate is right.
NVLINK = "inside a rack the bytes go over NVLink (MNNVL)"
SUMMED = "a node's GPUs sum on NVLink first, so fewer bytes leave the node"

NO_GPU = {"thresholds": Source("no GPU: nccl-tests does not run here", "2026-11-23", Known.NOT_APPLICABLE)}

# Listings of nodes in full: hwloc trees, ResourceSlices, topology files, nccl-tests and NCCL logs that print addresses.
NO_LISTING = Source("searched for node listings: github.com/ai-dynamo/nixl and aws/aws-ofi-nccl (hwloc trees), "
    "kubernetes-sigs/dranet and NVIDIA/aicr (ResourceSlices), Azure/azhpc-images, oracle-quickstart/oci-hpc, "
    "oci-hpc-oke and oci-gpu-quickstarts (topology files, logs), code and issues of public repositories", "2026-11-23",
    Known.NOT_PUBLISHED)
NO_RUN = Source("searched for runs of nccl-tests with size and node count: the cloud's own repositories, NVIDIA/aicr, "
    "dstack, issues of nccl, nccl-tests and aws-ofi-nccl, public pages", "2026-11-23", Known.NOT_PUBLISHED)


def no_listing(*fields: str) -> dict[str, Source]:
    """The fields that only a listing of such a node could give, of which none was found."""
    return dict.fromkeys(fields, NO_LISTING)

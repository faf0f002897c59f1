"""GPU machines that exist and have no fabric between nodes, so that their names are not taken for slips.

Not complete: the machines that people try. A name that is missing here is told to be unknown.
"""

from ..frozen import frozen
from .machine import Cloud, Source


@frozen
class WithoutRdma:
    """Machines of a cloud that lack a fabric for one reason."""

    cloud: Cloud
    names: tuple[str, ...]
    why: str
    source: Source


# fmt: off
ROWS = (
    WithoutRdma(Cloud.AKS,
        ("Standard_ND96is_H100_v5", "Standard_ND96is_H200_v5", "Standard_ND96is_MI300X_v5",
         "Standard_ND96is_flex_H100_v5", "Standard_ND96is_noIB_H100_v5", "Standard_NC24ads_A100_v4",
         "Standard_NC48ads_A100_v4", "Standard_NC96ads_A100_v4", "Standard_NC40ads_H100_v5",
         "Standard_NC80adis_H100_v5"),
        "no InfiniBand: no r among the features in its name",
        Source("learn.microsoft.com/azure/virtual-machines/vm-naming-conventions; the names: "
            "github.com/Azure/karpenter-provider-azure@352646f5 zz_generated.pricing.go", "2026-08-21")),
    WithoutRdma(Cloud.EKS,
        (*(f"{family}.{size}xlarge" for family in ("g4dn", "g5", "g5g", "g6", "g6e") for size in ("", "2", "4")),
         "g5g.8xlarge", "g5g.16xlarge", "g5g.metal", "g6f.large", "g6f.xlarge", "g6f.2xlarge", "g6f.4xlarge",
         "g7.2xlarge", "g7.4xlarge", "g7e.2xlarge", "g7e.4xlarge", "gr6.4xlarge", "gr6f.4xlarge"),
        "no EFA",
        Source("github.com/aws/karpenter-provider-aws@1d927085d docs/reference/instance-types.md, without "
            "vpc.amazonaws.com/efa", "2026-08-21")),
    WithoutRdma(Cloud.GKE,
        ("a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g"),
        "no GPUDirect: of A3 High a3-highgpu-8g alone has NICs for its GPUs",
        Source("docs.cloud.google.com/compute/docs/gpus/gpu-network-bandwidth, physical NIC count", "2026-11")),
    WithoutRdma(Cloud.OKE,
        ("VM.GPU.A10.1", "VM.GPU.A10.2", "BM.GPU.A10.4", "VM.GPU2.1", "BM.GPU2.2", "VM.GPU3.1", "VM.GPU3.2",
         "VM.GPU3.4", "BM.GPU3.8"),
        "no RDMA network",
        Source("docs.oracle.com/iaas/Content/Compute/References/computeshapes.htm, no RDMA bandwidth; the names: "
            "skypilot-org/skypilot-catalog@0588751 catalogs/v8/oci/vms.csv", "2026-11-23")),
)
# fmt: on


def why_without_rdma(name: str) -> str:
    """Why a machine that exists has no fabric; empty where it is not in the table."""
    return next((row.why for row in ROWS if name in row.names), "")

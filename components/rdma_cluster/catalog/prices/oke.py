"""What Oracle's shapes cost on demand.

All regions have one price: docs.oracle.com/en/cloud/paas/ociov/oci_governance.html, 2026-11-23.
The lists price a model of GPU, so the tables hold that price times the GPUs of a shape; of a shape without GPUs, the
price of an OCPU times the OCPUs (and of a gigabyte times the memory of ``BM.Optimized3.36``, 512 GB).
"""

from ..machine import Source
from . import EVERYWHERE, PriceList

# fmt: off
# Both are Oracle's own repositories: the first keeps its price list API's answer, the second the estimator's shapes.
_SNAPSHOT = Source("github.com/oracle/oci-designer-toolkit@df0fe38 ocd/packages/react/src/data/OciPriceListSnapshot.ts",
    "2026-06-04")
_SHAPES = Source("github.com/oracle/karpenter-provider-oci@071ad32 chart/config/oci-shape-meta.json", "2026-03-29")
# The first date that this version can have: v9, whose first copy of the file is older, was proposed on that day.
_SKYPILOT = Source("github.com/skypilot-org/skypilot-catalog@0588751 catalogs/v8/oci/vms.csv (not older)", "2026-07-09")

_VARIANT = (
    "no price: Oracle lists prices by the model of GPU, and no list that was read says by which it bills this variant"
)

_SNAPSHOT_DOLLARS = {"BM.GPU4.8": 24.4,  # B93544, GPU - E4
    "BM.GPU.A100-v2.8": 32.0,  # B95907
    "BM.GPU.H100.8": 80.0,  # B98415
    "BM.GPU.H100T.8": 86.0,  # B109480
    "BM.GPU.H200.8": 80.0,  # B110519
    "BM.GPU.L40S.4": 14.0,  # B109479
    "BM.GPU.MI300X.8": 48.0,  # B109485
    "BM.Optimized3.36": 2.712,  # B93311, B93312
    "BM.HPC2.36": 2.7,  # B90398
    "BM.HPC.E5.144": 6.336,  # B96531
}
_SHAPES_DOLLARS = {"BM.GPU4.8": 24.4, "BM.GPU.A100-v2.8": 32.0, "BM.GPU.H100.8": 80.0, "BM.GPU.H200.8": 80.0,
    "BM.GPU.B200.8": 112.0, "BM.GPU.L40S.4": 14.0, "BM.GPU.GB200.4": 64.0, "BM.GPU.MI300X.8": 48.0,
    "BM.GPU.MI355X.8": 68.8, "BM.Optimized3.36": 2.712, "BM.HPC2.36": 2.7, "BM.HPC.E5.144": 6.336}
_SKYPILOT_DOLLARS = {"BM.GPU4.8": 24.4, "BM.GPU.A100-v2.8": 32.0, "BM.GPU.H100.8": 80.0, "BM.GPU.H200.8": 80.0,
    "BM.GPU.B200.8": 112.0, "BM.GPU.B300.8": 120.0, "BM.GPU.RTXPRO.8": 36.0, "BM.GPU.L40S.4": 14.0,
    "BM.GPU.GB200.4": 64.0, "BM.GPU.GB300.4": 72.0, "BM.GPU.MI300X.8": 48.0, "BM.GPU.MI355X.8": 68.8}

LISTS = tuple(
    PriceList(source, {shape: {price: EVERYWHERE} for shape, price in dollars.items()})
    for source, dollars in ((_SNAPSHOT, _SNAPSHOT_DOLLARS), (_SHAPES, _SHAPES_DOLLARS), (_SKYPILOT, _SKYPILOT_DOLLARS))
)
UNLISTED = dict.fromkeys(("BM.GPU.B4.8", "BM.GPU.H200-NC.8", "BM.GPU.L40S-NC.4", "BM.GPU.GB200-v2.4",
        "BM.GPU.GB200-v3.4", "BM.GPU.MI355X-v1.8"),
    _VARIANT)

"""What EC2's machines cost on demand: Linux, shared tenancy."""

from ..machine import Source
from . import PriceList

# The date is the first that this version can have: v9 was proposed on that day.
_SKYPILOT = Source("github.com/skypilot-org/skypilot-catalog@2c3d7ea catalogs/v9/aws/vms.csv (not older)", "2026-07-09")
# fmt: off
_KARPENTER = Source("github.com/aws/karpenter-provider-aws@1d92708 pkg/providers/pricing/zz_generated.pricing_aws.go",
    "2026-07-20")
_KARPENTER_GOV = Source(
    "github.com/aws/karpenter-provider-aws@1d92708 pkg/providers/pricing/zz_generated.pricing_aws_us_gov.go",
    "2026-07-20")
_OFFERS = Source("github.com/dstackai/dstack/pull/4110 (output of `dstack offer`)", "2026-08-06")
_RECEIPTS = Source("github.com/datareceipts/data-receipts 109-gpu-pricing/hyperscalers.json", "2026-11-09")

_ULTRASERVER = (
    "no on-demand price: AWS sells it in Capacity Blocks of UltraServers alone, whose own price is paid in advance"
)

_SKYPILOT_MACHINES = {"p4d.24xlarge": {21.95764: "us-east-1 us-east-2 us-west-2", 23.71569: "eu-north-1 eu-west-1",
        25.25174: "ca-central-1", 26.3444: "ap-south-1", 27.43298: "eu-central-1", 28.54493: "ap-southeast-2 eu-west-2",
        30.09784: "ap-northeast-1", 30.41028: "ap-northeast-2"},
    "p4de.24xlarge": {27.44705: "us-east-1 us-west-2", 32.93646: "ap-southeast-1", 34.29122: "eu-central-1",
        37.6223: "ap-northeast-1"},
    "p5.4xlarge": {6.88: "us-east-1 us-east-2 us-west-2", 8.256: "ap-south-1", 8.6: "ap-northeast-1",
        8.944: "ap-southeast-2 eu-west-2", 9.4944: "ap-southeast-3"},
    "p5.48xlarge": {55.04: "us-east-1 us-east-2 us-west-2", 58.8928: "eu-north-1", 63.296: "ca-central-1",
        66.048: "ap-south-1", 68.8: "ap-northeast-1 us-west-1", 71.552: "ap-southeast-2 eu-west-2",
        75.9552: "ap-northeast-2 ap-southeast-3"},
    "p5en.48xlarge": {63.296: "us-east-1 us-east-2 us-west-2", 67.7267: "eu-north-1", 68.3597: "eu-south-2",
        75.9552: "ap-south-1 me-central-1", 79.12: "ap-northeast-1 us-west-1",
        87.3485: "ap-northeast-2 ap-southeast-3"},
    "p6-b200.48xlarge": {113.9328: "us-east-1 us-east-2 us-west-2"}, "p6-b300.48xlarge": {142.416: "us-west-2"}}
_US_EAST_1 = {"p4d.24xlarge": 21.95764, "p4de.24xlarge": 27.44705, "p5.4xlarge": 6.88, "p5.48xlarge": 55.04,
    "p5en.48xlarge": 63.296, "p6-b200.48xlarge": 113.9328, "p6-b300.48xlarge": 142.416, "g4dn.8xlarge": 2.176,
    "g4dn.12xlarge": 3.912, "g4dn.16xlarge": 4.352, "g4dn.metal": 7.824, "g5.8xlarge": 2.448, "g5.12xlarge": 5.672,
    "g5.16xlarge": 4.096, "g5.24xlarge": 8.144, "g5.48xlarge": 16.288, "g6.8xlarge": 2.0144, "g6.12xlarge": 4.6016,
    "g6.16xlarge": 3.3968, "g6.24xlarge": 6.6752, "g6.48xlarge": 13.3504, "gr6.8xlarge": 2.4464, "g6e.8xlarge": 4.52856,
    "g6e.12xlarge": 10.49264, "g6e.16xlarge": 7.57719, "g6e.24xlarge": 15.06559, "g6e.48xlarge": 30.13118,
    "g7.8xlarge": 4.08624, "g7.12xlarge": 7.12832, "g7.24xlarge": 14.25664, "g7.48xlarge": 28.51328,
    "g7e.8xlarge": 5.26824, "g7e.12xlarge": 8.28608, "g7e.24xlarge": 16.57216, "g7e.48xlarge": 33.14432,
    "trn1.32xlarge": 21.5, "trn1n.32xlarge": 24.78, "hpc7g.4xlarge": 1.6832, "hpc7g.8xlarge": 1.6832,
    "hpc7g.16xlarge": 1.6832}
_US_GOV = {"p4d.24xlarge": {26.3511: "us-gov-west-1"}, "p5.4xlarge": {8.256: "us-gov-west-1"},
    "p5.48xlarge": {66.048: "us-gov-west-1"}, "p5en.48xlarge": {75.9552: "us-gov-west-1"},
    "p6-b200.48xlarge": {136.7194: "us-gov-east-1 us-gov-west-1"}, "p6-b300.48xlarge": {170.9: "us-gov-east-1"}}
_OFFERED = {"p5en.48xlarge": {63.296: "us-east-1 us-east-2 us-west-2", 67.7267: "eu-north-1", 79.12: "us-west-1"}}
_RECEIVED = {"p4d.24xlarge": 21.95764, "p4de.24xlarge": 27.44705, "p5.48xlarge": 55.04}

LISTS = (PriceList(_SKYPILOT, _SKYPILOT_MACHINES),
    PriceList(_KARPENTER, {name: {price: "us-east-1"} for name, price in _US_EAST_1.items()}),
    PriceList(_KARPENTER_GOV, _US_GOV), PriceList(_OFFERS, _OFFERED),
    PriceList(_RECEIPTS, {name: {price: "us-east-1"} for name, price in _RECEIVED.items()}))
UNLISTED = {
    # SkyPilot's list has the type in seven regions with no on-demand price, and Karpenter's has it not.
    "p5e.48xlarge": "no on-demand price: the lists that were read have the type without one; AWS sells it in Capacity "
    "Blocks and as spot",
    "p6e-gb200.36xlarge": _ULTRASERVER, "p6e-gb300r.36xlarge": _ULTRASERVER}

"""What Google's machines cost on demand.

Google bills an A3 machine by its parts: vCPUs, memory, GPUs and local SSDs. A list gives the sum; the notes beside each
say what is in it.
"""

from ..machine import Source
from . import PriceList

# fmt: off
# vCPUs, memory, GPUs and bundled local SSDs by the Cloud Billing API; the generator compares with Google's price page.
_BILLING = Source("github.com/cloudpilot-ai/karpenter-provider-gcp@373e2ba pkg/providers/pricing/initial-prices.json",
    "2026-08-03")
# The whole machine, local SSDs included, as published calculators copied it from the page.
_PAGE = Source("cloud.google.com/products/compute/pricing/accelerator-optimized", "2026-09-07")
# Eight times the price of a GPU with its share of vCPUs and memory, by the Cloud Billing API; no local SSDs.
_DATASET = Source("huggingface.co/datasets/tanod/cloud-gpu-list-prices (without local SSDs)", "2026-10-13")
# Price of the machine type (vCPUs, memory) + price of 8 GPUs; no local SSD. Only the regions whose GPUs have their
# on-demand price in the list: in the others it has that of a commitment (33.61, 35.39 and 36.60 dollars). The date is
# the first that this version can have: v9 was proposed on that day.
_SKYPILOT = Source(
    "github.com/skypilot-org/skypilot-catalog@2c3d7ea catalogs/v9/gcp/vms.csv (not older; without local SSDs)",
    "2026-07-09")

_CONTRACT = "sold by contract: Google sells it by reservation alone, and no public list has a price; ask Google"

_BILLING_MACHINES = {"a3-highgpu-8g": {88.49: "us-central1 us-west1", 88.5558: "us-east4", 92.1348: "asia-south1",
        97.3698: "europe-west1", 97.4356: "europe-north1", 99.5832: "us-east5", 99.649: "us-west4",
        102.3588: "asia-east1", 102.6484: "europe-west9", 104.4314: "europe-west3", 106.2846: "asia-south2",
        110.6783: "australia-southeast1", 112.5405: "europe-west4", 114.2783: "asia-southeast1",
        126.6434: "asia-northeast1"},
    "a3-megagpu-8g": {92.9376: "us-east4", 94.0666: "us-east5", 102.1946: "europe-west1", 104.5842: "us-west4",
        109.6019: "europe-west3", 116.1555: "australia-southeast1", 118.2368: "europe-west4",
        119.2764: "asia-northeast1", 119.9746: "asia-southeast1"}}
_SKYPILOT_MACHINES = {"a3-megagpu-8g": {92.2143: "us-central1 us-west1"},  # 9.46006 + 82.75421
    "a3-ultragpu-8g": {86.7599: "us-central1 us-east4 us-west1"},  # 12.266 + 74.49392
}
_PAGE_MACHINES = {"a3-highgpu-8g": {88.49: "us-central1"}, "a3-ultragpu-8g": {84.8069: "us-central1"}}
_DATASET_MACHINES = {
    "a3-ultragpu-8g": {83.492: "us-central1 us-east4 us-west1", 91.9472: "europe-west1", 100.196: "asia-south1"}}

LISTS = (PriceList(_BILLING, _BILLING_MACHINES), PriceList(_SKYPILOT, _SKYPILOT_MACHINES),
    PriceList(_PAGE, _PAGE_MACHINES), PriceList(_DATASET, _DATASET_MACHINES))
UNLISTED = {
    # SkyPilot's list has the machine type at 0; the page says "Unavailable" under on-demand.
    "a4-highgpu-8g": "no on-demand price: Google's price page of 2026-09-07 lists it for reservations, commitments, "
    "flex-start and spot alone",
    "a4x-highgpu-4g": _CONTRACT, "a4x-highgpu-4g-nolssd": _CONTRACT, "a4x-maxgpu-4g-metal": _CONTRACT,
    "a3-edgegpu-8g": "no price: the lists that were read have its vCPUs and memory, and not its GPUs"}

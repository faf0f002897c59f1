"""Google Cloud Storage: buckets, and who may use them."""

from ...catalog.machine import Source
from .forms import each, form, holds
from .google_iam import MEMBERS
from .record import Rule

_BUCKET = "gcp:storage/bucket:Bucket"
_DATE = "2026-08-21"
_PROVIDER = "github.com/hashicorp/terraform-provider-google@e03b762 google/services/lustre/resource_lustre_instance.go"
_NAMES = Source("cloud.google.com/storage/docs/buckets#naming", "2026-11")

RULES: dict[str, tuple[Rule, ...]] = {
    _BUCKET: (
        Rule(
            "Bucket names can only contain lowercase letters, numeric characters, dashes, underscores, and dots",
            _NAMES,
            form("name", "[a-z0-9][-a-z0-9_.]{1,220}[a-z0-9]"),
            {"name": "gke-storage-1234567"},
            {"name": "GKE"},
        ),
        Rule(
            "Bucket names cannot begin with the goog prefix, or contain google",
            _NAMES,
            each("name", lambda name: not name.startswith("goog") and "google" not in name),
            {"name": "gke-storage"},
            {"name": "my-google-storage"},
        ),
    ),
    "gcp:lustre/instance:Instance": (
        Rule(
            "Must contain only lowercase letters, numbers, and hyphens. Must start with a letter.",
            Source(f"{_PROVIDER}, instance_id", _DATE),
            form("instanceId", "[a-z]([-a-z0-9]{0,61}[a-z0-9])?"),
            {"instanceId": "gke"},
            {"instanceId": "GKE"},
        ),
        Rule(
            "Must be 8 characters or less and may only contain letters and numbers",
            Source(f"{_PROVIDER}, filesystem", _DATE),
            form("filesystem", "[A-Za-z0-9]{1,8}"),
            {"filesystem": "data"},
            {"filesystem": "file-system"},
        ),
        Rule(
            "Step size: 9,000 GiB at 1000 MBps per TiB, 18,000 at 500, 36,000 at 250, 72,000 at 125",
            Source("docs.cloud.google.com/managed-lustre/docs/performance-tiers", "2026-11"),
            holds(
                "capacityGib", lambda of: int(of["capacityGib"]) * int(of["perUnitStorageThroughput"]) % 9_000_000 == 0
            ),
            {"capacityGib": "18000", "perUnitStorageThroughput": "500"},
            {"capacityGib": "9000", "perUnitStorageThroughput": "500"},
        ),
    ),
    "gcp:servicenetworking/connection:Connection": (
        Rule(
            "in the following format: `projects/{project}/global/networks/{network}`",
            Source("servicenetworking.v1 Connection.network", "2026-11"),
            form("network", "projects/[^/]+/global/networks/[^/]+"),
            {"network": "projects/p/global/networks/n"},
            {"network": "n"},
        ),
    ),
    "gcp:storage/bucketIAMMember:BucketIAMMember": MEMBERS,
}

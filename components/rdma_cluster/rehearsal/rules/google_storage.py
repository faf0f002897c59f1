"""Google Cloud Storage: buckets, and who may use them."""

from ...catalog.machine import Source
from .forms import each, form
from .google_iam import MEMBERS
from .record import Rule

_BUCKET = "gcp:storage/bucket:Bucket"
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
    "gcp:storage/bucketIAMMember:BucketIAMMember": MEMBERS,
}

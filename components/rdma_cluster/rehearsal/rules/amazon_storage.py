"""Amazon S3 and FSx: buckets and file systems."""

from ...catalog.machine import Source
from .forms import each, form
from .record import Rule

_NAMES = Source("docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html", "2026-11")
_SIZES = Source("botocore fsx CreateFileSystemRequest.StorageCapacity", "2026-11-21")

RULES: dict[str, tuple[Rule, ...]] = {
    "aws:s3/bucket:Bucket": (
        Rule(
            "Bucket names can consist only of lowercase letters, numbers, periods, and hyphens",
            _NAMES,
            form("bucket", "[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"),
            {"bucket": "eks-storage-1234567"},
            {"bucket": "eks_storage"},
        ),
    ),
    "aws:fsx/lustreFileSystem:LustreFileSystem": (
        Rule(
            "the valid values are 1200 GiB, 2400 GiB, and increments of 2400 GiB",
            _SIZES,
            each("storageCapacity", lambda gib: gib == 1200 or (gib > 0 and gib % 2400 == 0)),
            {"storageCapacity": 4800},
            {"storageCapacity": 3600},
        ),
        Rule(
            "For PERSISTENT_2 SSD storage: 125, 250, 500, 1000 MB/s/TiB.",
            Source("botocore fsx CreateFileSystemLustreConfiguration.PerUnitStorageThroughput", "2026-11-21"),
            each("perUnitStorageThroughput", lambda rate: rate in (125, 250, 500, 1000)),
            {"perUnitStorageThroughput": 125},
            {"perUnitStorageThroughput": 100},
        ),
    ),
}

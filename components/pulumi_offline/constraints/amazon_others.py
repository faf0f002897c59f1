"""IAM: roles and the policies attached to them; S3 and FSx: buckets and file systems."""

import json

from ..source import Source
from .predicates import each, form, unique
from .record import Constraint, stated_by

_ROLE = "aws:iam/role:Role"
_NAMES = Source("docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html", "2026-11")
_iam = stated_by("botocore iam", "2026-11-21")
_fsx = stated_by("botocore fsx", "2026-11-21")


def _is_policy(text: str) -> bool:
    try:
        return "Statement" in json.loads(text)
    except ValueError:
        return False


# fmt: off
CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    _ROLE: (
        _iam("CreateRoleRequest.AssumeRolePolicyDocument",
            "In IAM, you must provide a JSON policy that has been converted to a string",
            each("assumeRolePolicy", _is_policy, '{"Statement": []}', "Statement: []")),
        _iam("CreateRoleRequest.RoleName", "Names are not distinguished by case", unique(_ROLE, "name")),
    ),
    "aws:s3/bucket:Bucket": (
        Constraint("Bucket names can consist only of lowercase letters, numbers, periods, and hyphens", _NAMES,
            form("bucket", "[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", "eks-storage-1234567", "eks_storage")),
    ),
    "aws:fsx/lustreFileSystem:LustreFileSystem": (
        _fsx("CreateFileSystemRequest.StorageCapacity",
            "the valid values are 1200 GiB, 2400 GiB, and increments of 2400 GiB",
            each("storageCapacity", lambda gib: gib == 1200 or (gib > 0 and gib % 2400 == 0), 4800, 3600)),
        _fsx("CreateFileSystemLustreConfiguration.PerUnitStorageThroughput",
            "For PERSISTENT_2 SSD storage: 125, 250, 500, 1000 MB/s/TiB.",
            each("perUnitStorageThroughput", lambda rate: rate in (125, 250, 500, 1000), 125, 100)),
    ),
}

"""Google Cloud's service accounts and roles, buckets, Managed Lustre and private services."""

from ..source import Source
from .predicates import each, form, get, holds, required, unique
from .record import Constraint, Inputs, stated_by

_ACCOUNT = "gcp:serviceaccount/account:Account"
_MEMBER = "gcp:projects/iAMMember:IAMMember"
_KINDS = "user|serviceAccount|group|domain|deleted|principal|principalSet"
_BUCKET = "gcp:storage/bucket:Bucket"
_PROVIDER = "github.com/hashicorp/terraform-provider-google@e03b762"
_lustre = stated_by(f"{_PROVIDER} google/services/lustre/resource_lustre_instance.go,", "2026-08-21")
_NAMES = Source("cloud.google.com/storage/docs/buckets#naming", "2026-11")
_iam = stated_by("iam.v1", "2026-11")
_roles = stated_by("cloudresourcemanager.v1", "2026-11")


def _is_a_step(instance: Inputs) -> bool:
    """A size by its throughput; what is not known yet breaks nothing."""
    size, throughput = (int(get(instance, key, 0)) for key in ("capacityGib", "perUnitStorageThroughput"))
    return size * throughput % 9_000_000 == 0


# fmt: off
_MEMBERS = (
    _roles("Binding.members", "Specifies the principals requesting access for a Google Cloud resource",
        form("member", f"allUsers|allAuthenticatedUsers|({_KINDS}):.+", "serviceAccount:a@p.iam.gserviceaccount.com",
            "a@p.iam.gserviceaccount.com")),
    _roles("Binding.role", "For example, `roles/viewer`, `roles/editor`, or `roles/owner`",
        form("role", r"roles/.+|(projects|organizations)/[^/]+/roles/.+", "roles/monitoring.viewer",
            "monitoring.viewer")),
)
"""The constraints of a role binding, on whatever resource it is."""

CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    _ACCOUNT: (
        _iam("CreateServiceAccountRequest.accountId", "Required. The account id", required("accountId", "gpu-nodes")),
        _iam("CreateServiceAccountRequest.accountId",
            "It is unique within a project, must be 6-30 characters long, and match the regular expression",
            form("accountId", "[a-z][-a-z0-9]{4,28}[a-z0-9]", "gpu-nodes", "gpu")),
        _iam("ServiceAccount.displayName", "The maximum length is 100 UTF-8 bytes",
            each("displayName", lambda name: len(name.encode()) <= 100, "nodes", "é" * 51)),
        _iam("CreateServiceAccountRequest.accountId", "It is unique within a project",
            unique(_ACCOUNT, "accountId", "project")),
    ),
    _MEMBER: _MEMBERS,
    _BUCKET: (
        Constraint("Bucket names can only contain lowercase letters, numeric characters, dashes, underscores, and dots",
            _NAMES, form("name", "[a-z0-9][-a-z0-9_.]{1,220}[a-z0-9]", "gke-storage-1234567", "GKE")),
        Constraint("Bucket names cannot begin with the goog prefix, or contain google", _NAMES,
            each("name", lambda name: not name.startswith("goog") and "google" not in name, "gke-storage",
                "my-google-storage")),
    ),
    "gcp:lustre/instance:Instance": (
        _lustre("instance_id", "Must contain only lowercase letters, numbers, and hyphens. Must start with a letter.",
            form("instanceId", "[a-z]([-a-z0-9]{0,61}[a-z0-9])?", "gke", "GKE")),
        _lustre("filesystem", "Must be 8 characters or less and may only contain letters and numbers",
            form("filesystem", "[A-Za-z0-9]{1,8}", "data", "file-system")),
        Constraint("Step size: 9,000 GiB at 1000 MBps per TiB, 18,000 at 500, 36,000 at 250, 72,000 at 125",
            Source("docs.cloud.google.com/managed-lustre/docs/performance-tiers", "2026-11"),
            holds("capacityGib", _is_a_step,
                {"capacityGib": "18000", "perUnitStorageThroughput": "500"},
                {"capacityGib": "9000", "perUnitStorageThroughput": "500"})),
    ),
    "gcp:servicenetworking/connection:Connection": (
        Constraint("in the following format: `projects/{project}/global/networks/{network}`",
            Source("servicenetworking.v1 Connection.network", "2026-11"),
            form("network", "projects/[^/]+/global/networks/[^/]+", "projects/p/global/networks/n", "n")),
    ),
    "gcp:storage/bucketIAMMember:BucketIAMMember": _MEMBERS,
}

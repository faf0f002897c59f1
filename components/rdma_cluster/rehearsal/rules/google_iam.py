"""Google Cloud's identities: service accounts, and the roles they have in a project."""

from ...catalog.machine import Source
from .forms import each, form, unique
from .record import Rule
from .there import Made

_ACCOUNT = "gcp:serviceaccount/account:Account"
_MEMBER = "gcp:projects/iAMMember:IAMMember"
_DATE = "2026-11"
_KINDS = "user|serviceAccount|group|domain|deleted|principal|principalSet"

MEMBERS = (
    Rule(
        "Specifies the principals requesting access for a Google Cloud resource",
        Source("cloudresourcemanager.v1 Binding.members", _DATE),
        form("member", f"allUsers|allAuthenticatedUsers|({_KINDS}):.+"),
        {"member": "serviceAccount:a@p.iam.gserviceaccount.com"},
        {"member": "a@p.iam.gserviceaccount.com"},
    ),
    Rule(
        "For example, `roles/viewer`, `roles/editor`, or `roles/owner`",
        Source("cloudresourcemanager.v1 Binding.role", _DATE),
        form("role", r"roles/.+|(projects|organizations)/[^/]+/roles/.+"),
        {"role": "roles/monitoring.viewer"},
        {"role": "monitoring.viewer"},
    ),
)
"""Of a role that somebody is given, whatever it is given on."""

RULES: dict[str, tuple[Rule, ...]] = {
    _ACCOUNT: (
        Rule(
            "It is unique within a project, must be 6-30 characters long, and match the regular expression",
            Source("iam.v1 CreateServiceAccountRequest.accountId", _DATE),
            form("accountId", "[a-z][-a-z0-9]{4,28}[a-z0-9]"),
            {"accountId": "gpu-nodes"},
            {"accountId": "gpu"},
        ),
        Rule(
            "The maximum length is 100 UTF-8 bytes",
            Source("iam.v1 ServiceAccount.displayName", _DATE),
            each("displayName", lambda name: len(name.encode()) <= 100),
            {"displayName": "nodes"},
            {"displayName": "é" * 51},
        ),
        Rule(
            "It is unique within a project",
            Source("iam.v1 CreateServiceAccountRequest.accountId", _DATE),
            unique(_ACCOUNT, "accountId", "project"),
            {"accountId": "other-nodes"},
            {"accountId": "gpu-nodes"},
            (Made(_ACCOUNT, {"accountId": "gpu-nodes"}),),
        ),
    ),
    _MEMBER: MEMBERS,
}

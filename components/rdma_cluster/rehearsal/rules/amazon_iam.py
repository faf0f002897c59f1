"""IAM: roles, and the policies attached to them."""

import json

from ...catalog.machine import Source
from .forms import each, room, unique
from .record import Rule
from .there import Made

_ROLE = "aws:iam/role:Role"
_ATTACHED = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
_POLICIES = 10
"""Managed policies that a role takes, unless AWS allows more."""


def _model(place: str) -> Source:
    return Source(f"botocore iam {place}", "2026-11-21")


def _is_policy(text: str) -> bool:
    try:
        return "Statement" in json.loads(text)
    except ValueError:
        return False


RULES: dict[str, tuple[Rule, ...]] = {
    _ROLE: (
        Rule(
            "In IAM, you must provide a JSON policy that has been converted to a string",
            _model("CreateRoleRequest.AssumeRolePolicyDocument"),
            each("assumeRolePolicy", _is_policy),
            {"assumeRolePolicy": '{"Statement": []}'},
            {"assumeRolePolicy": "Statement: []"},
        ),
        Rule(
            "Names are not distinguished by case",
            _model("CreateRoleRequest.RoleName"),
            unique(_ROLE, "name"),
            {"name": "b"},
            {"name": "a"},
            (Made(_ROLE, {"name": "a"}),),
        ),
    ),
    _ATTACHED: (
        Rule(
            "Cannot exceed quota for PoliciesPerRole: 10",
            Source("docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html", "2026-08"),
            room(_ATTACHED, "role", _POLICIES),
            {"role": "other"},
            {"role": "nodes"},
            tuple(Made(_ATTACHED, {"role": "nodes"}) for _ in range(_POLICIES)),
        ),
    ),
}

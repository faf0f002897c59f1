"""Limits that an account begins with and can have raised: what exceeds one is a warning, never a refusal.

Limits that nobody can have raised stand in `constraints` and in the plans.
"""

from pulumi_offline.frozen import frozen
from .machine import Source


@frozen
class Quota:
    """What an account may have at first."""

    default: int
    what: str
    """Of what, in the cloud's words."""
    source: Source


_EKS = Source("docs.aws.amazon.com/eks/latest/userguide/service-quotas.html (adjustable: yes)", "2026-11-23")
EKS_NODE_GROUPS = Quota(30, "managed node groups per cluster", _EKS)
EKS_GROUP_NODES = Quota(450, "nodes per managed node group", _EKS)
# Our programs stay far below these two whatever is configured; tests/eks/test_quotas.py holds them to it.
EC2_GROUP_RULES = Quota(
    60,
    "rules per security group and direction",
    Source("docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html (adjustable)", "2026-08"),
)
IAM_ROLE_POLICIES = Quota(
    10,
    "managed policies per role",
    Source("docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html (adjustable)", "2026-08"),
)

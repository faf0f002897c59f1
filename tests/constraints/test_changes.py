"""What cannot change while a resource lives: on both sides of what the provider and the API say."""

from typing import Any

import pytest
from pulumi_offline.constraints import refused_changes, replaced_by

LATER = "[mtu of t:x:Y z]"
"""What a preview shows of an output."""
SUBNET, JOB = "gcp:compute/subnetwork:Subnetwork", "kubernetes:batch/v1:Job"


@pytest.mark.parametrize(
    ("token", "old", "new", "anew", "refused"),
    [
        (SUBNET, {"region": "a", "description": "x"}, {"region": "b", "description": "y"}, ["region"], []),
        (SUBNET, {"ipCidrRange": "10.0.0.0/24"}, {"ipCidrRange": "10.0.0.0/23"}, [], []),
        (SUBNET, {"ipCidrRange": "10.0.0.0/24"}, {"ipCidrRange": "10.0.0.0/25"}, ["ipCidrRange"], []),
        (SUBNET, {"ipCidrRange": "10.0.0.0/24"}, {"ipCidrRange": LATER}, ["ipCidrRange"], []),
        (SUBNET, {}, {"ipCidrRange": "10.0.0.0/24"}, ["ipCidrRange"], []),
        (JOB, {"spec": {"completionMode": "a"}}, {"spec": {"completionMode": "b"}}, [], ["spec.completionMode"]),
        ("azure-native:network:NetworkSecurityGroup", {"location": "a"}, {"location": "b"}, [], ["location"]),
        ("azure-native:storagecache:AmlFilesystem", {"location": "a"}, {"location": "b"}, [], ["location"]),
        ("t:x:Unknown", {"name": "a"}, {"name": "b"}, [], []),
    ],
)
def test_changes_that_are_not_made_in_place(token: str, old: Any, new: Any, anew: list[str], refused: list[str]):
    """The provider makes another, or the API refuses; a block that keeps all that it has may grow."""
    assert replaced_by(token, old, new) == anew
    assert [each.path for each in refused_changes(token, old, new)] == refused

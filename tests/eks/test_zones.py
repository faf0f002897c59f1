"""Regions, zones, ids and ARNs of AWS by their form."""

import re
from collections.abc import Callable

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.eks.plan.zones import check_arn, check_id, check_region, check_zone, partition_of, region_of

ROLE = re.compile(r"arn:aws[-a-z]*:\w+:[-a-z0-9]*:\d{12}:\w+/\w+")
EXAMPLE = "arn:aws:iam::111122223333:role/x"


def told(check: Callable[..., None], *args: object, **more: object) -> list[str]:
    """The first words of what is refused."""
    errors = ErrorList()
    check(*args, errors=errors, **more)
    return [each.reason.partition(";")[0] for each in errors.found()]


@pytest.mark.parametrize(
    ("region", "right"),
    [("us-east-2", True), ("us-gov-west-1", True), ("ap-southeast-3", True), ("us-east", False), ("us-east-2a", False)],
)
def test_regions(region: str, right: bool):
    """Two letters, words and a number."""
    assert told(check_region, region) == ([] if right else [f"got {region!r}, which has no region's form"])


@pytest.mark.parametrize(
    ("zone", "region", "wrong"),
    [
        ("us-east-2a", "us-east-2", []),
        ("us-east-2-dfw-2a", "us-east-2", []),
        ("us-east-1a", "us-east-2", ["got us-east-1a, which is not in us-east-2"]),
        # A region without a form has that error alone.
        ("us-east-1a", "east", []),
        ("us-east-2", "us-east-2", ["got 'us-east-2', which has no zone's form"]),
        ("us-east-2a,us-east-2b", "us-east-2", ["got 'us-east-2a,us-east-2b', more than one zone"]),
        ("us-east-2a us-east-2b", "us-east-2", ["got 'us-east-2a us-east-2b', more than one zone"]),
    ],
)
def test_zones(zone: str, region: str, wrong: list[str]):
    """One zone of the region."""
    assert told(check_zone, zone, region=region) == wrong


@pytest.mark.parametrize(
    ("zone", "region"), [("us-east-2a", "us-east-2"), ("us-east-1-dfw-2a", "us-east-1"), ("us-east-2", ""), ("", "")]
)
def test_region_of_a_zone(zone: str, region: str):
    """None of what is no zone."""
    assert region_of(zone) == region


@pytest.mark.parametrize(
    ("arn", "region", "wrong"),
    [
        ("arn:aws:iam::111122223333:role/x", "us-east-2", []),
        ("arn:aws:kms:us-east-2:111122223333:key/x", "us-east-2", []),
        ("role/x", "us-east-2", ["got 'role/x'"]),
        (
            "arn:aws:kms:us-west-2:111122223333:key/x",
            "us-east-2",
            ["got 'arn:aws:kms:us-west-2:111122223333:key/x', which is in us-west-2"],
        ),
        # The partition is told before the region, and of a region without a form neither.
        (
            "arn:aws-cn:kms:cn-north-1:111122223333:key/x",
            "us-east-2",
            ["got 'arn:aws-cn:kms:cn-north-1:111122223333:key/x', of partition aws-cn"],
        ),
        ("arn:aws-cn:kms:cn-north-1:111122223333:key/x", "east", []),
        (None, "us-east-2", []),
        (7, "us-east-2", []),
    ],
)
def test_arns(arn: object, region: str, wrong: list[str]):
    """Of the form, the partition and the region; what is known only later is let through."""
    assert told(check_arn, arn, ROLE, EXAMPLE, region) == wrong


@pytest.mark.parametrize(
    ("value", "kind", "right"),
    [
        ("sg-01234567", "sg", True),
        ("sg-0123456789abcdef0", "sg", True),
        ("sg-0123456", "sg", False),
        ("sg-0123456g", "sg", False),
        ("subnet-01234567", "sg", False),
        ("subnet-01234567", "subnet", True),
        (None, "subnet", True),
    ],
)
def test_ids(value: object, kind: str, right: bool):
    """A kind and eight digits of base 16 at the least."""
    assert told(check_id, value, kind) == ([] if right else [f"got {value!r}"])


@pytest.mark.parametrize(
    ("region", "partition"),
    [("us-gov-east-1", "aws-us-gov"), ("cn-northwest-1", "aws-cn"), ("us-west-2", "aws"), ("ca-central-1", "aws")],
)
def test_partitions(region: str, partition: str):
    """China and the government have their own."""
    assert partition_of(region) == partition

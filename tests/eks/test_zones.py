"""Regions, zones, ids and ARNs of AWS by their form."""

import re
from collections.abc import Callable

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.eks.plan.zones import check_arn, check_id, check_zone, is_local, partition_of, region_of

ROLE = re.compile(r"arn:aws[-a-z]*:\w+:[-a-z0-9]*:\d{12}:\w+/\w+")
KEY = "arn:aws-cn:kms:cn-north-1:111122223333:key/x"


def passes(check: Callable[..., None], *args: object, **more: object) -> bool:
    """Whether a check adds no error."""
    errors = ErrorList()
    check(*args, errors=errors, **more)
    return not errors


@pytest.mark.parametrize(
    ("zone", "region", "right"),
    [
        ("us-east-2a", "us-east-2", True),
        ("us-east-2-dfw-2a", "us-east-2", True),
        ("us-east-1a", "us-east-2", False),
        # A region without a form has that error alone.
        ("us-east-1a", "east", True),
        ("us-east-2", "us-east-2", False),
        ("us-east-2a us-east-2b", "us-east-2", False),
    ],
)
def test_gpus_are_in_one_zone_of_the_region(zone: str, region: str, right: bool):
    assert passes(check_zone, zone, region=region) is right


def test_a_local_zone_has_a_name_of_its_own():
    assert is_local("us-east-1-dfw-2a") and not is_local("us-gov-west-1a")
    assert (region_of("us-east-1-dfw-2a"), region_of("us-east-2")) == ("us-east-1", "")


@pytest.mark.parametrize(
    ("arn", "region", "right"),
    [
        ("arn:aws:iam::111122223333:role/x", "us-east-2", True),
        ("arn:aws:kms:us-east-2:111122223333:key/x", "us-east-2", True),
        ("arn:aws:kms:us-west-2:111122223333:key/x", "us-east-2", False),
        ("role/x", "us-east-2", False),
        (KEY, "us-east-2", False),
        (KEY, "east", True),
        (None, "us-east-2", True),
    ],
)
def test_an_arn_is_of_the_region_and_its_partition(arn: object, region: str, right: bool):
    """What is known only later is let through."""
    assert passes(check_arn, arn, ROLE, "arn:aws:iam::111122223333:role/x", region) is right


@pytest.mark.parametrize(
    ("value", "kind", "right"),
    [
        ("sg-01234567", "sg", True),
        ("sg-0123456", "sg", False),
        ("sg-0123456g", "sg", False),
        ("subnet-01234567", "sg", False),
    ],
)
def test_an_id_has_its_kind_and_eight_digits_of_base_16(value: object, kind: str, right: bool):
    assert passes(check_id, value, kind) is right


@pytest.mark.parametrize(
    ("region", "partition"),
    [("us-gov-east-1", "aws-us-gov"), ("cn-northwest-1", "aws-cn"), ("us-west-2", "aws"), ("ap-southeast-3", "aws")],
)
def test_china_and_the_government_have_partitions_of_their_own(region: str, partition: str):
    assert partition_of(region) == partition

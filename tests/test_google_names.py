"""Names, places, subnets and labels of Google Cloud, and the tags of AWS, are taken up to each limit."""

from collections.abc import Callable
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from pulumi_offline.unknowns import UNKNOWN
from rdma_cluster.common.google.names import GOOGLE, check_linked, check_name, check_project, place_of
from rdma_cluster.common.google.subnets import most_nodes, rail_prefix
from rdma_cluster.common.tags import TagForm, check_tags
from rdma_cluster.eks.plan.zones import AMAZON


def refused(check: Callable[..., Any], *args: Any) -> list[str]:
    """The paths of what a check refuses."""
    errors = ErrorList()
    check(*args, errors)
    return [".".join(map(str, each.path)) for each in errors.found()]


@pytest.mark.parametrize(
    ("zone", "region"),
    [
        ("us-west8-c", "us-west8"),
        ("northamerica-northeast1-a", "northamerica-northeast1"),
        ("us-central1-ai1a", "us-central1"),
        *((wrong, "") for wrong in ("us-west8", "us-west-c", "us-west8-1", "US-west8-c", "")),
    ],
)
def test_a_zone_names_its_region(zone: str, region: str):
    errors = ErrorList()

    assert place_of({"project": "my-project", "zone": zone}, errors).region == region
    assert [each.path for each in errors.found()] == ([] if region else [("zone",)])


@pytest.mark.parametrize(
    ("project", "right"),
    [
        *((right, True) for right in ("abcdef", "a" * 30, "a1-b2-c3", "example.com:my-project", UNKNOWN)),
        *((wrong, False) for wrong in ("", "abcde", "a" * 31, "1abcdef", "abcdef-", "example.com:abc")),
    ],
)
def test_a_project_has_6_to_30_signs_behind_a_domain_or_alone(project: str, right: bool):
    assert bool(refused(check_project, project)) is not right


@pytest.mark.parametrize(
    ("name", "longest", "right"),
    [("a", 1, True), ("ab", 1, False), ("a" * 40, 40, True), ("a" * 41, 40, False), ("a-", 9, False), ("A", 9, False)],
)
def test_a_name_is_as_long_as_the_caller_says_and_ends_without_a_hyphen(name: str, longest: int, right: bool):
    assert bool(refused(check_name, name, longest)) is not right


@pytest.mark.parametrize(
    ("value", "right"),
    [
        *((right, True) for right in ("vpc", "projects/p/global/networks/vpc", UNKNOWN, 7)),
        *((wrong, False) for wrong in ("projects/p/global/networks/VPC", "VPC", "")),
    ],
)
def test_what_exists_is_named_alone_or_last_in_a_path(value: Any, right: bool):
    for key, other in (("network", "subnetwork"), ("subnetwork", "network")):
        assert refused(check_linked, {key: value, other: "n"}) == ([] if right else [key])


@pytest.mark.parametrize(
    ("nodes", "prefix"), [(1, 29), (4, 29), (5, 28), (12, 28), (13, 27), (252, 24), (253, 23), (15_000, 18)]
)
def test_a_rails_subnet_is_the_smallest_that_holds_its_nodes(nodes: int, prefix: int):
    """Google keeps four addresses of each subnet, and has none below a /29."""
    assert rail_prefix(nodes) == prefix


@pytest.mark.parametrize(("nodes", "right"), [(0, False), (1, True), (15_000, True), (15_001, False)])
def test_a_vpc_holds_15000_nodes(nodes: int, right: bool):
    errors = ErrorList()

    assert (most_nodes(nodes, errors), bool(errors)) == (nodes if right else None, not right)


@pytest.mark.parametrize(
    ("form", "key", "value", "right"),
    [
        (GOOGLE, "t" * 63, "v" * 63, True),
        (GOOGLE, "t" * 64, "", False),
        (GOOGLE, "t", "v" * 64, False),
        (GOOGLE, "équipe_1-a", "été", True),
        (GOOGLE, "Team", "", False),
        (GOOGLE, "team", "Research", False),
        (GOOGLE, "1team", "", False),
        (GOOGLE, "team", "1", True),
        (GOOGLE, "", "", False),
        (AMAZON, "Team", "Research & more", False),
        (AMAZON, "Team:a/b", "Research + more", True),
        (AMAZON, "T" * 128, "v" * 256, True),
        (AMAZON, "T" * 129, "", False),
        (AMAZON, "T", "v" * 257, False),
        (AMAZON, "aws:team", "", False),
        (AMAZON, "AWS:team", "", False),
        (AMAZON, "team", "aws:x", False),
        (AMAZON, "", "", False),
    ],
)
def test_a_tag_has_its_clouds_form(form: TagForm, key: str, value: str, right: bool):
    assert bool(refused(check_tags, {key: value}, form)) is not right

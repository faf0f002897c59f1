"""Names, places, subnets and labels of Google Cloud, and the tags of AWS: next to each limit."""

from collections.abc import Callable
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from pulumi_offline.unknowns import UNKNOWN
from rdma_cluster.common.google.names import GOOGLE, Place, check_linked, check_name, check_project, place_of
from rdma_cluster.common.google.subnets import most_nodes, rail_prefix
from rdma_cluster.common.tags import TagForm, check_tags
from rdma_cluster.eks.plan.zones import AMAZON


def told(check: Callable[..., Any], *args: Any) -> list[str]:
    """What is refused, by path and first words."""
    errors = ErrorList()
    check(*args, errors)
    return [str(each).partition(";")[0] for each in errors.found()]


@pytest.mark.parametrize(
    ("zone", "region"),
    [
        ("us-west8-c", "us-west8"),
        ("northamerica-northeast1-a", "northamerica-northeast1"),
        ("us-central1-ai1a", "us-central1"),
        ("us-west8", ""),
        ("us-west-c", ""),
        ("us-west8-1", ""),
        ("US-west8-c", ""),
        ("", ""),
    ],
)
def test_places(zone: str, region: str):
    """A zone names its region; what has no zone's form has none, and is told."""
    errors = ErrorList()

    assert place_of({"project": "my-project", "zone": zone}, errors) == Place("my-project", zone, region)
    assert [str(each).partition(",")[0] for each in errors.found()] == ([] if region else [f"zone: got {zone!r}"])


@pytest.mark.parametrize(
    ("project", "right"),
    [
        ("abcdef", True),
        ("abcde", False),
        ("a" * 30, True),
        ("a" * 31, False),
        ("a1-b2-c3", True),
        ("1abcdef", False),
        ("abcdef-", False),
        ("example.com:my-project", True),
        ("example.com:abc", False),
        (UNKNOWN, True),
    ],
)
def test_projects(project: str, right: bool):
    """6 to 30 characters, behind a domain or alone; what is known later is let through."""
    assert told(check_project, project) == ([] if right else [f"got {project!r}"])


def test_no_project():
    """It has words of its own."""
    assert told(check_project, "") == ["empty"]


@pytest.mark.parametrize(
    ("name", "longest", "right"),
    [("a", 1, True), ("ab", 1, False), ("a" * 40, 40, True), ("a" * 41, 40, False), ("a-", 9, False), ("A", 9, False)],
)
def test_names(name: str, longest: int, right: bool):
    """As long as the caller says, and no hyphen last."""
    wanted = f"got {name!r}; Google wants 1 to {longest} lower-case letters, digits and hyphens, a letter first and no "
    errors = ErrorList()
    check_name(name, longest, errors)

    assert [each.reason for each in errors.found()] == ([] if right else [f"{wanted}hyphen last"])


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("vpc", True),
        ("projects/p/global/networks/vpc", True),
        ("projects/p/global/networks/VPC", False),
        ("VPC", False),
        ("", False),
        (UNKNOWN, True),
        (7, True),
    ],
)
def test_links(value: Any, right: bool):
    """A name alone or last in a path; each key is checked, and an output of another is not."""
    for key, other in (("network", "subnetwork"), ("subnetwork", "network")):
        wrong = [] if right else [f"{key}: got {value!r}"]
        assert told(check_linked, {key: value, other: "n"}) == wrong


def test_links_of_other_keys():
    """Those that the caller names, and no others."""
    errors = ErrorList()
    check_linked({"pods": "P", "network": "N"}, errors, ("pods",))

    assert [each.path for each in errors.found()] == [("pods",)]


@pytest.mark.parametrize(
    ("nodes", "prefix"), [(1, 29), (4, 29), (5, 28), (12, 28), (13, 27), (250, 24), (252, 24), (253, 23), (15_000, 18)]
)
def test_rails(nodes: int, prefix: int):
    """Each node has an address beside the four that Google keeps, and no subnet is smaller than a /29."""
    assert rail_prefix(nodes) == prefix


@pytest.mark.parametrize(("nodes", "right"), [(0, False), (1, True), (15_000, True), (15_001, False)])
def test_nodes_of_a_vpc(nodes: int, right: bool):
    """Google holds 15,000 in one."""
    errors = ErrorList()

    assert most_nodes(nodes, errors) == (nodes if right else None)
    assert [str(each) for each in errors.found()] == ([] if right else [f"got {nodes}; must be 1 to 15,000"])


@pytest.mark.parametrize(
    ("form", "key", "value", "right"),
    [
        (GOOGLE, "team", "research", True),
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
def test_forms_of_tags(form: TagForm, key: str, value: str, right: bool):
    """What each cloud takes, up to its longest."""
    assert bool(told(check_tags, {key: value}, form)) is not right


@pytest.mark.parametrize(("form", "most"), [(GOOGLE, 64), (AMAZON, 48)])
def test_most_tags(form: TagForm, most: int):
    """One more is refused."""
    assert [bool(told(check_tags, {f"t{i}": "" for i in range(count)}, form)) for count in (most, most + 1)] == [
        False,
        True,
    ]

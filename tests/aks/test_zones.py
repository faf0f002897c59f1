"""Locations, zones and ids of Azure: their form alone."""

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.aks.plan.zones import (
    check_group,
    check_location,
    check_resource,
    check_uuid,
    check_zone,
    zone_warnings,
)
from rdma_cluster.catalog.clouds.aks import AZURE_WITHOUT_ZONES
from tests.aks.plans import ID, SUBNET

GROUPS = "Microsoft.Compute/capacityReservationGroups"
SUBNETS = "Microsoft.Network/virtualNetworks/subnets"
OF_GROUP = f"/subscriptions/{ID}/resourceGroups/g/providers"


@pytest.mark.parametrize(
    ("location", "fits"),
    [("southcentralus", True), ("eastus2", True), ("eastus2euap", True), ("East US", False), ("2eastus", False)],
)
def test_locations(location: str, fits: bool):
    """By Azure's short name."""
    errors = ErrorList()
    check_location(location, errors)

    assert [str(each) for each in errors.found()] == (
        [] if fits else [f"got {location!r}, which has no location's form; write e.g. southcentralus"]
    )


@pytest.mark.parametrize(
    ("zone", "fits"), [(None, True), ("1", True), ("2", True), ("3", True), ("0", False), ("4", False), ("", False)]
)
def test_zones(zone: str | None, fits: bool):
    """Three, or none at all."""
    errors = ErrorList()
    check_zone(zone, errors)

    assert [str(each).partition(":")[2] for each in errors.found()] == (
        [] if fits else [" write 1, 2 or 3, or leave it out where the location or the size has no zones"]
    )


def test_a_zone_where_none_was_seen():
    """Is warned of, since Azure may have built some since."""
    without = sorted(AZURE_WITHOUT_ZONES)[0]
    (warning,) = zone_warnings({"subscription": ID, "location": without, "zone": "1"})

    assert warning.startswith(f"zone is 1, and {without} has no availability zones as of 20")
    assert zone_warnings({"subscription": ID, "location": without}) == []
    assert zone_warnings({"subscription": ID, "location": "southcentralus", "zone": "1"}) == []


@pytest.mark.parametrize(
    ("text", "fits"),
    [(ID, True), ("ABCDEFAB-0000-0000-0000-000000000000", True), (7, True), (ID[:-1], False), (f"{ID}0", False)],
)
def test_ids(text: object, fits: bool):
    """In either case; what comes later is not looked at."""
    errors = ErrorList()
    check_uuid(text, "the id", errors)

    assert [str(each) for each in errors.found()] == ([] if fits else [f"got {text!r}; write the id, e.g. {ID}"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (None, ""),
        ("my-group_1.(a)", ""),
        ("g" * 90, ""),
        ("g" * 91, "got "),
        ("g.", "got "),
        ("a/b", "got "),
        ("", "empty; name it, or leave it out and one is made"),
    ],
)
def test_resource_groups(name: str | None, words: str):
    """By their names, which end with no period."""
    errors = ErrorList()
    check_group(name, errors)
    told = [str(each) for each in errors.found()]

    assert len(told) == bool(words) and all(each.startswith(words) for each in told)


@pytest.mark.parametrize(
    ("resource", "kind", "fits"),
    [
        (f"{OF_GROUP}/{GROUPS}/h100", GROUPS, True),
        (f"{OF_GROUP}/{GROUPS}/h100".lower(), GROUPS, True),
        (SUBNET, SUBNETS, True),
        (7, GROUPS, True),
        (SUBNET, GROUPS, False),
        (f"{OF_GROUP}/{GROUPS}", GROUPS, False),
        (f"{OF_GROUP}/{GROUPS}/h100/x", GROUPS, False),
        ("h100", GROUPS, False),
        (f"{OF_GROUP}/MicrosoftXCompute/capacityReservationGroups/h100", GROUPS, False),
    ],
)
def test_ids_of_resources(resource: object, kind: str, fits: bool):
    """Of one kind, in whatever case; what comes later is not looked at."""
    errors = ErrorList()
    check_resource(resource, kind, errors)

    assert bool(errors) is not fits


def test_what_an_id_looks_like():
    """A name for each part of the kind."""
    errors = ErrorList()
    check_resource("a", SUBNETS, errors)

    assert str(errors.found()[0]) == (
        "got 'a'; write its resource id, /subscriptions/ID/resourceGroups/GROUP/providers/Microsoft.Network/"
        "virtualNetworks/NAME/subnets/NAME"
    )

"""Locations, zones and ids of Azure, of which only the form is checked."""

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.aks.plan.zones import check_group, check_location, check_resource, check_zone, zone_warnings
from rdma_cluster.catalog.clouds.aks import AZURE_WITHOUT_ZONES
from tests.aks.plans import ID, SUBNET

GROUPS = "Microsoft.Compute/capacityReservationGroups"
OF_GROUP = f"/subscriptions/{ID}/resourceGroups/g/providers"


@pytest.mark.parametrize(
    ("check", "value", "fits"),
    [
        *((check_location, text, True) for text in ("southcentralus", "eastus2", "eastus2euap")),
        *((check_location, text, False) for text in ("East US", "2eastus")),
        *((check_zone, text, True) for text in (None, "1", "3")),
        *((check_zone, text, False) for text in ("0", "4", "")),
        *((check_group, text, True) for text in (None, "my-group_1.(a)", "g" * 90)),
        *((check_group, text, False) for text in ("g" * 91, "g.", "a/b", "")),
    ],
)
def test_a_name_of_azures_has_its_form(check, value: str | None, fits: bool):
    errors = ErrorList()
    check(value, errors)

    assert bool(errors) is not fits


def test_a_zone_where_none_was_seen_is_warned_of():
    """Azure may have built some since."""
    without = sorted(AZURE_WITHOUT_ZONES)[0]

    assert len(zone_warnings({"subscription": ID, "location": without, "zone": "1"})) == 1
    assert zone_warnings({"subscription": ID, "location": without}) == []
    assert zone_warnings({"subscription": ID, "location": "southcentralus", "zone": "1"}) == []


@pytest.mark.parametrize(
    ("resource", "fits"),
    [
        (f"{OF_GROUP}/{GROUPS}/h100", True),
        (f"{OF_GROUP}/{GROUPS}/h100".lower(), True),
        (7, True),
        (SUBNET, False),
        (f"{OF_GROUP}/{GROUPS}", False),
        (f"{OF_GROUP}/{GROUPS}/h100/x", False),
        ("h100", False),
        (f"{OF_GROUP}/MicrosoftXCompute/capacityReservationGroups/h100", False),
    ],
)
def test_a_resource_id_is_of_one_kind(resource: object, fits: bool):
    """The error shows what one looks like."""
    errors = ErrorList()
    check_resource(resource, GROUPS, errors)

    assert bool(errors) is not fits
    assert all(f"{GROUPS}/NAME" in str(each) for each in errors.found())

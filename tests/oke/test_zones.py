"""Availability domains by name and by number."""

import pytest
from rdma_cluster.errors import ErrorList
from rdma_cluster.oke.plan.zones import check_zone, domain_of, number_of

NAMES = ["TrcQ:EU-FRANKFURT-1-AD-2", "TrcQ:EU-FRANKFURT-1-AD-1", "TrcQ:EU-FRANKFURT-1-AD-3"]


@pytest.mark.parametrize(
    ("zone", "region"),
    [
        ("TrcQ:EU-FRANKFURT-1-AD-3", "eu-frankfurt-1"),
        ("TrcQ:AP-MELBOURNE-1-AD-1", "ap-melbourne-1"),
        ("Uocm:PHX-AD-1", "us-phoenix-1"),
        ("jLaG:US-ASHBURN-AD-1", "us-ashburn-1"),
        ("crmS:IAD-AD-2", "us-ashburn-1"),
        ("1", "us-ashburn-1"),
        ("AD-2", "us-ashburn-1"),
    ],
)
def test_forms_that_are_in_use(zone: str, region: str):
    """As tenancies show them."""
    errors = ErrorList()
    check_zone(zone, region=region, errors=errors)

    assert not errors.found() and number_of(zone)


@pytest.mark.parametrize("zone", ["eu-frankfurt-1", "TrcQ:EU-FRANKFURT-1-AD-4", "4", "TrcQ:AP-MELBOURNE-1-AD-1"])
def test_forms_that_are_not(zone: str):
    """Or not of this region."""
    errors = ErrorList()
    check_zone(zone, region="eu-frankfurt-1", errors=errors)

    assert errors


def test_a_number_is_found_by_name():
    """Oracle says that the list's order means nothing."""
    assert domain_of(NAMES, 1) == "TrcQ:EU-FRANKFURT-1-AD-1"
    with pytest.raises(LookupError, match="got 3; the tenancy's region has X:Y-AD-1"):
        domain_of(["X:Y-AD-1"], 3)

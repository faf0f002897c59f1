"""Availability domains by name and by number, and OCIDs."""

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.oke.plan.zones import check_ocid, check_zone, domain_number, domain_of, number_of

NAMES = ["TrcQ:EU-FRANKFURT-1-AD-2", "TrcQ:EU-FRANKFURT-1-AD-1", "TrcQ:EU-FRANKFURT-1-AD-3"]


@pytest.mark.parametrize(
    ("zone", "region", "words"),
    [
        ("TrcQ:AP-MELBOURNE-1-AD-1", "ap-melbourne-1", ""),
        ("Uocm:PHX-AD-1", "us-phoenix-1", ""),
        ("jLaG:US-ASHBURN-AD-1", "us-ashburn-1", ""),
        ("crmS:IAD-AD-2", "us-ashburn-1", ""),
        ("3", "eu-frankfurt-1", ""),
        ("AD-1", "ap-melbourne-1", ""),
        # A region without a region's form is refused elsewhere.
        ("TrcQ:AP-MELBOURNE-1-AD-1", "frankfurt", ""),
        ("AD-0", "eu-frankfurt-1", "full name"),
        ("TrcQ:EU-FRANKFURT-1-AD-4", "eu-frankfurt-1", "full name"),
        ("Uocm:PHX-AD-1", "us-ashburn-1", "not in us-ashburn-1"),
        ("2", "ap-melbourne-1", "one availability domain"),
        ("TrcQ:AP-MELBOURNE-1-AD-2", "ap-melbourne-1", "one availability domain"),
    ],
)
def test_a_domain_is_written_as_tenancies_show_it_and_lies_in_its_region(zone: str, region: str, words: str):
    errors = ErrorList()
    check_zone(zone, region=region, errors=errors)

    assert len(errors.found()) == bool(words) and all(words in str(each) for each in errors.found())


@pytest.mark.parametrize(
    ("zone", "number", "by_number"),
    [("2", 2, 2), ("AD-3", 3, 3), ("TrcQ:EU-FRANKFURT-1-AD-3", 3, None), ("4", None, None)],
)
def test_a_full_name_has_a_number_and_is_not_looked_up_by_it(zone: str, number: int | None, by_number: int | None):
    assert (number_of(zone), domain_number(zone)) == (number, by_number)


def test_a_number_is_found_by_name():
    """Oracle says that the list's order means nothing."""
    assert domain_of(NAMES, 1) == "TrcQ:EU-FRANKFURT-1-AD-1"
    with pytest.raises(LookupError, match=r"got 3; .* X:Y-AD-1, X:Y-AD-2$"):
        domain_of(["X:Y-AD-1", "X:Y-AD-2"], 3)
    with pytest.raises(LookupError, match="no availability domain"):
        domain_of([], 3)


@pytest.mark.parametrize(
    ("value", "kinds", "words"),
    [
        ("ocid1.vcn.oc1.eu-frankfurt-1.a", ("vcn",), ""),
        ("ocid1.vcn.oc1.eu-frankfurt-1.a", (), ""),
        ("ocid1.tenancy.oc1..a", ("compartment", "tenancy"), ""),
        (7, ("vcn",), ""),
        ("mine", (), "begins with ocid1."),
        ("mine", ("vcn",), "ocid1.vcn.oc1.eu-frankfurt-1.a"),
        ("mine", ("compartment", "tenancy"), "ocid1.compartment.oc1..a"),
        ("ocid1.subnet.oc1.eu-frankfurt-1.a", ("vcn",), "write one of kind vcn"),
    ],
)
def test_an_ocid_is_of_one_of_its_kinds(value: object, kinds: tuple[str, ...], words: str):
    """An output is not looked at; an example of identity's own names no region."""
    errors = ErrorList()
    check_ocid(value, kinds, errors)

    assert len(errors.found()) == bool(words) and all(words in str(each) for each in errors.found())

"""Availability domains by name and by number."""

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.oke.plan.zones import check_ocid, check_region, check_zone, domain_number, domain_of, number_of

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


@pytest.mark.parametrize(
    ("zone", "region", "words"),
    [
        ("TrcQ:EU-FRANKFURT-1-AD-4", "eu-frankfurt-1", "write an availability domain's full name, e.g. "),
        ("AD-0", "eu-frankfurt-1", "write an availability domain's full name, e.g. "),
        ("TrcQ:AP-MELBOURNE-1-AD-1", "eu-frankfurt-1", "which is not in eu-frankfurt-1; take an availability domain"),
        ("Uocm:PHX-AD-1", "us-ashburn-1", "which is not in us-ashburn-1; "),
        ("TrcQ:US-PHOENIX-1-AD-1", "us-phoenix-1", ""),
        # A region without a region's form is told elsewhere.
        ("TrcQ:AP-MELBOURNE-1-AD-1", "frankfurt", ""),
        ("2", "ap-melbourne-1", 'got 2; ap-melbourne-1 has one availability domain, write "1"'),
        ("TrcQ:AP-MELBOURNE-1-AD-2", "ap-melbourne-1", 'ap-melbourne-1 has one availability domain, write "1"'),
        ("AD-1", "ap-melbourne-1", ""),
        ("3", "eu-frankfurt-1", ""),
    ],
)
def test_why_a_domain_is_refused(zone: str, region: str, words: str):
    """Its form, its region, or that the region has one alone."""
    errors = ErrorList()
    check_zone(zone, region=region, errors=errors)
    told = [str(error) for error in errors.found()]

    assert len(told) == bool(words) and all(words in each for each in told)


@pytest.mark.parametrize(
    ("zone", "number", "by_number"),
    [("2", 2, 2), ("AD-3", 3, 3), ("TrcQ:EU-FRANKFURT-1-AD-3", 3, None), ("4", None, None), ("mine", None, None)],
)
def test_number_of_a_domain(zone: str, number: int | None, by_number: int | None):
    """A full name has one, and is not asked for by it."""
    assert (number_of(zone), domain_number(zone)) == (number, by_number)


def test_no_domain_at_all():
    """A tenancy whose region shows none."""
    with pytest.raises(LookupError, match=r"^zone: got 3; the tenancy's region has no availability domain$"):
        domain_of([], 3)
    with pytest.raises(LookupError, match=r"has X:Y-AD-1, X:Y-AD-2$"):
        domain_of(["X:Y-AD-1", "X:Y-AD-2"], 3)


@pytest.mark.parametrize(
    ("value", "kinds", "words"),
    [
        ("ocid1.vcn.oc1.eu-frankfurt-1.a", ("vcn",), ""),
        ("ocid1.vcn.oc1.eu-frankfurt-1.a", (), ""),
        ("ocid1.tenancy.oc1..a", ("compartment", "tenancy"), ""),
        (7, ("vcn",), ""),
        ("mine", (), "got 'mine'; write an OCID, which begins with ocid1."),
        ("mine", ("vcn",), "got 'mine'; write an OCID, e.g. ocid1.vcn.oc1.eu-frankfurt-1.aaaaexample"),
        ("mine", ("compartment", "tenancy"), "got 'mine'; write an OCID, e.g. ocid1.compartment.oc1..aaaaexample"),
        ("mine", ("tenancy",), "got 'mine'; write an OCID, e.g. ocid1.tenancy.oc1..aaaaexample"),
        ("mine", ("dynamicgroup",), "got 'mine'; write an OCID, e.g. ocid1.dynamicgroup.oc1..aaaaexample"),
        (
            "ocid1.subnet.oc1.eu-frankfurt-1.a",
            ("vcn",),
            "got 'ocid1.subnet.oc1.eu-frankfurt-1.a', an OCID of kind subnet; "
            "write one of kind vcn, e.g. ocid1.vcn.oc1.eu-frankfurt-1.aaaaexample",
        ),
    ],
)
def test_ocids(value: object, kinds: tuple[str, ...], words: str):
    """Of one of some kinds, or of any; what comes later is not looked at. Identity's own name no region."""
    errors = ErrorList()
    check_ocid(value, kinds, errors)

    assert [str(error) for error in errors.found()] == ([words] if words else [])


@pytest.mark.parametrize(
    ("region", "fits"), [("eu-frankfurt-1", True), ("us-gov-ashburn-1", True), ("frankfurt", False)]
)
def test_regions(region: str, fits: bool):
    """Letters, and a number last."""
    errors = ErrorList()
    check_region(region, errors)

    assert bool(errors) is not fits

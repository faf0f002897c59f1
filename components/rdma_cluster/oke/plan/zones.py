"""Regions, availability domains, OCIDs and tags. Only their form is checked: Oracle alone knows which exist."""

import re
from collections.abc import Callable
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from pulumi_offline.unknowns import known
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...catalog.clouds.oke import OCI_ONE_DOMAIN
from ...common.tags import TagForm

_REGION = re.compile(r"[a-z]{2,3}(-[a-z]+)+-\d+")
# Two old regions name their domains in forms of their own: Uocm:PHX-AD-1.
_OLD_NAMES = {"us-phoenix-1": ("PHX",), "us-ashburn-1": ("US-ASHBURN", "IAD")}
_DOMAIN = re.compile(r"[A-Za-z0-9]{4}:(?P<region>[A-Z0-9-]+)-AD-(?P<number>[1-3])")
_NUMBER = re.compile(r"(AD-)?(?P<number>[1-3])")
_OF_NO_REGION = ("tenancy", "compartment", "dynamicgroup")
"""Identity's resources, whose OCIDs name none: docs.oracle.com/iaas/Content/General/Concepts/identifiers.htm."""
_OCID = re.compile(r"ocid1\.(?P<kind>[a-z0-9]+)\.[a-z0-9-]+\.[a-z0-9-]*\.[A-Za-z0-9._-]+")

# Oracle's page on tags states a limit for the length of keys and values, which is not verified here: none is checked.
# https://docs.oracle.com/iaas/Content/Tagging/Concepts/understandingfreeformtags.htm (2026-11-23)
ORACLE = TagForm(
    package="oci",
    inputs=("freeform_tags",),
    inside={
        "oci:ContainerEngine/nodePool:NodePool": ("node_config_details", "freeform_tags"),
        "oci:Core/instanceConfiguration:InstanceConfiguration": ("instance_details", "launch_details", "freeform_tags"),
    },
    key=r"[^\x00-\x1f]+",
    value=r"[^\x00-\x1f]*",
    words="a free-form tag has a key, and no control characters",
    most=None,
)
"""What Oracle takes as free-form tags."""


@args_schema
class OkePlace(TypedDict):
    """Where a component makes its resources."""

    region: str
    """Region. Example: ``eu-frankfurt-1``."""
    tenancy: Link
    """OCID of the tenancy."""
    compartment: Link
    """OCID of the compartment."""
    zone: str
    """Availability domain of the nodes, by full name or number."""


@frozen
class Place:
    """The place of a component's resources, as its plan holds it."""

    region: str
    tenancy: Link
    compartment: Link
    zone: str
    """Availability domain, as the user names it."""


def place_of(args: OkePlace) -> Place:
    """The place that the args of a component or a stack name."""
    return Place(args["region"], args["tenancy"], args["compartment"], args["zone"])


def once_known(value: Any, form: Callable[[str], str]) -> Any:
    """``form`` of a text: now, or when the resource that brings it has it."""
    return form(value) if isinstance(value, str) else value.apply(form)


def check_tenancy(tenancy: Link, compartment: Link, errors: ErrorList) -> None:
    """OCIDs of a tenancy and of a compartment in it; the tenancy itself is its root compartment."""
    check_ocid(tenancy, ("tenancy",), errors.at("tenancy"))
    check_compartment(compartment, errors.at("compartment"))


def check_compartment(compartment: Link, errors: ErrorList) -> None:
    """The OCID of a compartment, or of the tenancy, which is the root compartment."""
    check_ocid(compartment, ("compartment", "tenancy"), errors)


def check_region(region: str, errors: ErrorList) -> None:
    """A region's form."""
    if not _REGION.fullmatch(region):
        errors.add(f"got {region!r}, which has no region's form; write e.g. eu-frankfurt-1")


def check_zone(zone: str, *, region: str, errors: ErrorList) -> None:
    """One availability domain, by its full name or by its number."""
    match = _DOMAIN.fullmatch(zone)
    if match is None and not _NUMBER.fullmatch(zone):
        errors.add(
            f"got {zone!r}; write an availability domain's full name, e.g. TrcQ:EU-FRANKFURT-1-AD-3, "
            'or its number, e.g. "3"'
        )
    elif match and _REGION.fullmatch(region) and match["region"] not in (region.upper(), *_OLD_NAMES.get(region, ())):
        remedy = f"take an availability domain of {region} or change the region"
        errors.add(f"got {zone}, which is not in {region}; {remedy}")
    elif region in OCI_ONE_DOMAIN and number_of(zone) != 1:
        errors.add(f'got {zone}; {region} has one availability domain, write "1"')


def domain_number(zone: str) -> int | None:
    """The number of an availability domain; ``None`` of a full name, which has a prefix of the tenancy."""
    match = _NUMBER.fullmatch(zone)
    return int(match["number"]) if match else None


def domain_of(names: list[str], number: int) -> str:
    """The full name of an availability domain among those of a tenancy. Raises ``LookupError`` when it is not there."""
    domain = next((name for name in names if name.endswith(f"-AD-{number}")), None)
    if domain is None:
        domains = ", ".join(names) or "no availability domain"
        raise LookupError(f"zone: got {number}; the tenancy's region has {domains}")
    return domain


def number_of(zone: str) -> int | None:
    """The number of an availability domain, named in full or by its number."""
    match = _DOMAIN.fullmatch(zone) or _NUMBER.fullmatch(zone)
    return int(match["number"]) if match else None


def check_ocid(value: Any, kinds: tuple[str, ...], errors: ErrorList) -> None:
    """An OCID of one of these kinds, or of any where none is listed. Pulumi outputs pass unchecked."""
    if not isinstance(value, str) or not known(value):
        return
    match = _OCID.fullmatch(value)
    if match is not None and (not kinds or match["kind"] in kinds):
        return
    if not kinds:
        errors.add(f"got {value!r}; write an OCID, which begins with ocid1.")
        return
    region = "" if kinds[0] in _OF_NO_REGION else "eu-frankfurt-1"
    of_kind = "" if match is None else f", an OCID of kind {match['kind']}"
    wanted = "an OCID" if match is None else f"one of kind {kinds[0]}"
    errors.add(f"got {value!r}{of_kind}; write {wanted}, e.g. ocid1.{kinds[0]}.oc1.{region}.aaaaexample")

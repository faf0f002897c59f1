"""Locations, zones, resource ids and tags of Azure. Only their form is checked: which exist only Azure knows."""

import re
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.unknowns import known
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...catalog.clouds.aks import AZURE_WITHOUT_ZONES, AZURE_WITHOUT_ZONES_SOURCE
from ...common.tags import TagForm

ZONES = ("1", "2", "3")
"""A location with availability zones has three; which data centre a number means differs by subscription."""

_LOCATION = re.compile(r"[a-z]+[0-9]?[a-z]*", re.ASCII)  # eastus2, and eastus2euap
# https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules
_GROUP = re.compile(r"(?=.{1,90}\Z)[-\w.()]*[-\w()]")
_NAME = r"[-\w.()]+"
# https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations (2026-11-23): 50 a
# resource; 512 characters a name, of a storage account 128.
AZURE = TagForm(
    package="azure-native",
    inputs=("tags",),
    inside={},
    key=r"(?i:(?!microsoft|azure|windows)[^<>%&\\?/\x00-\x1f]{1,128})",
    value=r"[^\x00-\x1f]{0,256}",
    words=(
        "a key is 1 to 128 characters without < > % & \\ ? and /, not beginning with microsoft, azure or windows; a "
        "value is up to 256"
    ),
    most=50,
)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@args_schema
class AksPlace(TypedDict):
    """Where a component makes its resources."""

    subscription: str
    """Id of the subscription."""
    location: str
    """Location. Example: ``southcentralus``."""
    zone: NotRequired[str]
    """Zone of the GPU nodes. Default: none, for locations and sizes without zones."""


def place_of(args: AksPlace) -> AksPlace:
    """The place alone, of args that hold more."""
    place = AksPlace(subscription=args["subscription"], location=args["location"])
    return AksPlace(**place, zone=args["zone"]) if "zone" in args else place


def check_place(place: AksPlace, errors: ErrorList) -> None:
    """Check the form of a subscription, a location and a zone."""
    check_uuid(place["subscription"], "the subscription's id", errors.at("subscription"))
    check_location(place["location"], errors.at("location"))
    check_zone(place.get("zone"), errors.at("zone"))


def check_location(location: str, errors: ErrorList) -> None:
    """Check the form of a location: Azure's short name, not the one it shows."""
    if not _LOCATION.fullmatch(location):
        errors.add(f"got {location!r}, which has no location's form; write e.g. southcentralus")


def check_zone(zone: str | None, errors: ErrorList) -> None:
    """Check that there is one zone, or none: the nodes of a placement group are in one place."""
    if zone is not None and zone not in ZONES:
        errors.add(
            f"got {zone!r}; an InfiniBand fabric is in one zone: write {', '.join(ZONES[:2])} or {ZONES[2]}, or leave "
            "it out where the location or the size has no zones"
        )


def zone_warnings(place: AksPlace) -> list[str]:
    """Warn of a zone where the location was seen to have none."""
    if "zone" not in place or place["location"] not in AZURE_WITHOUT_ZONES:
        return []
    return [
        f"zone is {place['zone']}, and {place['location']} has no availability zones as of "
        f"{AZURE_WITHOUT_ZONES_SOURCE.seen}: where that still holds Azure refuses the cluster; leave zone out"
    ]


def check_uuid(text: object, what: str, errors: ErrorList) -> None:
    """Check the id of a subscription, a tenant or a principal; outputs pass."""
    if isinstance(text, str) and known(text) and not _UUID.fullmatch(text):
        errors.add(f"got {text!r}; write {what}, e.g. 00000000-0000-0000-0000-000000000000")


def check_group(name: Link | None, errors: ErrorList) -> None:
    """Check the name of a resource group, where there is one that is known."""
    if name == "":
        errors.add("empty; name it, or leave it out and one is made")
    elif isinstance(name, str) and not _GROUP.fullmatch(name):
        errors.add(
            f"got {name!r}; write its name alone: up to 90 letters, digits, hyphens, underscores, periods and "
            "parentheses, and no period last"
        )


def check_resource(resource: object, kind: str, errors: ErrorList) -> None:
    """Check the id of a resource of ``kind``, e.g. ``Microsoft.Compute/capacityReservationGroups``; outputs pass."""
    if not isinstance(resource, str) or not known(resource):
        return
    provider, *types = kind.split("/")
    below = "".join(f"/{each}/{_NAME}" for each in types)
    form = rf"/subscriptions/{_NAME}/resourceGroups/{_NAME}/providers/{re.escape(provider)}{below}"
    if not re.fullmatch(form, resource, re.IGNORECASE):
        example = "/".join(f"{each}/NAME" for each in types)
        errors.add(
            f"got {resource!r}; write its resource id, "
            f"/subscriptions/ID/resourceGroups/GROUP/providers/{provider}/{example}"
        )


def resource_group_of(resource: str) -> str:
    """The id of the resource group that holds a resource."""
    return "/".join(resource.split("/")[:5])

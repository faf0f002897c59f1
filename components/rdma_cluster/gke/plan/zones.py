"""Regions and zones of Google Cloud, by their form: which zones have a RoCE network profile only Google knows."""

import re

from ...faults import Faults
from ...unread import rule

_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-[a-z]+", re.ASCII)


@rule
def region_of(zone: str, faults: Faults, why: str = "the RoCE profile is ZONE-vpc-roce, so ") -> str | None:
    """The region of a zone; a fault when ``zone`` has no zone's form, for then it names no RoCE profile either."""
    if not _ZONE.fullmatch(zone):
        faults.add(f"got {zone!r}, which has no zone's form; {why}write e.g. us-west8-c")
        return None
    return zone.rpartition("-")[0]


@rule
def check_location(location: str, zone: str, region: str | None, faults: Faults) -> None:
    """Where the cluster of nodes in ``zone`` may be."""
    if region is not None and location not in (zone, region):
        faults.add(f"got {location!r}; the cluster of nodes in {zone} is in {region} or {zone}")

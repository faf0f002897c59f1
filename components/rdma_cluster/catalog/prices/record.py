"""What a public price list says, and what several of them say together."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..machine import Source

EVERYWHERE = "*"
"""In place of regions: the list has one price for all of them."""
STALE_DAYS = 120
"""A price that is older tells its age."""


@dataclass(frozen=True, slots=True)
class PriceList:
    """One public list of on-demand prices of Linux machines, without tax, as it was on one day."""

    source: Source
    machines: Mapping[str, Mapping[float, str]]
    """By machine type: the price of one machine in US dollars an hour -> the regions that have it, between spaces, or
    ``EVERYWHERE``."""


@dataclass(frozen=True, slots=True)
class Price:
    """What one machine costs on demand in a region, or somewhere in several."""

    least: float
    """US dollars an hour by the list, and in the region, that say least."""
    most: float
    """The same by those that say most."""
    as_of: str
    """The date of the newest list, ISO 8601; of several regions, that of the region whose lists are oldest."""
    sources: tuple[Source, ...]
    regions: tuple[str, ...]

"""On-demand prices of machines by region, each from a public list with a date; one module a cloud.

A module has ``LISTS``, one for each source, and ``UNLISTED``: why a machine has no price. Where two lists have a
machine in a region, both count: what they disagree about is a range.

Newer lists were looked for on 2026-11-28. No repository that a module names had one:
Azure/karpenter-provider-azure@6204e9f of 2026-08-22 still has the prices of 2026-06-18. Of three newer data sets
(tanod/cloud-gpu-list-prices of 2026-10-16, datameaning/azure-gpu-vm-prices of 2026-10-29, ComputeTicks/gpu-cloud-prices
of 2026-11-18) only a few rows could be read, which are no list.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from pulumi_offline.frozen import frozen
from ..machine import Machine, Source

EVERYWHERE = "*"
"""In place of regions: the list has one price for all of them."""
STALE_DAYS = 120
"""A price that is older tells its age."""


@frozen
class PriceList:
    """One public list of on-demand prices of Linux machines, without tax, as it was on one day."""

    source: Source
    machines: Mapping[str, Mapping[float, str]]
    """By machine type: the price of one machine in US dollars an hour -> the regions that have it, between spaces, or
    ``EVERYWHERE``."""


@frozen
class Price:
    """What one machine costs on demand in a region, or somewhere in several."""

    least: float
    """US dollars an hour by the list, and in the region, that say least."""
    most: float
    """US dollars an hour by the list, and in the region, that say most."""
    as_of: str
    """The date of the newest list, ISO 8601; of several regions, that of the region whose lists are oldest."""
    sources: tuple[Source, ...]
    regions: tuple[str, ...]


def prices(machine: Machine) -> tuple[Price, ...]:
    """Every price of a machine with the regions that have it, cheapest first; none where no list has the machine."""
    listed: dict[str, list[tuple[float, Source]]] = {}
    for each in _module(machine).LISTS:
        for dollars, regions in each.machines.get(machine.name, {}).items():
            for region in regions.split():
                listed.setdefault(region, []).append((dollars, each.source))
    alike: dict[tuple[float, float, tuple[Source, ...]], list[str]] = {}
    for region, said in listed.items():
        dollars = [each for each, _ in said]
        alike.setdefault((min(dollars), max(dollars), tuple(source for _, source in said)), []).append(region)
    found = [
        Price(least, most, max(source.seen for source in sources), sources, tuple(sorted(regions)))
        for (least, most, sources), regions in alike.items()
    ]
    return tuple(sorted(found, key=lambda price: (price.least, price.most, price.regions)))


def price_of(machine: Machine, region: str) -> Price | None:
    """The price in a region; where no list has this region, over those that lists have; ``None`` where no list has
    the machine."""
    found = prices(machine)
    for price in found:
        if region in price.regions or EVERYWHERE in price.regions:
            return price
    if not found:
        return None
    return Price(
        min(price.least for price in found),
        max(price.most for price in found),
        min(price.as_of for price in found),
        tuple(dict.fromkeys(source for price in found for source in price.sources)),
        tuple(sorted(region for price in found for region in price.regions)),
    )


def why_unlisted(machine: Machine) -> str:
    """Why no list has a price of the machine, e.g. that it is sold by contract."""
    return _module(machine).UNLISTED.get(machine.name, "no price: none of the public lists that were read has it")


def _module(machine: Machine) -> Any:
    return import_module(f"{__name__}.{machine.cloud}")

"""What the GPU nodes of a plan cost by public price lists: rows for the summary, and what an old price tells."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Protocol

from ..catalog.machine import Capacity, Machine
from ..catalog.prices import EVERYWHERE, STALE_DAYS, Price, price_of, prices, why_unlisted

TOTAL = "all pools"
"""The pool that the last row names; no pool's name has a space."""
NOT_IN_IT = (
    "not in it: control plane, system nodes, adopted nodes, disks, storage, network traffic, licences, taxes; what "
    "commitments and contracts take off"
)
_OWN_PRICE = "a reference only: {} has a price of its own"
_REMARKS = {
    Capacity.ON_DEMAND: "",
    Capacity.SPOT: "an upper reference: spot nodes cost less, by a price that changes",
    Capacity.RESERVATION: "an upper reference: what a commitment or contract takes off is not known",
    Capacity.CAPACITY_TOPOLOGY: "a reference only: this capacity is sold by contract",
}
"""What the on-demand price says of nodes by their source; of the other sources, ``_OWN_PRICE``."""


class Priced(Protocol):
    """What the price of a pool depends on, with or without Kubernetes."""

    @property
    def name(self) -> str:
        """The pool's name."""

    @property
    def machine(self) -> Machine:
        """The row of its machines."""

    @property
    def nodes(self) -> int:
        """How many there are when all run."""

    @property
    def capacity(self) -> Capacity:
        """Where they come from."""


def price_rows(pools: Iterable[Priced], region: str) -> list[dict[str, Any]]:
    """A row for each pool, with US dollars an hour while all its nodes run, and one for all of them.

    The dollars are ``None`` where no list has the machine; the last row is the sum of the others.
    """
    rows = [_row(pool, region) for pool in pools]
    known = [row for row in rows if row["from_usd_an_hour"] is not None]
    without = [row["pool"] for row in rows if row["from_usd_an_hour"] is None]
    total: dict[str, Any] = {
        "pool": TOTAL,
        "region": region,
        "from_usd_an_hour": _sum(row["from_usd_an_hour"] for row in known),
        "to_usd_an_hour": _sum(row["to_usd_an_hour"] for row in known),
        "as_of": min((row["as_of"] for row in known), default=None),
        "basis": "; ".join([*([f"without {', '.join(without)}"] if without else []), NOT_IN_IT]),
    }
    return [*rows, total]


def aged(rows: Sequence[Mapping[str, Any]], today: date) -> list[str]:
    """A sentence for each pool whose price is older than ``STALE_DAYS``.

    The only words of a plan that depend on the day: they stand in what people read, and not in JSON.
    """
    return [
        f"the price of pool {row['pool']} is of {row['as_of']}, {days} days ago; look at the cloud's own list"
        for row in rows
        if row["pool"] != TOTAL and row["as_of"]
        if (days := (today - date.fromisoformat(row["as_of"])).days) > STALE_DAYS
    ]


def _row(pool: Priced, region: str) -> dict[str, Any]:
    price = price_of(pool.machine, region)
    row: dict[str, Any] = {"pool": pool.name, "region": region}
    if price is None:
        basis = why_unlisted(pool.machine)
        return {**row, "from_usd_an_hour": None, "to_usd_an_hour": None, "as_of": None, "basis": basis}
    remark = _REMARKS.get(pool.capacity, _OWN_PRICE.format(pool.capacity.value))
    return {
        **row,
        "from_usd_an_hour": round(price.least * pool.nodes, 2),
        "to_usd_an_hour": round(price.most * pool.nodes, 2),
        "as_of": price.as_of,
        "basis": "; ".join(each for each in (_where(pool.machine, price, region), remark) if each),
    }


def _where(machine: Machine, price: Price, region: str) -> str:
    if region in price.regions or EVERYWHERE in price.regions:
        return "on demand; lists differ" if price.least != price.most else "on demand"
    where = ", ".join(price.regions)
    if len(price.regions) > 3:
        listed = prices(machine)
        cheapest, dearest = listed[0].regions[0], max(listed, key=lambda each: each.most).regions[0]
        where = f"{len(price.regions)} regions, from {cheapest} to {dearest}"
    return f"on demand in {where}: no list that was read has {region}"


def _sum(dollars: Iterable[float]) -> float | None:
    all_of_them = list(dollars)
    return round(sum(all_of_them), 2) if all_of_them else None

"""Where the nodes of a GKE pool come from."""

from typing import NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...catalog.machine import Capacity
from ...faults import Faults
from ...unread import rule
from .cluster import check_name
from .project import check_project


@shape
class GkeReservation(TypedDict):
    """A reservation, or a part of one, that the pool's nodes consume."""

    name: str
    """Name of the reservation."""
    project: NotRequired[str]
    """Project that owns it. Default: the cluster's."""
    zone: NotRequired[str]
    """Zone it is in; checked against the pool's."""
    block: NotRequired[str]
    """Reservation block."""
    sub_block: NotRequired[str]
    """Sub-block of ``block``."""


@shape
class GkeCapacity(TypedDict):
    """Where the nodes come from: exactly one of these."""

    reservation: NotRequired[GkeReservation]
    """Nodes of a specific reservation."""
    spot: NotRequired[bool]
    """Spot nodes: cheap, and taken away at any time."""
    flex_start: NotRequired[bool]
    """Dynamic Workload Scheduler: the pool grows from 0 when capacity is there, for at most 7 days."""
    on_demand: NotRequired[bool]
    """Ordinary nodes, where the machine is sold that way."""


SOURCES = {
    "reservation": Capacity.RESERVATION,
    "spot": Capacity.SPOT,
    "flex_start": Capacity.FLEX_START,
    "on_demand": Capacity.ON_DEMAND,
}


@rule
def reservation_path(args: GkeCapacity, *, zone: str, faults: Faults) -> str | None:
    """The value of the reservation affinity; GKE resolves it by this path's form."""
    if (reservation := args.get("reservation")) is None:
        return None
    for key in ("name", "block", "sub_block"):
        if key in reservation:
            _check_bare(reservation[key], faults.at(key))
    if "project" in reservation:
        check_project(reservation["project"], faults.at("project"))
    _check_zone(reservation.get("zone", zone), zone, faults.at("zone"))
    if "sub_block" in reservation and "block" not in reservation:
        faults.at("sub_block").add("needs block; a sub-block is named within its block")
    path = reservation["name"]
    if "project" in reservation:
        path = f"projects/{reservation['project']}/reservations/{path}"
    for segment, key in (("reservationBlocks", "block"), ("reservationSubBlocks", "sub_block")):
        if key in reservation:
            path += f"/{segment}/{reservation[key]}"
    return path


@rule
def _check_bare(name: str, faults: Faults) -> None:
    """A name without the path that it stands in."""
    if "/" in name:
        faults.add(f"got {name!r}; give the bare name, and the rest of the path in project, block and subBlock")
    else:
        check_name(name, 63, faults)


@rule
def _check_zone(of: str, zone: str, faults: Faults) -> None:
    """A reservation is used where it is."""
    if of != zone:
        faults.add(f"the reservation is in {of} and the pool in {zone}; use a reservation of {zone} or move the stack")

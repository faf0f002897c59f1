"""Where the nodes of an AKS pool come from."""

from typing import NotRequired

from pulumi_offline.errors import ErrorList
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from ...catalog.machine import Capacity
from .zones import check_resource

SOURCES = {"reservation": Capacity.RESERVATION, "spot": Capacity.SPOT, "on_demand": Capacity.ON_DEMAND}


@args_schema
class AksReservation(TypedDict):
    """A capacity reservation group, whose reservation of the machine type the pool's nodes consume."""

    group: Link
    """Id of the group. A pool that finds no reservation in it is made on demand, and only warned of."""
    zone: NotRequired[str]
    """Zone it is in; checked against the pool's."""


@args_schema
class AksCapacity(TypedDict):
    """Where the nodes come from: exactly one of these."""

    reservation: NotRequired[AksReservation]
    """Nodes of a capacity reservation group."""
    spot: NotRequired[bool]
    """Spot nodes: cheap, and taken away at any time."""
    on_demand: NotRequired[bool]
    """Ordinary nodes."""


def check_reservation(args: AksCapacity, *, zone: str | None, errors: ErrorList) -> None:
    """Check that the group is named by its id, and is in the zone of the pool."""
    if (reservation := args.get("reservation")) is None:
        return
    check_resource(reservation["group"], "Microsoft.Compute/capacityReservationGroups", errors.at("group"))
    reserved_zone = reservation.get("zone", zone)
    if reserved_zone != zone:
        errors.at("zone").add(
            f"the reservation is in zone {reserved_zone} and the pool in {zone or 'none'}; use one of the pool's, or "
            "move the pool"
        )

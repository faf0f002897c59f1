"""Where plain machines come from."""

from typing import NotRequired

from typing_extensions import TypedDict

from ...args import shape
from ...catalog.machine import Capacity
from ...clouds.google.names import check_name, check_project
from ...faults import Faults


@shape
class GceReservation(TypedDict):
    """A reservation that the machines consume."""

    name: str
    """Name of the reservation."""
    project: NotRequired[str]
    """Project that owns it. Default: the machines'."""


@shape
class GceCapacity(TypedDict):
    """Where the machines come from: exactly one of these."""

    reservation: NotRequired[GceReservation]
    """Machines of a specific reservation."""
    spot: NotRequired[bool]
    """Spot machines: cheap, and stopped at any time; the next `up` starts them again."""
    on_demand: NotRequired[bool]
    """Ordinary machines in compact placement, where the machine is sold that way."""


SOURCES = {
    "reservation": Capacity.RESERVATION,
    "spot": Capacity.SPOT,
    "on_demand": Capacity.ON_DEMAND,
}


def reservation_path(args: GceCapacity, faults: Faults) -> str | None:
    """The value of an instance's reservation affinity."""
    if (reservation := args.get("reservation")) is None:
        return None
    check_name(reservation["name"], 63, faults.at("name"))
    if "project" not in reservation:
        return reservation["name"]
    check_project(reservation["project"], faults.at("project"))
    return f"projects/{reservation['project']}/reservations/{reservation['name']}"

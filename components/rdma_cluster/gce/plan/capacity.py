"""Where plain machines come from, and what Google is asked for."""

from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import args_schema
from ...base.other_names import other_names
from ...catalog.flex_start import MOST_RUN_HOURS
from ...catalog.machine import Capacity
from ...common.google.flex_start import check_run_hours
from ...common.google.names import check_name, check_project
from ...common.pools import one_source


@args_schema
class GceReservation(TypedDict):
    """A reservation that the machines consume."""

    name: str
    """Name of the reservation."""
    project: NotRequired[str]
    """Project that owns it. Default: the machines'."""


NO_GROUP = (
    "no managed instance group is made: pulumi-gcp 10.2 names no machine of a resize request, and rails, proof and "
    "rerun go by name; take flexStart: true for machines one by one, or cloud: gke with queued: true for all at once"
)
"""What a group would take besides: ``catalog.flex_start.GROUP``."""


@other_names(  # SkyPilot's managed_instance_group, and Google's own words
    {
        NO_GROUP: "managed_instance_group resize_request bulk",
        "did you mean maxRunHours, in hours?": "run_duration max_run_duration",
        "leave it out: pulumi-gcp 10.2 cannot say how long Google may look for a machine": "provision_timeout "
        "request_valid_for_duration",
    }
)
@args_schema
class GceCapacity(TypedDict):
    """Where the machines come from: exactly one source."""

    reservation: NotRequired[GceReservation]
    """Machines of a specific reservation."""
    spot: NotRequired[bool]
    """Spot machines: cheap, and stopped at any time; the next `up` starts them again."""
    flex_start: NotRequired[bool]
    """Dynamic Workload Scheduler: machines at a discount, for at most 7 days; Google then deletes them."""
    on_demand: NotRequired[bool]
    """Ordinary machines in compact placement, where the machine is sold that way."""
    max_run_hours: NotRequired[int]
    """With ``flex_start``: hours after which Google deletes a machine. Default: 168, which is the most."""


_SOURCES = {
    "reservation": Capacity.RESERVATION,
    "spot": Capacity.SPOT,
    "flex_start": Capacity.FLEX_START,
    "on_demand": Capacity.ON_DEMAND,
}


@frozen
class Provisioning:
    """How Google gives a machine and takes it back, in the words of its API."""

    model: str
    ends_by: str | None
    """What becomes of a machine that Google takes back; ``None`` where it takes none."""
    restarts: bool
    """Whether Google starts a machine again that failed."""


PROVISIONING = {
    Capacity.RESERVATION: Provisioning("STANDARD", None, restarts=True),
    Capacity.SPOT: Provisioning("SPOT", "STOP", restarts=False),
    # Stopped machines would keep paid disks, and start only where there is room at that moment.
    Capacity.FLEX_START: Provisioning("FLEX_START", "DELETE", restarts=False),
    Capacity.ON_DEMAND: Provisioning("STANDARD", None, restarts=True),
}


@frozen
class PoolCapacity:
    """What the capacity source decides for a pool."""

    source: Capacity
    reservation: str | None
    """The value of an instance's reservation affinity."""
    run_hours: int | None
    """Hours after which Google deletes a machine; ``None`` where it runs until somebody ends it."""
    warnings: tuple[str, ...]


def plan_capacity(args: GceCapacity, name: str, nodes: int, errors: ErrorList) -> PoolCapacity | None:
    """The capacity of pool ``name``. Returns ``None`` when it is not exactly one source."""
    source = one_source(args, _SOURCES, errors)
    hours = args.get("max_run_hours", MOST_RUN_HOURS)
    if "max_run_hours" in args:
        check_run_hours(hours, source, errors.at("max_run_hours"))
    reservation = _reservation_path(args, errors.at("reservation"))
    if source is Capacity.FLEX_START:
        return PoolCapacity(source, None, hours, _flex_start_warnings(name, nodes, hours))
    return PoolCapacity(source, reservation, None, ()) if source is not None else None


def _reservation_path(args: GceCapacity, errors: ErrorList) -> str | None:
    """The value of an instance's reservation affinity."""
    if (reservation := args.get("reservation")) is None:
        return None
    check_name(reservation["name"], 63, errors.at("name"))
    if "project" not in reservation:
        return reservation["name"]
    check_project(reservation["project"], errors.at("project"))
    return f"projects/{reservation['project']}/reservations/{reservation['name']}"


def _flex_start_warnings(name: str, nodes: int, hours: int) -> tuple[str, ...]:
    ends = (
        f"pool {name}: {hours} hours after its start Google deletes each machine with its disk, and the next "
        "`pulumi up --refresh` asks for new ones; flex-start takes preemptible quota"
    )
    one_by_one = (
        f"pool {name}: its {nodes} machines are asked for one by one, and those that came first cost money while "
        "one is missing; pulumi-gcp 10.2 cannot say how long Google may look for it (requestValidForDuration): "
        "where `up` ends without room, run it again"
    )
    return (ends, one_by_one) if nodes > 1 else (ends,)

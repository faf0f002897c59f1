"""Where the nodes of a GKE pool come from, and what Google refuses of each source."""

from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import args_schema
from ...catalog.machine import Capacity
from ...common.google.flex_start import check_run_hours
from ...common.google.names import check_name, check_project
from ...common.pools import one_source

# docs.cloud.google.com/compute/docs/instances/create-future-reservations-calendar-mode
MOST_CALENDAR_NODES = 80


@args_schema
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
    active: NotRequired[bool]
    """``false`` for a future reservation whose time has not begun: the pool is made without nodes, and gets them when
    this is removed. Default: true."""


@args_schema
class GkeCapacity(TypedDict):
    """Where the nodes come from: exactly one source."""

    reservation: NotRequired[GkeReservation]
    """Nodes of a specific reservation, or of a future one by the name of the reservation that it makes."""
    calendar: NotRequired[GkeReservation]
    """Nodes that a future reservation in calendar mode delivers, for 1 to 90 days: the reservation that it makes."""
    spot: NotRequired[bool]
    """Spot nodes: cheap, and taken away at any time."""
    flex_start: NotRequired[bool]
    """Dynamic Workload Scheduler: the pool grows from 0 when capacity is there, for at most 7 days."""
    queued: NotRequired[bool]
    """Flex-start with queued provisioning: all nodes of a job at once, when its ProvisioningRequest is granted."""
    on_demand: NotRequired[bool]
    """Ordinary nodes, where the machine is sold that way."""
    max_run_hours: NotRequired[int]
    """With ``flex_start``: hours after which Google takes a node back. Default: 168, which is the most."""


SOURCES = {
    "reservation": Capacity.RESERVATION,
    "calendar": Capacity.CALENDAR,
    "spot": Capacity.SPOT,
    "flex_start": Capacity.FLEX_START,
    "queued": Capacity.QUEUED,
    "on_demand": Capacity.ON_DEMAND,
}
_RESERVED = ("reservation", "calendar")
WHEN_ASKED = (Capacity.FLEX_START, Capacity.QUEUED)
"""Sources whose nodes the autoscaler adds when a job asks for them; no such node stays for good."""
QUEUED_TAINT = {"cloud.google.com/gke-queued": "true"}
"""GKE's own taint of nodes with queued provisioning. GKE leaves the label of the same name to the maker of the pool:
cluster-toolkit v1.95 modules/compute/gke-node-pool/main.tf."""


@frozen
class PoolCapacity:
    """What the capacity source decides for a pool."""

    source: Capacity | None
    """``None`` where it is not exactly one, which is an error already."""
    reservation: str | None
    """The value of the reservation affinity; GKE resolves it by this path's form."""
    begun: bool
    """Whether there are nodes to take; only a future reservation has none."""
    min_nodes: int | None
    """The least nodes that the autoscaler leaves; ``None`` is a fixed size."""
    run_seconds: int | None
    """After how many seconds Google takes a node back; ``None`` leaves it to Google."""

    @property
    def when_asked(self) -> bool:
        """Whether nodes come when a job asks for them."""
        return self.source in WHEN_ASKED


def plan_capacity(args: GkeCapacity, nodes: int, min_nodes: int | None, zone: str, errors: ErrorList) -> PoolCapacity:
    """The capacity of a pool of ``nodes``, which may shrink to ``min_nodes``; ``errors`` are the pool's."""
    source = one_source(args, SOURCES, errors.at("capacity"))
    paths = [_path(args[key], zone, errors.at("capacity", key)) for key in _RESERVED if key in args]
    if source is Capacity.CALENDAR and nodes > MOST_CALENDAR_NODES:
        errors.at("nodes").add(
            f"got {nodes}; one request in calendar mode is for {MOST_CALENDAR_NODES} nodes at the most; make a pool "
            "for each of several requests"
        )
    hours = args.get("max_run_hours")
    if hours is not None:
        _check_run_hours(hours, source, errors.at("capacity", "max_run_hours"))
    begun = has_begun(args)
    if min_nodes is not None:
        _check_min_nodes(min_nodes, nodes, source, begun, errors.at("min_nodes"))
    if source in WHEN_ASKED:
        # As in cluster-toolkit v1.95 modules/compute/gke-node-pool: a queued pool starts from 0 and has no fixed part.
        min_nodes = 0
    return PoolCapacity(source, paths[0] if paths else None, begun, min_nodes, hours and hours * 3600)


def _path(reservation: GkeReservation, zone: str, errors: ErrorList) -> str:
    for key in ("name", "block", "sub_block"):
        if key not in reservation:
            continue
        name = reservation[key]
        if "/" in name:
            errors.at(key).add(
                f"got {name!r}; give the bare name, and the rest of the path in project, block and subBlock"
            )
        else:
            check_name(name, 63, errors.at(key))
    if "project" in reservation:
        check_project(reservation["project"], errors.at("project"))
    reserved_in = reservation.get("zone", zone)
    if reserved_in != zone:
        errors.at("zone").add(
            f"the reservation is in {reserved_in} and the pool in {zone}; use a reservation of {zone} or move the stack"
        )
    if "sub_block" in reservation and "block" not in reservation:
        errors.at("sub_block").add("needs block; a sub-block is named within its block")
    path = reservation["name"]
    if "project" in reservation:
        path = f"projects/{reservation['project']}/reservations/{path}"
    for segment, key in (("reservationBlocks", "block"), ("reservationSubBlocks", "sub_block")):
        if key in reservation:
            path += f"/{segment}/{reservation[key]}"
    return path


def has_begun(args: GkeCapacity) -> bool:
    """Whether there are nodes to take; only a future reservation has none."""
    return all(args[key].get("active", True) for key in _RESERVED if key in args)


def scales_from_zero(args: GkeCapacity) -> bool:
    """Whether the autoscaler adds nodes when a pod needs them, and removes them again."""
    return any(source in WHEN_ASKED and args.get(key) for key, source in SOURCES.items())


def why_no_nodes(args: GkeCapacity) -> str:
    """Why nothing can be proved before `up` ends; empty where nodes are there by then."""
    asked = (source for key, source in SOURCES.items() if source in WHEN_ASKED and args.get(key))
    return why_none_of(next(asked, None), has_begun(args))


def why_none_of(source: Capacity | None, begun: bool) -> str:
    """The same, of a source and of whether its reservation has begun."""
    if source in WHEN_ASKED and source is not None:
        return f"a {source.value} pool has no nodes until a job asks for them"
    return "" if begun else "the pool has no nodes until its reservation begins"


def _check_run_hours(hours: int, source: Capacity | None, errors: ErrorList) -> None:
    """Refuse a run time but of flex-start; with queued provisioning each job has its own."""
    if source is Capacity.QUEUED:
        errors.add(
            "not allowed with queued, where each job says it, by the annotation "
            "provreq.kueue.x-k8s.io/maxRunDurationSeconds; remove it"
        )
    else:
        check_run_hours(hours, source, errors)


def _check_min_nodes(min_nodes: int, nodes: int, source: Capacity | None, begun: bool, errors: ErrorList) -> None:
    """Refuse a least size that the pool's capacity source cannot have."""
    if source in WHEN_ASKED:
        if min_nodes:
            errors.add(f"got {min_nodes}; nodes of {source.value} come when a job asks, from 0; remove it")
        return
    if not begun:
        errors.add("not allowed with active: false; nothing grows before the reservation begins; remove one of the two")
    if not 0 <= min_nodes <= nodes:
        errors.add(f"got {min_nodes}; must be 0 to {nodes}, the pool's nodes")
